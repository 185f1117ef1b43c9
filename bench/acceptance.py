#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tells which files of CUDA programs each compiler takes, and why not.

    git clone https://github.com/zjin-lcf/HeCBench
    bench/acceptance.py --build build/release --sample 42 --seed 77 HeCBench

Each DIR is a checkout of HeCBench (src/*-cuda), cuda-samples (Samples/*/*),
Rodinia (cuda/*) or SHOC (src/cuda/level*), whose folders are programs, the folder
of one program, or a compile_commands.json. Sources and flags are those of the
compiles that `make -n` prints, without its -arch and -gencode; a folder without a
Makefile has all its sources, with the flags of its kind of checkout, if there are
such (LAYOUTS).

Every file is compiled, not linked, by nvcc, and what nvcc takes by the others:
stock clang, gpulto-clang++ -flto=gpu, whose flags TRANSLATIONS makes of nvcc's,
and gpulto-nvcc with nvcc's. Results are kept in --results as they come, one a
line, by file, compiler and flags: a run that was stopped goes on. The table says
how many files each takes, in what time, and the first error of those it refuses,
without places.

--compilers names those beside nvcc that are run; --summary FILE writes what the
table says, and every file that nvcc alone takes, as JSON.

--list FILE holds the files to compile, one a line, under a line with the name and
the commit of their checkout. It is written if it does not exist.
"""

import argparse
import collections
import concurrent.futures
import json
import os
import pathlib
import random
import re
import shlex
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time

# Name, folders of programs, and flags of folders without a Makefile, if these
# are programs.
LAYOUTS = (
    ("HeCBench", ("src/*-cuda",), None),
    ("cuda-samples", ("Samples/*/*",),
     ("-I{checkout}/Common", "-I{checkout}/Common/UtilNPP")),
    ("SHOC", ("src/cuda/level0", "src/cuda/level[12]/*"),
     ("-I{checkout}/src/cuda/include", "-I{checkout}/src/cuda/common",
      "-I{checkout}/src/common", "-I{checkout}/config")),
    ("Rodinia", ("cuda/*",), None),
)
CUDA_COMPILERS = {"nvcc", "gpulto-nvcc"}
HOST_COMPILERS = {"g++", "gcc", "c++", "cc", "mpicc", "mpicxx", "mpiCC"}
SOURCES = (".cu", ".cpp", ".cc", ".cxx", ".c")
NAMES = ("nvcc", "clang++", "gpulto-clang++", "gpulto-nvcc")

