#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Counts the instructions that host programs run, ours beside the peers.

    git clone https://github.com/lua/lua
    git clone https://github.com/facebook/zstd
    bench/instructions.py --build build/release .

Builds the programs of bench/host/programs.toml below DIRECTORY with the host
variants of bench/suites.toml, and runs each workload under `valgrind
--tool=callgrind`, which counts exactly, on a busy machine too. Printed, in
millions: the instructions of each workload, and bytes of text; "worst" is the most
by which ours exceeds the best of the others in a workload. What a variant prints
must be what the others print.
"""

import argparse
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import building  # noqa: E402
import measuring  # noqa: E402
import tomllib  # noqa: E402

OURS = "gpulto"
DESCRIPTIONS = HERE / "host"
VARIANTS = "gpulto,clang-thinlto,clang-full-lto"


def count(build, workload):
    """Returns what one run prints, and the instructions it takes."""
    places = {"here": DESCRIPTIONS, "work": build.work}
    command = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null",
               build.output] + [argument.format(**places)
                                for argument in workload["arguments"]]
    done = subprocess.run(command, cwd=build.program.directory, check=False,
                          stdin=subprocess.DEVNULL, capture_output=True)
    messages = done.stderr.decode(errors="replace")
    if done.returncode:
        sys.exit(f"{build.program.name}, {build.variant['name']}: exit status "
                 f"{done.returncode}\n{messages}")
    if "keep" in workload:
        (build.work / workload["keep"]).write_bytes(done.stdout)
    return done.stdout, int(re.search(r"Collected : (\d+)", messages)[1])


def text_bytes(output):
    table = subprocess.run(["size", "-A", output], text=True, check=True,
                           capture_output=True).stdout
    return int(re.search(r"^\.text\s+(\d+)", table, re.M)[1])


def measure(program, workloads, variants, arguments, values):
    """Returns of each variant the text and the instructions by workload."""
    builds = [building.Build(program, variant, arguments.work, values,
                             arguments.jobs) for variant in variants]
    result = {}
    for build in builds:
        build.compile()
        build.link()
        result[build.variant["name"]] = {"text": text_bytes(build.output)}
    for workload in workloads:
        runs = {build.variant["name"]: count(build, workload)
                for build in builds}
        if len({printed for printed, _ in runs.values()}) != 1:
            sys.exit(f"{program.name} {workload['name']}: outputs differ")
        for name, (_, instructions) in runs.items():
            result[name][workload["name"]] = instructions
    return result


def print_table(name, result):
    print(f"\n{name:12}", *(f"{variant:>16}" for variant in result),
          "  ours / best")
    worst = 0
    for row in result[OURS]:
        figures = {variant: some[row] for variant, some in result.items()}
        peers = [figure for variant, figure in figures.items()
                 if variant != OURS]
        ratio = figures[OURS] / min(peers or [figures[OURS]])
        scale, unit = (1, 0) if row == "text" else (1e6, 2)
        print(f"{row:12}", *(f"{figure / scale:16.{unit}f}"
                             for figure in figures.values()), f"{ratio:13.3f}")
        worst = max(worst, ratio if row != "text" else 0)
    print(f"{'worst':12} {worst:.3f}", flush=True)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("programs", type=pathlib.Path, metavar="DIRECTORY",
                        help="where checkouts of lua and zstd are")
    building.add_arguments(parser, 0)
    arguments = parser.parse_args()
    values = building.make_values(arguments)
    variants = building.read_variants(
        "host", (arguments.variants or VARIANTS).split(","))
    with open(DESCRIPTIONS / "programs.toml", "rb") as file:
        tables = tomllib.load(file)["program"]
    report = {"suite": "instructions", "versions": measuring.versions(values),
              "programs": {}}
    with tempfile.TemporaryDirectory(prefix="gpulto-bench-") as temporary:
        arguments.work = (arguments.work or pathlib.Path(temporary)).resolve()
        for table in tables:
            if arguments.only and table["name"] not in arguments.only.split(","):
                continue
            program = building.Program(arguments.programs.resolve(), table)
            result = measure(program, table["workloads"], variants, arguments,
                             values)
            report["programs"][program.name] = result
            print_table(program.name, result)
            measuring.write_report(report, arguments.output)
    return 0


if __name__ == "__main__":
    sys.exit(main())
