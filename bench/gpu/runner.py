#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the programs of this folder on the GPU of this machine, and compares.

    ./gpu-check [--output OUT]

scripts/gpu-check --prepare made the folder: programs as clang's device LTO,
`nvcc -dlto` and gpulto build them. Needs the driver, Python 3.9, and nothing else;
takes less than nine minutes. In this order, each for its share of the time:

outputs   Every program of every compiler, several at a time. What ours prints must
          be what clang's prints (nvcc's where clang has none): texts exactly,
          numbers to one part in 100,000. If not, both run once more: a program that
          does not print the same twice is no evidence. Programs in the group "gpu"
          check themselves.
timing    Kernels, one program at a time, by events, in one process 20 times each
          (timing.c says how): the same launches of all compilers. Arguments are
          those that the program's authors chose for a GPU, if it ends in
          --time-limit seconds with them, else the small ones.
counters  Warp instructions and sectors of global memory beside the emulator's, where
          libcupti is found: in this folder, LD_LIBRARY_PATH, or a toolkit.
sanitizer compute-sanitizer, where it is found: in this folder, PATH, or a toolkit.

OUT (default: gpu-check-results) gets gpu.json and gpu.md, for bench/results/MACHINE.
What fails, is killed by its time limit, or is left out for want of time is told there
and ends nothing. Exit status: 0; 1 if ours prints something else or fails where the
others do not, or in a program that checks itself; 2 if nothing could be run.
"""

import argparse
import concurrent.futures
import contextlib
import ctypes
import glob
import hashlib
import json
import lzma
import os
import pathlib
import platform
import re
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time

FOLDER = pathlib.Path(__file__).resolve().parent
sys.dont_write_bytecode = True
sys.path.insert(0, str(FOLDER / "lib"))
import comparing  # noqa: E402
import report as reporting  # noqa: E402

FORMAT = 1
OURS = "gpulto"
# Until which share of the time each stage may begin something.
SHARES = {"outputs": 0.4, "timing": 0.8, "counters": 0.93, "sanitizer": 1.0}
AT_ONCE = 4
RUN_LIMIT = 30  # seconds of one run
LEAST_SECONDS = 2  # less is not worth starting
SHOWN = 2000  # characters of an output that is kept
OUTPUT_BYTES = 4 << 20  # that are read of one
FILLED_CACHES = 2  # sizes of the second-level cache that are filled before a launch
CUPTI_PLACES = ["/usr/local/cuda*/lib64", "/usr/local/cuda*/extras/CUPTI/lib64",
                "/usr/lib/x86_64-linux-gnu"]
SANITIZER_PLACES = ["/usr/local/cuda*/bin", "/usr/local/cuda*/compute-sanitizer"]
SANITIZER_ERRORS = 99


class Stop(Exception):
    """Why nothing can be run."""


# The folder and the machine ---------------------------------------------------


def read_manifest():
    """Returns what the folder says of itself. Raises Stop if it is damaged."""
    path = FOLDER / "manifest.json"
    try:
        manifest = json.loads(path.read_text(encoding="utf-8"))
        version, files = manifest["format"], manifest["files"]
    except OSError as error:
        raise Stop(f"{FOLDER}: no folder of gpu-check: {error}") from error
    except (ValueError, KeyError, TypeError) as error:
        raise Stop(f"{path}: damaged: {error}; copy the folder again") from error
    if version != FORMAT:
        raise Stop(f"{path}: format {version}, this gpu-check reads {FORMAT}; "
                   "prepare the folder again")
    for name, digest in files.items():
        try:
            found = hashlib.sha256((FOLDER / name).read_bytes()).hexdigest()
        except OSError as error:
            raise Stop(f"{FOLDER}: {error}; copy the folder again") from error
        if found != digest:
            raise Stop(f"{FOLDER / name}: damaged: its digest is not the one in "
                       "manifest.json; copy the folder again")
    return manifest


def as_numbers(version):
    return [int(part) for part in re.findall(r"\d+", version)]


def check_libraries(manifest):
    needed = manifest["needs"].get("GLIBC", "0")
    found = os.confstr("CS_GNU_LIBC_VERSION") or "glibc 0"
    if as_numbers(found) < as_numbers(needed):
        raise Stop(f"this machine has {found}, the programs need {needed}; "
                   "prepare the folder on an older system")


class Device:
    """The first GPU, asked by way of the driver."""

    ATTRIBUTES = {"multiprocessors": 16, "clock-khz": 13, "l2-bytes": 38,
                  "memory-clock-khz": 36, "compute-mode": 20}

    def __init__(self):
        try:
            self.driver = ctypes.CDLL("libcuda.so.1")
        except OSError as error:
            raise Stop("no GPU: the driver's libcuda.so.1 is not here "
                       f"({error}); --emulator runs the programs without one"
                       ) from error
        status = self.driver.cuInit(0)
        count = ctypes.c_int()
        if status == 0:
            self.driver.cuDeviceGetCount(ctypes.byref(count))
        if count.value == 0:
            raise Stop(f"no GPU: the driver finds none (cuInit returned "
                       f"{status}); --emulator runs the programs without one")
        self.handle = ctypes.c_int()
        self.driver.cuDeviceGet(ctypes.byref(self.handle), 0)

    def attribute(self, number):
        value = ctypes.c_int()
        self.driver.cuDeviceGetAttribute(ctypes.byref(value), number,
                                         self.handle)
        return value.value

    def describe(self):
        name = ctypes.create_string_buffer(256)
        self.driver.cuDeviceGetName(name, len(name), self.handle)
        memory = ctypes.c_size_t()
        self.driver.cuDeviceTotalMem_v2(ctypes.byref(memory), self.handle)
        version = ctypes.c_int()
        self.driver.cuDriverGetVersion(ctypes.byref(version))
        result = {"gpu": name.value.decode(errors="replace"),
                  "capability": 10 * self.attribute(75) + self.attribute(76),
                  "memory-bytes": memory.value, "driver-cuda": version.value}
        result.update({key: self.attribute(number)
                       for key, number in self.ATTRIBUTES.items()})
        return result


def check_device(machine, manifest):
    if machine["driver-cuda"] < 13000:
        raise Stop(f"the driver is one for CUDA {machine['driver-cuda'] // 1000}"
                   f".{machine['driver-cuda'] % 1000 // 10}; the programs need "
                   "13.0")
    if machine["capability"] < manifest["arch"]:
        raise Stop(f"{machine['gpu']}: sm_{machine['capability']}; the programs "
                   f"are for sm_{manifest['arch']} and newer")


class Clocks(threading.Thread):
    """Follows the clocks of the GPU by way of NVML, if that is here."""

    SECONDS = 0.1

    def __init__(self):
        super().__init__(daemon=True)
        self.samples, self.ending, self.library = [], threading.Event(), None
        try:
            self.library = ctypes.CDLL("libnvidia-ml.so.1")
            self.device = ctypes.c_void_p()
            if self.library.nvmlInit_v2() or \
                    self.library.nvmlDeviceGetHandleByIndex_v2(
                        0, ctypes.byref(self.device)):
                self.library = None
        except (OSError, AttributeError):
            self.library = None
        if self.library:
            self.start()

    def ask(self, kind):
        value = ctypes.c_uint()
        self.library.nvmlDeviceGetClockInfo(self.device, kind,
                                            ctypes.byref(value))
        return value.value

    def run(self):
        while True:  # at least once, however short it all is
            self.samples.append((self.ask(1), self.ask(2)))  # SM, memory
            if self.ending.wait(self.SECONDS):
                break

    def end(self):
        self.ending.set()
        if self.library:
            self.join()

    def since(self, start):
        """Returns least, median and greatest MHz from sample `start` on."""
        samples = self.samples[start:]
        if not samples:
            return None
        return {name: [min(values), statistics.median(values), max(values)]
                for name, values in zip(("sm-mhz", "memory-mhz"),
                                        zip(*samples))}


def host():
    model = ""
    with contextlib.suppress(OSError):
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            found = re.search(r"^model name\s*: (.*)", file.read(), re.M)
            model = found[1] if found else ""
    return {"cpu": model, "cores": os.cpu_count(),
            "kernel": platform.release(), "python": platform.python_version()}


# Running ----------------------------------------------------------------------


class OutOfTime(Exception):
    """A stage has used up its share."""


class Runner:
    """Runs programs of the folder: on the GPU, or on the emulator."""

    def __init__(self, options, machine):
        self.options = options
        self.cache_bytes = machine.get("l2-bytes", 0)
        # A GPU may be set to serve one process at a time.
        self.at_once = 1 if machine.get("compute-mode") else \
            min(AT_ONCE, os.cpu_count() or 1)
        self.begin = time.monotonic()
        self.emulator = options.emulator and str(options.emulator.resolve())
        self.stage_end = self.begin

    def enter(self, stage):
        self.stage_end = self.begin + SHARES[stage] * self.options.seconds

    def left(self):
        return self.stage_end - time.monotonic()

    def command(self, file, arguments, before=()):
        words = [*before, str(FOLDER / file), *arguments]
        return [self.emulator, "--emulate", "--", *words] if self.emulator \
            else words

    def run(self, file, arguments, limit=RUN_LIMIT, preload=None, extra=None,
            before=(), libraries=None):
        """Runs one program in an empty directory, with other `libraries` on its
        path. Returns {status, output, seconds}; the status is "ok", "exit N",
        "signal N" or "took longer than N s". Raises OutOfTime."""
        limit = min(limit, self.left())
        if limit < LEAST_SECONDS:
            raise OutOfTime
        environment = dict(os.environ, **(extra or {}))
        environment["LD_LIBRARY_PATH"] = ":".join(filter(None, [
            str(FOLDER / "lib"), libraries,
            environment.get("LD_LIBRARY_PATH")]))
        if preload:
            environment["LD_PRELOAD"] = ":".join(filter(None, [
                str(FOLDER / "lib" / preload), environment.get("LD_PRELOAD")]))
        with tempfile.TemporaryDirectory(prefix="gpu-check-") as empty, \
                tempfile.TemporaryFile() as output:
            start = time.monotonic()
            process = subprocess.Popen(
                self.command(file, arguments, before), cwd=empty,
                env=environment, stdin=subprocess.DEVNULL, stdout=output,
                stderr=subprocess.STDOUT, start_new_session=True)
            try:
                code = process.wait(limit)
                status = "ok" if code == 0 else (
                    f"exit {code}" if code > 0 else f"signal {-code}")
            except subprocess.TimeoutExpired:
                status = f"took longer than {limit:.0f} s"
            finally:
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)
                process.wait()
            output.seek(0)
            text = output.read(OUTPUT_BYTES).decode(errors="replace")
        return {"status": status, "seconds": time.monotonic() - start,
                "output": comparing.without_path(text, str(FOLDER / file))}


def shown(result):
    """Returns a result as it is kept: with the end of its output."""
    return dict(result, output=result["output"][-SHOWN:])


# Outputs ----------------------------------------------------------------------


def is_same(program, a, b):
    return (a["status"] == b["status"] == "ok" and
            comparing.agree(a["output"], b["output"], program["ignore"]))


def try_run(runner, *arguments, **named):
    try:
        return runner.run(*arguments, **named)
    except OutOfTime:
        return None


def judge(runner, program, runs):
    """Returns the verdict on the variant ours of a program, and what shows it.
    `runs` is {variant: result or None}."""
    if OURS not in runs:
        return "not built", {}
    ours = runs[OURS]
    if ours is None:
        return "not run", {}
    others = {name: run for name, run in runs.items() if run and name != OURS}
    well = [name for name, run in others.items() if run["status"] == "ok"]
    if not well:
        if ours["status"] != "ok":
            is_ours = program["group"] == "gpu" or not others
            return "failed" if is_ours else "fails everywhere", {
                OURS: shown(ours)}
        return "not compared", {}
    reference = others[well[0]]
    if is_same(program, reference, ours):
        return "same", {}
    again = [try_run(runner, program["variants"][name]["file"],
                     program["arguments"]) for name in (well[0], OURS)]
    evidence = {well[0]: shown(reference), OURS: shown(ours)}
    if again[0] and not is_same(program, reference, again[0]):
        return "unsteady", evidence
    if again[1]:
        evidence[f"{OURS}, again"] = shown(again[1])
    return ("failed" if ours["status"] != "ok" else "differs"), evidence


def peers_that_differ(program, runs):
    """Returns how peers differ from the first that ran well."""
    result, reference = {}, None
    for name, run in runs.items():
        if name == OURS or run is None:
            continue
        if run["status"] != "ok":
            result[name] = shown(run)
        elif reference is None:
            reference = run
        elif not is_same(program, reference, run):
            result[name] = shown(dict(run, status="differs"))
    return result


def check_outputs(runner, programs):
    """Runs everything once; puts "runs" and verdicts into `programs`."""
    runner.enter("outputs")
    jobs = [(program, name) for program in programs
            for name in program["variants"]]
    with concurrent.futures.ThreadPoolExecutor(runner.at_once) as pool:
        results = list(pool.map(lambda job: try_run(
            runner, job[0]["variants"][job[1]]["file"],
            job[0]["arguments"]), jobs))
    for (program, name), result in zip(jobs, results):
        program.setdefault("runs", {})[name] = result
    for program in programs:
        runs = program["runs"]
        program["verdict"], evidence = judge(runner, program, runs)
        if evidence:
            program["evidence"] = evidence
        differing = peers_that_differ(program, runs)
        if differing:
            program["peers-that-differ"] = differing
        expected = program.get("output")
        ours = runs.get(OURS)
        if expected is not None and ours and ours["status"] == "ok":
            program["as-emulated"] = comparing.agree(
                expected, ours["output"], program["ignore"])
        tell(f"{program['group']}/{program['name']}: {program['verdict']}")


# Timing -----------------------------------------------------------------------


def read_timing(path):
    """Returns what timing.c wrote: launches by number, their count (None: the
    program was killed), notes."""
    launches, count, notes = {}, None, []
    with contextlib.suppress(OSError):
        for line in path.read_text(encoding="utf-8").splitlines():
            words = line.split()
            if words[:1] == ["launch"] and len(words) > 10:
                launches[int(words[1])] = {
                    "kernel": words[2], "geometry": words[3:10],
                    "us": [float(word) for word in words[10:]]}
            elif words[:1] == ["launches"]:
                count = int(words[1])
            elif words[:1] == ["note"]:
                notes.append(" ".join(words[1:]))
    return launches, count, notes


def time_variant(runner, program, variant, arguments, launches, repetitions,
                 scratch):
    """Runs one build with the shim. Returns its result and what was timed."""
    path = pathlib.Path(scratch, "times")
    with contextlib.suppress(FileNotFoundError):
        path.unlink()
    words = [f"output={path}", f"repetitions={repetitions}",
             f"seconds={runner.options.time_limit}",
             f"fill={FILLED_CACHES * runner.cache_bytes}"]
    if launches is not None:
        chosen = pathlib.Path(scratch, "launches")
        chosen.write_text("".join(f"{number}\n" for number in launches),
                          encoding="ascii")
        words.append(f"launches={chosen}")
    result = runner.run(program["variants"][variant]["file"], arguments,
                        preload="gpu-check-timing.so",
                        extra={"GPULTO_TIMING": ";".join(words)})
    return result, read_timing(path)


def choose_arguments(runner, program, reference):
    """Returns the arguments that kernels are timed with, what they are called,
    and a run with them."""
    if program["full"] is not None and not runner.emulator:
        run = runner.run(program["variants"][reference]["file"],
                         program["full"], limit=runner.options.time_limit)
        if run["status"] == "ok":
            return program["full"], "full", run
    return program["arguments"], "small", program["runs"][reference]


def time_steadily(runner, program, variant, arguments, wanted, expected,
                  scratch):
    """Times one build. What a repetition changes shows in the output: then
    launches are timed once. Returns (result, timing, why not repeated)."""
    count = runner.options.repetitions
    result, timing = time_variant(runner, program, variant, arguments, wanted,
                                  count, scratch)
    if is_same(program, expected, result):
        return result, timing, None
    result, timing = time_variant(runner, program, variant, arguments, wanted,
                                  1, scratch)
    return result, timing, ("not repeated: the output is another one when "
                            "launches are")


def compare_launches(times, reference):
    """Returns the timed kernels, {kernel of the reference: launches, medians of
    each variant in us, spreads}, of launches that all variants have."""
    kernels = {}
    for number, launch in sorted(times[reference].items()):
        all_of_it = {variant: timed.get(number)
                     for variant, timed in times.items()}
        if not all(one and one["us"] and
                   one["geometry"] == launch["geometry"]
                   for one in all_of_it.values()):
            continue
        kernel = kernels.setdefault(launch["kernel"], {
            "launches": [], "us": dict.fromkeys(times, 0.0),
            "spread": dict.fromkeys(times, 0.0), "names": {}})
        kernel["launches"].append(number)
        for variant, one in all_of_it.items():
            middle = statistics.median(one["us"])
            kernel["us"][variant] = round(kernel["us"][variant] + middle, 3)
            if len(one["us"]) > 3 and middle:
                quartiles = statistics.quantiles(one["us"], n=4)
                kernel["spread"][variant] = max(
                    kernel["spread"][variant],
                    round((quartiles[2] - quartiles[0]) / 2 / middle, 4))
            if one["kernel"] != launch["kernel"]:
                kernel["names"][variant] = one["kernel"]
    return kernels


def time_program(runner, program, clocks, scratch):
    """Returns the entry "timing" of a program. Raises OutOfTime."""
    reference = next((name for name, run in program["runs"].items()
                      if run and run["status"] == "ok"), None)
    if not reference:
        return {"notes": ["no build of it runs"]}
    first_sample = len(clocks.samples)
    arguments, kind, expected = choose_arguments(runner, program, reference)
    result = {"arguments": kind, "reference": reference, "notes": []}
    times, wanted, counts = {}, None, {}
    for variant, run in program["runs"].items():
        if not run or run["status"] != "ok":
            continue
        done, (launches, count, notes), why = time_steadily(
            runner, program, variant, arguments, wanted, expected, scratch)
        result["notes"] += [f"{variant}: {text}" for text in
                            notes + ([why] if why else [])]
        if done["status"] != "ok" or count is None:
            result["notes"].append(f"{variant}: not timed: {done['status']}")
            continue
        if wanted is None:
            wanted, reference = sorted(launches), variant
        elif count != counts[reference]:
            result["notes"].append(
                f"{variant}: not compared: {count} launches, {reference} has "
                f"{counts[reference]}")
            continue
        counts[variant], times[variant] = count, launches
    if times:
        result["reference"] = reference
        result["launches"] = counts[reference]
        result["kernels"] = compare_launches(times, reference)
        result["us"] = {
            variant: round(sum(kernel["us"][variant] for kernel in
                               result["kernels"].values()), 3)
            for variant in times}
    result["clocks"] = clocks.since(first_sample)
    return result


def check_full_size(runner, program):
    """Compares outputs with the arguments that were timed, without the shim."""
    timing = program["timing"]
    suspects = [note for note in timing["notes"]
                if note.startswith(OURS) and "the output is another" in note]
    if timing.get("arguments") != "full" or not suspects:
        return
    reference = timing["reference"]
    runs = [runner.run(program["variants"][name]["file"], program["full"])
            for name in (reference, OURS, reference)]
    if is_same(program, runs[0], runs[2]) and \
            not is_same(program, runs[0], runs[1]):
        program["verdict"] = ("differs" if runs[1]["status"] == "ok"
                              else "failed")
        program["evidence"] = {reference: shown(runs[0]), OURS: shown(runs[1])}


def time_all(runner, programs, clocks):
    runner.enter("timing")
    with tempfile.TemporaryDirectory(prefix="gpu-check-") as scratch:
        for program in programs:
            if program["group"] == "gpu" or program["verdict"] == "not run":
                continue
            try:
                program["timing"] = time_program(runner, program, clocks,
                                                 scratch)
                check_full_size(runner, program)
            except OutOfTime:
                program.setdefault("timing", {"notes": []})["notes"].append(
                    "out of time")
                continue
            tell(f"{program['group']}/{program['name']}: " + ", ".join(
                f"{name} {us:.1f} us" for name, us in
                program["timing"].get("us", {}).items()))


# Counters, sanitizer ----------------------------------------------------------


def find_in(places, name):
    for place in places:
        for path in sorted(glob.glob(str(place)), reverse=True):
            if os.path.exists(os.path.join(path, name)):
                return path
    return None


def count_program(runner, program, variant, cupti):
    """Returns {launches, warp-instructions, sectors} as the hardware has them,
    or {error}."""
    with tempfile.TemporaryDirectory(prefix="gpu-check-") as scratch:
        path = pathlib.Path(scratch, "counts")
        result = runner.run(
            program["variants"][variant]["file"], program["arguments"],
            preload="gpu-check-counters.so", libraries=cupti,
            extra={"GPULTO_COUNTERS": str(path)})
        found = {"launches": 0, "warp-instructions": 0, "sectors": 0}
        with contextlib.suppress(OSError):
            for line in path.read_text(encoding="utf-8").splitlines():
                words = line.split(maxsplit=1)
                if words[0] == "error":
                    return {"error": words[1]}
                launches, instructions, sectors = words[1].split()
                found["launches"] += int(launches)
                found["warp-instructions"] += int(float(instructions))
                found["sectors"] += int(float(sectors))
        if not found["launches"]:
            return {"error": f"nothing counted: {result['status']}"}
        return found


def count_all(runner, programs, manifest):
    """Returns what became of the comparison with CUPTI's counters."""
    if runner.emulator:
        return "not compared: emulated"
    if "counters" not in manifest["shims"]:
        return ("not compared: the folder was made without the headers of CUPTI")
    with tempfile.TemporaryDirectory(prefix="gpu-check-") as unpacked:
        for path in (FOLDER / "lib").glob("*.xz"):
            pathlib.Path(unpacked, path.stem).write_bytes(
                lzma.decompress(path.read_bytes()))
        cupti = find_in([unpacked, *filter(None, os.environ.get(
            "LD_LIBRARY_PATH", "").split(":")), *CUPTI_PLACES],
            "libcupti.so.13")
        if not cupti:
            return "not compared: no CUPTI"
        return count_with(runner, programs, cupti)


