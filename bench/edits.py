#!/usr/bin/env python3
"""Replays seeded edits of a program and counts what a link makes again.

  edits.py [--bin=DIR] [--edits=50] [--seed=1] [--debug] [PROGRAM...]

Each edit changes one function body of one source (a constant, or a statement is
there twice); the edits add up. After each, the object is compiled, the program linked
with --gpulto-cache-dir and, from nothing, without: both must be the same bytes.
Reported are the LTRANS units that were redone, and what a link takes when
nothing has changed.

PROGRAM is `generated` (the default) or a directory of C, C++ or CUDA sources,
which are compiled one by one with --flags.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import argparse
import concurrent.futures
import filecmp
import json
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time

SOURCES = (".c", ".cc", ".cpp", ".cu")
MODULES, FUNCTIONS = 24, 12


def generate(directory, seed):
    """Writes a C++ program of many files whose functions call each other."""
    rng = random.Random(seed)
    names = [[f"work_{m}_{f}" for f in range(FUNCTIONS)] for m in range(MODULES)]
    header = ["#pragma once", "extern unsigned long sink;",
              "template <int N> inline unsigned mix(unsigned x) {",
              "  for (int i = 0; i < N; ++i)",
              "    x = (x ^ (x >> 7)) * 2654435761u + i;",
              "  return x;", "}",
              "struct Shape { virtual ~Shape() {} "
              "virtual unsigned area(unsigned) const = 0; };"]
    header += [f"unsigned {n}(unsigned, unsigned *);" for m in names for n in m]
    (directory / "program.h").write_text("\n".join(header) + "\n")
    for m, own in enumerate(names):
        out = ['#include "program.h"', f"static unsigned count = {m};",
               f"namespace {{ struct Own : Shape {{ "
               f"unsigned area(unsigned x) const override;", "}; }",
               "unsigned Own::area(unsigned x) const {",
               f"  x += {rng.randint(2, 99)};",
               f"  return mix<{m % 5 + 2}>(x);", "}"]
        # Each function has a caller in its file, so all are live.
        called = [[] for _ in own]
        for f in range(1, FUNCTIONS):
            called[rng.randrange(f)].append(own[f])
        for f, name in enumerate(own):
            callees = called[f]
            if m + 1 < MODULES:
                callees.append(rng.choice(names[rng.randrange(m + 1, MODULES)]))
            out += [f"unsigned {name}(unsigned x, unsigned *data) {{",
                    f"  unsigned a = x * {rng.randint(3, 999)};"]
            # From what is worth inlining to what is not.
            for _ in range(rng.choice([1, 1, 2, 3, 5, 8])):
                out += ["  for (unsigned i = 0; i < (x & 15); ++i) {",
                        f"    a += data[(i * {rng.randint(3, 99)}) & 63];",
                        f"    data[i & 63] = a ^ {rng.randint(3, 9999)};", "  }",
                        f"  if (a & {rng.randint(1, 255)})",
                        f"    a = mix<{rng.randint(2, 6)}>(a);"]
            if f % 5 == 0:
                out += ["  count += a;", "  Own own;", "  const Shape *s = &own;",
                        "  a ^= s->area(count);"]
            for callee in callees:
                out += [f"  if ((a & {rng.choice([3, 7, 15])}) == 1)",
                        f"    a += {callee}(a >> {rng.randint(1, 3)}, data);"]
            out += ["  return a;", "}"]
        (directory / f"part{m}.cpp").write_text("\n".join(out) + "\n")
    calls = "".join(f"  sink += {m[0]}(n, data);\n" for m in names)
    (directory / "main.cpp").write_text(
        '#include "program.h"\n#include <cstdio>\nunsigned long sink;\n'
        "int main(int n, char **) {\n  unsigned data[64] = {};\n" + calls +
        '  std::printf("%lu\\n", sink);\n  return 0;\n}\n')


class Program:
    """A program in a directory of its own, its objects and its links."""

    def __init__(self, name, directory, options):
        self.name, self.directory, self.options = name, directory, options
        self.cache = directory / "cache"
        if name == "generated":
            generate(directory, options.seed)
        else:
            for path in sorted(pathlib.Path(name).iterdir()):
                if path.is_file():
                    shutil.copy(path, directory)
        self.sources = sorted(p for p in directory.iterdir()
                              if p.suffix in SOURCES)
        self.sources = [p for p in self.sources if p.name not in options.skip]

    def run(self, tool, arguments, check=True):
        command = [os.path.join(self.options.bin, tool), "-flto=gpu", *arguments]
        done = subprocess.run(command, cwd=self.directory, text=True,
                              capture_output=True, check=False)
        if check and done.returncode:
            sys.exit(f"edits.py: {' '.join(command)}\n{done.stderr}")
        return done.returncode == 0

    def compile(self, source, check=True):
        tool = "gpulto-clang" if source.suffix == ".c" else "gpulto-clang++"
        return self.run(tool, [*self.options.flags, "-c", source.name, "-o",
                               source.stem + ".o"], check)

    def compile_all(self):
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            list(pool.map(self.compile, self.sources))

    def link(self, output, cached):
        """Returns the seconds it took and the counters of the link."""
        stats = self.directory / "stats.json"
        arguments = [*self.options.flags, *(s.stem + ".o" for s in self.sources),
                     "-o", output, f"--gpulto-stats={stats}",
                     # A cache makes partitions fine, if no flag says otherwise.
                     f"--gpulto-cache-dir={self.cache}" if cached else
                     "--gpulto-partitions=fine",
                     *self.options.link_flags]
        start = time.monotonic()
        self.run("gpulto-clang++", arguments)
        seconds = time.monotonic() - start
        return seconds, json.loads(stats.read_text())

    def edit(self, rng):
        """Changes one body so that its object changes; returns what was done."""
        while True:
            source = rng.choice(self.sources)
            old = source.read_text(errors="surrogateescape")
            new, what = edit_text(old, rng)
            if new is None:
                continue
            source.write_text(new, errors="surrogateescape")
            target = source.with_suffix(".o")
            before = target.read_bytes()
            if self.compile(source, check=False):
                if target.read_bytes() != before:
                    return f"{source.name}: {what}"
            else:
                target.write_bytes(before)
            source.write_text(old, errors="surrogateescape")
            self.compile(source)


STATEMENT = re.compile(r"^\s+(?!case|static|const|#|//|\*).*(=|return|\().*;\s*$")
ASSIGNMENT = re.compile(r"^\s+[\w.\->\[\]*() &]+[-+*/^|&%]?=[^=].*;\s*$")
LITERAL = re.compile(r"(?<![\w.\[\"'%])([2-9]|[1-9]\d{1,3})(?![\w.\]\"'])")


def edit_text(text, rng):
    """Returns the text with one statement changed or added, and what it is."""
    lines = text.split("\n")
    places = [i for i, line in enumerate(lines)
              if STATEMENT.match(line) and LITERAL.search(line)]
    if not places:
        return None, None
    place = rng.choice(places)
    if rng.random() < 0.3 and ASSIGNMENT.match(lines[place]):
        lines.insert(place, lines[place])
        return "\n".join(lines), f"line {place + 1} twice"
    literal = rng.choice(list(LITERAL.finditer(lines[place])))
    value = int(literal.group()) + rng.randint(1, 3)
    line = lines[place]
    lines[place] = line[:literal.start()] + str(value) + line[literal.end():]
    return "\n".join(lines), f"constant in line {place + 1}"


def replay(program, options):
    """Returns the results of one program."""
    rng = random.Random(options.seed)
    program.compile_all()
    cold, _ = program.link("cold", cached=False)
    program.link("warm", cached=True)
    unchanged, stats = program.link("warm", cached=True)
    units = len(stats["jobs"])
    print(f"{program.name}: {units} units; cold link {cold:.2f} s, with "
          f"nothing changed {unchanged:.2f} s ({unchanged / cold:.1%})")
    shares, rows, different = [], [], 0
    for number in range(1, options.edits + 1):
        what = program.edit(rng)
        seconds, stats = program.link("warm", cached=True)
        counters, jobs = stats["counters"], len(stats["jobs"])
        redone = counters["cache-misses"]
        same = "not compared"
        if number % options.compare == 0:
            program.link("cold", cached=False)
            same = filecmp.cmp(program.directory / "cold",
                               program.directory / "warm", shallow=False)
            different += not same
        shares.append(redone / jobs)
        rows.append({"edit": what, "redone": redone, "units": jobs,
                     "hit-bodies": counters["cache-hits-bodies"],
                     "seconds": seconds, "same": same})
        print(f"  {number:3} {redone:3} of {jobs} redone, "
              f"{counters['cache-hits-bodies']} read, {seconds:.2f} s, "
              f"{what}{'' if same else ', DIFFERENT FROM A COLD LINK'}",
              flush=True)
    mean = sum(shares) / len(shares)
    print(f"{program.name}: {mean:.1%} of the units redone on average (1/"
          f"{1 / mean if mean else float('inf'):.1f}); {different} links differ "
          "from a cold one")
    return {"program": program.name, "units": units, "cold-seconds": cold,
            "unchanged-seconds": unchanged, "redone-share": mean,
            "different": different, "edits": rows}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    here = pathlib.Path(__file__).resolve().parent.parent
    parser.add_argument("programs", nargs="*", default=["generated"])
    parser.add_argument("--bin", default=str(here / "build/release/bin"))
    parser.add_argument("--edits", type=int, default=50)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--debug", action="store_true", help="compile with -g")
    parser.add_argument("--compare", type=int, default=1, metavar="N",
                        help="compare each Nth link with a cold one")
    parser.add_argument("--flags", default="-O2", help="for compiler and linker")
    parser.add_argument("--link-flags", default="")
    parser.add_argument("--skip", default="", help="names of sources, commas")
    parser.add_argument("--json", help="write all results to this file")
    options = parser.parse_args()
    options.bin = os.path.abspath(options.bin)
    options.flags = options.flags.split() + (["-g"] if options.debug else [])
    options.link_flags = options.link_flags.split()
    options.skip = options.skip.split(",")
    results = []
    for name in options.programs:
        with tempfile.TemporaryDirectory(prefix="gpulto-edits-") as directory:
            program = Program(name, pathlib.Path(directory), options)
            results.append(replay(program, options))
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps(results, indent=1))
    return 1 if any(result["different"] for result in results) else 0


if __name__ == "__main__":
    sys.exit(main())
