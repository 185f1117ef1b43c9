"""Csmith programs, cut into several files.

Csmith writes one C file with static functions and global variables. `split`
deals its definitions out to files: what only one file uses stays static there
half the time, the rest becomes extern and is declared in a common header. The
program itself is not changed, so every build of it prints the same checksum.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import random
import re
import subprocess
import tempfile

from programs import Program, Unit

INCLUDE = "/usr/include/csmith"
NAMES = ["--max-funcs", "--max-block-size", "--max-block-depth",
         "--max-expr-complexity"]
# Making, compiling and linking the last takes four times as long as the others.
SIZES = [[10, 3, 2, 5]] * 4 + [[8, 3, 3, 5]] * 3 + [[12, 4, 3, 6]]
# A program of fewer functions leaves nothing to decide; Csmith makes many.
LEAST_FUNCTIONS, MOST_LINES, ATTEMPTS = 4, 2500, 50
SHARED_SHARE = 4  # one of so many is linked with a shared library, too
NAME = re.compile(r"\b(?:g|func)_\d+\b")


def generate(seed):
    """Returns the program of `seed`."""
    for attempt in range(ATTEMPTS):
        text = csmith(seed * ATTEMPTS + attempt)
        functions = re.findall(r"^\S.*\bfunc_\d+\(.*\)$", text, re.M)
        if (len(functions) >= LEAST_FUNCTIONS
                and text.count("\n") <= MOST_LINES):
            program = split(text, random.Random(seed))
            if seed % SHARED_SHARE == 0:
                program.canShare = True
                for unit in program.units:
                    unit.flags.append("-fPIC")
            return program
    raise RuntimeError(f"no program for seed {seed}")


def csmith(seed):
    rng = random.Random(seed)
    sizes = [str(word) for pair in zip(NAMES, rng.choice(SIZES))
             for word in pair]
    options = [o for o in ("--float", "--no-volatiles", "--no-bitfields",
                           "--no-packed-struct", "--no-arrays",
                           "--inline-function") if rng.random() < 0.25]
    # Csmith writes platform.info where it runs.
    with tempfile.TemporaryDirectory(prefix="gpulto-random-") as path:
        return subprocess.run(["csmith", "--seed", str(seed)] + sizes + options,
                              cwd=path, check=True, capture_output=True,
                              text=True, timeout=60).stdout


class Definition:
    """A global variable or function: its text, its declaration, its name."""

    def __init__(self, text, declaration):
        self.text = re.sub(r"^((?:inline|static) )+", "", text)
        self.declaration = re.sub(r"^((?:inline|static) )+", "", declaration)
        self.name = NAME.search(declaration).group()
        self.uses = set(NAME.findall(text)) - {self.name}


def section(text, title):
    """The lines under Csmith's heading `title`."""
    found = re.search(r"^/\* --- " + title + r" --- \*/\n(.*?)"
                      r"(?=^/\* ---|\Z)", text, re.M | re.S)
    return found.group(1) if found else ""


def definitions(text):
    """The definitions of a Csmith program, in order, and its main function."""
    found = []
    for line in section(text, "GLOBAL VARIABLES").splitlines():
        if NAME.search(line):
            found.append(Definition(line, line.partition(" = ")[0] + ";"))
    rest = text[text.index("/* --- FUNCTIONS --- */"):]
    main = rest[rest.index("int main "):].partition("\n}\n")[0] + "\n}\n"
    for function in re.finditer(r"^(\S[^\n]*\bfunc_\d+\([^\n]*\))\n\{.*?^\}$",
                                rest, re.M | re.S):
        found.append(Definition(function.group(), function.group(1) + ";"))
    return found, main


def split(text, rng):
    """Deals the definitions of `text` out to two to four files."""
    everything, main = definitions(text)
    count = rng.choice([2, 2, 3, 3, 4])
    home = {d.name: rng.randrange(count) for d in everything}
    users = {d.name: set() for d in everything}
    for d in everything:
        for used in d.uses:
            users[used].add(home[d.name])
    for used in NAME.findall(main):
        users[used].add(0)
    local = {d.name for d in everything
             if users[d.name] <= {home[d.name]} and rng.random() < 0.5}

    header = ["#pragma once", section(text, "Struct/Union Declarations")]
    header += ["extern " + d.declaration for d in everything
               if d.name not in local]
    files = {"common.h": "\n".join(header) + "\n"}
    for i in range(count):
        mine = [d for d in everything if home[d.name] == i]
        lines = ['#include "csmith.h"', '#include "common.h"']
        lines += ["static " + d.declaration for d in mine
                  if d.name in local and d.name.startswith("func_")]
        lines += [("static " if d.name in local else "") + d.text for d in mine]
        files[f"f{i}.c"] = "\n".join(lines + ([main] if i == 0 else [])) + "\n"
    files["all.c"] = text
    flags = ["-w", "-I" + INCLUDE]
    usual = unitFlags(rng)
    units = [Unit(f"f{i}.c", flags + (usual if rng.random() < 0.6
                                      else unitFlags(rng)))
             for i in range(count)]
    return Program(files, units, ["all.c"], flags)


def unitFlags(rng):
    """The options of one file: as in real builds, most are alike."""
    level = rng.choice(["-O2"] * 5 + ["-O0", "-O1", "-O3", "-Os"])
    extra = rng.choice([[]] * 6 + [["-g"], ["-fno-strict-aliasing"],
                                   ["-fwrapv"], ["-march=haswell"]])
    # Fat objects, for which native code is made as well, are not needed.
    slim = rng.choice([["-fno-fat-lto-objects"]] * 3 + [[]])
    return [level] + extra + slim
