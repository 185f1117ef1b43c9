#!/usr/bin/env python3
"""Compares random programs built with -flto=gpu with their plain builds.

  run.py c SEEDS      Csmith programs cut into several files
  run.py cuda SEEDS   programs of our generator with host and device code
  run.py copies SEEDS such programs about copies; some builds also run as late
                      as CUDA allows

SEEDS is N, FIRST-LAST, or several of these with commas between. A program whose
plain builds disagree, fail or take too long says nothing of us and is
discarded. A difference is kept in a folder below --found with its sources and
commands, made smaller with --reduce, and makes the exit status 1. What is said
of seeds is in their order, for any --jobs. The last lines count programs and
configurations; after an interruption they say with which seeds to go on.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import argparse
import collections
import concurrent.futures
import dataclasses
import functools
import shlex
import shutil
import signal
import sys
import tempfile
from pathlib import Path

import c_programs
import copy_cuda
import copy_locals
import copy_programs
import cuda_programs
import reduce
from programs import (Configuration, Failure, Folder, Tools, configurations,
                      processorSeconds, seededRandom, withTransfers)

KINDS = ["c", "cuda", "copies"]
PROGRESS = 50  # programs between two lines on standard error
NVCC_SHARE = 100  # one program of so many is also built by nvcc, for seconds
REFERENCE_LEVEL = "-O0"  # the cheapest: compiling takes longer than running


class Discarded(Exception):
    """A program whose plain builds are no reference."""


def reference(folder):
    """What the program must print."""
    try:
        expected = folder.plain(REFERENCE_LEVEL, "plain")
    except Failure as failure:
        raise Discarded(f"plain build failed: {failure}") from failure
    if any(expected.status):
        raise Discarded(f"plain build ends with {expected.status}: "
                        + expected.errors[-300:])
    for mode in folder.program.modes[1:]:
        if folder.plainIn(mode, "plain") != expected:
            raise Discarded("plain build prints something else with "
                            + " ".join(mode))
    return expected


def isOurs(folder, expected):
    """Whether stock clang builds agree on what the program prints."""
    return all(folder.plain(level, "plain" + level) == expected
               for level in ("-O0", "-O1", "-O2", "-O3"))


def check(folder, chosen, withNvcc, inAllModes):
    """Yields (configuration, what went wrong or nothing). The program is run in
    all its modes as linked by `chosen[inAllModes]`."""
    expected = reference(folder)
    if withNvcc:
        yield Configuration("nvcc", "", []), nvccProblem(folder, expected)
    try:
        folder.compile()
    except Failure as failure:
        refuseOfClang(folder)
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
        if outcome == expected and number == inAllModes:
            outcome = inModes(folder, name, configuration, expected)
        if outcome == expected:
            yield configuration, None
        elif not isOurs(folder, expected):
            raise Discarded("plain builds disagree")
        else:
            yield configuration, describe(expected, outcome)


def inModes(folder, name, configuration, expected):
    """What the program prints in the first mode in which it differs."""
    for mode in folder.program.modes[1:]:
        outcome = folder.run(name, mode=mode)
        if outcome != expected:
            configuration.name += " " + " ".join(mode)
            configuration.mode = mode
            return outcome
    return expected


def refuseOfClang(folder):
    """clang alone, with the options of each file, may not end either."""
    try:
        folder.compile(lto=())
    except Failure as failure:
        raise Discarded(f"clang fails, too: {failure}") from failure


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
        (target / source).parent.mkdir(exist_ok=True)
        shutil.copy(folder.path / source, target / source)
    (target / "commands.sh").write_text(
        "".join(shellCommand(*each) + "\n" for each in folder.commands))
    (target / "problem.txt").write_text(
        f"{configuration.name if configuration else 'compile'}\n{problem}\n")
    if configuration and not folder.program.isCuda:
        reduce.writeInteresting(target, folder, configuration)
    return target


def shellCommand(directory, environment, command):
    words = [f"{name}={value}" for name, value in environment.items()]
    text = " ".join(words + [shlex.join(map(str, command))])
    return f"(cd {directory} && {text})" if directory else text


@dataclasses.dataclass
class Result:
    """What came of some seeds."""
    programs: int = 0
    discarded: int = 0
    differences: int = 0
    processorSeconds: float = 0
    configurations: collections.Counter = dataclasses.field(
        default_factory=collections.Counter)
    lines: list = dataclasses.field(default_factory=list)

    def add(self, other):
        for field in dataclasses.fields(self):
            name = field.name
            if name != "lines":
                value = getattr(self, name)
                value += getattr(other, name)
                setattr(self, name, value)

    def print(self, kind):
        for name, count in sorted(self.configurations.items()):
            print(f"  {count:6} {name}")
        print(f"{self.programs} {kind} programs, "
              f"{self.configurations.total()} links compared, "
              f"{self.differences} differences, {self.discarded} discarded, "
              f"{self.processorSeconds:.0f} s of processor time")


def generateCopies(seed, dropped=frozenset(), without=()):
    """Programs of odd seeds have most buffers as locals, others as variables."""
    module = copy_locals if seed % 2 else copy_programs
    return module.generate(seed, dropped, without)


def generator(options):
    if options.kind == "c":
        return c_programs.generate
    generate = {"cuda": cuda_programs.generate,
                "copies": generateCopies}[options.kind]
    return functools.partial(generate, without=options.without)


def choose(kind, rng, program, tools):
    """Returns how a program is linked."""
    chosen = list(configurations(rng, program))
    return withTransfers(rng, chosen, tools) if kind == "copies" else chosen


def one(options, tools, seed):
    """Generates, builds and compares the program of one seed."""
    kind, result, before = options.kind, Result(), processorSeconds()
    program = generator(options)(seed)
    rng = seededRandom(kind, seed)
    chosen = choose(kind, rng, program, tools)
    inAllModes = rng.randrange(len(chosen)) if kind == "copies" else 0
    withNvcc = (program.isCuda and program.suitsNvcc and not options.no_nvcc
                and len(program.architectures) == 1
                and seed % NVCC_SHARE == 0)
    with tempfile.TemporaryDirectory(prefix="gpulto-random-") as path:
        folder = Folder(path, program, tools)
        try:
            for configuration, problem in check(folder, chosen, withNvcc,
                                                inAllModes):
                if configuration:
                    result.configurations[configuration.name] += 1
                if problem:
                    result.differences += 1
                    result.lines.append(difference(
                        options, tools, seed, folder, configuration, problem))
            result.programs = 1
        except Discarded as reason:
            result.discarded = 1
            result.lines.append(f"{kind}-{seed}: discarded: {reason}")
    result.processorSeconds = processorSeconds() - before
    return result


def difference(options, tools, seed, folder, configuration, problem):
    """Keeps what differs, smaller if wished; returns what to say of it."""
    name = f"{options.kind}-{seed}"
    target = keep(folder, options.found, name, configuration, problem)
    if (options.reduce and folder.program.isCuda and configuration
            and configuration.form):
        smaller = reduce.reduced(generator(options), seed, tools, configuration,
                                 not problem.startswith("expected"))
        for source, text in smaller.files.items():
            (target / source).write_text(text)
    return (f"{name}: differs, see {target}: "
            + problem.strip()[-200:].replace("\n", " | "))


def parseSeeds(text):
    seeds = []
    for part in text.split(","):
        first, _, last = part.partition("-")
        seeds += range(int(first), int(last or first) + 1)
    return seeds


def seedsText(seeds):
    """The same as parseSeeds takes it."""
    runs = []
    for seed in seeds:
        if runs and seed == runs[-1][1] + 1:
            runs[-1][1] = seed
        else:
            runs.append([seed, seed])
    return ",".join(f"{first}-{last}" for first, last in runs)


def results(options, tools):
    """Yields (seed, its result) in the order of the seeds."""
    work = functools.partial(one, options, tools)
    if options.jobs == 1:
        yield from zip(options.seeds, map(work, options.seeds))
        return
    with concurrent.futures.ProcessPoolExecutor(
            options.jobs, initializer=endOrderly) as pool:
        try:
            yield from zip(options.seeds, pool.map(work, options.seeds))
        finally:
            pool.shutdown(cancel_futures=True)


def endOrderly():
    """SIGTERM ends what a process has started, too."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))


