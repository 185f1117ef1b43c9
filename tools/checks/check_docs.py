#!/usr/bin/env python3
"""Checks that the documentation names what the code has.

usage: check_docs.py ROOT                     options and parameters
       check_docs.py ROOT --headers COMPILER [FLAG...]
                                              headers compile, each alone

Every option of linker-plugin/Options.td (by its spelling) and every threshold
of support/Params.def (with its default) must stand in docs/options.md, and
nothing there may name an option or parameter that is gone. The table of
docs/passes.md must be that of lto/link/Passes.def, in its order. Paths that
documents name, as code or as links, must be there. --headers compiles the
headers of the layered directories with the given compiler, all in one file, and
those by themselves that no source there includes first of all, which is the same
and done by each build; the include root is added.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import concurrent.futures
import glob
import os
import pathlib
import re
import subprocess
import sys

OPTION = re.compile(r"^def\s+\w+\s*:\s*(?:Flag|Joined|Separate|JoinedOrSeparate"
                    r"|CommaJoined)<\s*\[([^\]]*)\]\s*,\s*\"([^\"]+)\"",
                    re.MULTILINE)
PARAM = re.compile(r"^GPULTO_PARAM\(\s*(\w+)\s*,\s*[\w:]+\s*,\s*([^,]+?)\s*,",
                   re.MULTILINE)
SKIPPED = {"build", "third_party"}
INCLUDE = re.compile(r"^#include\s+[<\"]([^\">]+)[>\"]", re.MULTILINE)
PASS = re.compile(r"^GPULTO_PASS\((\w+),\s*(\w+),\s*(\w+),\s*(\w+),\s*\w+,\s*"
                  r"\"([^\"]*)\",\s*((?:\"[^\"]*\"\s*)+)\)", re.MULTILINE)
STAGES = (("LGEN", "analyze"), ("WPA", "propagate"), ("LTRANS", "transform"))


def check_passes(root):
    """Returns a message for each entry of lto/link/Passes.def that is not named
    after its pass, and one if docs/passes.md has not the rows that follow."""
    table = root / "lto" / "link" / "Passes.def"
    document = root / "docs" / "passes.md"
    for path in (table, document):
        if not path.exists():
            return [f"{path}: missing"]
    rows, errors = [], []
    for name, *entries, remark, text in PASS.findall(table.read_text()):
        stages = [(stage, entry, verb + name)
                  for (stage, verb), entry in zip(STAGES, entries)
                  if entry != "nullptr"]
        kebab = "gpulto" + re.sub("([A-Z])", r"-\1", name).lower()
        errors += [f"{table}: {name}: '{found}' is not '{expected}'"
                   for found, expected in
                   [entry[1:] for entry in stages] + [(remark or kebab, kebab)]
                   if found != expected]
        sentence = "".join(re.findall(r'"([^"]*)"', text))
        rows.append(f"| {name} | {', '.join(stage for stage, *_ in stages)} | "
                    f"{f'`{remark}`' if remark else ''} | {sentence} |")
    if not rows:
        return [f"{table}: no pass found"]
    if "\n".join(rows) in document.read_text():
        return errors
    return errors + [f"{document}: the table is not that of lto/link/Passes.def:\n"
            + "\n".join(rows)]


def read_options(path):
    """Returns the spellings of the options, `--gpulto-jobs=` as it is typed."""
    found = []
    for prefixes, name in OPTION.findall(path.read_text()):
        prefix = re.findall(r'"([^"]+)"', prefixes)[0]
        found.append(prefix + name)
    return found


def check_options(root):
    """Returns one message for each difference between tables and document."""
    document = root / "docs" / "options.md"
    if not document.exists():
        return [f"{document}: missing"]
    text = document.read_text()
    options = read_options(root / "linker-plugin" / "Options.td")
    params = PARAM.findall((root / "support" / "Params.def").read_text())
    errors = []
    if not options:
        errors.append(f"{root}/linker-plugin/Options.td: no option found")
    if not params:
        errors.append(f"{root}/support/Params.def: no parameter found")
    for option in options:
        if not re.search(re.escape(option) + r"(?![\w-])", text.replace(
                "=<", "= <")) and option + "<" not in text:
            errors.append(f"{document}: option {option} is not documented")
    for name, default in params:
        rows = [line for line in text.splitlines()
                if re.search(rf"\b{name}\b", line)]
        if not rows:
            errors.append(f"{document}: parameter {name} is not documented")
        elif not any(re.search(rf"(?<!\d){re.escape(default)}(?!\d)", row)
                     for row in rows):
            errors.append(f"{document}: parameter {name}: its default is "
                          f"{default}")
    known = set(options)
    for word in sorted(set(re.findall(r"--gpulto-[a-z-]+=?", text))):
        if word not in known and word.rstrip("=") not in known \
                and word + "=" not in known:
            errors.append(f"{document}: {word} is no option of Options.td")
    return errors


def documents(root):
    """Returns the pages that speak of the tree as it is: not what changed."""
    return sorted(path for path in [*root.glob("*.md"), *root.glob("docs/*.md"),
                                    *root.glob("*/README.md"),
                                    *root.glob("*/*/README.md")]
                  if path.name != "CHANGELOG.md"
                  and path.parent.name != "changes"
                  and path.relative_to(root).parts[0] not in SKIPPED)


def exists(root, name):
    """Whether the tree has the path `name`, with any suffix or stage."""
    path = os.path.join(root, name.rstrip("/"))
    return any(glob.glob(pattern) for pattern in
               (path, path + ".*", path + "*.cpp"))


def check_paths(root):
    """Returns a message for each path in a document that the tree lacks: what
    is marked as code and begins with a directory of Layers.txt, and links."""
    tops = "|".join(re.escape(name) for name in layers(root, "no-ir"))
    code = re.compile(rf"`((?:{tops}|docs|scripts|test)/[\w.*+/-]+)`")
    link = re.compile(r"\]\(([\w./+-]+)(?:#[\w-]*)?\)")
    errors = []
    for document in documents(root):
        for number, line in enumerate(document.read_text().splitlines(), 1):
            errors += [f"{document}:{number}: there is no {name}"
                       for name in code.findall(line)
                       if not exists(root, name)]
            errors += [f"{document}:{number}: the link leads nowhere: {name}"
                       for name in link.findall(line)
                       if not (document.parent / name).exists()]
    return errors


def layers(root, *without):
    """Returns the directories that Layers.txt names, but for some."""
    rows = (root / "cmake" / "Layers.txt").read_text().splitlines()
    names = [row.split(":")[0] for row in (row.split("#")[0] for row in rows)
             if ":" in row]
    return [name for name in names if "/" not in name and name not in without]


def layered_headers(root):
    """Returns the headers of all directories that Layers.txt names, but for
    those that only CUDA programs include."""
    return sorted(header for name in layers(root, "test", "no-ir")
                  for header in (root / name).rglob("*.h")
                  if not any(root / cuda in header.parents for cuda in
                             ("bench/ipa", "bench/icf", "bench/gpu", "bench/polybench",
                              "emulator/test/runtime",
                              "tools/driver/cuda-shim"))
                  and header.name != "device_prelude.h")


def included_first(root):
    """Returns the headers, as they are included, that are the first thing in a
    source of the layered directories that every build compiles."""
    first = set()
    for name in layers(root, "test", "bench", "no-ir"):
        for source in (root / name).rglob("*.cpp"):
            found = INCLUDE.search(source.read_text())
            if found and "test" not in source.relative_to(root).parts:
                first.add(found.group(1))
    return first


def check_headers(root, command):
    """Compiles all headers together, and alone those that no build compiles so;
    returns the compiler's complaints."""
    def compile_text(names):
        # Not as main files: "#pragma once in main file" and unused static
        # functions are no complaints then.
        done = subprocess.run(
            command + ["-std=c++20", "-fsyntax-only", f"-I{root}", "-x", "c++",
                       "-"], text=True, capture_output=True, check=False,
            input="".join(f'#include "{name}"\n' for name in names))
        what = f"{names[0]}: does not compile alone" if len(names) == 1 else \
            "the headers do not compile together"
        return "" if done.returncode == 0 else f"{what}\n{done.stderr}"
    headers = [header.relative_to(root).as_posix()
               for header in layered_headers(root)]
    first = included_first(root)
    alone = [[header] for header in headers if header not in first]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        # What LLVM has of ELF comes before the macros of <elf.h>.
        together = ["llvm/Object/ELFObjectFile.h"] + headers
        errors = [e for e in pool.map(compile_text, [together] + alone) if e]
    if not headers:
        errors.append(f"{root}: no headers found")
    return errors


def main(arguments):
    root = pathlib.Path(arguments[0]).resolve()
    if arguments[1:2] == ["--headers"]:
        errors = check_headers(root, arguments[2:])
    else:
        errors = (check_options(root) + check_passes(root)
                  + check_paths(root))
    print("\n".join(errors) if errors else "nothing is missing")
    return 1 if errors else 0


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1:]))
