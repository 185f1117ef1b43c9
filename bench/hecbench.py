#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Describes programs of HeCBench for the benchmarks.

    git clone https://github.com/zjin-lcf/HeCBench
    bench/hecbench.py --build build/release --peer-cuda DIR HeCBench
    bench/ipa.py --build build/release --peer-cuda DIR HeCBench

writes HeCBench/programs.toml. --random programs are drawn at random, then
--multi-file ones, in the order of the same shuffle; or those of --names. What
`make -n run` prints gives sources, flags and arguments; hecbench.toml has smaller
arguments. A program that plain clang does not compile, or that does not end in
--limit seconds on the emulator (0: is not run), is listed as discarded, with the
reason, and the next one is drawn. Flags that change how floating-point numbers are
computed, or how many registers kernels get, are left out.
"""

import argparse
import json
import pathlib
import random
import re
import shlex
import subprocess
import sys
import tempfile
import tomllib

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import building  # noqa: E402
import ipa  # noqa: E402
import measuring  # noqa: E402

COMPILERS = {"nvcc", "g++", "gcc", "c++", "cc"}
SOURCES = (".cu", ".cpp", ".cc", ".c")
KEPT_FLAGS = ("-D", "-U", "-I", "-std=")
LIBRARIES = {"-lm", "-lpthread", "-ldl", "-lrt"}
# Lines of times, and of what is computed from them.
IGNORED = (r"(?i)time|elapsed|duration|seconds|bandwidth|throughput|speed|"
           r"perf|latency|\b[mun]?s\b|[KMGT]i?B/s|flop|/sec|rate|memory")


class Discarded(Exception):
    """Why a program is not measured."""


def commands_of(directory):
    """Returns what `make run` would do, in words."""
    done = subprocess.run(["make", "-n", "-B", "-s", "-C", directory, "run"],
                          text=True, capture_output=True, check=False)
    if done.returncode:
        raise Discarded("make: " + done.stderr.strip().splitlines()[0])
    commands = []
    for line in done.stdout.replace("\\\n", " ").splitlines():
        try:
            commands.append(shlex.split(line))
        except ValueError as error:
            raise Discarded(f"make: {error}") from error
    return [words for words in commands if words]


def describe(root, name, arguments):
    """Returns the table of a program, with `arguments` if not None."""
    directory = root / "src" / f"{name}-cuda"
    sources, flags, libraries, run = [], [], [], None
    for words in commands_of(directory):
        if words[0].startswith("./") and run is None:
            run = words
        if words[0] not in COMPILERS:
            continue
        if "-x" in words:
            raise Discarded("compiles as CUDA what is not named so")
        for word in words[1:]:
            if word.endswith(SOURCES) and word not in sources:
                sources.append(word)
            elif word.startswith(KEPT_FLAGS) and word not in flags:
                flags.append(word)
            elif word.startswith("-l") and word not in libraries:
                libraries.append(word)
            elif word.endswith((".a", ".so")):
                raise Discarded(f"needs {word}")
    if any(source.endswith(".c") for source in sources):
        flags = [flag for flag in flags if not flag.startswith("-std=c++")]
    foreign = [library for library in libraries if library not in LIBRARIES]
    if foreign:
        raise Discarded(f"needs {' '.join(foreign)}")
    if not sources or not run:
        raise Discarded("make: no sources, or nothing to run")
    return {"name": name, "directory": str(directory.relative_to(root)),
            "sources": sources, "flags": flags, "libraries": libraries,
            "run": run if arguments is None else
            run[:1] + shlex.split(arguments), "ignore": IGNORED}


def reason_of(failure):
    """Returns the lines of a failure that say most: the first error, and the
    last line of a program that gave up."""
    lines = failure.splitlines()
    first = next((line for line in lines if "error: " in line), lines[-1])
    last = [lines[-1]] if "exit status" in first else []
    return ": ".join([first[:200], *last])


def try_plain(root, table, options, values):
    """Builds and runs the program with plain clang. Raises Discarded."""
    missing = [source for source in table["sources"]
               if not (root / table["directory"] / source).exists()]
    if missing:
        raise Discarded(f"lacks {missing[0]}")
    variant = building.read_variants("cuda", ["clang-rdc"])[0]
    build = building.Build(building.Program(root, table), variant,
                           options.work, values, options.jobs)
    try:
        result, _ = ipa.measure(build, options.limit)
    except measuring.Failure as failure:
        raise Discarded(reason_of(str(failure))) from failure
    if options.limit and not result["warp-instructions"]:
        raise Discarded("launches nothing")


def to_toml(programs, discarded, options):
    lines = ["# Written by bench/hecbench.py.", f"seed = {options.seed}"]
    for heading, tables in (("program", programs), ("discarded", discarded)):
        for table in tables:
            lines += ["", f"[[{heading}]]"]
            # JSON's strings and lists are TOML's.
            lines += [f"{key} = {json.dumps(value)}"
                      for key, value in table.items()]
    return "\n".join(lines) + "\n"


def draw(options, values):
    """Yields tables of programs and, with "reason", of discarded ones."""
    with open(HERE / "hecbench.toml", "rb") as file:
        smaller = tomllib.load(file)["arguments"]
    order = sorted(path.parent.name.removesuffix("-cuda") for path in
                   options.checkout.glob("src/*-cuda/Makefile"))
    random.Random(options.seed).shuffle(order)
    wanted = {"random": options.random, "multi-file": options.multi_file}
    if options.names:
        order = options.names.split(",")
        wanted = {"named": len(order)}
    for kind, count in wanted.items():
        for name in list(order):
            if count == 0:
                break
            try:
                table = describe(options.checkout, name, smaller.get(name))
                if kind == "multi-file" and len(table["sources"]) < 2:
                    continue
                order.remove(name)
                try_plain(options.checkout, table, options, values)
            except Discarded as why:
                if name in order:
                    order.remove(name)
                yield {"name": name, "reason": str(why)}
                continue
            count -= 1
            yield dict(table, drawn=kind)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("checkout", type=pathlib.Path)
    building.add_arguments(parser, None)
    parser.add_argument("--seed", type=int, default=2026)
    parser.add_argument("--random", type=int, default=12)
    parser.add_argument("--multi-file", type=int, default=12)
    parser.add_argument("--names", default="", help="comma-separated")
    parser.add_argument("--limit", type=float, default=120)
    options = parser.parse_args()
    options.checkout = options.checkout.resolve()
    values = building.make_values(options)
    programs, discarded = [], []
    with tempfile.TemporaryDirectory(prefix="gpulto-bench-") as temporary:
        options.work = (options.work or pathlib.Path(temporary)).resolve()
        for table in draw(options, values):
            (discarded if "reason" in table else programs).append(table)
            print(table["name"], re.sub(r"\s+", " ",
                                        table.get("reason", "is taken")),
                  flush=True)
            (options.output or options.checkout / "programs.toml").write_text(
                to_toml(programs, discarded, options), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
