#!/usr/bin/env python3
"""Checks that every #include keeps to cmake/Layers.txt.

usage: check_layers.py ROOT

Layers.txt says which directories a directory may include, and which files
("no-ir:") may not see LLVM IR, neither themselves nor through the project
headers they include. Reported, one `file:line: message` each: a directory
without a row, a cycle between rows, a forbidden include, an include that is
not written from the root, a no-ir file that reaches LLVM IR.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import fnmatch
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
        for other in allowed:
            if other not in rows:
                errors.append(f"{path}: {name} names unknown {other}")
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
    errors += [f"{root}/cmake/Layers.txt: cycle: {c}" for c in cycles(rows)]
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
        for number, line in enumerate(path.read_text().splitlines(), 1):
            match = INCLUDE.match(line)
            if not match:
                continue
            quote, header = match.groups()
            found.append((number, header))
            layer = header.split("/")[0]
            if layer in rows and "/" in header:
                if layer != directory and layer not in rows[directory]:
                    errors.append(f"{path}:{number}: {directory}/ may not "
                                  f"include {header}")
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
