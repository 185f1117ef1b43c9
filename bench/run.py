#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures links of gpulto beside its peers on the same programs.

    bench/run.py --build build/release --suite cuda DIRECTORY
    bench/run.py --build build/release --suite host DIRECTORY --only lua,zstd

DIRECTORY holds programs and a file programs.toml that describes them:

    [[program]]
    name = "lulesh"
    directory = "src/lulesh-cuda"     # below DIRECTORY
    sources = ["*.cu", "*.cpp"]       # globs below directory
    flags = ["-DUSE_CUDA"]            # for every compile
    variant-flags = { nvcc-dlto = ["--expt-relaxed-constexpr"] }
    libraries = ["-lm"]               # for the link
    shared = false
    run = ["./lulesh"]                # host suite: timed when present

A variant (ours or a peer, bench/suites.toml) compiles each program once, then
the links of all variants are run in turn, so that noise of the machine meets
all of them alike. Reported per variant: median and spread (half the range
between the quartiles, as a share of the median) of CPU and wall time, peak
memory of the whole process tree, size of the output, device text and registers.
Only ratios between variants of one run mean anything on a shared machine.
"""

import argparse
import concurrent.futures
import glob
import json
import os
import pathlib
import shlex
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import tomllib

HERE = pathlib.Path(__file__).resolve().parent
SAMPLE_SECONDS = 0.01
TIMEOUT_SECONDS = 1800


class Failure(Exception):
    """A compile or link that did not succeed; the text is its output."""


def tree_memory(root):
    """Returns the resident bytes of process `root` and all below it."""
    children = {}
    resident = {}
    for entry in os.scandir("/proc"):
        if not entry.name.isdigit():
            continue
        try:
            with open(f"/proc/{entry.name}/stat", encoding="latin1") as file:
                fields = file.read().rsplit(")", 1)[1].split()
        except OSError:
            continue
        pid = int(entry.name)
        children.setdefault(int(fields[1]), []).append(pid)
        resident[pid] = int(fields[21]) * os.sysconf("SC_PAGE_SIZE")
    total, queue = 0, [root]
    while queue:
        pid = queue.pop()
        total += resident.get(pid, 0)
        queue += children.get(pid, [])
    return total


def measure(command, cwd, environment):
    """Runs `command`; returns its wall and CPU seconds and the peak memory of
    its process tree in bytes. Raises Failure with its output."""
    with tempfile.TemporaryFile() as output:
        start = time.monotonic()
        process = subprocess.Popen(command, cwd=cwd, env=environment,
                                   stdin=subprocess.DEVNULL, stdout=output,
                                   stderr=subprocess.STDOUT)
        peak, stop = [0], threading.Event()

        def sample():
            while not stop.wait(SAMPLE_SECONDS):
                peak[0] = max(peak[0], tree_memory(process.pid))

        sampler = threading.Thread(target=sample)
        sampler.start()
        killer = threading.Timer(TIMEOUT_SECONDS, process.kill)
        killer.start()
        _, status, usage = os.wait4(process.pid, 0)
        wall = time.monotonic() - start
        killer.cancel()
        stop.set()
        sampler.join()
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode != 0:
            output.seek(0)
            text = output.read().decode(errors="replace")
            raise Failure(f"{shlex.join(command)}\n{text[-3000:]}")
    return {"wall": wall, "cpu": usage.ru_utime + usage.ru_stime,
            "memory": max(peak[0], usage.ru_maxrss * 1024)}


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


class Program:
    """One program of programs.toml."""

    def __init__(self, root, table):
        self.name = table["name"]
        self.directory = pathlib.Path(root, table.get("directory", self.name))
        self.flags = table.get("flags", [])
        self.variant_flags = table.get("variant-flags", {})
        self.libraries = table.get("libraries", [])
        self.shared = table.get("shared", False)
        self.run = table.get("run")
        self.sources = sorted(
            os.path.relpath(path, self.directory)
            for pattern in table["sources"]
            for path in glob.glob(str(self.directory / pattern)))
        if not self.sources:
            raise SystemExit(f"{self.name}: no sources in {self.directory}")


class Build:
    """A program as one variant builds it, in a directory of its own."""

    def __init__(self, program, variant, work, values, compile_jobs):
        self.program, self.variant = program, variant
        self.work = work / program.name / variant["name"]
        shutil.rmtree(self.work, ignore_errors=True)
        self.work.mkdir(parents=True)
        self.values = dict(values)
        self.compile_jobs = compile_jobs
        self.environment = dict(os.environ)
        for name, value in variant.get("environment", {}).items():
            self.environment[name] = value.format(**values, **os.environ)
        self.output = self.work / ("lib.so" if program.shared else "program")
        self.objects = []
        self.samples = []
        self.error = None

    def flags(self):
        flags = list(self.program.flags)
        flags += self.program.variant_flags.get(self.variant["name"], [])
        if self.program.shared:
            flags.append(self.variant.get("pic", "-fPIC"))
        return flags

    def compile_one(self, source):
        target = self.work / (source.replace("/", "_") + ".o")
        language = "compile-cuda" if source.endswith(".cu") else (
            "compile-c" if source.endswith(".c") else "compile-cxx")
        values = dict(self.values, source=source, object=str(target),
                      flags=self.flags())
        return str(target), measure(expand(self.variant[language], values),
                                    self.program.directory, self.environment)

    def compile(self):
        with concurrent.futures.ThreadPoolExecutor(self.compile_jobs) as pool:
            results = list(pool.map(self.compile_one, self.program.sources))
        self.objects = [target for target, _ in results]
        self.compile_cpu = sum(used["cpu"] for _, used in results)

    def link(self):
        values = dict(self.values, objects=self.objects,
                      libraries=self.program.libraries,
                      output=str(self.output),
                      shared=["-shared"] if self.program.shared else [])
        self.samples.append(measure(expand(self.variant["link"], values),
                                    self.program.directory, self.environment))


def summarize(values):
    """Returns median and spread of `values`."""
    middle = statistics.median(values)
    if len(values) < 4:
        spread = (max(values) - min(values)) / 2
    else:
        quartiles = statistics.quantiles(values, n=4)
        spread = (quartiles[2] - quartiles[0]) / 2
    return {"median": middle, "spread": spread / middle if middle else 0}


def inspect(build, gpulto):
    """Returns sizes and device code of a finished output."""
    result = {"file-bytes": build.output.stat().st_size}
    sections = subprocess.run(["size", "-A", build.output], text=True,
                              capture_output=True, check=True).stdout
    for line in sections.splitlines():
        fields = line.split()
        if len(fields) == 3 and fields[0] == ".text":
            result["host-text-bytes"] = int(fields[1])
    images = subprocess.run([gpulto, "images", "--json", build.output],
                            text=True, capture_output=True, check=True).stdout
    result.update(json.loads(images))
    return result


def time_run(build, repetitions):
    """Returns user CPU seconds of the program's own run, or nothing."""
    if not build.program.run:
        return None
    command = [str(build.output)] + build.program.run[1:]
    return summarize([measure(command, build.program.directory,
                              build.environment)["cpu"]
                      for _ in range(repetitions)])


