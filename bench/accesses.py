#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Draws programs on which diagnostics of memory accesses are scored, and counts their
accesses on the emulator.

    git clone https://github.com/zjin-lcf/HeCBench
    bench/accesses.py draw --build build/release --work DIR HeCBench
    bench/accesses.py run --build build/release --work DIR HeCBench [NAME...]

    git clone https://github.com/yuhc/gpu-rodinia
    bench/rodinia_inputs.py gpu-rodinia
    bench/accesses.py run --list bench/rodinia.toml ... gpu-rodinia
    git clone https://github.com/cavazos-lab/PolyBench-ACC
    bench/accesses.py run --list bench/polybench.toml ... PolyBench-ACC

`draw` writes accesses.toml: --count programs in the order of a sample with --seed, from
all whose Makefile names nothing but .cu and .cpp files of their directory and no other
libraries. A program that one command of gpulto-clang++ does not build, that fails, that
does not end in --limit seconds on the emulator, or that accesses no global memory, is
listed as discarded, with the reason. Arguments are those of `make run`, or of
hecbench.toml where it has some, with large numbers made smaller until the program ends
in time. Where the list is there already, with this seed and limit, `draw` goes on.

`run` builds and runs the programs of a list, and leaves the rows of their access
instructions (--counters with --accesses of gpulto-run, which takes several times as
long) in DIR/NAME.json, the programs in DIR/bin, and what their links spent where in
DIR/NAME.trace. A list has flags for all programs
and for each one. `like` names a program from which one differs. Edits [FILE, OLD, NEW]
are made in a copy of the program's sources.
"""

import argparse
import concurrent.futures
import json
import os
import pathlib
import random
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
import tomllib

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import hecbench  # noqa: E402

LIST = HERE / "accesses.toml"
SEED = 20261128
COMPILE = ["-flto=gpu", "--offload-arch=sm_90", "-O2", "-gline-tables-only", "-w"]
COMPILE_SECONDS = 300
# How far numbers of the arguments are shifted, one attempt after the other.
SHIFTS = (8, 14)
SMALL = 256


class Tree:
    """A copy of the checkout in which programs may write: directories of programs are
    copied, and what is beside them and beside the directories above is linked to."""

    def __init__(self, checkout, work):
        self.checkout, self.root = checkout, work / "tree"
        self.lock = threading.Lock()

    def link(self, directory):
        """Makes a directory of links to what is in the checkout's."""
        copy = self.root / directory
        if copy.is_symlink():
            copy.unlink()
        copy.mkdir(exist_ok=True)
        for path in (self.checkout / directory).iterdir():
            if not os.path.lexists(copy / path.name):
                (copy / path.name).symlink_to(path)

    def directory(self, name):
        """Returns the copied directory of a program."""
        copy = self.root / name
        with self.lock:
            for above in reversed(pathlib.PurePath(name).parents):
                self.link(above)
            if copy.is_symlink():
                copy.unlink()
                shutil.copytree(self.checkout / name, copy)
        return copy

    def edit(self, name, edits):
        """Makes the edits of a program, always in the checkout's text. Raises
        hecbench.Discarded."""
        texts = {}
        for file, old, new in edits:
            text = texts.get(file) or \
                (self.checkout / name / file).read_text(encoding="latin-1")
            if old not in text:
                raise hecbench.Discarded(f"{file} has no {old}")
            texts[file] = text.replace(old, new)
        for file, text in texts.items():
            (self.directory(name) / file).write_text(text, encoding="latin-1")


def execute(command, directory, seconds):
    """Returns the exit status, None after `seconds`, and what was printed."""
    process = subprocess.Popen(
        command, cwd=directory, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        stdin=subprocess.DEVNULL, start_new_session=True)
    try:
        output, _ = process.communicate(timeout=seconds)
        status = process.returncode
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        output, _ = process.communicate()
        status = None
    return status, output.decode("utf-8", "replace")


