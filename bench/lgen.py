#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures what LGEN costs: compile time and size of the summaries.

    bench/lgen.py --build build/release SOURCE... [-- FLAGS...]

Each clang run that a compile with -flto=gpu makes (host, and device for a .cu)
is run with and without the pass plugin in turn; reported is the ratio of the
median CPU times and its spread. Sizes are those of the fat object: summaries
beside the bitcode that they describe, uncompressed.
"""

import argparse
import json
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import measuring  # noqa: E402

PLUGIN_WORDS = re.compile(r"^-(fplugin|fpass-plugin)=|^-gpulto-")


def without_plugin(command):
    """Returns `command` without the words that load and steer the plugin."""
    result, skip = [], False
    for index, word in enumerate(command):
        if skip:
            skip = False
            continue
        following = command[index + 1:index + 4]
        if word == "-Xclang" and following[:1] == ["-mllvm"]:
            continue
        if word == "-mllvm" and any(PLUGIN_WORDS.match(w) for w in following):
            continue
        if word == "-Xclang" and following and PLUGIN_WORDS.match(following[0]):
            skip = True
            continue
        if not PLUGIN_WORDS.match(word):
            result.append(word)
    return result


def clang_runs(driver, source, flags, output):
    """Returns the clang commands of one compile, as the driver prints them."""
    text = subprocess.run(
        [driver, "-flto=gpu", *flags, "-c", source, "-o", output, "-###"],
        capture_output=True, text=True, check=True)
    runs = []
    for line in (text.stdout + text.stderr).splitlines():
        words = [re.sub(r"\\(.)", r"\1", word[1:-1]) for word in
                 re.findall(r'"(?:[^"\\]|\\.)*"', line)]
        if any(word.startswith("-fpass-plugin=") for word in words):
            runs.append(words)
    if not runs:
        raise SystemExit(f"{driver} -### printed no clang run for {source}")
    return runs


def redirect(command, directory):
    """Returns `command` with its outputs in `directory`."""
    result = list(command)
    for index, word in enumerate(result):
        if word == "-o":
            result[index + 1] = str(directory / "out.o")
        if word.startswith("-gpulto-summary-out="):
            result[index] = f"-gpulto-summary-out={directory}/out.summary"
    return result


def ratio(with_plugin, without):
    """Returns the ratio of medians and the spread of the paired ratios."""
    pairs = [a / b for a, b in zip(with_plugin, without)]
    return {"ratio": statistics.median(with_plugin) /
            statistics.median(without),
            "spread": (max(pairs) - min(pairs)) / 2}


def measure(driver, source, flags, repetitions):
    result = {}
    with tempfile.TemporaryDirectory(prefix="gpulto-bench-") as name:
        directory = pathlib.Path(name)
        for number, command in enumerate(
                clang_runs(driver, source, flags, directory / "out.o")):
            command = redirect(command, directory)
            plain = without_plugin(command)
            loaded, unloaded = [], []
            for _ in range(repetitions):
                loaded.append(measuring.measure(command, ".", None)["cpu"])
                unloaded.append(measuring.measure(plain, ".", None)["cpu"])
            kind = ("device" if "--cuda-device-only" in command
                    else f"host{number or ''}")
            result[kind] = ratio(loaded, unloaded)
    return result


def sizes(driver, gpulto, source, flags):
    """Returns bytes of summaries and of raw bitcode in the fat object."""
    with tempfile.TemporaryDirectory(prefix="gpulto-bench-") as name:
        target = pathlib.Path(name, "out.o")
        subprocess.run([driver, "-flto=gpu", *flags, "-c", source, "-o",
                        target], check=True)
        text = subprocess.run([gpulto, "dump", target], capture_output=True,
                              text=True, check=True).stdout
    found = re.findall(r"^record \d+ .*?summary (\d+) bytes bitcode (\d+) "
                       r"bytes", text, re.M)
    return {"summary-bytes": sum(int(a) for a, _ in found),
            "bitcode-bytes": sum(int(b) for _, b in found)}


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("sources", nargs="+")
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--repetitions", type=int, default=9)
    parser.add_argument("--output", type=pathlib.Path, default=None)
    words = sys.argv[1:]
    flags = ["-O2"]
    if "--" in words:
        flags = words[words.index("--") + 1:]
        words = words[:words.index("--")]
    arguments = parser.parse_args(words)
    build = arguments.build.resolve()
    measuring.check_release(build)
    report = {"machine": measuring.machine(), "flags": flags, "sources": {}}
    for source in arguments.sources:
        driver = build / ("bin/gpulto-clang" if source.endswith(".c")
                          else "bin/gpulto-clang++")
        entry = {"time": measure(driver, source, flags,
                                 arguments.repetitions),
                 "size": sizes(driver, build / "bin/gpulto", source, flags)}
        report["sources"][pathlib.Path(source).name] = entry
        share = entry["size"]["summary-bytes"] / entry["size"]["bitcode-bytes"]
        times = ", ".join(f"{kind} {used['ratio']:.3f} ±{used['spread']:.3f}"
                          for kind, used in entry["time"].items())
        print(f"{source}: compile time with/without LGEN: {times}; summaries "
              f"{100 * share:.1f} % of the bitcode", flush=True)
    measuring.write_report(report, arguments.output)
    return 0


if __name__ == "__main__":
    sys.exit(main())