def bench(program, variants, arguments, values):
    """Builds and links `program` with all variants in turn."""
    builds = [Build(program, variant, arguments.work, values, arguments.jobs)
              for variant in variants]
    for build in builds:
        try:
            build.compile()
        except Failure as failure:
            build.error = str(failure)
    for _ in range(arguments.warmup + arguments.repetitions):
        for build in builds:
            if build.error:
                continue
            try:
                build.link()
            except Failure as failure:
                build.error = str(failure)
    result = {}
    for build in builds:
        if build.error:
            result[build.variant["name"]] = {"error": build.error}
            continue
        samples = build.samples[arguments.warmup:]
        entry = {key: summarize([sample[key] for sample in samples])
                 for key in ("cpu", "wall", "memory")}
        entry["compile-cpu"] = build.compile_cpu
        entry.update(inspect(build, values["gpulto"]))
        run = time_run(build, arguments.repetitions)
        if run:
            entry["run-cpu"] = run
        result[build.variant["name"]] = entry
    return result


def print_table(name, result):
    print(f"\n{name}")
    print(f"  {'variant':22} {'cpu s':>14} {'wall s':>14} {'MB':>6} "
          f"{'file KB':>8} {'dev text KB':>11} {'regs':>6} {'run s':>12}")
    for variant, entry in result.items():
        if "error" in entry:
            lines = entry["error"].splitlines()
            why = next((line for line in lines[1:] if "error" in line.lower()),
                       lines[-1])
            print(f"  {variant:22} failed: {why[:90]}")
            continue

        def timed(key):
            if key not in entry:
                return ""
            return (f"{entry[key]['median']:.2f} "
                    f"±{100 * entry[key]['spread']:.0f}%")

        print(f"  {variant:22} {timed('cpu'):>14} {timed('wall'):>14} "
              f"{entry['memory']['median'] / 1e6:6.0f} "
              f"{entry['file-bytes'] / 1e3:8.0f} "
              f"{entry.get('device-text-bytes', 0) / 1e3:11.1f} "
              f"{entry.get('registers', 0):6} {timed('run-cpu'):>12}",
              flush=True)


