#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Builds code bases that others have written, unchanged, with gpulto, and links
files of them beside the peers.

    bench/codebases.py build --prefix PREFIX --work DIR [NAME...]
    bench/codebases.py links --build build/release --peer-cuda TREE --work DIR [NAME...]

codebases.toml says of each where it comes from, what CMake is given, what is built,
and what is run to see that it works; --sources names a directory with checkouts, by
name, otherwise they are cloned. The only thing that tells CMake of gpulto is its
toolchain file, that of the installed gpulto in PREFIX.

`build`: configures, builds, checks. What a step printed is in DIR/NAME/STEP.log. Steps
that are done are not done again, and builds go on where they were stopped:
--again NAME forgets them.

`links`: compiles the files that codebases.toml lists with each compiler, with the flags
that CMake gives nvcc, and links them to a shared library: --repetitions times, in turn.
Objects are kept, so that this, too, goes on. --output writes what was measured.
"""

import argparse
import fnmatch
import json
import os
import pathlib
import shlex
import shutil
import subprocess
import sys
import time
import tomllib

import acceptance
import building
import measuring

HERE = pathlib.Path(__file__).resolve().parent
STEPS = ("configure", "build", "check")
CHECK_SECONDS = 3600


class Failed(Exception):
    """A step that did not succeed; the text is where to look."""


class CodeBase:
    """One table of codebases.toml, and its directory below --work."""

    def __init__(self, table, arguments):
        self.name, self.table = table["name"], table
        self.work = arguments.work.resolve() / self.name
        self.work.mkdir(parents=True, exist_ok=True)
        given = arguments.sources and arguments.sources.resolve() / self.name
        self.source = given if given and given.is_dir() else self.work / "source"
        self.arguments = arguments
        self.environment = dict(os.environ)
        # Of a toolkit that is not gpulto's own.
        self.cuda_home = self.work / "cuda" if "cuda" in table else None
        if self.cuda_home:
            self.environment["CUDA_PATH"] = str(self.cuda_home)

    def fetch(self):
        """Clones the source, unless it is there."""
        if self.source.is_dir():
            return
        partial = self.work / "source.partial"
        shutil.rmtree(partial, ignore_errors=True)
        self.run_logged("fetch", [
            ["git", "clone", "--quiet", self.table["url"], partial],
            ["git", "-C", partial, "checkout", "--quiet", self.table["commit"]]],
            self.work)
        partial.rename(self.source)

    def commit(self):
        done = subprocess.run(["git", "-C", self.source, "rev-parse", "HEAD"],
                              text=True, capture_output=True, check=False)
        return done.stdout.strip() or "unknown"

    def run_logged(self, step, commands, cwd):
        """Runs commands, with their output in a log. Raises Failed."""
        log = self.work / f"{step}.log"
        with log.open("w", encoding="utf-8") as file:
            for command in commands:
                print("$", shlex.join(map(str, command)), file=file, flush=True)
                status = subprocess.run(
                    command, cwd=cwd, stdin=subprocess.DEVNULL, stdout=file,
                    stderr=subprocess.STDOUT, check=False, env=self.environment,
                    timeout=CHECK_SECONDS if step == "check" else None)
                if status.returncode:
                    raise Failed(f"{step} failed, see {log}")

    def configure_command(self, build, toolchain):
        return ["cmake", "-S", self.source, "-B", build, "-G", "Ninja",
                "-DCMAKE_BUILD_TYPE=Release",
                f"-DCMAKE_CUDA_ARCHITECTURES={self.arguments.arch}",
                *toolchain, *self.table.get("configure", [])]

    # ---- build ----

    def steps(self):
        return [step for step in STEPS if step != "check" or "check" in self.table]

    def targets(self, build):
        """Returns what is built: targets by name or pattern, or of the objects of
        CUDA sources every so-manieth, in the order of their names."""
        every = self.table.get("every-object")
        patterns = self.table.get("targets", [])
        if not every and not patterns:
            return []
        listed = subprocess.run(["ninja", "-C", build, "-t", "targets", "all"],
                                text=True, capture_output=True, check=True)
        names = sorted(line.rsplit(":", 1)[0]
                       for line in listed.stdout.splitlines() if ":" in line)
        if every:
            return [n for n in names if n.endswith(".cu.o")][::every]
        found = [n for n in names
                 if any(fnmatch.fnmatchcase(n, p) for p in patterns)]
        if not found:
            raise Failed(f"no target of {self.name} is called {patterns}")
        return found

    def cuda_home_command(self, prefix):
        """Returns what makes the toolkit that the code base wants, of that which
        --toolkit gives. Raises Failed."""
        wanted = self.table["cuda"]
        for given in self.arguments.toolkit:
            version, _, directory = given.partition("=")
            if version == wanted:
                return [prefix / "bin/gpulto", "cuda-home",
                        f"--cuda-path={pathlib.Path(directory).resolve()}",
                        self.cuda_home]
        raise Failed(f"{self.name} wants CUDA {wanted}: --toolkit {wanted}=DIR "
                     f"(GPULTO_CUDA_VERSION={wanted} scripts/setup)")

    def build_step(self, step):
        build = self.work / "build"
        prefix = self.arguments.prefix.resolve()
        if step == "configure":
            file = prefix / "lib/cmake/gpulto/gpulto-toolchain.cmake"
            if not file.is_file():
                raise Failed(f"{file}: no such file; --prefix is where gpulto is "
                             "installed")
            commands, words = [], [f"-DCMAKE_TOOLCHAIN_FILE={file}"]
            if self.cuda_home:
                commands.append(self.cuda_home_command(prefix))
                words.append(f"-DCUDAToolkit_ROOT={self.cuda_home}")
            self.run_logged(step, [*commands,
                                   self.configure_command(build, words)],
                            self.work)
        elif step == "build":
            jobs = str(self.arguments.jobs)
            self.run_logged(step, [["ninja", "-C", build, "-j", jobs, "-k", "0",
                                    *self.targets(build)]], self.work)
        else:
            values = {"run": str(prefix / "bin/gpulto-run"),
                      "arch": self.arguments.arch.partition(";")[0]
                              .partition("-")[0]}
            self.run_logged(step, [[word.format(**values) for word in command]
                                   for command in self.table["check"]],
                            build)

    def build(self):
        """Does the steps that are not done; returns what came of each."""
        state_file = self.work / "state.json"
        if self.name in self.arguments.again:
            shutil.rmtree(self.work / "build", ignore_errors=True)
            state_file.unlink(missing_ok=True)
        state = json.loads(state_file.read_text()) if state_file.exists() else {}
        for step in self.steps():
            if state.get(step, {}).get("done"):
                continue
            start = time.monotonic()
            before = state.get(step, {}).get("seconds", 0)
            try:
                self.build_step(step)
                state[step] = {"done": True}
            except (Failed, subprocess.TimeoutExpired) as error:
                state[step] = {"done": False, "error": str(error)}
            state[step]["seconds"] = round(before + time.monotonic() - start)
            state_file.write_text(json.dumps(state, indent=1) + "\n")
            if not state[step]["done"]:
                break
        return state

    # ---- links ----

    def units(self):
        """Returns the compiles of the listed files, as CMake has them for nvcc."""
        build = self.work / "nvcc"
        if not (build / "compile_commands.json").exists():
            self.run_logged("nvcc", [self.configure_command(build, [
                f"-DCMAKE_CUDA_COMPILER={self.arguments.peer_cuda}/bin/nvcc",
                # Left out of the flags; CMake knows few.
                "-DCMAKE_CUDA_ARCHITECTURES=90",
                "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON"])], self.work)
        checkout = acceptance.Checkout(build / "compile_commands.json", {})
        wanted = {str(self.source / file): file
                  for file in self.table["link"]["files"]}
        units = {}
        for unit in acceptance.units_of_commands(checkout):
            if unit.source in wanted:
                units.setdefault(unit.source, unit)
        if missing := set(wanted) - set(units):
            raise Failed(f"{self.name}: not compiled by CMake: "
                         f"{sorted(wanted[path] for path in missing)}")
        return [units[path] for path in wanted]

    def compile_flags(self, variant, unit):
        if variant["dialect"] == "nvcc":
            return acceptance.to_nvcc(unit.flags, unit.source)
        return acceptance.to_clang(unit.flags, unit.source, self.arguments.cuda)

    def compile_all(self, variant, values, environment):
        """Returns the objects of a variant; those that are there are kept."""
        directory = (self.work / directory_of(self.arguments.arch) /
                     variant.get("objects-of", variant["name"]))
        directory.mkdir(parents=True, exist_ok=True)
        objects = []
        for unit in self.units():
            name = os.path.relpath(unit.source, self.source).replace("/", "_")
            target = directory / (name + ".o")
            objects.append(str(target))
            if target.exists():
                continue
            partial = directory / (name + ".partial.o")
            words = building.expand(variant["compile-cuda"], dict(
                values, source=unit.source, object=str(partial),
                flags=[*self.compile_flags(variant, unit),
                       variant.get("pic", "-fPIC")]))
            measuring.measure(words, unit.directory, environment)
            partial.rename(target)
        return objects

    def mode(self):
        """Returns the options of the compiles that say how to compress device code."""
        return sorted({name for unit in self.units() for name, _ in unit.flags
                       if name.lstrip("-").startswith("compress-mode=")})

    def link_all(self, variants, values):
        """Compiles and links with each; returns samples and sizes by variant."""
        rows, ready = {}, []
        values = dict(values, mode=self.mode())
        for variant in variants:
            environment = building.environment_of(variant, values)
            try:
                objects = self.compile_all(variant, values, environment)
            except (measuring.Failure, acceptance.Bad) as error:
                rows[variant["name"]] = {"error": str(error)}
                continue
            ready.append((variant, environment, objects, []))
        for _ in range(self.arguments.repetitions):
            for variant, environment, objects, samples in ready:
                if variant["name"] in rows:
                    continue # it has failed
                output = self.output(variant)
                words = building.expand(variant["link"], dict(
                    values, objects=objects, shared=["-shared"],
                    libraries=self.table["link"].get("libraries", []),
                    output=str(output)))
                try:
                    samples.append(measuring.measure(words, self.work,
                                                     environment, with_tree=True))
                except measuring.Failure as error:
                    rows[variant["name"]] = {"error": str(error)}
        for variant, _, _, samples in ready:
            if variant["name"] not in rows:
                rows[variant["name"]] = self.row(variant, values, samples)
        return rows

    def output(self, variant):
        return (self.work / directory_of(self.arguments.arch) /
                (variant["name"] + ".so"))

    def row(self, variant, values, samples):
        output = self.output(variant)
        stripped = output.with_suffix(".stripped")
        subprocess.run(["strip", "-o", stripped, output], check=True)
        device = building.images(values["gpulto"], output)
        row = {key: measuring.summarize([one[key] for one in samples])
               for key in ("cpu", "wall", "memory")}
        row.update({"file": stripped.stat().st_size,
                    "text": device["device-text-bytes"],
                    "stack": device["stack-bytes"]})
        return row


def directory_of(architectures):
    return "sm_" + architectures.replace(";", "_")


def codes_of(architectures):
    """Returns what {codes} and its like in suites.toml stand for, of a list as CMake
    has it: 90-real is a cubin, 90-virtual PTX, 90 both."""
    values = {"codes": [], "lto-codes": [], "offload-archs": []}
    for name, _, kind in (one.partition("-") for one in architectures.split(";")):
        wanted = {"real": ["sm_"], "virtual": ["compute_"],
                  "": ["sm_", "compute_"]}[kind]
        values["codes"] += ["-gencode", f"arch=compute_{name},code=["
                            + ",".join(code + name for code in wanted) + "]"]
        values["lto-codes"] += ["-gencode",
                                f"arch=compute_{name},code=lto_{name}"]
        if kind != "virtual":
            values["offload-archs"].append(f"--offload-arch=sm_{name}")
    return values


def print_builds(results):
    for name, (base, state) in results.items():
        parts = [f"{step} {'done' if state[step]['done'] else 'FAILED'} "
                 f"({state[step]['seconds']} s)" for step in STEPS
                 if step in state]
        print(f"{name} {base.commit()[:10]}: {', '.join(parts)}")
        for step in STEPS:
            if error := state.get(step, {}).get("error"):
                print(f"  {error}")


def print_links(rows):
    """What each link took, and what came out."""
    columns = ("cpu", "wall", "memory", "text", "file", "stack")
    print(f"{'':24}" + "".join(f"{column:>12}" for column in columns))
    for name, row in rows.items():
        if "error" in row:
            print(f"{name:24}failed: {row['error'].splitlines()[-1][:100]}")
            continue
        cells = [row[c]["median"] if isinstance(row[c], dict) else row[c]
                 for c in columns]
        texts = [f"{cells[0]:.1f} s", f"{cells[1]:.1f} s",
                 *(f"{cell / 1e6:.2f} MB" for cell in cells[2:5]),
                 f"{cells[5]} B"]
        print(f"{name:24}" + "".join(f"{text:>12}" for text in texts))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", 1)[0])
    parser.add_argument("what", choices=("build", "links"))
    parser.add_argument("names", nargs="*", help="code bases; default: all")
    parser.add_argument("--work", type=pathlib.Path, required=True)
    parser.add_argument("--sources", type=pathlib.Path,
                        help="directory with checkouts, by name")
    parser.add_argument("--arch", default="90",
                        help="CMAKE_CUDA_ARCHITECTURES, such as 80-real;90")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--output", type=pathlib.Path, help="JSON file")
    parser.add_argument("--prefix", type=pathlib.Path,
                        help="build: where gpulto is installed")
    parser.add_argument("--again", action="append", default=[], metavar="NAME",
                        help="build: forget what is done of this one")
    parser.add_argument("--build", type=pathlib.Path,
                        help="links: build directory of gpulto")
    parser.add_argument("--toolkit", action="append", default=[],
                        metavar="VERSION=DIR", help="build: where another "
                        "release of CUDA is, for what needs it")
    parser.add_argument("--cuda", default="/usr/local/cuda")
    parser.add_argument("--peer-cuda", default=None)
    parser.add_argument("--variants", default="gpulto,nvcc,nvcc-dlto,"
                        "clang-foffload-lto", help="links: compilers")
    parser.add_argument("--repetitions", type=int, default=3)
    arguments = parser.parse_intermixed_args()
    arguments.peer_cuda = arguments.peer_cuda or arguments.cuda
    with open(HERE / "codebases.toml", "rb") as file:
        tables = tomllib.load(file)["codebase"]
    known = [table["name"] for table in tables]
    if unknown := set(arguments.names) - set(known):
        parser.error(f"no code base {', '.join(sorted(unknown))}; there are "
                     f"{', '.join(known)}")
    chosen = [CodeBase(table, arguments) for table in tables
              if table["name"] in (arguments.names or known)]
    if arguments.what == "build":
        return build_all(parser, arguments, chosen)
    return link_all(parser, arguments, chosen)


def build_all(parser, arguments, chosen):
    if not arguments.prefix:
        parser.error("build needs --prefix")
    results = {}
    for base in chosen:
        try:
            base.fetch()
        except Failed as error:
            parser.exit(1, f"{base.name}: {error}\n")
        results[base.name] = (base, base.build())
    print_builds(results)
    measuring.write_report({
        "machine": measuring.machine(), "commits": {
            name: base.commit() for name, (base, _) in results.items()},
        "steps": {name: state for name, (_, state) in results.items()},
    }, arguments.output)
    good = all(state.get(step, {}).get("done")
               for base, state in results.values() for step in base.steps())
    return 0 if good else 1


def link_all(parser, arguments, chosen):
    if not arguments.build:
        parser.error("links needs --build")
    values = dict(building.make_values(arguments), **codes_of(arguments.arch))
    names = arguments.variants.split(",")
    variants = building.read_variants("codebases", names)
    if unknown := set(names) - {variant["name"] for variant in variants}:
        parser.error(f"no variant {', '.join(sorted(unknown))} in suites.toml")
    report = {"machine": measuring.machine(),
              "versions": measuring.versions(values), "links": {}}
    for base in chosen:
        if "link" not in base.table:
            continue
        try:
            base.fetch()
            rows = base.link_all(variants, values)
        except (Failed, acceptance.Bad) as error:
            parser.exit(1, f"{base.name}: {error}\n")
        print(f"{base.name} {base.commit()[:10]}, "
              f"{len(base.table['link']['files'])} files, {arguments.arch}")
        print_links(rows)
        report["links"][base.name] = {"commit": base.commit(), "variants": rows}
        measuring.write_report(report, arguments.output)
    return 0


if __name__ == "__main__":
    sys.exit(main())