def arguments():
    root = Path(__file__).resolve().parents[2]
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("kind", choices=KINDS)
    parser.add_argument("seeds", type=parseSeeds)
    parser.add_argument("--jobs", type=int, default=1, metavar="N",
                        help="programs at a time")
    parser.add_argument("--build", type=Path, default=root / "build/release")
    parser.add_argument("--llvm", type=Path, default=Path("/usr/lib/llvm-22"))
    parser.add_argument("--cuda", type=Path, default=Path("/usr/local/cuda"))
    parser.add_argument("--found", type=Path, default=Path("random-found"))
    parser.add_argument("--reduce", action="store_true",
                        help="make programs of ours that differ smaller")
    parser.add_argument("--no-nvcc", action="store_true")
    names = [f.__name__ for f in cuda_programs.FEATURES] + copy_cuda.NAMES
    parser.add_argument("--without", nargs="+", default=[], choices=names,
                        metavar="FEATURE", help="leave out what fails anyway: "
                        + ", ".join(names))
    parser.add_argument("--write", type=Path, metavar="DIR",
                        help="write the programs there and build nothing")
    return parser.parse_args()


def main():
    options = arguments()
    tools = Tools(options.build.resolve(), options.llvm, options.cuda)
    if options.write:
        for seed in options.seeds:
            Folder(options.write / f"{options.kind}-{seed}",
                   generator(options)(seed), tools)
        return 0
    # Before processes share the answers.
    tools.linkers(options.kind != "c")
    if options.kind == "copies":
        tools.knows("")
    totals, done = Result(), 0
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        for seed, result in results(options, tools):
            totals.add(result)
            done += 1
            print(*result.lines, sep="\n", end="\n" if result.lines else "",
                  flush=True)
            if done % PROGRESS == 0:
                print(f"{options.kind}-{seed}: {totals.programs} programs, "
                      f"{totals.processorSeconds:.0f} s", file=sys.stderr,
                      flush=True)
    except KeyboardInterrupt:
        print("interrupted, go on with "
              f"{options.kind} {seedsText(options.seeds[done:])}")
    totals.print(options.kind)
    return 1 if totals.differences else 0


if __name__ == "__main__":
    sys.exit(main())
