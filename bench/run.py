#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures links of gpulto beside its peers on the same programs.

    bench/run.py --build build/release --peer-cuda DIR --suite scale
    bench/run.py --build build/release --peer-cuda DIR --suite cuda DIRECTORY
    bench/run.py --build build/release --suite host DIRECTORY --only lua,zstd

Suites and variants (ours and the peers) are in bench/suites.toml. DIRECTORY
holds programs and a file programs.toml that describes them:

    [[program]]
    name = "lulesh"
    directory = "src/lulesh-cuda"     # below DIRECTORY
    sources = ["*.cu", "*.cpp"]       # globs below directory, or with $NAME
    flags = ["-DUSE_CUDA"]            # for every compile, or with $NAME
    variant-flags = { nvcc-dlto = ["--expt-relaxed-constexpr"] }
    libraries = ["-lm"]               # for the link
    variant-libraries = { gpulto = ["--gpulto-icf=none"] }
    shared = false
    run = ["./lulesh"]                # timed and compared where it can run

A variant compiles each program once, then the links of all variants are run in
turn, so that noise of the machine meets all of them alike. Reported of each:

  cpu, wall     seconds of the link with all its processes: median, and spread
                (half the range between the quartiles, as a share of the median)
  MB            peak memory of the process tree, shared pages counted once (the
                sum of PSS, sampled every 50 ms)
  file, text    sizes of the output and of its machine code for the device
  regs, stack   of all kernels; spilled registers are in the stack frame
  compile       seconds of CPU of all compiles