# What becomes of nvcc's flags for clang: the flags; () drops one that does not
# concern clang; None hands the value on as it is. {} is the value. By nvcc's
# long name, as SPELLINGS gives it. Those that are not here are a refusal.
TRANSLATIONS = {
    "define-macro": ("-D{}",), "undefine-macro": ("-U{}",),
    "include-path": ("-I{}",), "system-include": ("-isystem", "{}"),
    "pre-include": ("-include", "{}"), "std": ("-std={}",),
    "optimize": ("-O{}",), "debug": ("-g",), "disable-warnings": ("-w",),
    "device-debug": ("-g", "-D__CUDACC_DEBUG__"),
    "generate-line-info": ("-gline-tables-only",), "profile": ("-pg",),
    "compiler-options": None, "ptxas-options": ("-Xcuda-ptxas", "{}"),
    "maxrregcount": ("-Xcuda-ptxas", "--maxrregcount={}"),
    "use_fast_math": ("-fgpu-flush-denormals-to-zero",
                      "-fgpu-approx-transcendentals"),
    "default-stream": ("-fgpu-default-stream={}",),
    "relocatable-device-code": ("-f{}gpu-rdc",), "device-c": ("-fgpu-rdc",),
    "dlink-time-opt": ("-fgpu-rdc",),
    "expt-relaxed-constexpr": ("-D__CUDACC_RELAXED_CONSTEXPR__",),
    "extended-lambda": ("-D__CUDACC_EXTENDED_LAMBDA__",),
    "no-exceptions": ("-fno-exceptions",), "fmad": ("-ffp-contract={}",),
    "ftz": ("-f{}gpu-flush-denormals-to-zero",),
    "x": (), "prec-div": (), "prec-sqrt": (), "restrict": (), "m64": (),
    "machine": (), "Xcudafe": (), "diag-suppress": (), "diag-warn": (),
    "Wno-deprecated-gpu-targets": (), "display-error-number": (),
    "extra-device-vectorization": (), "compiler-bindir": (), "verbose": (),
    "Wno-deprecated-declarations": ("-Wno-deprecated-declarations",),
    "Werror": (), "threads": (), "allow-unsupported-compiler": (),
    "resource-usage": (), "keep": (), "fatbin-options": (),
    "forward-unknown-to-host-compiler": (), "compress-mode": (),
}
# What is a warning for nvcc and an error for clang.
WARNINGS = {
    "c": tuple("-Wno-error=" + name for name in (
        "implicit-function-declaration", "implicit-int", "int-conversion",
        "incompatible-pointer-types", "incompatible-function-pointer-types",
        "return-mismatch")),
    "c++": ("-Wno-error=register", "-Wno-error=c++11-narrowing"),
}
VALUES = { # of flags whose values differ
    "fmad": {"true": "fast", "false": "off"},
    "relocatable-device-code": {"true": "", "false": "no-"},
    "ftz": {"true": "", "false": "no-"},
    "default-stream": {"null": "legacy"},
}
# Short names of nvcc's flags. Names ending in a space take a value, apart or
# after '='; with '*' the value may follow at once.
SPELLINGS = {
    "D*": "define-macro", "U*": "undefine-macro", "I*": "include-path",
    "isystem ": "system-include", "include ": "pre-include", "std ": "std",
    "O*": "optimize", "g": "debug", "G": "device-debug",
    "w": "disable-warnings",
    "lineinfo": "generate-line-info", "pg": "profile", "x ": "x",
    "Xcompiler ": "compiler-options", "Xptxas ": "ptxas-options",
    "maxrregcount ": "maxrregcount", "use_fast_math": "use_fast_math",
    "default-stream ": "default-stream", "rdc ": "relocatable-device-code",
    "dc": "device-c", "dlto": "dlink-time-opt", "lto": "dlink-time-opt",
    "expt-relaxed-constexpr": "expt-relaxed-constexpr",
    "expt-extended-lambda": "extended-lambda",
    "extended-lambda": "extended-lambda", "noeh": "no-exceptions",
    "fmad ": "fmad", "ftz ": "ftz", "prec-div ": "prec-div",
    "prec-sqrt ": "prec-sqrt", "restrict": "restrict", "m64": "m64",
    "m ": "machine", "Xcudafe ": "Xcudafe", "diag-suppress ": "diag-suppress",
    "diag-warn ": "diag-warn", "err-no": "display-error-number",
    "Wno-deprecated-gpu-targets": "Wno-deprecated-gpu-targets",
    "Wno-deprecated-declarations": "Wno-deprecated-declarations",
    "extra-device-vectorization": "extra-device-vectorization",
    "ccbin ": "compiler-bindir", "v": "verbose", "Werror ": "Werror",
    "t ": "threads", "res-usage": "resource-usage", "keep": "keep",
    "allow-unsupported-compiler": "allow-unsupported-compiler",
    "Xfatbin ": "fatbin-options", "compress-mode ": "compress-mode",
    "forward-unknown-to-host-compiler": "forward-unknown-to-host-compiler",
    # those left out:
    "arch ": "gpu-architecture", "gencode ": "generate-code",
    "code ": "gpu-code", "o ": "output-file", "c": "compile",
    "L*": "library-path", "l*": "library", "Xlinker ": "linker-options",
    "MD": "dependencies", "MMD": "dependencies", "MP": "dependencies",
    "M": "dependencies", "MM": "dependencies", "MF ": "dependencies",
    "MT ": "dependencies", "odir ": "dependencies", "cudart ": "cudart",
    "shared": "shared", "link": "link", "dlink": "device-link",
    "lib": "lib", "ptx": "ptx", "cubin": "cubin", "fatbin": "fatbin",
}
LEFT_OUT = set(SPELLINGS.values()) - set(TRANSLATIONS)


class Bad(Exception):
    """What is wrong with an input, in words."""


# ---- Flags -----------------------------------------------------------------

def spelled(word):
    """Returns the long name of a flag of nvcc's, the value in the word or None,
    and whether it takes one; or None."""
    bare = word.removeprefix("--") if word.startswith("--") else word[1:]
    name, equals, value = bare.partition("=")
    long_names = {long: short for short, long in SPELLINGS.items()}
    for short, long in SPELLINGS.items():
        if name == short.rstrip(" *"):
            return long, value if equals else None, short[-1] in " *"
    if word.startswith("--") and name in long_names:
        return name, value if equals else None, long_names[name][-1] in " *"
    for short, long in SPELLINGS.items():
        if short.endswith("*") and word.startswith("-" + short[:-1]) \
                and not word.startswith("--"):
            return long, bare[len(short) - 1:], True
    return None


