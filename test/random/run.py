#!/usr/bin/env python3
"""Compares random programs built with -flto=gpu with their plain builds.

  run.py c SEEDS      Csmith programs cut into several files
  run.py cuda SEEDS   programs of our generator with host and device code

SEEDS is N or FIRST-LAST. A program whose plain builds disagree, fail or take
too long says nothing of us and is discarded. A difference is kept in a folder
below --found with its sources and commands, made smaller with --reduce, and
makes the exit status 1. The last lines count programs and configurations.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import argparse
import collections
import dataclasses
import shlex
import shutil
import signal
import sys
import tempfile
from pathlib import Path

import c_programs
import cuda_programs
import reduce
from programs import (Configuration, Failure, Folder, Tools, configurations,
                      processorSeconds, seededRandom)

GENERATORS = {"c": c_programs.generate, "cuda": cuda_programs.generate}
PROGRESS = 50  # programs between two lines on standard error
NVCC_SHARE = 8  # one program of so many is also built by nvcc


class Discarded(Exception):
    """A program whose plain builds are no reference."""


def reference(folder):
    """What the program must print."""
    try:
        expected = folder.plain("-O2" if folder.program.isCuda else "-O0",
                                "plain")
    except Failure as failure:
        raise Discarded(f"plain build failed: {failure}") from failure
    if any(expected.status):
        raise Discarded(f"plain build ends with {expected.status}: "
                        + expected.errors[-300:])
    return expected


def isOurs(folder, expected):
    """Whether stock clang builds agree on what the program prints."""
    return all(folder.plain(level, "plain" + level) == expected
               for level in ("-O0", "-O1", "-O2", "-O3"))


def check(folder, chosen, withNvcc):
    """Yields (configuration, what went wrong or nothing)."""
    expected = reference(folder)
    if withNvcc:
        yield Configuration("nvcc", "", []), nvccProblem(folder, expected)
    try:
        folder.compile()
    except Failure as failure:
        yield None, str(failure)
        return
    for number, configuration in enumerate(chosen):
        name = f"lto{number}"
        try:
            outcome = folder.link(configuration, name)
        except Failure as failure:
            if "ptxas was ended by signal" in str(failure):
                configuration.name += " (ptxas crashed)"
                if linksWithoutPtxas(folder, configuration, name, expected):
                    yield configuration, None
                    continue
            yield configuration, str(failure)
            continue
        if outcome == expected:
            yield configuration, None
        elif not isOurs(folder, expected):
            raise Discarded("plain builds disagree")
        else:
            yield configuration, describe(expected, outcome)


def nvccProblem(folder, expected):
    """nvcc's build is a second opinion on what the program prints."""
    try:
        outcome = folder.nvcc("nvcc")
    except Failure as failure:
        return str(failure)
    return None if outcome == expected else describe(expected, outcome)


def linksWithoutPtxas(folder, configuration, name, expected):
    """Whether only ptxas's optimizer is in the way: see stock/."""
    configuration = dataclasses.replace(
        configuration,
        options=configuration.options + ["--gpulto-ptxas-arg=-O0"])
    try:
        return folder.link(configuration, name) == expected
    except Failure:
        return False


def describe(expected, outcome):
    return (f"expected {expected.status}\n{expected.output}\n"
            f"found {outcome.status}\n{outcome.output}\n{outcome.errors}")


def keep(folder, found, name, configuration, problem):
    """Copies a program that shows a difference to where it can be studied."""
    target = found / name
    shutil.rmtree(target, ignore_errors=True)
    target.mkdir(parents=True)
    for source in folder.program.files:
        shutil.copy(folder.path / source, target)
    (target / "commands.sh").write_text(
        "".join(shlex.join(map(str, c)) + "\n" for c in folder.commands))
    (target / "problem.txt").write_text(
        f"{configuration.name if configuration else 'compile'}\n{problem}\n")
    if configuration and not folder.program.isCuda:
        reduce.writeInteresting(target, folder, configuration)
    return target


class Totals:
    def __init__(self):
        self.programs = self.discarded = self.differences = 0
        self.configurations = collections.Counter()

    def print(self, kind):
        for name, count in sorted(self.configurations.items()):
            print(f"  {count:6} {name}")
        print(f"{self.programs} {kind} programs, "
              f"{self.configurations.total()} links compared, "
              f"{self.differences} differences, {self.discarded} discarded, "
              f"{processorSeconds():.0f} s of processor time")


def one(kind, seed, options, tools, totals):
    """Generates, builds and compares the program of one seed."""
    program = GENERATORS[kind](seed)
    chosen = list(configurations(seededRandom(kind, seed), program))
    found = options.found
    withNvcc = (program.isCuda and not options.no_nvcc
                and len(program.runs) == 1 and seed % NVCC_SHARE == 0)
    with tempfile.TemporaryDirectory(prefix="gpulto-random-") as path:
        folder = Folder(path, program, tools)
        try:
            for configuration, problem in check(folder, chosen, withNvcc):
                if configuration:
                    totals.configurations[configuration.name] += 1
                if not problem:
                    continue
                totals.differences += 1
                name = f"{kind}-{seed}"
                target = keep(folder, found, name, configuration, problem)
                print(f"{name}: differs, see {target}: "
                      + problem.strip()[-200:].replace("\n", " | "),
                      flush=True)
                if (options.reduce and program.isCuda and configuration
                        and configuration.form):
                    smaller = reduce.reduced(
                        GENERATORS[kind], seed, tools, configuration,
                        not problem.startswith("expected"))
                    for source, text in smaller.files.items():
                        (target / source).write_text(text)
            totals.programs += 1
        except Discarded as reason:
            totals.discarded += 1
            print(f"{kind}-{seed}: discarded: {reason}", flush=True)


def parseSeeds(text):
    first, _, last = text.partition("-")
    return range(int(first), int(last or first) + 1)


def main():
    root = Path(__file__).resolve().parents[2]
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("kind", choices=GENERATORS)
    parser.add_argument("seeds", type=parseSeeds)
    parser.add_argument("--build", type=Path, default=root / "build/release")
    parser.add_argument("--llvm", type=Path, default=Path("/usr/lib/llvm-19"))
    parser.add_argument("--cuda", type=Path, default=Path("/usr/local/cuda"))
    parser.add_argument("--found", type=Path, default=Path("random-found"))
    parser.add_argument("--reduce", action="store_true",
                        help="make programs of ours that differ smaller")
    parser.add_argument("--no-nvcc", action="store_true")
    options = parser.parse_args()
    tools = Tools(options.build.resolve(), options.llvm, options.cuda)
    totals = Totals()
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        for seed in options.seeds:
            before = totals.programs // PROGRESS
            one(options.kind, seed, options, tools, totals)
            if totals.programs // PROGRESS > before:
                print(f"{options.kind}-{seed}: {totals.programs} programs, "
                      f"{processorSeconds():.0f} s", file=sys.stderr,
                      flush=True)
    except KeyboardInterrupt:
        print(f"interrupted at {options.kind}-{seed}")
    totals.print(options.kind)
    return 1 if totals.differences else 0


if __name__ == "__main__":
    sys.exit(main())
