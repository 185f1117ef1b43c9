# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the benchmarks build: programs, and the variants (ours and the peers,
suites.toml) that compile and link them."""

import concurrent.futures
import glob
import json
import os
import pathlib
import shutil
import subprocess
import tomllib

from measuring import check_release, measure, summarize

HERE = pathlib.Path(__file__).resolve().parent


def add_arguments(parser, repetitions):
    """Adds the options that all benchmarks of whole programs have."""
    parser.add_argument("--build", type=pathlib.Path, required=True,
                        help="build directory of gpulto (Release)")
    parser.add_argument("--only", default="", help="names, comma-separated")
    parser.add_argument("--variants", default="", help="names to restrict to")
    parser.add_argument("--cuda", default="/usr/local/cuda", help="toolkit")
    parser.add_argument("--peer-cuda", default=None,
                        help="toolkit copy that the peers use; default: --cuda")
    parser.add_argument("--arch", default="90")
    if repetitions:
        parser.add_argument("--repetitions", type=int, default=repetitions)
    parser.add_argument("--jobs", type=int, default=os.cpu_count(),
                        help="compiles at a time")
    parser.add_argument("--work", type=pathlib.Path, default=None,
                        help="directory for what is built; default: a "
                             "temporary one")
    parser.add_argument("--output", type=pathlib.Path, default=None,
                        help="JSON file for the results")


def make_values(arguments):
    """Returns what replaces {name} in commands of suites.toml. Stops unless
    the build is a Release build."""
    build = arguments.build.resolve()
    check_release(build)
    return {"gpulto": str(build / "bin/gpulto"), "bin": str(build / "bin"),
            "cuda": arguments.cuda, "arch": arguments.arch,
            "peercuda": arguments.peer_cuda or arguments.cuda}


def read_suites():
    with open(HERE / "suites.toml", "rb") as file:
        return tomllib.load(file)


def read_variants(kind, names=None):
    """Returns the variants of a kind ("cuda", "host", "gpu"), or those named. One with
    the objects of another has the other's commands, but for its own."""
    of_kind = {variant["name"]: variant for variant in read_suites()["variant"]
               if kind in variant["suites"]}
    variants = [dict(of_kind.get(variant.get("objects-of"), {}), **variant)
                for name, variant in of_kind.items()
                if not names or name in names]
    if not variants:
        raise SystemExit(f"no variant of suites.toml is in '{kind}'")
    return variants


def read_programs(directory, only=""):
    """Returns the programs that programs.toml in `directory` describes."""
    directory = directory.resolve()
    with open(directory / "programs.toml", "rb") as file:
        tables = tomllib.load(file)["program"]
    names = only.split(",") if only else None
    return [Program(directory, table) for table in tables
            if not names or table["name"] in names]


def read_choice(directory):
    """Returns how the programs of programs.toml were chosen, if it says so:
    "seed", "drawn" (how each was, and what it is run with), "discarded"."""
    with open(directory / "programs.toml", "rb") as file:
        tables = tomllib.load(file)
    choice = {key: value for key, value in tables.items() if key != "program"}
    drawn = {table["name"]: {"drawn": table["drawn"], "run": table["run"]}
             for table in tables["program"] if "drawn" in table}
    return dict(choice, drawn=drawn) if drawn else choice


def expand(arguments, values):
    """Replaces {name} in `arguments`; a list value takes several places."""
    result = []
    for argument in arguments:
        key = argument[1:-1]
        if argument.startswith("{") and isinstance(values.get(key), list):
            result += values[key]
        else:
            result.append(argument.format(**values))
    return result


def environment_of(variant, values):
    """Returns the environment that a variant's commands run in."""
    environment = dict(os.environ)
    for name, value in variant.get("environment", {}).items():
        environment[name] = value.format(**values, **os.environ)
    return environment


class Program:
    """One program of programs.toml."""

    def __init__(self, root, table):
        self.name = table["name"]
        self.directory = pathlib.Path(root, table.get("directory", self.name))
        self.flags = [self.expanded(flag) for flag in table.get("flags", [])]
        self.variant_flags = table.get("variant-flags", {})
        self.libraries = table.get("libraries", [])
        self.variant_libraries = table.get("variant-libraries", {})
        self.shared = table.get("shared", False)
        self.run = table.get("run")
        self.ignore = table.get("ignore")
        self.sources = sorted(
            os.path.relpath(path, self.directory)
            for pattern in table["sources"]
            for path in glob.glob(str(self.directory
                                      / self.expanded(pattern))))
        if not self.sources:
            raise SystemExit(f"{self.name}: no sources in {self.directory}")

    def expanded(self, text):
        """`text` with the environment's values for $NAME."""
        result = os.path.expandvars(text)
        if "$" in result:
            raise SystemExit(f"{self.name}: not in the environment: {text}")
        return result


class Build:
    """A program as one variant builds it, in a directory of its own."""

    def __init__(self, program, variant, work, values, compile_jobs):
        self.program, self.variant = program, variant
        self.work = work / program.name / variant["name"]
        shutil.rmtree(self.work, ignore_errors=True)
        self.work.mkdir(parents=True)
        self.values = dict(values)
        self.compile_jobs = compile_jobs
        self.environment = environment_of(variant, values)
        self.output = self.work / ("lib.so" if program.shared else "program")
        self.objects = []
        self.compile_cpu = None
        self.samples = []
        self.error = None

    def flags(self):
        flags = list(self.program.flags)
        flags += self.program.variant_flags.get(self.variant["name"], [])
        if self.program.shared:
            flags.append(self.variant.get("pic", "-fPIC"))
        return flags

    def libraries(self):
        return (self.program.libraries +
                self.program.variant_libraries.get(self.variant["name"], []))

    def compile_one(self, source):
        target = self.work / (source.replace("/", "_") + ".o")
        language = "compile-cuda" if source.endswith(".cu") else (
            "compile-c" if source.endswith(".c") else "compile-cxx")
        values = dict(self.values, source=source, object=str(target),
                      flags=self.flags())
        return str(target), measure(expand(self.variant[language], values),
                                    self.program.directory, self.environment)

    def compile(self):
        """Compiles all sources. Raises measuring.Failure."""
        with concurrent.futures.ThreadPoolExecutor(self.compile_jobs) as pool:
            results = list(pool.map(self.compile_one, self.program.sources))
        self.objects = [target for target, _ in results]
        self.compile_cpu = sum(used["cpu"] for _, used in results)

    def link(self):
        """Links once more and keeps what it took. Raises measuring.Failure."""
        values = dict(self.values, objects=self.objects,
                      libraries=self.libraries(),
                      output=str(self.output),
                      shared=["-shared"] if self.program.shared else [])
        self.samples.append(measure(expand(self.variant["link"], values),
                                    self.program.directory, self.environment,
                                    with_tree=True))

    def time_run(self, repetitions):
        """Runs the program; returns the CPU seconds of its runs, summarized,
        and what it printed, or nothing when nobody said how to run it."""
        if not self.program.run:
            return None
        command = [str(self.output)] + self.program.run[1:]
        used = [measure(command, self.program.directory, self.environment)
                for _ in range(repetitions)]
        return summarize([one["cpu"] for one in used]), used[0]["output"]


def images(gpulto, file):
    """Returns what `gpulto images` says of the device code in `file`."""
    done = subprocess.run([gpulto, "images", "--json", file], text=True,
                          capture_output=True, check=True)
    return json.loads(done.stdout)
