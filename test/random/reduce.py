"""Makes a program that shows a difference smaller.

Our own programs are made again without some of their elements (`cuda_code`), by
delta debugging: halves first, then ever smaller pieces, while the difference
stays and the plain builds agree. Csmith's are left to cvise: `interesting.sh`
in the folder of the difference is its test.
Source: A. Zeller, R. Hildebrandt, "Simplifying and Isolating Failure-Inducing
Input", 2002.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import shlex
import tempfile

from programs import Failure, Folder


def shows(program, tools, configuration, isFailure):
    """Whether `program` still differs, in the same way: a build that fails, or
    one that prints something else."""
    with tempfile.TemporaryDirectory(prefix="gpulto-random-") as path:
        folder = Folder(path, program, tools)
        try:
            expected = folder.plain("-O2", "plain")
            if any(expected.status):
                return False
        except Failure:
            return False
        try:
            folder.compile()
            if folder.link(configuration, "lto") == expected or isFailure:
                return False
        except Failure:
            return isFailure
        return folder.plain("-O0", "plain") == expected


def reduced(generate, seed, tools, configuration, isFailure):
    """Returns the smallest program found."""
    def test(dropped):
        return shows(generate(seed, dropped), tools, configuration, isFailure)

    kept = list(range(generate(seed).elements + 1))
    everything, size = frozenset(kept), max(1, len(kept) // 2)
    while kept:
        progress = False
        for first in range(0, len(kept), size):
            rest = kept[:first] + kept[first + size:]
            if test(everything - frozenset(rest)):
                kept, progress = rest, True
                break
        if not progress and size == 1:
            break
        if not progress:
            size = max(1, size // 2)
        size = min(size, max(1, len(kept)))
    return generate(seed, everything - frozenset(kept))


def writeInteresting(target, folder, configuration):
    """Writes a test for cvise: clang's builds agree, have no undefined
    behaviour that sanitizers see, and ours prints something else."""
    program, tools = folder.program, folder.tools
    plain = tools.clang(False)
    units = [(u, shlex.join(u.flags)) for u in program.units]
    sources = " ".join(u.source for u, _ in units)
    common = shlex.join(program.plainFlags)
    lines = ["#!/usr/bin/env bash", "# cvise --tidy interesting.sh " + sources,
             "set -e", "ulimit -t 5"]
    for name, flags in (("o0", "-O0"), ("o2", "-O2"),
                        ("ub", "-O1 -fsanitize=undefined,address "
                         "-fno-sanitize-recover=all")):
        lines += [f"{plain} {common} {flags} {sources} -o {name}",
                  f"timeout 5 ./{name} > {name}.txt"]
    lines += ["cmp o0.txt o2.txt", "cmp o0.txt ub.txt"]
    driver = shlex.join(tools.driver(program.isCuda))
    for unit, flags in units:
        native = "" if unit.native else "-flto=gpu "
        lines.append(f"{driver} {native}{flags} -c {unit.source} "
                     f"-o {unit.object}")
    lines += [f"{driver} -flto=gpu {' '.join(u.object for u, _ in units)} "
              f"-o lto {shlex.join(configuration.options)}",
              "timeout 5 ./lto > lto.txt || true", "! cmp -s o0.txt lto.txt"]
    script = target / "interesting.sh"
    script.write_text("\n".join(lines) + "\n")
    script.chmod(0o755)
