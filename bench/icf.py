#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures what folding saves of device code, beside what could be saved.

    bench/icf.py --build build/release --peer-cuda DIR
    bench/icf.py --build build/release --peer-cuda DIR --only sort,scan PROGRAMS

PROGRAMS (default: bench/icf) has a programs.toml as for run.py. Each
program is compiled once by gpulto and linked without folding, with folding, and
with --gpulto-icf-kernels=register; the outputs of all three on the emulator
must be equal. The ceiling is what a comparison of machine code finds in the
program that was not folded: the bytes of functions whose code is that of
another function of the cubin. Bytes are exact and repeat; of processor time
(ptxas on the PTX of the link, and the whole link, repeated in turn) only ratios
mean anything. Peers: bytes of device code, and how much of it is there twice.
"""

import argparse
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import building  # noqa: E402
import measuring  # noqa: E402

OURS = "gpulto"
PEERS = ["clang-foffload-lto", "nvcc-dlto"]
FOLDINGS = {"none": ["--gpulto-icf=none"], "launch": [],
            "register": ["--gpulto-icf-kernels=register"]}


def link(build, folding):
    """Links with `folding`; returns processor seconds, the program, and the
    PTX of the link."""
    output = build.work / folding
    temps = build.work / f"{folding}.temps"
    words = building.expand(build.variant["link"],
                         dict(build.values, objects=build.objects, shared=[],
                              libraries=build.libraries(),
                              output=str(output)))
    used = measuring.measure(words + FOLDINGS[folding] +
                         [f"--gpulto-save-temps={temps}"],
                         build.work, build.environment)
    return used["cpu"], output, temps / f"sm_{build.values['arch']}.ptx"


def emulate(build, output):
    environment = dict(os.environ,
                       LD_LIBRARY_PATH=build.values["cuda"] + "/lib64")
    done = subprocess.run(
        [build.values["bin"] + "/gpulto-run", "--emulate", output], text=True,
        capture_output=True, env=environment, cwd=build.work, check=False)
    if done.returncode:
        raise measuring.Failure(f"{output}\n{done.stdout}{done.stderr}")
    return done.stdout


def measure_ours(build, repetitions):
    """Returns the figures of each folding."""
    cpu = {folding: [] for folding in FOLDINGS}
    ptxas = {folding: [] for folding in FOLDINGS}
    result, outputs = {}, {}
    for _ in range(repetitions):
        for folding in FOLDINGS:
            seconds, output, ptx = link(build, folding)
            cpu[folding].append(seconds)
            command = [build.values["cuda"] + "/bin/ptxas", str(ptx),
                       f"-arch=sm_{build.values['arch']}", "-o", "/dev/null"]
            ptxas[folding].append(
                measuring.measure(command, build.work, None)["cpu"])
            outputs[folding] = output
    texts = {folding: emulate(build, output)
             for folding, output in outputs.items()}
    for folding, output in outputs.items():
        if texts[folding] != texts["none"]:
            raise measuring.Failure(f"{folding}: another output than unfolded\n"
                                f"{texts['none']}{texts[folding]}")
        found = building.images(build.values["gpulto"], output)
        result[folding] = {"text": found["device-text-bytes"],
                           "duplicate": found["duplicate-text-bytes"],
                           "kernels": found["kernels"],
                           "ptxas": statistics.median(ptxas[folding]),
                           "link": statistics.median(cpu[folding])}
    ceiling = result["none"]["duplicate"]
    for entry in result.values():
        gone = result["none"]["text"] - entry["text"]
        entry["share-of-ceiling"] = gone / ceiling if ceiling else None
    return result


def bench_program(program, variants, arguments, values):
    result = {}
    for variant in variants:
        name = variant["name"]
        build = building.Build(program, variant, arguments.work, values,
                            arguments.jobs)
        try:
            build.compile()
            if name == OURS:
                result[name] = measure_ours(build, arguments.repetitions)
                continue
            build.link()
            found = building.images(values["gpulto"], build.output)
            result[name] = {"text": found["device-text-bytes"],
                            "duplicate": found["duplicate-text-bytes"],
                            "kernels": found["kernels"]}
            if not found["device-text-bytes"]:
                raise measuring.Failure(f"no device code in {build.output}")
        except measuring.Failure as failure:
            result[name] = {"error": str(failure)}
            print(f"{program.name}: {name}: {failure}", file=sys.stderr,
                  flush=True)
    return result


def print_table(programs):
    """Prints a table in Markdown."""
    print("\nDevice code in KB; in brackets the kernels. Share: of what a "
          "comparison of machine code finds twice in the program that is not "
          "folded. ptxas, link: processor time relative to unfolded.\n")
    print("| program | unfolded | found twice | launch | share | ptxas | link "
          "| register | share | ptxas | " + " | ".join(
              f"{peer} | of it twice" for peer in PEERS) + " |")
    print("|---" * (10 + 2 * len(PEERS)) + "|")
    for name, result in programs.items():
        ours = result.get(OURS, {})
        cells = [name]
        if "error" in ours or not ours:
            cells += ["failed"] + [""] * 8
        else:
            plain = ours["none"]

            def text(entry):
                return f"{entry['text'] / 1e3:.1f} ({entry['kernels']})"

            def share(entry):
                value = entry["share-of-ceiling"]
                return "" if value is None else f"{100 * value:.1f} %"

            launch, register = ours["launch"], ours["register"]
            cells += [text(plain), f"{plain['duplicate'] / 1e3:.1f} "
                      f"({100 * plain['duplicate'] / plain['text']:.1f} %)",
                      text(launch), share(launch),
                      f"{launch['ptxas'] / plain['ptxas']:.2f}",
                      f"{launch['link'] / plain['link']:.2f}",
                      text(register), share(register),
                      f"{register['ptxas'] / plain['ptxas']:.2f}"]
        for peer in PEERS:
            entry = result.get(peer)
            if not entry or "error" in entry:
                cells += ["failed" if entry else "", ""]
            else:
                cells += [f"{entry['text'] / 1e3:.1f} ({entry['kernels']})",
                          f"{100 * entry['duplicate'] / entry['text']:.1f} %"]
        print("| " + " | ".join(cells) + " |")


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("programs", type=pathlib.Path, nargs="?",
                        default=HERE / "icf")
    building.add_arguments(parser, 3)
    arguments = parser.parse_args()
    values = building.make_values(arguments)
    chosen = (arguments.variants.split(",") if arguments.variants
              else [OURS] + PEERS)
    variants = building.read_variants("cuda", chosen)
    programs = building.read_programs(arguments.programs, arguments.only)
    report = {"suite": "icf", "machine": measuring.machine(),
              "arch": f"sm_{arguments.arch}",
              "repetitions": arguments.repetitions,
              "versions": measuring.versions(values), "programs": {}}
    with tempfile.TemporaryDirectory(prefix="gpulto-bench-") as work:
        arguments.work = (arguments.work or pathlib.Path(work)).resolve()
        for program in programs:
            report["programs"][program.name] = bench_program(
                program, variants, arguments, values)
    measuring.write_report(report, arguments.output)
    print_table(report["programs"])
    return 1 if any("error" in entry for result in report["programs"].values()
                    for entry in result.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
