#!/usr/bin/env python3
"""Checks that a tree that is to be packed holds only what it may.

usage: check_package.py TREE TOOLKIT [DIRECTORY...]

Reported, one line each: a file with the contents of one of the CUDA toolkit's; a
text with ten lines in a row that the toolkit's headers have, too; a file that
names one of the DIRECTORYs, which are of the machine that built it; a program
with a run path that is not relative to itself. scripts/package also has it check
which libraries, and which version of glibc, programs need.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import hashlib
import pathlib
import re
import subprocess
import sys

# glibc, libstdc++ and libgcc_s, by their names in programs.
C_LIBRARY = re.compile(r"(lib(c|m|dl|pthread|rt|stdc\+\+|gcc_s)"
                       r"|ld-linux-x86-64)\.so\.\d+")
RUN = 10  # lines in a row that are no accident
# A run of lines counts only if it says something: not of braces and blanks.
LEAST_TEXT = 200
EMULATOR = "lib/gpulto-emulator"


def files_of(tree):
    """Yields the regular files of a tree, sorted."""
    yield from sorted(path for path in tree.rglob("*")
                      if path.is_file() and not path.is_symlink())


def digest_of(contents):
    return hashlib.sha256(contents).digest()


def runs_of(contents):
    """Yields (line number, digest) of each run of ten lines that says something,
    whatever its indentation."""
    lines = [line.strip() for line in contents.splitlines()]
    lines = [(number, line) for number, line in enumerate(lines, 1) if line]
    for start in range(len(lines) - RUN + 1):
        text = b"\n".join(line for _, line in lines[start:start + RUN])
        if len(text) >= LEAST_TEXT:
            yield lines[start][0], digest_of(text)


def is_text(contents):
    return b"\0" not in contents


def is_license(path):
    """Texts of licenses are the same everywhere."""
    return path.parts[0] == "licenses" or path.name == "copyright"


class Toolkit:
    """What a toolkit's files hold."""

    def __init__(self, root):
        self.digests, self.runs = {}, {}
        for path in files_of(root.resolve()):
            contents = path.read_bytes()
            if not contents:
                continue
            self.digests[digest_of(contents)] = path
            if path.suffix in (".h", ".hpp", ".cuh", ".inl", ".hxx", "") and \
                    is_text(contents):
                for number, digest in runs_of(contents):
                    self.runs.setdefault(digest, f"{path}:{number}")


def compare(tree, toolkit):
    """Returns what files of the tree have of the toolkit's."""
    problems = []
    for path in files_of(tree):
        contents = path.read_bytes()
        if not contents:
            continue
        if digest_of(contents) in toolkit.digests:
            problems.append(f"{path}: is {toolkit.digests[digest_of(contents)]}")
        elif is_text(contents) and not is_license(path.relative_to(tree)):
            for number, digest in runs_of(contents):
                if digest in toolkit.runs:
                    problems.append(f"{path}:{number}: has {RUN} lines of "
                                    f"{toolkit.runs[digest]}")
                    break
    return problems


def names_directories(tree, directories):
    """Returns files that name directories of this machine."""
    problems = []
    for path in files_of(tree):
        contents = path.read_bytes()
        for directory in directories:
            if re.search(rb"(?<![\w.-])" + re.escape(bytes(directory)) + rb"/",
                         contents):
                problems.append(f"{path}: names {directory}")
    return problems


def programs_of(tree):
    for path in files_of(tree):
        if path.read_bytes()[:4] == b"\x7fELF":
            yield path


def readelf(option, path):
    return subprocess.run(["readelf", "-W", option, str(path)], text=True,
                          check=True, capture_output=True).stdout


def check_program(tree, path, libraries, glibc):
    """Returns what is wrong with what a program needs."""
    problems = []
    dynamic = readelf("-d", path)
    own = {file.name for file in files_of(tree)
           if str(file.relative_to(tree)).startswith(EMULATOR)}
    for name in re.findall(r"\(NEEDED\).*\[(.+)\]", dynamic):
        if libraries and not libraries.fullmatch(name) and name not in own:
            problems.append(f"{path}: needs {name}")
    for name in re.findall(r"\((?:RUNPATH|RPATH)\).*\[(.+)\]", dynamic):
        if not all(part.startswith("$ORIGIN") for part in name.split(":")):
            problems.append(f"{path}: has the run path {name}")
        if "emulator" in name:
            problems.append(f"{path}: has the emulator on its run path")
    for major, minor in re.findall(r"Name: GLIBC_(\d+)\.(\d+)", readelf("-V", path)):
        if glibc and (int(major), int(minor)) > glibc:
            problems.append(f"{path}: needs glibc {major}.{minor}, which is newer "
                            f"than {glibc[0]}.{glibc[1]}")
    if glibc and "GLIBC_ABI_DT_RELR" in readelf("-V", path):
        problems.append(f"{path}: has packed relocations, which need glibc 2.36")
    return problems


def check(tree, toolkit, libraries, glibc, directories):
    """Returns all problems of a tree. libraries: a pattern of what programs may
    need; glibc: (major, minor), the newest that they may; either may be None."""
    problems = compare(tree, Toolkit(toolkit)) + names_directories(tree, directories)
    for path in programs_of(tree):
        if path.suffix not in (".o", ".a"):
            problems += check_program(tree, path, libraries, glibc)
    return problems


def main(words):
    if len(words) < 2 or not all(pathlib.Path(word).is_dir() for word in words):
        sys.exit(__doc__)
    tree, toolkit, *directories = map(pathlib.Path, words)
    problems = check(tree, toolkit, None, None, directories)
    print("\n".join(problems) if problems else f"{tree}: nothing is wrong")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