def build(table, tree, options, flags=()):
    """Builds a program, with further flags. Raises hecbench.Discarded."""
    directory = tree.directory(table["directory"])
    tree.edit(table["directory"], table.get("edits", []))
    # clang++ takes C for C++.
    sources = [word for source in table["sources"] for word in
               (("-x", "c", source, "-x", "none") if source.endswith(".c") else (source,))]
    program = options.work / "bin" / table["name"]
    program.parent.mkdir(exist_ok=True)
    command = [options.build / "bin/gpulto-clang++", *COMPILE,
               f"--cuda-path={options.cuda}", "-isystem",
               f"{options.cuda}/include/cccl", f"-I{options.cuda}/include",
               *flags, *table["flags"], *sources, "-o", program,
               f"-L{options.cuda}/lib64", "-lcudart"]
    status, output = execute([str(word) for word in command], directory,
                             COMPILE_SECONDS)
    if status is None:
        raise hecbench.Discarded("is not compiled in time")
    if status:
        raise hecbench.Discarded(hecbench.reason_of(output or "does not compile"))
    return program


def run(table, program, tree, options):
    """Runs a program. Returns its counters, None if it was stopped. Raises
    hecbench.Discarded."""
    return emulate(table, program, tree, options, "--counters",
                   ["--accesses"] if options.step == "run" else [])


def emulate(table, program, tree, options, report, words=()):
    """Runs a program on the emulator, with further words for it. Returns what the
    option `report` has it write, None if it was stopped. Raises hecbench.Discarded."""
    counters = options.work / (table["name"] + ".json")
    counters.unlink(missing_ok=True)
    command = [options.gpulto_run or options.build / "bin/gpulto-run", *words,
               f"{report}={counters}", program, *table["arguments"]]
    status, output = execute([str(word) for word in command],
                             tree.directory(table["directory"]), options.limit)
    if status is None:
        return None
    trouble = re.search(r"gpulto-emu: .*|gpulto emulator: (?!.*not supported).*", output)
    if status or trouble:
        counters.unlink(missing_ok=True)
        last = output.strip().splitlines()[-1:] or [""]
        text = f"fails: {trouble[0] if trouble else last[0]}"
        raise hecbench.Discarded(text.replace(f"{options.work}/", "")[:200])
    if not counters.exists():
        raise hecbench.Discarded("uses no device")
    return json.loads(counters.read_text())


def smaller(arguments, shift):
    """Returns the arguments with large numbers shifted right, the last one, by custom
    that of repetitions, at most 2."""
    result = list(arguments)
    numbers = [k for k, word in enumerate(result) if re.fullmatch(r"\d+", word)]
    for k in numbers:
        if int(result[k]) > SMALL:
            result[k] = str(max(SMALL, int(result[k]) >> shift))
    if numbers and int(result[numbers[-1]]) > 2:
        result[numbers[-1]] = "2"
    return result


def attempts_of(table, given):
    """Yields arguments, no two alike."""
    if given is not None:
        yield given.split()
        return
    seen = []
    for shift in SHIFTS:
        arguments = smaller(table["run"][1:], shift)
        if arguments not in seen:
            seen.append(arguments)
            yield arguments


def try_program(name, given, tree, options):
    """Returns the table of a program that can be scored. Raises Discarded."""
    found = hecbench.describe(options.checkout, name, None)
    found["sources"] = [os.path.normpath(source) for source in found["sources"]]
    foreign = [source for source in found["sources"]
               if "/" in source or not source.endswith((".cu", ".cpp")) or
               not (options.checkout / found["directory"] / source).exists()]
    if foreign:
        raise hecbench.Discarded(f"has {foreign[0]}")
    table = {key: found[key] for key in ("name", "directory", "sources", "flags")}
    program = build(table, tree, options)
    for arguments in attempts_of(found, given):
        table["arguments"] = arguments
        counters = run(table, program, tree, options)
        if counters and any(one["global_sectors"] for one in counters["launches"]):
            return table
        if counters:
            raise hecbench.Discarded("accesses no global memory")
    raise hecbench.Discarded(f"does not end in {options.limit:g} seconds")


def write_list(programs, discarded, options):
    lines = ["# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception",
             "# Written by bench/accesses.py draw.", f"seed = {options.seed}",
             f"limit = {options.limit:g}"]
    for heading, tables in (("program", programs), ("discarded", discarded)):
        for table in tables:
            lines += ["", f"[[{heading}]]"]
            # JSON's strings and lists are TOML's.
            lines += [f"{key} = {json.dumps(value)}" for key, value in table.items()]
    options.list.write_text("\n".join(lines) + "\n", encoding="utf-8")


