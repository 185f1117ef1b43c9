#!/usr/bin/env python3
"""Compares the report on memory accesses with the emulator's counters.

  accesses.py SEEDS --build build/release --cuda DIR [--kernels N] [--found DIR]

Each seed is a program of N kernels, each with one load of p[INDEX], where INDEX
is a random expression of threadIdx, blockIdx, numbers, and arguments that are
known when the program runs. Blocks have one to three dimensions and need not be
multiples of a warp. Where the report gives a number of sectors without bounds,
the emulator's must be equal; bounds must hold. SEEDS is N or FIRST-LAST. A
difference is printed with its kernel, and makes the exit status 1.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import argparse
import collections
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
from fractions import Fraction
from pathlib import Path

HERE = Path(__file__).resolve().parent
ELEMENTS = 1 << 22  # of p, around its middle
BASE = 1 << 21
GRID = 3


class Rejected(Exception):
    """An expression that overflows or leaves the array."""


def checked(value):
    if not -(1 << 31) <= value < 1 << 31:
        raise Rejected
    return value


class Expression:
    """Text in CUDA C++, and what it is for a thread: a function of its variables."""

    def __init__(self, text, value, isUniform=False):
        self.text = text
        self.value = value
        self.isUniform = isUniform


def quotient(a, b):
    if b == 0:
        raise Rejected
    return int(Fraction(a, b)) if a * b >= 0 else -((-a) // b if a < 0 else a // -b)


class Generator:
    def __init__(self, rng, variables):
        self.rng = rng
        self.variables = variables

    def leaf(self):
        kind = self.rng.randrange(10)
        if kind < 5:
            name = self.rng.choice(["tx", "tx", "tx", "ty", "tz"])
            text = {"tx": "threadIdx.x", "ty": "threadIdx.y",
                    "tz": "threadIdx.z"}[name]
            return Expression(f"(int){text}", lambda v: v[name])
        if kind < 8:
            name = self.rng.choice(self.variables)
            text = "(int)blockIdx.x" if name == "bx" else name
            return Expression(text, lambda v: v[name], True)
        number = self.rng.choice([0, 1, 2, 3, 4, 5, 7, 8, 12, 16, 31, 32, 33, 100])
        return Expression(str(number), lambda v: number, True)

    def number(self, choices):
        number = self.rng.choice(choices)
        return Expression(str(number), lambda v: number, True)

    def expression(self, depth):
        if depth == 0:
            return self.leaf()
        a = self.expression(depth - 1)
        kind = self.rng.randrange(16)
        if kind < 3:
            b = self.expression(depth - 1)
            return Expression(f"({a.text} + {b.text})",
                              lambda v: checked(a.value(v) + b.value(v)))
        if kind == 3:
            b = self.expression(depth - 1)
            return Expression(f"({a.text} - {b.text})",
                              lambda v: checked(a.value(v) - b.value(v)))
        if kind < 6:
            b = self.number([2, 3, 4, 8, 24, 64]) if self.rng.random() < .6 \
                else self.leaf()
            return Expression(f"({a.text} * {b.text})",
                              lambda v: checked(a.value(v) * b.value(v)))
        if kind == 6:
            b = self.divisor()
            return Expression(f"({a.text} / {b.text})",
                              lambda v: quotient(a.value(v), b.value(v)))
        if kind == 7:
            b = self.divisor()
            return Expression(
                f"({a.text} % {b.text})", lambda v: a.value(v) -
                quotient(a.value(v), b.value(v)) * b.value(v))
        if kind == 8:
            b = self.number([1, 2, 3, 5])
            return Expression(f"({a.text} >> {b.text})",
                              lambda v: a.value(v) >> b.value(v))
        if kind == 9:
            b = self.number([1, 3, 7, 15, 31, 6, 24, ~7, 255])
            return Expression(f"({a.text} & {b.text})",
                              lambda v: a.value(v) & b.value(v))
        if kind == 10:
            b = self.number([1, 3, 8, 32])
            op = self.rng.choice("|^")
            return Expression(
                f"({a.text} {op} {b.text})", lambda v: a.value(v) | b.value(v)
                if op == "|" else a.value(v) ^ b.value(v))
        if kind == 11:
            b = self.expression(depth - 1)
            name = self.rng.choice(["min", "max"])
            op = "<" if name == "min" else ">"
            return Expression(
                f"(({a.text}) {op} ({b.text}) ? ({a.text}) : ({b.text}))",
                lambda v: (min if name == "min" else max)(a.value(v), b.value(v)))
        if kind == 12:
            c, d, b = (self.expression(depth - 1) for _ in range(3))
            op = self.rng.choice(["<", "==", ">="])
            def chosen(v):
                x, y = c.value(v), d.value(v)
                holds = x < y if op == "<" else x == y if op == "==" else x >= y
                return a.value(v) if holds else b.value(v)
            return Expression(f"({c.text} {op} {d.text} ? {a.text} : {b.text})",
                              chosen)
        if kind == 13:  # wraps at 32 bits
            start = (1 << 32) - self.rng.choice([1, 16, 20, 100])
            bits = self.rng.choice([8, 12, 20])
            return Expression(
                f"(int)(((unsigned)({a.text}) + {start}u) >> {bits})", lambda v:
                ((a.value(v) + start) & 0xffffffff) >> bits)
        if kind == 14:  # wraps at 16 or 8 bits
            bits, name = self.rng.choice([(16, "unsigned short"),
                                          (8, "unsigned char")])
            start = (1 << bits) - self.rng.choice([3, 16])
            return Expression(f"(int)({name})({a.text} + {start})",
                              lambda v: (a.value(v) + start) & ((1 << bits) - 1))
        return Expression(f"((({a.text}) << 8) >> 8)",
                          lambda v: ((checked(a.value(v)) & 0xffffff) ^ 0x800000)
                          - 0x800000 if abs(a.value(v)) < 1 << 22 else checked(1 << 40))

    def divisor(self):
        if self.rng.random() < .7:
            return self.number([2, 3, 4, 5, 8, 12, 16, 24, 32, 48, 64, 100])
        return Expression("d", lambda v: v["d"], True)


def threadsOf(block, arguments):
    for bx in range(GRID):
        for tz in range(block[2]):
            for ty in range(block[1]):
                for tx in range(block[0]):
                    yield dict(arguments, bx=bx, tx=tx, ty=ty, tz=tz)


class Kernel:
    """One access, in one of several surroundings."""

    @staticmethod
    def behind(end):
        if end > 64:  # where lanes wait long, the emulator lets others go on
            raise Rejected
        return [max(0, end)]

    def __init__(self, rng, number, block, arguments):
        self.number = number
        self.block = block
        form = rng.randrange(6)
        while True:
            plain = Generator(rng, ["bx", "n", "m", "d"])
            inLoop = Generator(rng, ["bx", "n", "m", "d", "j", "j"])
            index = plain.expression(rng.randrange(1, 4))
            first, last = plain.expression(1), plain.expression(1)
            load = "    int v = p[{}]; // here\n    if (v == 77) *q = v;\n"
            rounds = lambda v: [0]
            if form == 1:
                head = f"  if ({first.text} < {last.text}) {{\n"
                text = head + load.format(index.text) + "  }\n"
                rounds = lambda v: [0] if first.value(v) < last.value(v) else []
            elif form == 2:
                index = inLoop.expression(2)
                text = ("  for (int j = 0; j < d; ++j) {\n" +
                        load.format(index.text) + "  }\n")
                rounds = lambda v: range(v["d"])
            elif form == 3:
                index = inLoop.expression(1)
                step = rng.choice([1, 4, 32])
                text = (f"  for (int j = {first.text}; j < {last.text}; "
                        f"j += {step}) {{\n" + load.format(index.text) + "  }\n")
                rounds = lambda v: range(first.value(v), last.value(v), step)
            elif form == 4:  # used behind a loop
                index = inLoop.expression(1)
                text = (f"  int j = 0;\n  while (j < {first.text}) j += "
                        "1 + (p[j] & 1);\n" + load.format(index.text))
                rounds = lambda v: self.behind(first.value(v))
            elif form == 5:
                text = (f"  if ({first.text} >= {last.text}) return;\n" +
                        load.format(index.text))
                rounds = lambda v: [] if first.value(v) >= last.value(v) else [0]
            else:
                text = load.format(index.text)
            try:
                count = 0
                for thread in threadsOf(block, arguments):
                    for j in rounds(thread):
                        count += 1
                        if count > 200000:
                            raise Rejected
                        place = index.value(dict(thread, j=j))
                        if not -BASE <= place < ELEMENTS - BASE:
                            raise Rejected
                break
            except Rejected:
                continue
        self.text = (f"__global__ void k{number}(const volatile int *p, int n, "
                     f"int m, int d, int *q) {{\n{text}}}\n")


def program(seed, kernels):
    rng = random.Random(seed)
    block = rng.choice([(256, 1, 1), (100, 1, 1), (32, 8, 1), (16, 16, 1),
                        (24, 5, 1), (8, 8, 2), (5, 7, 3), (64, 1, 1), (1, 40, 1),
                        (128, 2, 1), (33, 3, 1)])
    arguments = {"n": rng.choice([3, 17, 40, 64, 100]),
                 "m": rng.choice([1, 2, 33, 64, 1000]),
                 "d": rng.choice([1, 3, 5, 7])}
    all = [Kernel(rng, i, block, arguments) for i in range(kernels)]
    lines = ["#include <cstdlib>\n"] + [k.text for k in all]
    lines.append("int main(int, char **argv) {\n  int *p, *q;\n"
                 f"  cudaMalloc(&p, {ELEMENTS * 4}); cudaMalloc(&q, 4);\n"
                 f"  cudaMemset(p, 0, {ELEMENTS * 4}); p += {BASE};\n"
                 "  int n = atoi(argv[1]), m = atoi(argv[2]), d = atoi(argv[3]);\n")
    for k in all:
        lines.append(f"  k{k.number}<<<{GRID}, dim3({block[0]}, {block[1]}, "
                     f"{block[2]})>>>(p, n, m, d, q);\n")
    lines.append("  return cudaDeviceSynchronize();\n}\n")
    return "".join(lines), arguments


def run(command, **more):
    done = subprocess.run([str(word) for word in command], capture_output=True,
                          text=True, **more)
    if done.returncode:
        raise RuntimeError(f"{' '.join(map(str, command))}\n{done.stdout}{done.stderr}")
    return done.stdout


def rowsByLine(text):
    here = {}
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith("__global__"):
            name = line.split()[2].split("(")[0]
        if "// here" in line:
            here[number] = name
    return here


def compare(text, report, counters):
    """Yields what differs, and counts rows by how much is known."""
    names = rowsByLine(text)
    counted = collections.defaultdict(lambda: [0, 0])
    for row in counters["accesses"]:
        line = int(row["source"].split(":")[-2]) if row.get("source") else 0
        if line in names and row["space"] == "global" and row["kind"] == "load":
            for part in ("full", "partial", "last_full", "last_partial"):
                if part in row:
                    place = counted[row["kernel"], line]
                    place[0] += row[part]["requests"]
                    place[1] += row[part]["sectors"]
    seen = collections.Counter()
    loads = [row for row in report if row["kind"] == "load" and row["line"] in names]
    vague = {(row["kernel"], row["line"]) for row in loads if "sectors" not in row}
    for row in loads:
        line = row["line"]
        if (row["kernel"], line) in vague:
            seen[row["verdict"]] += 1
            continue
        requests, sectors = counted[row["kernel"], line]
        if not requests:
            seen["not run"] += 1
            continue
        low, high = row["sectors"]["least"], row["sectors"]["most"]
        seen["exact" if low == high else "bounds"] += 1
        average = Fraction(sectors, requests)
        if not Fraction(low, row["requests"]) <= average <= Fraction(
                high, row["requests"]):
            yield (f"{names[line]}: {low}..{high} sectors of {row['requests']} "
                   f"requests, counted {sectors} of {requests}")
        elif low != high and \
                average != Fraction(row["sectors"]["expected"]) / row["requests"]:
            seen["not as expected"] += 1
    yield seen


def check(seed, options, folder):
    text, arguments = program(seed, options.kernels)
    source = folder / "k.cu"
    source.write_text(text)
    build = Path(options.build)
    light = HERE.parent / "inputs" / "light"
    run([build / "bin/gpulto-clang++", "-flto=gpu", "-O2", "-gline-tables-only",
         "--offload-arch=sm_90", f"--cuda-path={options.cuda}", "-nocudainc",
         "-I", light, "-include", "cuda_runtime.h", "-fuse-ld=lld", source, "-o",
         folder / "k", f"-L{options.cuda}/lib64", "-lcudart"])
    report = json.loads(run([build / "bin/gpulto", "explain", "--memory", "--all",
                             "--json", folder / "k"]))
    run([options.run or build / "bin/gpulto-run", "--emulate",
         f"--counters={folder}/c.json", "--accesses", folder / "k",
         *(arguments[name] for name in "nmd")])
    counters = json.loads((folder / "c.json").read_text())
    return list(compare(text, next(iter(report.values())), counters))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("seeds")
    parser.add_argument("--build", required=True)
    parser.add_argument("--cuda", required=True)
    parser.add_argument("--run", help="another gpulto-run")
    parser.add_argument("--kernels", type=int, default=40)
    parser.add_argument("--found", help="folder for programs that differ")
    options = parser.parse_args()
    first, _, last = options.seeds.partition("-")
    status = 0
    total = collections.Counter()
    for seed in range(int(first), int(last or first) + 1):
        with tempfile.TemporaryDirectory(prefix="gpulto-accesses-") as name:
            *differences, seen = check(seed, options, Path(name))
            total.update(seen)
            for difference in differences:
                print(f"seed {seed}: {difference}")
                status = 1
            if differences and options.found:
                shutil.copytree(name, os.path.join(options.found, str(seed)),
                                dirs_exist_ok=True)
    print(", ".join(f"{count} {word}" for word, count in sorted(total.items())))
    return status


if __name__ == "__main__":
    sys.exit(main())
