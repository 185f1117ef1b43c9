#!/usr/bin/env python3
"""Checks the sources with clang-tidy; those that were clean are not read again.

usage: check_tidy.py [--update] [-j N] [--clang-tidy PROGRAM] ROOT BUILD [SOURCE...]

BUILD is a build tree with compile_commands.json; each source of the repository
is checked as it is compiled there, or those given. .clang-tidy says what
is checked; every warning is an error.

test/tidy.digests names, for each source, the digest of all that its result
depends on: the source, the headers of this repository that it includes, both
without lines of comments, its macros, .clang-tidy, and the release of clang-tidy. Sources whose digest stands
there are clean and are left out. --update writes the digests of those found
clean now; commit them with the sources, or CI spends minutes on them.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import argparse
import concurrent.futures
import functools
import hashlib
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

INCLUDE = re.compile(r"^\s*#\s*include\s+[<\"]([^\">]+)[>\"]", re.MULTILINE)
RECORD = pathlib.Path("test") / "tidy.digests"
SKIPPED = {"build", "third_party", ".git", ".ccache"}


def read_record(path):
    """Returns {source: digest} of RECORD; nothing if it is not there."""
    if not path.exists():
        return {}
    rows = (line.split() for line in path.read_text().splitlines())
    return {source: digest for digest, source in rows}


def write_record(path, record):
    path.write_text("".join(f"{digest} {source}\n"
                            for source, digest in sorted(record.items())))


def options_of(entry):
    """Returns how a source is compiled, without what a run of clang-tidy must not
    have: outputs, and the precompiled header, which is GCC's."""
    words = entry.get("arguments") or shlex.split(entry["command"])
    options, skip = [], 0
    for word, following in zip(words[1:], [*words[2:], ""]):
        if skip:
            skip -= 1
        elif word == "-o" or (word == "-include" and "cmake_pch" in following):
            skip = 1
        elif word not in ("-c", "-Winvalid-pch", "-fpch-preprocess",
                          entry["file"]):
            options.append(word)
    return options


def digest_of_text(text):
    """Returns the digest of a file without the lines that are a comment and nothing
    else: clang-tidy looks at those that say NOLINT, and at comments beside code."""
    lines = [line for line in text.split(b"\n")
             if not line.lstrip().startswith(b"//") or b"NOLINT" in line]
    return hashlib.sha256(b"\n".join(lines)).hexdigest()


def compiler_of(path):
    return "clang" if path.endswith(".c") else "clang++"


def meaning_of(options):
    """Returns those of a source's options that its digest has: what may make
    another program of it, but for where things are on this machine."""
    return [word if '"' not in word else word.split("=")[0]
            for word in options if word.startswith(("-D", "-U", "-std=", "-x"))]


class Tree:
    """The sources of a repository."""

    def __init__(self, root, build):
        self.root = root
        self.build = build
        self.files = set()
        for directory, names, files in os.walk(root):
            if directory == str(root):
                names[:] = [name for name in names if name not in SKIPPED]
            below = os.path.relpath(directory, root)
            self.files.update(os.path.normpath(os.path.join(below, file))
                              for file in files)

    def entries(self):
        """Returns {source: entry of compile_commands.json}, by paths from the root;
        of several entries of a source the first."""
        entries = {}
        for entry in json.loads((self.build / "compile_commands.json").read_text()):
            path = os.path.relpath(entry["file"], self.root)
            if path in self.files:
                entries.setdefault(path, entry)
        return entries

    @functools.cache
    def includes(self, path):
        """Returns the files of the repository that a file includes."""
        text = (self.root / path).read_text(errors="replace")
        beside = os.path.dirname(path)
        found = set()
        for name in INCLUDE.findall(text):
            for candidate in (name, os.path.join(beside, name),
                              os.path.join("emulator", "include", name)):
                candidate = os.path.normpath(candidate)
                if candidate in self.files:
                    found.add(candidate)
        return found

    @functools.cache
    def contents(self, path):
        return digest_of_text((self.root / path).read_bytes())

    def closure(self, path):
        """Returns a file and all that it includes, of this repository, sorted."""
        seen, work = {path}, [path]
        while work:
            new = self.includes(work.pop()) - seen
            seen |= new
            work += new
        return sorted(seen)

    def configurations(self, path):
        """Returns the files .clang-tidy that a source is checked by."""
        parents = pathlib.PurePath(path).parents
        return [file for file in (str(parent / ".clang-tidy")
                                  for parent in parents) if file in self.files]

    def digest(self, path, entry, version):
        hasher = hashlib.sha256()
        for word in (version, *meaning_of(options_of(entry))):
            hasher.update(word.encode() + b"\0")
        for file in (*self.configurations(path), *self.closure(path)):
            hasher.update(f"{file} {self.contents(file)}\0".encode())
        return hasher.hexdigest()[:32]


def check(program, commands, path):
    """Returns what clang-tidy says of a source; empty: it is clean."""
    run = subprocess.run([program, "-p", commands, "--quiet",
                          "--warnings-as-errors=*", path],
                         capture_output=True, text=True)
    return "" if run.returncode == 0 else run.stdout + run.stderr


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--update", action="store_true")
    parser.add_argument("-j", type=int, default=os.cpu_count())
    parser.add_argument("--clang-tidy", default="clang-tidy-22")
    parser.add_argument("root", type=pathlib.Path)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("sources", nargs="*")
    arguments = parser.parse_args()
    tree = Tree(arguments.root.resolve(), arguments.build.resolve())
    version = subprocess.run([arguments.clang_tidy, "--version"],
                             capture_output=True, text=True, check=True).stdout
    version = re.search(r"version (\d+)", version).group(1)
    entries = tree.entries()
    digests = {path: tree.digest(path, entry, version)
               for path, entry in entries.items()}
    record = {path: digest for path, digest
              in read_record(tree.root / RECORD).items() if path in entries}
    stale = [path for path in sorted(entries)
             if record.get(path) != digests[path]
             and (not arguments.sources or path in arguments.sources)]
    failed = []
    with tempfile.TemporaryDirectory() as commands, \
            concurrent.futures.ThreadPoolExecutor(arguments.j) as pool:
        (pathlib.Path(commands) / "compile_commands.json").write_text(json.dumps(
            [{"directory": str(tree.build), "file": str(tree.root / path),
              "arguments": [compiler_of(path), *options_of(entries[path]), "-c",
                            str(tree.root / path)]} for path in stale]))
        results = pool.map(lambda path: check(arguments.clang_tidy, commands,
                                              str(tree.root / path)), stale)
        for path, said in zip(stale, results):
            if said:
                failed.append(path)
                record.pop(path, None)
                print(said, flush=True)
            else:
                record[path] = digests[path]
    if arguments.update:
        write_record(tree.root / RECORD, record)
    print(f"check_tidy: {len(entries)} sources, {len(stale)} read, "
          f"{len(failed)} with warnings")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
