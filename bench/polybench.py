#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Counts the copies that are left of those of naive programs, on the emulator.

    bench/polybench.py --build build/release [--check] [NAME...]

Builds the programs of bench/polybench with -fno-gpulto-transfers (before) and without it
(after), runs them with gpulto-run --transfers, and prints a table:

  nests    parallel loop nests in the source
  source   copies in the source, for each nest one for each array and direction
  DawnCC   copies of the original program and of the optimized one, in Figure 14 of
           Mendonca et al., "DawnCC: Automatic Annotation for Data Parallelism and
           Offloading", 2017
  sites    copies of the program that ran at least once, by the calls that led there
  copies   that were made
  bytes    that they copied

Ends with status 1 if a program fails, finds its results wrong, prints something else after
than before, or has not as many copies in the source as the original one. With --check also
if a program has more sites after than DawnCC's optimized one has copies.

A compiler that does not know the option makes no difference; then nothing is checked.
"""

import argparse
import collections
import json
import os
import pathlib
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import coalescing  # noqa: E402
import measuring  # noqa: E402

SOURCES = HERE / "polybench"
OFF = "-fno-gpulto-transfers"
VARIANTS = ("before", "after")
COLUMNS = ("sites", "copies", "bytes")
Paper = collections.namedtuple("Paper", "nests original optimized")
# As in the figure, but by program.
PROGRAMS = {
    "gesummv": Paper(1, 7, 7), "bicg": Paper(3, 10, 7), "2dconv": Paper(1, 3, 3),
    "atax": Paper(3, 10, 6), "mvt": Paper(2, 8, 7), "3dconv": Paper(1, 3, 3),
    "syrk": Paper(2, 5, 3), "gramschm": Paper(1, 6, 6), "corr": Paper(4, 14, 14),
    "fdtd-2d": Paper(1, 7, 7), "covar": Paper(3, 9, 6), "gemm": Paper(1, 4, 4),
    "2mm": Paper(2, 8, 7), "3mm": Paper(3, 12, 10), "syr2k": Paper(1, 4, 4),
}


def compiler(options):
    return [options.build / "bin/gpulto-clang++", "-O2", "-flto=gpu"]


def knows_pass(options):
    """Tells whether the compiler knows the option that turns the pass off."""
    try:
        run([*compiler(options), OFF, "-fsyntax-only", "-x", "c++", "/dev/null"])
    except measuring.Failure:
        return False
    return True


def run(command):
    """Returns what a command prints. Raises measuring.Failure."""
    return measuring.measure(command, None, dict(os.environ))["output"]


def measure(name, flags, work, options):
    """Builds and runs a program. Returns what it prints, and figures by column.
    Raises measuring.Failure."""
    program, log = work / name, work / f"{name}.json"
    run([*compiler(options), f"--offload-arch=sm_{options.arch}",
         f"--cuda-path={options.cuda}", *flags, SOURCES / f"{name}.cu", "-o", program,
         f"-L{options.cuda}/lib64", "-lcudart"])
    printed = run([options.build / "bin/gpulto-run", f"--transfers={log}", program])
    rows = [row for row in json.loads(log.read_text())["copies"]
            if row["kind"] == "copy" and row["executions"]]
    sites = {tuple((place["file"], place["address"]) for place in row["stack"])
             for row in rows}
    return printed, {"sites": len(sites),
                     "copies": sum(row["executions"] for row in rows),
                     "bytes": sum(row["bytes"] for row in rows)}


def measure_both(name, flags, work, options):
    """Returns the row of a program, and what is wrong with it."""
    paper = PROGRAMS[name]
    row = {"nests": paper.nests, "original": paper.original, "optimized": paper.optimized,
           "source": (SOURCES / f"{name}.cu").read_text().count("cudaMemcpy(")}
    printed, wrong = {}, []
    for variant in VARIANTS:
        directory = work / variant
        directory.mkdir(parents=True, exist_ok=True)
        try:
            printed[variant], row[variant] = measure(name, flags[variant], directory,
                                                     options)
        except measuring.Failure as why:
            return row, [f"{name}: {variant}: {why}"]
    if row["source"] != paper.original:
        wrong.append(f"{name}: {row['source']} copies in the source, not {paper.original}")
    if printed["before"] != printed["after"]:
        wrong.append(f"{name}: prints before:\n{printed['before']}after:\n"
                     f"{printed['after']}")
    return row, wrong


def sums_of(rows):
    """Adds up the rows of programs."""
    result = {key: sum(row[key] for row in rows)
              for key in ("nests", "source", "original", "optimized")}
    for variant in VARIANTS:
        result[variant] = {key: sum(row[variant][key] for row in rows) for key in COLUMNS}
    return result


def print_rows(rows):
    """Prints the table, {name: row}."""
    coalescing.print_table(
        ["program", "nests", "source", "DawnCC", "optimized"] +
        [f"{key} {variant}" for key in COLUMNS for variant in VARIANTS],
        [[name] + [row[key] for key in ("nests", "source", "original", "optimized")] +
         [row[variant][key] for key in COLUMNS for variant in VARIANTS]
         for name, row in rows.items()])


def measure_all(options, work):
    """Returns a report on the programs, and what is wrong."""
    known = knows_pass(options)
    flags = {"before": [OFF] if known else [], "after": []}
    rows, wrong = {}, []
    for name in options.names or PROGRAMS:
        row, of_program = measure_both(name, flags, work, options)
        wrong += of_program
        if "after" not in row:
            continue
        rows[name] = row
        if options.check and known and row["after"]["sites"] > row["optimized"]:
            wrong.append(f"{name}: {row['after']['sites']} sites after, DawnCC has "
                         f"{row['optimized']}")
    return {"known": known, "programs": rows, "sum": sums_of(rows.values())}, wrong


def parse():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, required=True,
                        help="build directory of gpulto")
    parser.add_argument("--cuda", default="/usr/local/cuda", help="toolkit")
    parser.add_argument("--arch", default="90")
    parser.add_argument("--work", type=pathlib.Path,
                        help="directory for what is built and written; default: a "
                             "temporary one")
    parser.add_argument("--check", action="store_true",
                        help="no program may have more sites than DawnCC's copies")
    parser.add_argument("--json", type=pathlib.Path, help="file for the figures")
    parser.add_argument("names", nargs="*", help="programs (all)")
    options = parser.parse_args()
    for name in options.names:
        if name not in PROGRAMS:
            parser.error(f"{name} is none of {', '.join(PROGRAMS)}")
    options.build = options.build.resolve()
    return options


def main():
    options = parse()
    if options.work:
        report, wrong = measure_all(options, options.work.resolve())
    else:
        with tempfile.TemporaryDirectory() as work:
            report, wrong = measure_all(options, pathlib.Path(work))
    print_rows({**report["programs"], "sum": report["sum"]})
    if not report["known"]:
        print(f"\nThe compiler does not know {OFF}: before and after are the same.")
    measuring.write_report(report, options.json)
    for text in wrong:
        print(f"\n{text.strip()}", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