def parse_command(words, is_host):
    """Returns the sources of a compile, and its flags as pairs of nvcc's long
    name and value: None if it has none. Of unknown flags the name is the
    word."""
    sources, flags, words = [], [], iter(words)
    for word in words:
        if not word.startswith("-"):
            if word.endswith(SOURCES):
                sources.append(word)
            continue
        known = spelled(word)
        if is_host and (not known or known[0] not in (
                "define-macro", "undefine-macro", "include-path", "optimize",
                "debug", "disable-warnings", "std") and
                known[0] not in LEFT_OUT):
            flags.append(("compiler-options", word))
            continue
        if not known:
            flags.append((word, None))
            continue
        name, value, wants_value = known
        if wants_value and value is None:
            value = next(words, "")
        if name not in LEFT_OUT:
            flags.append((name, value))
    return sources, flags


def language_of(flags, source):
    """Returns the language of a source, as clang calls it."""
    given = dict(flags).get("x")
    if given:
        return "cuda" if given == "cu" else given
    if source.endswith(".cu"):
        return "cuda"
    return "c" if source.endswith(".c") else "c++"


def to_nvcc(flags, source):
    """Returns the flags as nvcc takes them, without -std for C sources."""
    result = []
    for name, value in flags:
        if name == "std" and language_of(flags, source) == "c":
            continue
        if value is None:
            result.append(name if name.startswith("-") else "--" + name)
        else:
            result += ["--" + name if len(name) > 1 else "-" + name, value]
    return result


def to_clang(flags, source, cuda):
    """Returns nvcc's flags as clang takes them. Raises Bad."""
    language = language_of(flags, source)
    result = ["-x", language]
    result += WARNINGS["c" if language == "c" else "c++"]
    if language != "cuda": # nvcc's own directory
        result += ["-idirafter", f"{cuda}/include"]
    for name, value in flags:
        if name not in TRANSLATIONS:
            raise Bad(f"no translation of {name}")
        if name == "std" and language == "c":
            continue
        translation = TRANSLATIONS[name]
        value = VALUES.get(name, {}).get(value, value)
        values = [value] if name in ("define-macro", "std") or value is None \
            else value.split(",")
        for one in values:
            result += (one or "").split() if translation is None else \
                [part.replace("{}", one or "") for part in translation]
    if not {name for name, _ in flags} & {"optimize", "debug", "device-debug"}:
        result.append("-O3")
    return result


# ---- Programs and their files ----------------------------------------------

class Unit:
    """One compile: a source, where it is compiled, and nvcc's flags."""

    def __init__(self, checkout, directory, source, flags):
        self.checkout, self.directory = checkout, pathlib.Path(directory)
        self.source, self.flags = source, flags
        self.path = os.path.relpath(self.directory / source, checkout.root)


class Checkout:
    """A directory of programs, or a list of compiles."""

    def __init__(self, argument, commits):
        given = pathlib.Path(argument)
        if not given.exists():
            raise Bad(f"{argument}: no such file or directory")
        self.commands = given if given.is_file() else None
        self.root = (given.parent if self.commands else given).resolve()
        self.name = self.root.name
        self.commit = commits.get(self.name) or self.ask_git()
        self.flags, self.folders = (), []
        if not self.commands:
            self.find_folders()

    def ask_git(self):
        done = subprocess.run(["git", "-C", self.root, "rev-parse", "HEAD"],
                              text=True, capture_output=True, check=False)
        return done.stdout.strip() or "unknown"

    def find_folders(self):
        for _, patterns, flags in LAYOUTS:
            self.folders = sorted(path for pattern in patterns
                                  for path in self.root.glob(pattern)
                                  if path.is_dir())
            if self.folders:
                self.flags = None if flags is None else [
                    flag.format(checkout=self.root) for flag in flags]
                return
        if any(self.root.glob("[Mm]akefile")) or any(self.root.glob("*.cu")):
            self.folders = [self.root]
            return
        raise Bad(f"{self.root}: neither a known checkout (" +
                  ", ".join(name for name, _, _ in LAYOUTS) +
                  ") nor a folder with a Makefile or .cu files")