def count_with(runner, programs, cupti):
    runner.enter("counters")
    failures = 0
    for program in programs:
        if program["group"] == "gpu" or program["verdict"] == "not run":
            continue
        for variant, entry in program["variants"].items():
            if not (program["runs"].get(variant) or {}).get("status") == "ok":
                continue
            try:
                counted = count_program(runner, program, variant, cupti)
            except OutOfTime:
                return "compared until the time was out"
            entry["hardware"] = counted
            # Whoever may not ask for one may not ask for the next.
            failures = failures + 1 if "error" in counted else 0
            if failures == 3:
                return f"not compared: {counted['error']}"
    return "compared"


def sanitize_all(runner, programs):
    """Runs compute-sanitizer over ours; returns what became of that."""
    if runner.emulator:
        return "not run: emulated"
    place = find_in([FOLDER / "sanitizer", *os.get_exec_path(),
                     *SANITIZER_PLACES], "compute-sanitizer")
    if not place:
        return "not run: no compute-sanitizer"
    tool = os.path.join(place, "compute-sanitizer")
    runner.enter("sanitizer")
    for program in programs:
        if OURS not in program["variants"] or program["group"] == "real":
            continue
        try:
            result = runner.run(
                program["variants"][OURS]["file"], program["arguments"],
                before=[tool, "--tool", "memcheck", "--error-exitcode",
                        str(SANITIZER_ERRORS)])
        except OutOfTime:
            return "run until the time was out"
        program["sanitizer"] = ("errors" if result["status"] ==
                                f"exit {SANITIZER_ERRORS}" else
                                result["status"])
        if result["status"] != "ok":
            program["sanitizer-output"] = result["output"][-SHOWN:]
    return "run"


