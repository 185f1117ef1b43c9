#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures what inlining of functions into themselves saves.

    bench/recursion.py --build build/release [--gcc gcc] [--json FILE]

Links bench/recursion with clang -O2, with its full LTO, with GCC -O2 -flto and
with gpulto, with and without inlining of functions into themselves; prints how
many thousand instructions each program runs (valgrind --tool=callgrind) and the
bytes of text of all. All must print the same. Figures are exact and repeat.
"""

import argparse
import json
import pathlib
import re
import subprocess
import sys
import tempfile

SOURCES = pathlib.Path(__file__).resolve().parent / "recursion"
PROGRAMS = ["fibonacci", "ackermann", "takeuchi", "tree", "quicksort", "hanoi",
            "queens", "power", "permute", "collatz"]


def output_of(words):
    done = subprocess.run([str(word) for word in words], text=True,
                          capture_output=True, check=False)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, words))}\n{done.stdout}{done.stderr}")
    return done.stdout, done.stderr


def compile_and_link(words, link_words, program):
    objects = []
    for source in sorted(SOURCES.glob("*.c")):
        objects.append(program.with_suffix(f".{source.stem}.o"))
        output_of(words + ["-c", source, "-o", objects[-1]])
    output_of(words + link_words + objects + ["-o", program])


def build(arguments, work):
    """Returns the programs by variant."""
    ours = [arguments.build / "bin/gpulto-clang", "-O2", "-flto=gpu"]
    variants = {
        "clang": (["clang-22", "-O2"], []),
        "clang LTO": (["clang-22", "-O2", "-flto", "-fuse-ld=lld"], []),
        "GCC LTO": ([arguments.gcc, "-O2", "-flto"], []),
        "without": (ours, ["--gpulto-param=inlineRecursiveDepth=0"]),
        "ours": (ours, []),
    }
    programs = {}
    for number, (name, (words, link_words)) in enumerate(variants.items()):
        programs[name] = work / f"program{number}"
        compile_and_link(words, link_words, programs[name])
    return programs


def instructions(program, name):
    """Returns what a run prints, and the instructions it takes."""
    printed, messages = output_of(
        ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null",
         program, name])
    return printed, int(re.search(r"Collected : (\d+)", messages)[1])


def text_bytes(program):
    table, _ = output_of(["size", "-A", program])
    return int(re.search(r"^\.text\s+(\d+)", table, re.M)[1])


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--gcc", default="gcc")
    parser.add_argument("--json", type=pathlib.Path, help="for the figures")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as work:
        programs = build(arguments, pathlib.Path(work))
        result = {}
        print(f"{'':10}", *(f"{name:>10}" for name in programs))
        for name in PROGRAMS:
            runs = {variant: instructions(program, name)
                    for variant, program in programs.items()}
            if len({printed for printed, _ in runs.values()}) != 1:
                sys.exit(f"{name}: results differ: {runs}")
            result[name] = {variant: count
                            for variant, (_, count) in runs.items()}
            print(f"{name:10}",
                  *(f"{count / 1000:10.0f}" for count in result[name].values()))
        result["text"] = {variant: text_bytes(program)
                          for variant, program in programs.items()}
        print(f"{'text':10}",
              *(f"{count:10}" for count in result["text"].values()))
    if arguments.json:
        arguments.json.write_text(json.dumps(result, indent=1) + "\n")


if __name__ == "__main__":
    main()
