# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What LLVM alone would know of a program's launches: the host's bitcode of all
files is linked and internalized, and goes through default<O2> and lto<O2>; the
stubs stay. Counted is what is a constant where a stub is called, under the names
of --gpulto-stats. Aggregates count as the calling convention passes them, and
calls as often as inlining and unrolling copied them."""

import collections
import re
import subprocess

import building
import measuring

CONFIGURATION = re.compile(
    r"(?:call|invoke) .*@__cudaPushCallConfiguration\((.*)\)")
STUB_CALL = re.compile(
    r"(?:call|invoke) .*@(\w*__device_stub__\w*)\((.*)\)")
CONSTANT = re.compile(r" (-?\d+|true|false|0x\w+|-?\d+\.\d+e[+-]\d+)$")


def run(command, directory):
    done = subprocess.run([str(word) for word in command], cwd=directory,
                          text=True, capture_output=True, check=False)
    if done.returncode:
        raise measuring.Failure(f"{command[0]}\n{done.stderr}")
    return done.stdout


def optimized(program, values, work):
    """Returns the optimized host code of the whole program, as text."""
    work.mkdir(parents=True)
    variant = building.read_variants("cuda", ["clang-rdc"])[0]
    files = []
    for source in program.sources:
        target = work / (source.replace("/", "_") + ".bc")
        language = "compile-cuda" if source.endswith(".cu") else (
            "compile-c" if source.endswith(".c") else "compile-cxx")
        words = building.expand(variant[language],
                                dict(values, source=source, object=str(target),
                                     flags=program.flags))
        words += ["-emit-llvm", "-Xclang", "-disable-llvm-passes"]
        if language == "compile-cuda":
            words.append("--cuda-host-only")
        run(words, program.directory)
        files.append(target)
    whole = work / "whole.bc"
    run(["llvm-link-22", *files, "-o", whole], work)
    names = run(["llvm-nm-22", "--just-symbol-name", whole], work).split()
    run(["opt-22", "-passes=forceattrs,internalize,default<O2>,internalize,"
         "lto<O2>", "-internalize-public-api-list=main", whole, "-S", "-o",
         work / "whole.ll",
         *(f"-force-attribute={name}:noinline" for name in names
           if "__device_stub__" in name)], work)
    return (work / "whole.ll").read_text(encoding="utf-8")


def split(text):
    """Splits arguments at commas outside of brackets."""
    parts, depth = [""], 0
    for character in text:
        depth += (character in "([{<") - (character in ")]}>")
        if character == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += character
    return [part.strip() for part in parts]


def constant(argument):
    found = CONSTANT.search(argument)
    return found[1] if found else None


def count(program, values, work):
    """Returns the counters of `program`. Raises measuring.Failure."""
    counters = collections.Counter()
    kernels = {}
    for function in optimized(program, values, work).split("\ndefine ")[1:]:
        body = function.split("\n}")[0].splitlines()
        if "__device_stub__" in body[0].split("(")[0]:
            continue
        configuration = None
        for line in body:
            if found := CONFIGURATION.search(line):
                configuration = [constant(part) for part in split(found[1])]
            found = STUB_CALL.search(line)
            if not found or not configuration:
                continue
            scalars = [constant(part) for part in split(found[2])
                       if part and not part.startswith("ptr")]
            counters["launch-sites"] += 1
            for key, dimensions in (("grid", configuration[0:2]),
                                    ("block", configuration[2:4])):
                counters[f"launch-sites-{key}-known"] += None not in dimensions
            counters["launch-scalars"] += len(scalars)
            counters["launch-scalars-known"] += sum(
                scalar is not None for scalar in scalars)
            kernels.setdefault(found[1], []).append(
                {"grid": configuration[0:2], "block": configuration[2:4],
                 "scalars": scalars})
    for launches in kernels.values():
        counters["kernels-launched"] += 1
        first = launches[0]
        for key in ("grid", "block"):
            counters[f"kernels-{key}-known"] += None not in first[key] and all(
                launch[key] == first[key] for launch in launches)
        counters["kernels-argument-known"] += any(
            value is not None and
            all(launch["scalars"][i] == value for launch in launches)
            for i, value in enumerate(first["scalars"]))
    return dict(counters)
