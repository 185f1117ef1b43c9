#!/usr/bin/env python3
"""Checks that every #include keeps to cmake/Layers.txt.

usage: check_layers.py ROOT

Layers.txt says which directories a directory may include, or which rooms of
them ("ipa/values"), and which rooms of its own directory a room may include:
those that its row names, and what these may. A file of such a directory that is
in no room sees all rooms. "no-ir:" names files that may not see LLVM IR,
neither themselves nor through the project headers they include. Reported, one
`file:line: message` each: a directory or room without a row, a cycle between
rows, a forbidden include, an include that is not written from the root, a no-ir
file that reaches LLVM IR.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import fnmatch
import os
import pathlib
import re
import sys

SOURCES = (".h", ".cpp", ".def", ".inc")
# Everything that defines or pulls in llvm::Module and its bodies.
IR = re.compile(r"llvm/(IR|Transforms|Bitcode|Analysis|Linker|Passes|LTO"
                r"|IRReader|AsmParser|CodeGen)/")
INCLUDE = re.compile(r'^\s*#\s*include\s*(["<])([^">]+)[">]')
# Not sources of ours: inputs of tests, example programs, things built.
SKIPPED = re.compile(r"^(build|third_party|examples|bench/(ipa|icf|gpu)|\.[^/]*)/"
                     r"|^(test)/(?!unit/|fuzz/)|/(inputs|Inputs|corpus)/")


def read_layers(path):
    """Returns ({directory: allowed directories}, no-ir patterns, errors)."""
    rows, no_ir, errors = {}, [], []
    for number, line in enumerate(path.read_text().splitlines(), 1):
        name, colon, rest = line.split("#")[0].partition(":")
        if colon and name.strip() == "no-ir":
            no_ir += rest.split()
        elif colon:
            rows[name.strip()] = rest.split()
        elif name.strip():
            errors.append(f"{path}:{number}: expected 'directory: ...'")
    for name, allowed in rows.items():
        directory, slash, _ = name.partition("/")
        rows[name] = [directory + slash + other if slash else other
                      for other in allowed]
        errors += [f"{path}: {name} names unknown {other}"
                   for other in rows[name] if other not in rows]
    return rows, no_ir, errors


def cycles(rows):
    """Yields one path for each row that can reach itself."""
    for start in rows:
        todo, seen = [(start, [start])], set()
        while todo:
            node, path = todo.pop()
            for other in rows.get(node, []):
                if other == start:
                    yield " -> ".join(path + [start])
                    return
                if other not in seen:
                    seen.add(other)
                    todo.append((other, path + [other]))


def place(name, rows):
    """Returns the directory of the file `name`, and its room or the directory."""
    directory, _, rest = name.partition("/")
    room = f"{directory}/{rest.partition('/')[0]}"
    return directory, room if room in rows else directory


def sees(room, other, rows):
    """Whether the row of `room` names `other`, or a room that does."""
    return any(one == other or sees(one, other, rows) for one in rows[room])


def may_include(name, header, rows):
    directory, room = place(name, rows)
    other_directory, other_room = place(header, rows)
    if directory != other_directory:
        return (other_directory in rows[directory]
                or other_room in rows[directory])
    return room in (directory, other_room) or sees(room, other_room, rows)


def is_roomless(name, rows):
    """Whether the file is in a room that has no row, where others have one."""
    directory, room = place(name, rows)
    return (room == directory and name.count("/") > 1
            and any(row.startswith(directory + "/") for row in rows))


def reaches_ir(name, includes, seen):
    """Returns the chain of includes from `name` to an IR header, or []."""
    for _, header in includes.get(name, []):
        if IR.match(header):
            return [header]
        if header not in seen:
            seen.add(header)
            rest = reaches_ir(header, includes, seen)
            if rest:
                return [header] + rest
    return []


def main(root):
    rows, no_ir, errors = read_layers(root / "cmake" / "Layers.txt")
    if circles := list(cycles(rows)):
        print("\n".join(f"{root}/cmake/Layers.txt: cycle: {c}"
                        for c in circles))
        return 1
    includes = {}
    for path in sorted(root.rglob("*")):
        name = path.relative_to(root).as_posix()
        if path.suffix not in SOURCES or SKIPPED.search(name):
            continue
        found = includes[name] = []
        directory = name.split("/")[0]
        if directory not in rows:
            errors.append(f"{path}: {directory}/ has no row in Layers.txt")
            continue
        if is_roomless(name, rows):
            errors.append(f"{path}: {os.path.dirname(name)}/ has no row in "
                          "Layers.txt")
            continue
        for number, line in enumerate(path.read_text().splitlines(), 1):
            match = INCLUDE.match(line)
            if not match:
                continue
            quote, header = match.groups()
            found.append((number, header))
            layer = header.split("/")[0]
            if layer in rows and "/" in header:
                if not may_include(name, header, rows):
                    errors.append(f"{path}:{number}: {place(name, rows)[1]}/ "
                                  f"may not include {header}")
            elif quote == '"' and (root / directory / header).exists():
                errors.append(f"{path}:{number}: write the include from the "
                              f"root: {directory}/{header}")
            elif (quote == '"' and (root / layer).is_dir()):
                errors.append(f"{path}:{number}: {layer}/ has no row in "
                              "Layers.txt")
    for name in sorted(includes):
        if any(fnmatch.fnmatch(name, pattern) for pattern in no_ir):
            chain = reaches_ir(name, includes, {name})
            if chain:
                line = next(n for n, h in includes[name] if h == chain[0])
                errors.append(f"{root}/{name}:{line}: must not see function "
                              f"bodies, includes {' -> '.join(chain)}")
    if not includes:
        errors.append(f"{root}: no source files found")
    print("\n".join(errors) if errors else
          f"{len(includes)} files keep to the layers")
    return 1 if errors else 0


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    sys.exit(main(pathlib.Path(sys.argv[1])))
