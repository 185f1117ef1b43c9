#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs a directory of checked-out CUDA programs on the emulator and lists each
program's verdict on itself.

  run_programs.py --gpulto-run=build/bin/gpulto-run --list=NAMES DIRECTORY

Every program is a subdirectory that was built (`make CC="nvcc -cudart shared"
ARCH=sm_90`) and whose Makefile has a `run:` target with a line
`./program arguments`, as HeCBench has it. The sizes there are for GPUs; so the
program is run with its numbers made smaller, by several factors until it says
PASS; what every attempt said is listed. A file given by --arguments overrides
that: lines of `name arg arg...`.

Verdicts: PASS and FAIL as the program says itself (its exit status counts too),
ERROR when the emulator reported something, TIMEOUT, NO-CHECK when it ended well
without a word on its result, NOT-BUILT."""
import argparse
import os
import re
import signal
import subprocess
import sys

GOOD = re.compile(r"\b(PASS(ED)?|[Ss]uccess(ful)?|SUCCESS|Test passed|passed|"
                  r"Result = PASS|OK|Verification.*(ok|correct))\b")
BAD = re.compile(r"\b(FAIL(ED|URE)?|[Ff]ail(ed)?|[Mm]ismatch|INCORRECT)\b")
ORDER = ["PASS", "ERROR", "FAIL", "NO-CHECK", "TIMEOUT"]
TROUBLE = re.compile(r"gpulto emulator: (?!.*is not supported)")


def run_lines(directory):
    """The arguments of the Makefile's run target, or None."""
    try:
        with open(os.path.join(directory, "Makefile")) as file:
            text = file.read().replace("\\\n", " ")
    except OSError:
        return None
    program = re.search(r"^program\s*=\s*(\S+)", text, re.M)
    name = program[1] if program else "main"
    match = re.search(r"^run\s*:.*\n((?:\t.*\n?)+)", text, re.M)
    for line in match[1].splitlines() if match else []:
        call = re.search(r"\./(\S+)(.*)", line)
        if call:
            return name, re.sub(r"[>|;&].*", "", call[2]).split()
    return name, []


def smaller(arguments, shift):
    """The arguments with the last number, by custom that of repetitions, at
    most 2 and large numbers shifted right."""
    result = list(arguments)
    numbers = [i for i, a in enumerate(result) if re.fullmatch(r"\d+", a)]
    if numbers and int(result[numbers[-1]]) > 2:
        result[numbers[-1]] = "2"
    for i in numbers[:-1]:
        value = int(result[i])
        if value > 256:
            result[i] = str(max(256, value >> shift))
    return result


def execute(options, directory, program, arguments):
    command = [options.gpulto_run, "--emulate"] + options.option + \
        ["./" + program] + arguments
    process = subprocess.Popen(command, cwd=directory, stdout=subprocess.PIPE,
                               stderr=subprocess.STDOUT,
                               start_new_session=True)
    try:
        output, _ = process.communicate(timeout=options.timeout)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        output, _ = process.communicate()
        return None, output.decode("utf-8", "replace")
    return process.returncode, output.decode("utf-8", "replace")


def judge(status, output):
    if status is None:
        return "TIMEOUT"
    if TROUBLE.search(output):
        return "ERROR"
    if BAD.search(output) or (status != 0 and GOOD.search(output)):
        return "FAIL"
    if GOOD.search(output):
        return "PASS"
    return "NO-CHECK" if status == 0 else f"EXIT-{status}"


def try_program(options, name, fixed):
    directory = os.path.join(options.directory, name)
    found = run_lines(directory) or ("main", [])
    program = options.program or found[0]
    if not os.access(os.path.join(directory, program), os.X_OK):
        return "NOT-BUILT", "", ""
    attempts = [fixed] if fixed is not None else \
        [smaller(found[1], int(shift)) for shift in options.shifts.split(",")]
    said, outputs, done = [], [], []
    for arguments in attempts:
        if arguments in done:
            continue
        done.append(arguments)
        status, output = execute(options, directory, program, arguments)
        said.append((judge(status, output), " ".join(arguments)))
        outputs.append(f"$ {program} {said[-1][1]}\n{output}")
        if said[-1][0] == "PASS":
            break
    # What says most: a pass, else the worst that was not a question of time.
    verdict = min((v for v, _ in said), key=lambda v: (
        ORDER.index(v) if v in ORDER else len(ORDER)))
    return verdict, "; ".join(f"{v}: {a}" for v, a in said), \
        "\n".join(outputs)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--gpulto-run", required=True)
    parser.add_argument("--list", help="file of names; default: all")
    parser.add_argument("--arguments", help="file of `name arg...`")
    parser.add_argument("--logs", help="directory for the outputs")
    parser.add_argument("--program", help="file name of the programs")
    parser.add_argument("--timeout", type=float, default=60, help="seconds")
    parser.add_argument("--shifts", default="6,10,2,0",
                        help="by how many bits to shrink large numbers, in "
                        "the order of the attempts")
    parser.add_argument("--option", action="append", default=[],
                        help="further option of gpulto-run")
    parser.add_argument("directory")
    options = parser.parse_args()
    options.gpulto_run = os.path.abspath(options.gpulto_run)
    if options.list:
        with open(options.list) as file:
            names = file.read().split()
    else:
        names = sorted(os.listdir(options.directory))
    fixed = {}
    if options.arguments:
        with open(options.arguments) as file:
            fixed = {l.split()[0]: l.split()[1:] for l in file if l.split()}
    counts = {}
    for name in names:
        verdict, arguments, output = try_program(options, name,
                                                 fixed.get(name))
        counts[verdict] = counts.get(verdict, 0) + 1
        print(f"{verdict:10} {name} {arguments}", flush=True)
        if options.logs:
            os.makedirs(options.logs, exist_ok=True)
            with open(os.path.join(options.logs, name.replace("/", "_") + ".log"),
                      "w") as file:
                file.write(output)
    print(" ".join(f"{k}={v}" for k, v in sorted(counts.items())))
    return 0 if set(counts) <= {"PASS"} else 1


if __name__ == "__main__":
    sys.exit(main())
