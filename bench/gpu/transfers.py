#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures on a GPU what copies that go are worth.

    bench/gpu/transfers.py prepare --build build/release [--hecbench HeCBench] DIR
    DIR/transfers.py run DIR [--output OUT]     # there, with nothing but DIR and a GPU

`prepare` builds the programs of bench/polybench, larger, and with --hecbench some that
bench/transfers.toml has and that the link changes, with -fno-gpulto-transfers (before)
and without it (after). `run` runs the builds in turn, --repetitions times, and prints
medians: copies and fills that were made, their bytes, milliseconds of the host in them,
and the span from the first call that gives the device work to the end of the last, with
the ratio after / before and its spread (the quartiles). OUT gets transfers.json. Ends with
status 1 if a program prints something else after than before, or nothing could be run.
"""

import argparse
import json
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
VARIANTS = {"before": ["-fno-gpulto-transfers"], "after": []}
# With the arguments of their Makefiles: what bench/transfers.toml has of HeCBench, where
# the link leaves out copies of a kilobyte or more, and one GPU is enough.
REAL = ["pathfinder", "moe", "bh", "reverse2D", "crs", "lulesh"]
SECONDS = 60
MILLI = 1e3


# Here -----------------------------------------------------------------------


def compile_all(options):
    """Builds all programs in both variants; returns [{name, arguments}]."""
    sys.path.insert(0, str(HERE.parent))
    import accesses  # noqa: PLC0415
    import hecbench  # noqa: PLC0415
    import polybench  # noqa: PLC0415
    entries = []
    with tempfile.TemporaryDirectory(prefix="gpulto-transfers-") as work:
        compiler = [options.build.resolve() / "bin/gpulto-clang++", "-O2", "-flto=gpu",
                    "--offload-arch=sm_90", f"--cuda-path={options.cuda}"]
        names = set(filter(None, options.only.split(",")))
        for name in polybench.PROGRAMS:
            if names and name not in names:
                continue
            for variant, flags in VARIANTS.items():
                subprocess.run(
                    [*compiler, *flags, f"-DSIZE={options.size}",
                     polybench.SOURCES / f"{name}.cu", "-o",
                     target(options, name, variant), f"-L{options.cuda}/lib64",
                     "-lcudart"], check=True)
            entries.append({"name": name, "arguments": []})
        if options.hecbench:
            tables = {table["name"]: table for table in accesses.read_list(
                argparse.Namespace(list=HERE.parent / "accesses.toml"))["program"]}
            tree = accesses.Tree(options.hecbench.resolve(), pathlib.Path(work, "tree"))
            tree.root.mkdir(parents=True)
            here = argparse.Namespace(work=pathlib.Path(work), build=options.build.resolve(),
                                      cuda=options.cuda)
            for name in REAL:
                if names and name not in names:
                    continue
                for variant, flags in VARIANTS.items():
                    built = accesses.build(tables[name], tree, here, flags)
                    shutil.copy(built, target(options, name, variant))
                full = hecbench.describe(options.hecbench.resolve(), name, None)["run"]
                entries.append({"name": name, "arguments": full[1:]})
    return entries


def target(options, name, variant):
    return options.directory / f"{name}.{variant}"


def prepare(options):
    options.directory.mkdir(parents=True, exist_ok=True)
    runtime = "libcudart.so.13"
    shutil.copy(pathlib.Path(options.cuda, "lib64", runtime).resolve(),
                options.directory / runtime)
    shutil.copy(__file__, options.directory)
    subprocess.run(["cc", "-std=gnu11", "-O2", "-fPIC", "-shared", HERE / "copies.c", "-o",
                    options.directory / "copies.so", "-ldl", "-lpthread"], check=True)
    entries = compile_all(options)
    for entry in entries:
        for variant in VARIANTS:
            subprocess.run(["strip", "-s", target(options, entry["name"], variant)],
                           check=True)
    (options.directory / "programs.json").write_text(json.dumps(entries, indent=1))
    return 0


# There ----------------------------------------------------------------------


def measure(options, entry, variant):
    """Runs a build; returns what it prints, and what copies.c wrote."""
    directory = options.directory.resolve()
    program = directory / f"{entry['name']}.{variant}"
    command = ([options.emulator.resolve(), "--emulate", program] if options.emulator
               else [program])
    with tempfile.TemporaryDirectory(prefix="gpulto-transfers-") as work:
        written = pathlib.Path(work, "copies.json")
        done = subprocess.run(
            [*command, *entry["arguments"]], cwd=work, text=True, errors="replace",
            capture_output=True, timeout=SECONDS, check=True,
            env=dict(os.environ, LD_LIBRARY_PATH=str(directory), GPULTO_COPIES=str(written),
                     LD_PRELOAD=str(directory / "copies.so")))
        return done.stdout, json.loads(written.read_text())


def summary(samples):
    quartiles = statistics.quantiles(samples, n=4) if len(samples) > 1 else samples * 3
    return {"median": statistics.median(samples), "low": quartiles[0],
            "high": quartiles[2]}


def run_program(options, entry):
    """Returns the row of a program."""
    printed, samples = {}, {variant: [] for variant in VARIANTS}
    for _ in range(options.repetitions):
        for variant in VARIANTS:
            printed[variant], sample = measure(options, entry, variant)
            samples[variant].append(sample)
    row = {"name": entry["name"], "same": printed["before"] == printed["after"],
           "printed": printed}
    for variant, those in samples.items():
        row[variant] = {"copies": those[-1]["copies"], "bytes": those[-1]["bytes"]} | {
            key: summary([one[key] * MILLI for one in those])
            for key in ("in-copies", "in-waits", "span")}
    row["ratio"] = summary([after["span"] / before["span"] for before, after in
                            zip(samples["before"], samples["after"])])
    return row


def run_all(options):
    entries = json.loads((options.directory / "programs.json").read_text())
    rows, failed = [], 0
    print(f"{'':14} {'copies':>13} {'MB':>17} {'ms in copies':>17} {'span, ms':>17} "
          "  ratio")
    for entry in entries:
        try:
            row = run_program(options, entry)
        except (subprocess.SubprocessError, OSError, ValueError) as why:
            print(f"{entry['name']}: {why}")
            failed += 1
            continue
        rows.append(row)
        before, after, ratio = row["before"], row["after"], row["ratio"]
        print(f"{row['name']:14} {before['copies']:6} {after['copies']:6} "
              f"{before['bytes'] / 1e6:8.2f} {after['bytes'] / 1e6:8.2f} "
              f"{before['in-copies']['median']:8.3f} {after['in-copies']['median']:8.3f} "
              f"{before['span']['median']:8.3f} {after['span']['median']:8.3f} "
              f"{ratio['median']:6.3f} ({ratio['low']:.3f}-{ratio['high']:.3f})"
              + ("" if row["same"] else "  PRINTS SOMETHING ELSE"), flush=True)
    if rows:
        print(f"geometric mean of the ratios: "
              f"{statistics.geometric_mean(row['ratio']['median'] for row in rows):.3f}")
    if options.output:
        (options.output / "transfers.json").write_text(json.dumps(rows, indent=1) + "\n")
    return 1 if failed or not rows or not all(row["same"] for row in rows) else 0


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    verbs = parser.add_subparsers(dest="verb", required=True)
    here = verbs.add_parser("prepare")
    here.add_argument("--build", type=pathlib.Path, required=True)
    here.add_argument("--cuda", default="/usr/local/cuda")
    here.add_argument("--size", type=int, default=512, help="rows of their arrays")
    here.add_argument("--only", default="", help="names, comma-separated")
    here.add_argument("--hecbench", type=pathlib.Path, metavar="CHECKOUT")
    there = verbs.add_parser("run")
    there.add_argument("--repetitions", type=int, default=11)
    there.add_argument("--output", type=pathlib.Path, help="directory for transfers.json")
    there.add_argument("--emulator", type=pathlib.Path, metavar="GPULTO-RUN",
                       help="run on the emulator: nothing is learned of time")
    for each in (here, there):
        each.add_argument("directory", type=pathlib.Path)
    options = parser.parse_args()
    return prepare(options) if options.verb == "prepare" else run_all(options)


if __name__ == "__main__":
    sys.exit(main())