def simple_commands(line):
    """Returns the commands that a line of a shell holds, in words."""
    lexer = shlex.shlex(line, posix=True, punctuation_chars=";&|<>")
    lexer.whitespace_split = True
    lexer.commenters = ""
    commands = [[]]
    for word in lexer:
        if set(word) <= set(";&|"):
            commands.append([])
        else:
            commands[-1].append(word)
    return [words for words in commands if words]


def make_commands(folder):
    """Returns what `make` would do, as directories and words, and what it
    complains of, or ""."""
    try:
        done = subprocess.run(
            ["make", "-n", "-B", "-w", "-k", "-C", folder], text=True,
            capture_output=True, check=False, timeout=60,
            errors="replace", env=dict(os.environ, LC_ALL="C"))
    except subprocess.TimeoutExpired as error:
        raise Bad("make -n does not end") from error
    directories, result = [folder], []
    for line in done.stdout.replace("\\\n", " ").splitlines():
        entered = re.match(r"make(?:\[\d+\])?: (Enter|Leav)ing directory "
                           "'(.*)'", line)
        if entered:
            if entered[1] == "Enter":
                directories.append(pathlib.Path(entered[2]))
            else:
                directories.pop()
            continue
        try:
            commands = simple_commands(line)
        except ValueError:
            continue
        directory = directories[-1]
        for words in commands:
            if words[0] == "cd" and len(words) == 2:
                directory = directory / words[1]
            result.append((directory, words))
    complaints = [line for line in done.stderr.splitlines() if "***" in line]
    return result, complaints[0] if complaints else ""


def units_of_folder(checkout, folder):
    """Returns the units of a program. Raises Bad."""
    if not any(folder.glob("[Mm]akefile")):
        if checkout.flags is None:
            raise Bad("no Makefile")
        sources = sorted(path.relative_to(folder).as_posix()
                         for path in folder.rglob("*")
                         if path.suffix in SOURCES)
        _, flags = parse_command([f"-I{folder}", *checkout.flags], False)
        return [Unit(checkout, folder, source, flags) for source in sources]
    units, missing = [], []
    commands, complaint = make_commands(folder)
    for directory, words in commands:
        compiler = pathlib.Path(words[0]).name
        if compiler not in CUDA_COMPILERS | HOST_COMPILERS:
            continue
        sources, flags = parse_command(words[1:], compiler in HOST_COMPILERS)
        there = [one for one in sources if (directory / one).is_file()]
        missing += [one for one in sources if one not in there]
        units += [Unit(checkout, directory, one, flags) for one in there]
    if not units:
        raise Bad(f"make: lacks {missing[0]}" if missing else
                  complaint or "make -n prints no compile by nvcc")
    return units


def units_of_commands(checkout):
    """Returns the units of a compile_commands.json. Raises Bad."""
    file = checkout.commands
    try:
        entries = json.loads(file.read_text(encoding="utf-8"))
        units = []
        for entry in entries:
            words = entry.get("arguments") or shlex.split(entry["command"])
            compiler = pathlib.Path(words[0]).name
            _, flags = parse_command(words[1:], compiler not in CUDA_COMPILERS)
            units.append(Unit(checkout, checkout.root / entry["directory"],
                              entry["file"], flags))
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise Bad(f"{file}: not a list of compile commands: {error}") from error
    return units


# ---- The list of files -----------------------------------------------------

def read_list(file):
    """Returns the paths of each checkout by name, and its commit. Raises
    Bad."""
    checkouts, paths = {}, None
    for number, line in enumerate(file.read_text().splitlines(), 1):
        line = line.strip()
        if not line or line.startswith("#"):
            continue
        heading = re.fullmatch(r"\[(\S+) (\S+)\]", line)
        if heading:
            paths = set()
            checkouts[heading[1]] = (heading[2], paths)
        elif paths is None:
            raise Bad(f"{file}:{number}: '{line}' before a line "
                      "'[name commit]'")
        else:
            paths.add(line)
    return checkouts


def write_list(file, units):
    lines = ["# Files of bench/acceptance.py; paths are relative to the "
             "checkout."]
    by_checkout = collections.defaultdict(set)
    for unit in units:
        by_checkout[unit.checkout.name, unit.checkout.commit].add(unit.path)
    for (name, commit), paths in by_checkout.items():
        lines += [f"[{name} {commit}]", *sorted(paths)]
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")


