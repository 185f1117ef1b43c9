#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the emulator's tests of programs on this machine's GPU: what they expect of
the emulator is what CUDA does.

    emulator/test/runtime/on_gpu.py --cuda /usr/local/cuda [NAME ...]

Needs nvcc of CUDA 13, a GPU of sm_90 or newer, and no build of gpulto. Programs that are
told something of the emulated machine (RUN-OPTIONS) are left out unless they are named:
a GPU has another number of multiprocessors, or no second device. The exit status is 1
if a program does not do what is expected, which is a fault of the emulator."""
import argparse
import concurrent.futures
import os
import pathlib
import subprocess
import sys
import tempfile

import run_test

HERE = pathlib.Path(__file__).resolve().parent


def chosen(names):
    """Returns (source, build variant) of the programs to run."""
    result = []
    for source in sorted(HERE.glob("*.cu")):
        found = run_test.directives(source)
        if source.stem.endswith("-other") or "RUN-OPTIONS" in found:
            if source.stem not in names:
                continue
        only = run_test.words(found, "ONLY") or run_test.VARIANTS
        result += [(source, variant) for variant in only
                   if variant.startswith("nvcc") and (not names or source.stem in names)]
    return result


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--cuda", default="/usr/local/cuda")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="gpulto-on-gpu-") as work:

        def run(program):
            source, variant = program
            return subprocess.run(
                [sys.executable, HERE / "run_test.py", "--on-gpu",
                 f"--cuda={options.cuda}", f"--work={work}", f"--variant={variant}",
                 source], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                check=False)

        programs, failed = chosen(set(options.names)), 0
        with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
            for (source, variant), done in zip(programs, pool.map(run, programs)):
                verdict = {0: "same", run_test.SKIP: "skipped"}.get(
                    done.returncode, "DIFFERS")
                failed += verdict == "DIFFERS"
                print(f"{source.stem}.{variant}: {verdict}", flush=True)
                if done.stdout:
                    print("  " + done.stdout.strip().replace("\n", "\n  "))
    print(f"{len(programs)} programs, {failed} differ")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