def read_list(options):
    """Returns the list, whose programs are complete."""
    with open(options.list, "rb") as file:
        tables = tomllib.load(file)
    named = {table["name"]: table for table in tables["program"]}
    tables["program"] = [
        {"flags": [], "arguments": []} | named.get(table.pop("like", None), {}) | table
        for table in tables["program"]]
    for table in tables["program"]:
        table["flags"] = tables.get("flags", []) + table["flags"]
    return tables


def drawn(options):
    """Returns the programs drawn so far with this seed and limit, and those discarded."""
    if options.list.exists():
        tables = read_list(options)
        if (tables["seed"], tables["limit"]) == (options.seed, options.limit):
            return tables["program"], tables.get("discarded", [])
    return [], []


def draw(options):
    options.limit = options.limit or 10
    tree = Tree(options.checkout, options.work)
    with open(HERE / "hecbench.toml", "rb") as file:
        small = tomllib.load(file)["arguments"]
    names = sorted(path.parent.name.removesuffix("-cuda") for path in
                   options.checkout.glob("src/*-cuda/Makefile"))
    programs, discarded = drawn(options)
    done = {table["name"] for table in programs + discarded}
    order = [name for name in random.Random(options.seed).sample(names, len(names))
             if name not in done]

    def attempt(name):
        try:
            return try_program(name, small.get(name), tree, options)
        except hecbench.Discarded as why:
            return {"name": name, "reason": str(why)}

    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        # Taken in order, so that the list does not depend on --jobs.
        waiting = [pool.submit(attempt, name) for name in order[:options.jobs]]
        for following in order[options.jobs:] + [None] * options.jobs:
            if len(programs) == options.count or not waiting:
                break
            table = waiting.pop(0).result()
            if following:
                waiting.append(pool.submit(attempt, following))
            (discarded if "reason" in table else programs).append(table)
            print(len(programs), table["name"],
                  table.get("reason", table.get("arguments")), flush=True)
            write_list(programs, discarded, options)


def run_all(options):
    tree = Tree(options.checkout, options.work)
    tables = read_list(options)
    options.limit = options.limit or tables["limit"]
    programs = [table for table in tables["program"]
                if not options.names or table["name"] in options.names]

    def count(table):
        begin = time.monotonic()
        try:
            trace = options.work / (table["name"] + ".trace")
            program = build(table, tree, options, [f"-Wl,--gpulto-time-trace={trace}"])
            counters = run(table, program, tree, options)
        except hecbench.Discarded as why:
            return str(why)
        what = f"does not end in {options.limit:g} seconds" if counters is None \
            else f"{len(counters['accesses'])} rows"
        return f"{what}, {time.monotonic() - begin:.0f} s"

    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for table, what in zip(programs, pool.map(count, programs)):
            print(table["name"], what, flush=True)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("step", choices=("draw", "run"))
    parser.add_argument("checkout", type=pathlib.Path)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--build", type=pathlib.Path, required=True,
                        help="build directory of gpulto")
    parser.add_argument("--gpulto-run", type=pathlib.Path,
                        help="another build's gpulto-run")
    parser.add_argument("--cuda", default="/usr/local/cuda", help="toolkit")
    parser.add_argument("--work", type=pathlib.Path, required=True,
                        help="directory for what is built")
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--count", type=int, default=70)
    parser.add_argument("--limit", type=float,
                        help="seconds that a program may run (the list's; 10 to draw)")
    parser.add_argument("--jobs", type=int, default=1, help="programs at a time")
    parser.add_argument("--list", type=pathlib.Path, default=LIST,
                        help="the list of programs (accesses.toml)")
    options = parser.parse_args()
    options.checkout = options.checkout.resolve()
    options.build = options.build.resolve()
    options.work = options.work.resolve()
    options.work.mkdir(parents=True, exist_ok=True)
    draw(options) if options.step == "draw" else run_all(options)
    return 0


if __name__ == "__main__":
    sys.exit(main())