def select(checkouts, options):
    """Returns the units to compile, and of how many programs they are."""
    listed = read_list(options.list) if options.list and \
        options.list.exists() else None
    programs = []
    for checkout in checkouts:
        if listed is not None and checkout.name not in listed:
            raise Bad(f"{options.list}: no files of {checkout.name}")
        if listed is not None and listed[checkout.name][0] != checkout.commit:
            print(f"warning: {checkout.name} is at {checkout.commit}, the list "
                  f"is of {listed[checkout.name][0]}", file=sys.stderr)
        programs += [(checkout, folder) for folder in checkout.folders] or \
            [(checkout, None)]
    if listed is not None:
        programs = [one for one in programs if one[1] is None or any(
            path.startswith(os.path.relpath(one[1], one[0].root) + "/")
            for path in listed[one[0].name][1])]
    elif options.sample:
        if options.sample > len(programs):
            raise Bad(f"--sample {options.sample}: there are "
                      f"{len(programs)} programs")
        programs = random.Random(options.seed).sample(programs, options.sample)
    return gather(programs, listed)


def gather(programs, listed):
    """Returns the units of the programs, each once, if they are listed, and of
    how many programs they are."""
    units, compiled = {}, set()
    for checkout, folder in programs:
        try:
            found = units_of_folder(checkout, folder) if folder else \
                units_of_commands(checkout)
        except Bad as why:
            if not folder:
                raise
            print(f"{os.path.relpath(folder, checkout.root)}: left out: {why}")
            continue
        for unit in found:
            if listed is None or unit.path in listed[checkout.name][1]:
                units.setdefault((checkout.name, unit.path,
                                  str(unit.flags)), unit)
                compiled.add(folder or unit.path)
    if not units:
        raise Bad("no file to compile")
    return list(units.values()), len(compiled)


# ---- Compiles --------------------------------------------------------------

def command_of(name, unit, options):
    """Returns the command of a compiler, without output. Raises Bad."""
    cuda, arch = options.cuda, options.arch
    if name == "nvcc":
        return [f"{cuda}/bin/nvcc", f"-arch=sm_{arch}",
                *to_nvcc(unit.flags, unit.source), "-c", unit.source]
    if name == "gpulto-nvcc":
        return [str(options.build / "bin/gpulto-nvcc"), f"--cuda-path={cuda}",
                f"-arch=sm_{arch}", *to_nvcc(unit.flags, unit.source), "-c",
                unit.source]
    flags = to_clang(unit.flags, unit.source, cuda)
    if language_of(unit.flags, unit.source) == "cuda":
        flags = [f"--cuda-path={cuda}", f"--offload-arch=sm_{arch}", *flags]
    if name == "gpulto-clang++":
        return [str(options.build / "bin/gpulto-clang++"), "-flto=gpu",
                "-D__NVCC__", *flags, "-c", unit.source]
    # clang alone does not know where the toolkit keeps Thrust, CUB and libcu++.
    return [options.clang, *flags, "-isystem", f"{cuda}/include/cccl",
            "-Wno-unknown-cuda-version", "-c", unit.source]


def key_of(name, unit, words, options):
    """Names a compile, wherever the checkout, the toolkit and gpulto are."""
    flags = " ".join(map(shlex.quote, words[1:-2]))
    for path, short in ((str(unit.checkout.root), "{checkout}"),
                        (str(options.cuda), "{cuda}"),
                        (str(options.build), "{build}")):
        flags = flags.replace(path, short)
    return {"file": f"{unit.checkout.name}/{unit.path}", "compiler": name,
            "flags": flags}


def cause_of(text, status):
    """Returns the first error in a compiler's output, without what differs
    from file to file: places, numbers, template arguments."""
    lines = [line for line in text.splitlines() if line.strip()]
    found = (re.search(r"\b(?:error|fatal)\s*(?:#[\w-]+)?\s*: *(.*)", line)
             for line in lines)
    cause = next((match[1] for match in found if match), None)
    if status < 0:
        cause = f"killed by {signal.Signals(-status).name}"
    if not cause:
        cause = lines[-1] if lines else f"exit status {status}"
    cause = re.sub(r" \(aka '.*?'\)", "", cause)
    cause = re.sub(r"(?<![\w.])/(?:[^\s/'\":]+/)*", "", cause)
    while re.search(r"(\w)<[^<>]+>", cause):
        cause = re.sub(r"(\w)<[^<>]+>", r"\1@", cause)
    cause = cause.replace("@", "<>")
    cause = re.sub(r"\b\d+\b", "N", cause)
    return re.sub(r"\s+", " ", cause).strip()[:160]


