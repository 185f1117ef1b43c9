#!/usr/bin/env python3
"""What LGEN costs: compile time with and without the plugin, summary sizes.

usage: bench/lgen.py --build BUILD [--repeat N] [--flags "..."] SOURCE...

For each source the host compile (and for .cu the device compile for sm_90) runs
with clang's LTO options alone and with the plugin, in turn; the figures are
medians of CPU seconds (user and system, all processes), with the spread between
the first and third quartile. Sizes are those of the fat object that
gpulto-clang++ writes: summary bytes over bitcode bytes, both before compression.
Targets: at most 5 % of compile time, at most 15 % of the bitcode.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import argparse
import json
import os
import pathlib
import re
import resource
import shlex
import statistics
import subprocess
import sys
import tempfile


def cpu_seconds(command):
    """Runs command and returns the CPU seconds it took, children included."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (after.ru_utime + after.ru_stime - before.ru_utime
            - before.ru_stime)


def compile_commands(clang, source, flags, out, cuda, shim):
    """The compiles of one source, without the plugin."""
    common = [clang, *flags, "-c", str(source)]
    if source.suffix != ".cu":
        return {"host": [*common, "-flto=thin", "-ffat-lto-objects", "-o",
                         out + ".o"]}
    common += ["--offload-new-driver", "-fgpu-rdc", "-Xclang", "-cuid=1",
               "--cuda-path=" + cuda, "-isystem", shim,
               "-Wno-unknown-cuda-version"]
    return {"host": [*common, "--cuda-host-only", "-flto=thin",
                     "-ffat-lto-objects", "-o", out + ".o"],
            "device": [*common, "--cuda-device-only", "--offload-arch=sm_90",
                       "-foffload-lto=thin", "-emit-llvm", "-o", out + ".bc"]}


def spread(samples):
    if len(samples) < 4:
        return max(samples) - min(samples)
    quartiles = statistics.quantiles(samples, n=4)
    return quartiles[2] - quartiles[0]


def measure_time(options, source, out):
    """Median CPU seconds per side, plain and with the plugin."""
    build = pathlib.Path(options.build)
    plugin = str(build / "lib/gpulto/gpulto-lgen.so")
    loads = ["-fplugin=" + plugin, "-fpass-plugin=" + plugin, "-mllvm",
             "-gpulto-summary-out=" + out + ".sum"]
    commands = compile_commands(options.clang, source, options.flags, out,
                                options.cuda, str(build / "lib/gpulto/cuda-shim"))
    result = {}
    for side, command in commands.items():
        plain, ours = [], []
        for _ in range(options.repeat):
            plain.append(cpu_seconds(command))
            ours.append(cpu_seconds([*command, *loads]))
        result[side] = {
            "plain_s": statistics.median(plain), "plain_iqr_s": spread(plain),
            "lgen_s": statistics.median(ours), "lgen_iqr_s": spread(ours),
            "overhead": statistics.median(ours) / statistics.median(plain) - 1}
    return result


def measure_size(options, source, out):
    """Summary and bitcode bytes per side of the fat object."""
    build = pathlib.Path(options.build)
    driver = [str(build / "bin/gpulto-clang++"), "-flto=gpu", *options.flags]
    if source.suffix == ".cu":
        driver += ["--offload-arch=sm_90", "--cuda-path=" + options.cuda]
    else:
        driver[0] = str(build / "bin/gpulto-clang")
    subprocess.run([*driver, "-c", str(source), "-o", out + ".o"], check=True)
    text = subprocess.run([str(build / "bin/gpulto"), "dump", "--header",
                           out + ".o"], check=True, capture_output=True,
                          text=True).stdout
    sizes = {}
    for side, summary, bitcode in re.findall(
            r"^record \d+ (host|device \S+) summary (\d+) bytes bitcode (\d+)",
            text, re.MULTILINE):
        sizes[side.split()[0]] = {"summary": int(summary),
                                  "bitcode": int(bitcode)}
    return sizes


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", required=True)
    parser.add_argument("--clang", default="/usr/lib/llvm-19/bin/clang")
    parser.add_argument("--cuda", default=os.environ.get("CUDA_PATH",
                                                         "/usr/local/cuda"))
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--flags", type=shlex.split, default=["-O2"])
    parser.add_argument("--json", help="write all figures to this file")
    parser.add_argument("sources", nargs="+", type=pathlib.Path)
    options = parser.parse_args()
    if options.repeat < 1:
        parser.error("--repeat must be at least 1")
    results = {}
    total = {"plain": 0.0, "lgen": 0.0, "summary": 0, "bitcode": 0}
    with tempfile.TemporaryDirectory() as scratch:
        for source in options.sources:
            out = os.path.join(scratch, source.stem)
            times = measure_time(options, source, out)
            sizes = measure_size(options, source, out)
            results[str(source)] = {"time": times, "size": sizes}
            for side, t in times.items():
                size = sizes[side]
                total["plain"] += t["plain_s"]
                total["lgen"] += t["lgen_s"]
                total["summary"] += size["summary"]
                total["bitcode"] += size["bitcode"]
                print(f"{source.name:20} {side:6} cpu {t['plain_s']:.3f} "
                      f"(iqr {t['plain_iqr_s']:.3f}) -> {t['lgen_s']:.3f} s "
                      f"(iqr {t['lgen_iqr_s']:.3f}) {t['overhead']:+.1%}   "
                      f"summary {size['summary']} of {size['bitcode']} B "
                      f"{size['summary'] / size['bitcode']:.1%}", flush=True)
    print(f"{'all':27} cpu {total['plain']:.3f} -> {total['lgen']:.3f} s "
          f"{total['lgen'] / total['plain'] - 1:+.1%}   summary "
          f"{total['summary']} of {total['bitcode']} B "
          f"{total['summary'] / total['bitcode']:.1%}")
    if options.json:
        pathlib.Path(options.json).write_text(
            json.dumps(results, indent=1, sort_keys=True) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