def version_of(command):
    try:
        output = subprocess.run(command, capture_output=True, text=True,
                                check=True).stdout.strip().splitlines()
        return output[-1] if "nvcc" in command[0] else output[0]
    except (OSError, subprocess.CalledProcessError, IndexError):
        return None


def machine():
    model = ""
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        for line in file:
            if line.startswith("model name"):
                model = line.split(":", 1)[1].strip()
                break
    return {"cpu": model, "cores": os.cpu_count()}


def check_release(build):
    cache = (build / "CMakeCache.txt").read_text(encoding="utf-8")
    if "CMAKE_BUILD_TYPE:STRING=Release" not in cache:
        raise SystemExit(f"{build} is not a Release build: nothing measured on "
                         "it would mean anything")


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("programs", type=pathlib.Path)
    parser.add_argument("--build", type=pathlib.Path, required=True,
                        help="build directory of gpulto (Release)")
    parser.add_argument("--suite", default="cuda",
                        help="table of suites.toml that lists the variants")
    parser.add_argument("--only", default="", help="names, comma-separated")
    parser.add_argument("--variants", default="", help="names to restrict to")
    parser.add_argument("--cuda", default="/usr/local/cuda", help="toolkit")
    parser.add_argument("--peer-cuda", default=None,
                        help="toolkit copy that the peers use; default: --cuda")
    parser.add_argument("--arch", default="90")
    parser.add_argument("--repetitions", type=int, default=5)
    parser.add_argument("--warmup", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=os.cpu_count(),
                        help="compiles at a time")
    parser.add_argument("--work", type=pathlib.Path, default=None)
    parser.add_argument("--output", type=pathlib.Path, default=None,
                        help="JSON file for the results")
    arguments = parser.parse_args()
    build = arguments.build.resolve()
    check_release(build)
    with open(HERE / "suites.toml", "rb") as file:
        suites = tomllib.load(file)
    variants = [variant for variant in suites["variant"]
                if arguments.suite in variant["suites"] and
                (not arguments.variants or
                 variant["name"] in arguments.variants.split(","))]
    if not variants:
        raise SystemExit(f"no variant of suites.toml is in '{arguments.suite}'")
    with open(arguments.programs / "programs.toml", "rb") as file:
        tables = tomllib.load(file)["program"]
    only = arguments.only.split(",") if arguments.only else None
    programs = [Program(arguments.programs.resolve(), table)
                for table in tables if not only or table["name"] in only]
    cuda = arguments.cuda
    values = {"gpulto": str(build / "bin/gpulto"), "bin": str(build / "bin"),
              "cuda": cuda, "peercuda": arguments.peer_cuda or cuda,
              "arch": arguments.arch}
    report = {"suite": arguments.suite, "machine": machine(),
              "repetitions": arguments.repetitions,
              "versions": {
                  "clang": version_of(["clang-19", "--version"]),
                  "gcc": version_of(["gcc", "--version"]),
                  "nvcc": version_of([cuda + "/bin/nvcc", "--version"]),
                  "gpulto": version_of([values["gpulto"], "--version"])},
              "programs": {}}
    temporary = None
    if arguments.work is None:
        temporary = tempfile.TemporaryDirectory(prefix="gpulto-bench-")
        arguments.work = pathlib.Path(temporary.name)
    arguments.work = arguments.work.resolve()
    for program in programs:
        result = bench(program, variants, arguments, values)
        report["programs"][program.name] = result
        print_table(program.name, result)
        if arguments.output:
            arguments.output.parent.mkdir(parents=True, exist_ok=True)
            arguments.output.write_text(json.dumps(report, indent=1) + "\n",
                                        encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