def compile_once(words, unit, limit):
    """Returns how a compile went: seconds, whether it is accepted, the
    cause."""
    begin = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="gpulto-acceptance-") as temporary:
        with subprocess.Popen(
                [*words, "-o", f"{temporary}/file.o"], cwd=unit.directory,
                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT, text=True, errors="replace",
                start_new_session=True,
                env=dict(os.environ, TMPDIR=temporary, LC_ALL="C")) as process:
            try:
                text, _ = process.communicate(timeout=limit)
                status = process.returncode
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                text, status = "error: takes longer than the limit", 1
                process.communicate()
    result = {"seconds": round(time.monotonic() - begin, 2),
              "accepted": status == 0}
    if status:
        result["cause"] = cause_of(text, status)
    return result


class Results:
    """What has been compiled, in a file with one result a line."""

    def __init__(self, file, retried):
        self.file, self.lock, self.results = file, threading.Lock(), {}
        if not file.exists():
            return
        lines = file.read_text(encoding="utf-8").splitlines()
        for number, line in enumerate(lines, 1):
            try:
                one = json.loads(line)
                if one["accepted"] or one["compiler"] not in retried:
                    self.results[self.name(one)] = one
                else:
                    self.results.pop(self.name(one), None)
            except (ValueError, KeyError, TypeError) as error:
                if number < len(lines): # else the run was stopped there
                    raise Bad(f"{file}:{number}: not a result: "
                              f"{error}") from error
        self.rewrite()

    def rewrite(self):
        temporary = self.file.with_name(self.file.name + ".new")
        temporary.write_text("".join(json.dumps(one) + "\n" for one in
                                     self.results.values()), encoding="utf-8")
        temporary.replace(self.file)

    @staticmethod
    def name(one):
        return one["file"], one["compiler"], one["flags"]

    def get(self, key):
        return self.results.get(self.name(key))

    def add(self, one):
        with self.lock:
            self.results[self.name(one)] = one
            with open(self.file, "a", encoding="utf-8") as file:
                file.write(json.dumps(one) + "\n")


def compile_unit(unit, results, options):
    """Compiles a unit by nvcc and, if it takes it, by the others, unless that
    is known. Returns the results by compiler."""
    done = {}
    for name in options.compilers:
        try:
            words = command_of(name, unit, options)
        except Bad as why:
            done[name] = {"file": f"{unit.checkout.name}/{unit.path}",
                          "seconds": 0, "accepted": False, "cause": str(why)}
            continue
        key = key_of(name, unit, words, options)
        one = results.get(key)
        if one is None:
            one = dict(key, **compile_once(words, unit, options.limit))
            results.add(one)
            print(f"{one['seconds']:8.2f} s  {name:15} {unit.path}: "
                  f"{one.get('cause', 'compiles')}", flush=True)
        done[name] = one
        if not done["nvcc"]["accepted"]:
            break
    return done


# ---- The table -------------------------------------------------------------

def causes_of(all_done, name):
    """Returns the files that a compiler refuses, by cause."""
    causes = collections.defaultdict(list)
    for done in all_done:
        if name in done and not done[name]["accepted"]:
            causes[done[name]["cause"]].append(done[name]["file"])
    return causes


def summary(all_done, programs, checkouts, names):
    """Returns the table for programs to read."""
    taken = [done for done in all_done if done["nvcc"]["accepted"]]
    compilers = {}
    for name in names:
        ones = [done[name] for done in taken if done[name]["accepted"]]
        compilers[name] = {
            "compiles": len(ones),
            "medianSeconds": statistics.median(
                [one["seconds"] for one in ones] or [0])}
        if name != "nvcc":
            compilers[name]["refuses"] = {
                cause: sorted(files) for cause, files in
                sorted(causes_of(taken, name).items())}
    return {"checkouts": {one.name: one.commit for one in checkouts},
            "programs": programs, "files": len(all_done),
            "compilers": compilers}


