#!/usr/bin/env python3
"""Compares how long compilers take to compile nothing.

usage: bench/startup.py [--runs N] [--cuda-path DIR] COMPILER REFERENCE

Compiles an empty .cpp and an empty .cu to objects with COMPILER, a gpulto-clang++,
plain and with -flto=gpu, and plain with REFERENCE, a clang++. The two of a pair
run one after the other, in an order that changes from pair to pair. Prints medians
of wall time, and the median of the pairs' ratios with the middle half of them.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import argparse
import pathlib
import statistics
import subprocess
import tempfile
import time


def measure(command, directory):
    """Returns the seconds that a command takes."""
    start = time.perf_counter()
    subprocess.run(command, cwd=directory, check=True)
    return time.perf_counter() - start


def compare(command, reference, runs, directory):
    """Returns the lists of seconds of both commands."""
    for warm in (command, reference):
        measure(warm, directory)
    times = ([], [])
    for i in range(runs):
        for side in ((0, 1) if i % 2 else (1, 0)):
            times[side].append(measure((command, reference)[side], directory))
    return times


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--runs", type=int, default=30)
    parser.add_argument("--cuda-path", default="/usr/local/cuda")
    parser.add_argument("compiler")
    parser.add_argument("reference")
    words = parser.parse_args()
    cuda = ["--offload-arch=sm_90", f"--cuda-path={words.cuda_path}"]
    print(f"{'source':8} {'mode':10} {'ours':>9} {'reference':>9}  ratio")
    with tempfile.TemporaryDirectory() as directory:
        for source, options in (("a.cpp", []), ("a.cu", cuda)):
            (pathlib.Path(directory) / source).write_text("")
            quiet = ["-Wno-unknown-cuda-version"] if options else []
            reference = [words.reference, *options, *quiet, "-c", source]
            for mode in ("plain", "-flto=gpu"):
                flag = [] if mode == "plain" else [mode]
                ours, theirs = compare([words.compiler, *flag, *options, "-c", source],
                                       reference, words.runs, directory)
                ratios = [a / b for a, b in zip(ours, theirs)]
                low, middle, high = statistics.quantiles(ratios, n=4)
                print(f"{source:8} {mode:10} {statistics.median(ours) * 1000:6.1f} ms "
                      f"{statistics.median(theirs) * 1000:6.1f} ms  "
                      f"{middle:.2f} ({low:.2f} to {high:.2f})", flush=True)


if __name__ == "__main__":
    main()