# All of it --------------------------------------------------------------------


def tell(text):
    print(text, flush=True)


def choose_programs(manifest, options):
    """Returns the programs to run, in the order of their groups."""
    names = set(filter(None, options.only.split(",")))
    chosen, missing = [], set(names)
    for program in manifest["programs"]:
        own = {program["name"], f"{program['group']}/{program['name']}"}
        if names and not names & own:
            continue
        missing -= own
        chosen.append(program)
        if program.get("large") and not options.emulator:
            chosen.append(dict(program, name=program["name"] + " (large)",
                               arguments=program["large"], output=None))
    if missing or not chosen:
        raise Stop("no program " + (", ".join(sorted(missing)) or "to run"))
    order = ["gpu", "ipa", "examples", "icf"]
    return sorted(chosen, key=lambda program: order.index(program["group"])
                  if program["group"] in order else len(order))


def strip_runs(programs):
    """Leaves of outputs only those that show something."""
    for program in programs:
        program["runs"] = {
            name: {"status": run["status"], "seconds": round(run["seconds"], 3)}
            if run else {"status": "not run: out of time"}
            for name, run in program["runs"].items()}
        program.pop("output", None)


def check(options):
    manifest = read_manifest()
    check_libraries(manifest)
    machine = host()
    if options.emulator:
        if not os.access(options.emulator, os.X_OK):
            raise Stop(f"{options.emulator}: no program")
        machine["gpu"] = "emulator"
    else:
        machine.update(Device().describe())
        check_device(machine, manifest)
    programs = choose_programs(manifest, options)
    options.output.mkdir(parents=True, exist_ok=True)
    runner, clocks = Runner(options, machine), Clocks()
    tell(f"{machine['gpu']}: {len(programs)} programs, at most "
         f"{options.seconds:.0f} s")
    check_outputs(runner, programs)
    time_all(runner, programs, clocks)
    counters = count_all(runner, programs, manifest)
    sanitizer = sanitize_all(runner, programs)
    clocks.end()
    strip_runs(programs)
    report = {"suite": "gpu", "format": FORMAT, "machine": machine,
              "folder": {key: manifest[key] for key in
                         ("arch", "versions", "built-on")},
              "clocks": clocks.since(0), "repetitions": options.repetitions,
              "seconds": round(time.monotonic() - runner.begin, 1),
              "counters": counters, "sanitizer": sanitizer,
              "programs": programs}
    report["summary"] = reporting.summarize(programs)
    table = reporting.table(report)
    (options.output / "gpu.json").write_text(
        json.dumps(report, indent=1) + "\n", encoding="utf-8")
    (options.output / "gpu.md").write_text(table, encoding="utf-8")
    print("\n" + table)
    print(f"written: {options.output / 'gpu.json'}, "
          f"{options.output / 'gpu.md'}")
    return 1 if report["summary"]["wrong"] else 0


def main():
    parser = argparse.ArgumentParser(
        prog="gpu-check", description=__doc__,
        formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--output", type=pathlib.Path, metavar="OUT",
                        default=pathlib.Path("gpu-check-results"),
                        help="directory for the results")
    parser.add_argument("--emulator", type=pathlib.Path, default=None,
                        metavar="GPULTO-RUN",
                        help="run on the emulator: nothing is learned of time")
    parser.add_argument("--only", default="",
                        help="programs, comma-separated: NAME or GROUP/NAME")
    parser.add_argument("--seconds", type=float, default=520,
                        help="that all of it may take (520)")
    parser.add_argument("--time-limit", type=float, default=3,
                        help="seconds in which a run that is timed must end, "
                             "and that timing takes in it (3)")
    parser.add_argument("--repetitions", type=int, default=20,
                        help="of each launch that is timed (20)")
    options = parser.parse_args()
    if options.repetitions < 1 or options.seconds <= 0:
        parser.error("--repetitions and --seconds must be positive")
    # So that what was begun is ended, and no directory stays.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    try:
        return check(options)
    except (Stop, OSError) as why:
        print(f"gpu-check: error: {why}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