Programs of host suites are run and must print the same; those with device code
only with --device, which needs a GPU. Only ratios between variants of one run
mean anything on a shared machine.
"""

import argparse
import math
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE / "gen")]
import building  # noqa: E402
import measuring  # noqa: E402
import plot  # noqa: E402
from program import Program as GeneratedProgram  # noqa: E402
from program import Shape, write  # noqa: E402

OURS = "gpulto"
TIMED = ("cpu", "wall", "memory", "process-memory")


def inspect(build, gpulto):
    """Returns sizes and device code of a finished output."""
    result = {"file-bytes": build.output.stat().st_size}
    sections = subprocess.run(["size", "-A", build.output], text=True,
                              capture_output=True, check=True).stdout
    for line in sections.splitlines():
        fields = line.split()
        if len(fields) == 3 and fields[0] == ".text":
            result["host-text-bytes"] = int(fields[1])
    result.update(building.images(gpulto, build.output))
    return result


def compile_all(builds):
    """Compiles what has objects of its own; the others share."""
    done = {}
    for build in builds:
        other = done.get(build.variant.get("objects-of"))
        try:
            if other and not other.error:
                build.objects, build.compile_cpu = (other.objects,
                                                    other.compile_cpu)
            else:
                build.compile()
        except measuring.Failure as failure:
            build.error = str(failure)
        done[build.variant["name"]] = build


def link_in_turn(builds, rounds):
    for _ in range(rounds):
        for build in builds:
            if build.error:
                continue
            try:
                build.link()
            except measuring.Failure as failure:
                build.error = str(failure)


def run_all(builds, repetitions, result):
    """Runs the programs; one that prints something else than the first peer's
    is an error."""
    expected = None
    for build in sorted(builds, key=lambda b: b.variant["name"] == OURS):
        if build.error:
            continue
        name = build.variant["name"]
        try:
            outcome = build.time_run(repetitions)
        except measuring.Failure as failure:
            result[name] = {"error": str(failure)}
            continue
        if not outcome:
            continue
        used, output = outcome
        if expected is None:
            expected = name, output
        if output != expected[1]:
            result[name] = {"error": f"{build.output}\nerror: output differs "
                                     f"from {expected[0]}'s\n{output[:1000]}"}
        else:
            result[name]["run-cpu"] = used


def bench(program, variants, arguments, values, runs):
    """Builds and links `program` with all variants in turn."""
    builds = [building.Build(program, variant, arguments.work, values,
                             arguments.jobs) for variant in variants]
    compile_all(builds)
    link_in_turn(builds, arguments.warmup + arguments.repetitions)
    result = {}
    for build in builds:
        name = build.variant["name"]
        if build.error:
            result[name] = {"error": build.error}
            continue
        samples = build.samples[arguments.warmup:]
        result[name] = {key: measuring.summarize([one[key] for one in samples])
                        for key in TIMED}
        result[name]["compile-cpu"] = build.compile_cpu
        result[name].update(inspect(build, values["gpulto"]))
    if runs:
        run_all(builds, arguments.repetitions, result)
    return result


def value_of(entry, key):
    """Returns a figure of a variant, the median of one that varies."""
    found = entry.get(key)
    return found["median"] if isinstance(found, dict) else found


def ratios(programs):
    """Returns ours relative to each peer: geometric means over the programs
    that both link."""
    keys = (*TIMED, "compile-cpu", "file-bytes", "device-text-bytes",
            "host-text-bytes", "registers", "run-cpu")
    result = {}
    for peer in {name: None for entry in programs.values() for name in entry}:
        logs = {key: [] for key in keys}
        for entry in programs.values():
            for key in keys:
                ours = value_of(entry.get(OURS, {}), key)
                theirs = value_of(entry.get(peer, {}), key)
                if ours and theirs:
                    logs[key].append(math.log(ours / theirs))
        if peer != OURS and any(logs.values()):
            result[peer] = {key: math.exp(sum(some) / len(some))
                            for key, some in logs.items() if some}
    return result


def print_table(name, result):
    print(f"\n{name}")
    print(f"  {'variant':22} {'cpu s':>11} {'wall s':>11} {'MB':>9} "
          f"{'file KB':>8} {'text KB':>8} {'regs':>6} {'stack':>6} "
          f"{'compile':>8} {'run s':>11}")
    for variant, entry in result.items():
        if "error" in entry:
            lines = entry["error"].splitlines()
            why = next((line for line in lines[1:] if "error" in line.lower()),
                       lines[-1])
            print(f"  {variant:22} failed: {why[:90]}")
            continue

        def timed(key, scale=1, digits=2):
            if key not in entry:
                return ""
            return (f"{entry[key]['median'] / scale:.{digits}f} "
                    f"±{100 * entry[key]['spread']:.0f}%")

        text = entry.get("device-text-bytes") or entry["host-text-bytes"]
        print(f"  {variant:22} {timed('cpu'):>11} {timed('wall'):>11} "
              f"{timed('memory', 1e6, 0):>9} {entry['file-bytes'] / 1e3:8.0f} "
              f"{text / 1e3:8.1f} {entry.get('registers', 0):6} "
              f"{entry.get('stack-bytes', 0):6} {entry['compile-cpu']:8.1f} "
              f"{timed('run-cpu'):>11}", flush=True)


def print_ratios(means):
    print("\nours / theirs (geometric mean)")
    for peer, some in means.items():
        print(f"  {peer:22} " + ", ".join(
            f"{key} {value:.2f}" for key, value in some.items()))


def programs_of(suite, arguments):
    """Returns the programs of a suite, generated ones made first."""
    directories = [HERE / name for name in suite.get("directories", [])]
    if arguments.programs:
        directories = [arguments.programs]
    result = []
    for directory in directories:
        result += building.read_programs(directory, arguments.only)
    if not arguments.programs:
        for table in suite.get("generated", []):
            shape = dict(table)
            name = shape.pop("name")
            if arguments.only and name not in arguments.only.split(","):
                continue
            directory = arguments.work / "sources" / name.replace(" ", "-")
            write(GeneratedProgram(Shape(**shape)), directory)
            program = building.read_programs(directory)[0]
            program.name = name
            result.append(program)
    if not result:
        raise SystemExit(f"nothing to build: suite '{arguments.suite}' needs a "
                         "directory of programs, or --only names none")
    return result


def parse(suites):
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("programs", type=pathlib.Path, nargs="?",
                        help="directory with a programs.toml")
    building.add_arguments(parser, 5)
    parser.add_argument("--suite", default="cuda", choices=suites)
    parser.add_argument("--warmup", type=int, default=1)
    parser.add_argument("--device", action="store_true",
                        help="also run programs with device code")
    parser.add_argument("--plot", type=pathlib.Path, default=None,
                        help="SVG file for a plot of the results")
    return parser.parse_args()


def main():
    suites = building.read_suites()["suite"]
    arguments = parse(suites)
    suite = suites[arguments.suite]
    values = building.make_values(arguments)
    names = arguments.variants.split(",") if arguments.variants else None
    variants = building.read_variants(suite["kind"], names)
    report = {"suite": arguments.suite, "machine": measuring.machine(),
              "repetitions": arguments.repetitions,
              "versions": measuring.versions(values), "programs": {}}
    runs = suite["kind"] == "host" or arguments.device
    with tempfile.TemporaryDirectory(prefix="gpulto-bench-") as temporary:
        arguments.work = (arguments.work or pathlib.Path(temporary)).resolve()
        for program in programs_of(suite, arguments):
            result = bench(program, variants, arguments, values, runs)
            report["programs"][program.name] = result
            print_table(program.name, result)
            report["ratios"] = ratios(report["programs"])
            report["machine-after"] = measuring.machine()
            measuring.write_report(report, arguments.output)
            if arguments.plot:
                arguments.plot.write_text(plot.draw(report), encoding="utf-8")
    print_ratios(report["ratios"])
    return 1 if any("error" in result.get(OURS, {})
                    for result in report["programs"].values()) else 0


if __name__ == "__main__":
    sys.exit(main())