def report(all_done, programs, names):
    """Returns the table, in Markdown."""
    taken = [done for done in all_done if done["nvcc"]["accepted"]]
    lines = [f"{len(all_done)} files of {programs} programs, of which nvcc "
             f"compiles {len(taken)}.", "",
             "| compiler | compiles | of nvcc's | median | total |",
             "| --- | --- | --- | --- | --- |"]
    for name in names:
        ones = [done[name] for done in taken if done[name]["accepted"]]
        seconds = [one["seconds"] for one in ones] or [0]
        share = 100 * len(ones) / len(taken) if taken else 0
        lines.append(f"| {name} | {len(ones)} | {share:.1f} % | "
                     f"{statistics.median(seconds):.1f} s | "
                     f"{sum(seconds):.0f} s |")
    for name in names:
        causes = causes_of(all_done, name)
        if not causes:
            continue
        lines += ["", f"| files | refused by {name}: cause | first file |",
                  "| --- | --- | --- |"]
        for cause, files in sorted(causes.items(),
                                   key=lambda item: (-len(item[1]), item[0])):
            cause = cause.replace("|", "\\|")
            lines.append(f"| {len(files)} | {cause} | {min(files)} |")
    return "\n".join(lines)


def parse_arguments():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("checkout", nargs="+", metavar="DIR")
    parser.add_argument("--build", type=pathlib.Path, required=True,
                        help="build directory of gpulto")
    parser.add_argument("--cuda", type=pathlib.Path,
                        default=pathlib.Path("/usr/local/cuda"), help="toolkit")
    parser.add_argument("--clang", default="clang++-22", help="stock clang")
    parser.add_argument("--arch", default="90")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--sample", type=int, default=0, metavar="N",
                        help="draw N programs; 0: all")
    parser.add_argument("--seed", type=int, default=2026)
    parser.add_argument("--limit", type=float, default=300,
                        help="seconds that a compile may take")
    parser.add_argument("--results", type=pathlib.Path,
                        default=pathlib.Path("acceptance.json"))
    parser.add_argument("--retry", default="", metavar="COMPILER,...",
                        help="compile again what these refused")
    parser.add_argument("--compilers", default=",".join(NAMES[1:]),
                        metavar="COMPILER,...", help="beside nvcc")
    parser.add_argument("--summary", type=pathlib.Path, metavar="FILE")
    parser.add_argument("--list", type=pathlib.Path, metavar="FILE")
    parser.add_argument("--commit", action="append", default=[],
                        metavar="NAME=COMMIT",
                        help="of a checkout that is no git repository")
    return parser.parse_args()


def check(options):
    """Raises Bad for what cannot be run."""
    options.build, options.cuda = (options.build.resolve(),
                                   options.cuda.resolve())
    for file in (options.cuda / "bin/nvcc", options.build / "bin/gpulto-nvcc",
                 options.build / "bin/gpulto-clang++"):
        if not os.access(file, os.X_OK):
            raise Bad(f"{file}: not a program")
    clang = shutil.which(options.clang)
    if not clang:
        raise Bad(f"--clang {options.clang}: not a program")
    options.clang = os.path.abspath(clang)
    if options.jobs < 1 or options.sample < 0 or options.limit <= 0:
        raise Bad("--jobs and --limit must be positive, --sample not negative")
    for option in ("retry", "compilers"):
        named = set(filter(None, getattr(options, option).split(",")))
        if named - set(NAMES):
            raise Bad(f"--{option}: {min(named - set(NAMES))} is none of " +
                      ", ".join(NAMES))
    options.compilers = [name for name in NAMES if name == "nvcc" or
                         name in options.compilers.split(",")]
    if any("=" not in commit for commit in options.commit):
        raise Bad("--commit: expected NAME=COMMIT")


def main():
    options = parse_arguments()
    try:
        check(options)
        commits = dict(one.split("=", 1) for one in options.commit)
        checkouts = [Checkout(argument, commits)
                     for argument in options.checkout]
        units, programs = select(checkouts, options)
        if options.list and not options.list.exists():
            write_list(options.list, units)
        results = Results(options.results, options.retry.split(","))
        with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
            all_done = list(pool.map(
                lambda unit: compile_unit(unit, results, options), units))
        if options.summary:
            options.summary.write_text(json.dumps(
                summary(all_done, programs, checkouts, options.compilers),
                indent=1) + "\n", encoding="utf-8")
    except (Bad, OSError) as error:
        print(f"acceptance.py: {error}", file=sys.stderr)
        return 1
    print(report(all_done, programs, options.compilers))
    return 0


if __name__ == "__main__":
    sys.exit(main())
