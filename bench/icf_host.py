#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures what folding saves of a host program, beside lld's own folding.

    bench/icf_host.py --build build/release --name gold \\
        [--check '{program} --version'] [--directory DIR] -- WORDS...

WORDS are the objects, libraries and options that clang++ would get to link the
program, compiled by gpulto-clang++ -flto=gpu -ffunction-sections into fat objects.
Their native code is linked by stock lld with --icf=none, safe and all; gpulto
links the same objects with --gpulto-icf=none, safe and all. Printed are bytes of
text, what of it folding saved, and the share of text that the call-site table
takes. With --check, the command must print the same for all six programs. Bytes
are exact and repeat.
"""

import argparse
import json
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

FOLDINGS = ["none", "safe", "all"]


class Failure(Exception):
    pass


def output_of(words, directory):
    done = subprocess.run(words, cwd=directory, text=True,
                          capture_output=True, check=False)
    if done.returncode:
        raise Failure(f"{shlex.join(words)}\n{done.stdout}{done.stderr}")
    return done.stdout


def section_bytes(llvm, program):
    """Returns the sizes of the program's sections by name."""
    text = output_of([f"{llvm}/bin/llvm-readelf", "-S", "--wide", program],
                     None)
    row = re.compile(r"\] (\S+) +\S+ +[0-9a-f]+ [0-9a-f]+ ([0-9a-f]+) ")
    return {name: int(size, 16) for name, size in row.findall(text)}


def link(arguments, linker, folding, program):
    if linker == "lld":
        words = [f"{arguments.llvm}/bin/clang++", "-fuse-ld=lld",
                 f"-Wl,--icf={folding}", "-Wl,--gc-sections"]
    else:
        words = [str(arguments.build / "bin/gpulto-clang++"), "-flto=gpu",
                 f"--gpulto-icf={folding}", "-Wl,--gc-sections"]
    output_of(words + arguments.words + ["-o", program], arguments.directory)


def measure(arguments, linker, work):
    rows, printed = {}, set()
    for folding in FOLDINGS:
        program = str(work / f"{linker}-{folding}")
        link(arguments, linker, folding, program)
        sizes = section_bytes(arguments.llvm, program)
        rows[folding] = {"text": sizes[".text"],
                         "callsites": sizes.get(".gpulto.callsites", 0)}
        if arguments.check:
            words = shlex.split(arguments.check.format(program=program))
            printed.add(output_of(words, arguments.directory))
    for row in rows.values():
        row["folded"] = rows["none"]["text"] - row["text"]
        row["callsites-share"] = row["callsites"] / row["text"]
    return rows, printed


def show(result):
    print(f"{'':8}{'':6}{'text':>12}{'folded':>10}{'share':>8}"
          f"{'of all':>8}{'call sites':>12}")
    for linker, rows in result.items():
        most = rows["all"]["folded"]
        for folding, row in rows.items():
            part = f"{row['folded'] / most:8.1%}" if most else f"{'-':>8}"
            print(f"{linker:8}{folding:6}{row['text']:12}{row['folded']:10}"
                  f"{row['folded'] / rows['none']['text']:8.1%}{part}"
                  f"{row['callsites-share']:12.2%}")


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, required=True,
                        help="gpulto's build or installed tree")
    parser.add_argument("--llvm", default="/usr/lib/llvm-22")
    parser.add_argument("--name", required=True)
    parser.add_argument("--directory", help="where the words are relative to")
    parser.add_argument("--check", help="command; {program} is the program")
    parser.add_argument("--output", type=pathlib.Path,
                        help="add the figures to this JSON file")
    parser.add_argument("words", nargs="+")
    arguments = parser.parse_args()
    arguments.build = arguments.build.resolve()
    try:
        with tempfile.TemporaryDirectory() as directory:
            result, printed = {}, set()
            for linker in ["lld", "gpulto"]:
                result[linker], texts = measure(arguments, linker,
                                                pathlib.Path(directory))
                printed |= texts
    except Failure as failure:
        sys.exit(f"icf_host.py: error: {failure}")
    if len(printed) > 1:
        sys.exit("icf_host.py: error: the programs do not print the same")
    show(result)
    if arguments.output:
        known = (json.loads(arguments.output.read_text())
                 if arguments.output.exists() else {})
        known[arguments.name] = result
        arguments.output.write_text(json.dumps(known, indent=1) + "\n")


if __name__ == "__main__":
    main()
