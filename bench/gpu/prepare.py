# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes the folder that scripts/gpu-check takes to a machine with a GPU.

    scripts/gpu-check --prepare DIR --build build/release
    scripts/gpu-check --prepare DIR --build build/release --real HeCBench

Programs: those of bench/ipa, bench/icf, examples, bench/gpu (features that only a
GPU proves), and, with --real, those of HeCBench that bench/gpu/real.toml names. Each
is built by clang's device LTO, `nvcc -dlto` and gpulto, with a cubin and the PTX of
the whole link, compressed, and with the shared runtime, which the folder has once. Each runs on
the emulator, in an empty directory: what it prints, and warp instructions and
sectors of its kernels, go into DIR/manifest.json, with digests of all files.

The shim that times kernels (timing.c) is built as well, and the one that asks CUPTI
(counters.cpp) where the toolkit has its headers. --carry-cupti DIR takes CUPTI along,
--carry-sanitizer DIR compute-sanitizer, if they are to be used where no toolkit is.

What does not compile, run or print the same is listed, in the manifest, too, and the
exit status is 1; the folder is written all the same. No folder is written if it would
be larger than --size MB.
"""

import argparse
import concurrent.futures
import hashlib
import json
import lzma
import os
import pathlib
import re
import shlex
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import tomllib

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(HERE.parent))
import building  # noqa: E402
import comparing  # noqa: E402
import hecbench  # noqa: E402
import ipa  # noqa: E402
import measuring  # noqa: E402

FORMAT = 1
# The first that ran is what the outputs of the others are compared with.
VARIANTS = ["clang-foffload-lto", "nvcc-dlto", "gpulto"]
GROUPS = {"ipa": HERE.parent / "ipa", "icf": HERE.parent / "icf",
          "gpu": HERE}
MEGABYTE = 1000 * 1000
# What the emulator says with --refuse-double-stub.
TWO_STUBS = "two host stubs"
COMPRESSION = 3 # more takes minutes, and saves a tenth
CUPTI_LIBRARIES = ["libcupti.so.13", "libnvperf_host.so", "libnvperf_target.so"]
SHOWN = 2000  # characters of what a failed command printed


class Stop(Exception):
    """What makes a folder impossible."""


# What is built --------------------------------------------------------------


def read_real(checkout, names):
    """Returns (program, arguments for a GPU) of HeCBench's programs."""
    with open(HERE / "real.toml", "rb") as file:
        chosen = tomllib.load(file)
    with open(HERE.parent / "hecbench.toml", "rb") as file:
        smaller = dict(tomllib.load(file)["arguments"], **chosen["arguments"])
    result = []
    for name in chosen["names"]:
        if names and name not in names:
            continue
        try:
            table = hecbench.describe(checkout, name, smaller.get(name))
            full = hecbench.describe(checkout, name, None)["run"]
        except hecbench.Discarded as why:
            raise Stop(f"{checkout}: {name}: {why}") from why
        if name in chosen["ignore"]:
            table["ignore"] += "|" + chosen["ignore"][name]
        result.append((building.Program(checkout, table), table,
                       full[1:] if full != table["run"] else None))
    return result


def read_own(directory, names):
    with open(directory / "programs.toml", "rb") as file:
        tables = tomllib.load(file)["program"]
    return [(building.Program(directory, table), table, table.get("full"))
            for table in tables if not names or table["name"] in names]


def read_tasks(options):
    """Returns a list of {group, program, table, full}."""
    names = set(filter(None, options.only.split(",")))
    found = [(group, *entry) for group, directory in GROUPS.items()
             for entry in read_own(directory, names)]
    if options.programs:
        found = [("own", *entry)
                 for entry in read_own(options.programs.resolve(), names)]
    elif options.real:
        found += [("real", *entry)
                  for entry in read_real(options.real.resolve(), names)]
    missing = names - {program.name for _, program, _, _ in found}
    if missing:
        raise Stop(f"--only: no program {', '.join(sorted(missing))}")
    return [{"group": table.get("group", group), "program": program,
             "table": table, "full": full}
            for group, program, table, full in found]


# Building and emulating -----------------------------------------------------


def counts_of(path):
    """Returns what the emulator counted: sums over all launches, and kernels."""
    if not path.exists():
        return {"launches": 0, "warp-instructions": 0, "sectors": 0,
                "kernels": {}}
    launches = json.loads(path.read_text(encoding="utf-8"))["launches"]
    kernels = {}
    for launch in launches:
        kernel = kernels.setdefault(launch["kernel"], {
            "launches": 0, "warp-instructions": 0, "sectors": 0})
        kernel["launches"] += 1
        kernel["warp-instructions"] += launch["warp_instructions"]
        kernel["sectors"] += launch["global_sectors"]
    return {key: sum(kernel[key] for kernel in kernels.values())
            for key in ("launches", "warp-instructions", "sectors")} | {
                "kernels": kernels}


def emulate(binary, arguments, options, extra=()):
    """Runs a program of the folder in an empty directory, with `extra` options of
    gpulto-run; returns what it printed, and the counts."""
    with tempfile.TemporaryDirectory(prefix="gpulto-check-") as scratch:
        counters = pathlib.Path(scratch, "counters.json")
        empty = pathlib.Path(scratch, "empty")
        empty.mkdir()
        output = ipa.run(
            [options.values["bin"] + "/gpulto-run", "--emulate",
             f"--counters={counters}", *extra, "--", binary, *arguments], empty,
            dict(os.environ, LD_LIBRARY_PATH=str(options.cuda_libraries)),
            options.limit)
        return (comparing.without_path(output, str(binary)),
                counts_of(counters))


def check_images(build, options):
    """Sees to it that the program has one cubin and one PTX for the GPU."""
    text = subprocess.run(
        [options.values["gpulto"], "images", build.output], text=True,
        capture_output=True, check=True).stdout
    kinds = re.findall(r"^(cubin|ptx) (?:sm|compute)_(\d+)", text, re.M)
    wanted = [(kind, options.arch) for kind in ("cubin", "ptx")]
    if sorted(set(kinds)) != wanted:
        raise measuring.Failure(
            f"{build.output}: device code is {sorted(set(kinds))}, expected "
            f"{wanted}")


def build_variant(task, variant, options):
    """Builds one variant, puts it into the folder and runs it on the emulator.
    Returns its entry of the manifest, and what it printed. Raises
    measuring.Failure."""
    program = task["program"]
    build = building.Build(program, variant, options.work / task["group"],
                           options.values, 1)
    build.compile()
    build.link()
    check_images(build, options)
    name = f"programs/{task['group']}/{program.name}/{variant['name']}"
    target = options.folder / name
    target.parent.mkdir(parents=True, exist_ok=True)
    subprocess.run(["strip", "-s", "-o", target, build.output], check=True)
    if not options.keep:
        shutil.rmtree(build.work)
    output, counts = emulate(target, (program.run or ["x"])[1:], options)
    check_versions(task, variant["name"], counts)
    if variant["name"] in task["table"].get("two-stubs", []):
        check_two_stubs(target, options)
    return {"file": name, "emulator": counts}, output


def check_versions(task, variant, counts):
    """A program on launches that are guarded is worth nothing if a version of
    one of its kernels never runs."""
    kernels = counts["kernels"]
    for pattern in task["table"].get("launches", {}).get(variant, []):
        if not any(re.fullmatch(pattern, kernel) for kernel in kernels):
            raise measuring.Failure(
                f"{task['program'].name}: {variant}: launches no kernel "
                f"{pattern}, but {', '.join(sorted(kernels))}")


def check_two_stubs(binary, options):
    """Raises measuring.Failure unless two stubs are registered for one kernel."""
    try:
        emulate(binary, [], options, ["--refuse-double-stub"])
    except measuring.Failure as failure:
        if TWO_STUBS in str(failure):
            return
        raise
    raise measuring.Failure(f"{binary}: no two stubs are registered for one "
                            "kernel")


def prepare_program(task, variants, options):
    """Returns the entry of a program in the manifest."""
    program, table = task["program"], task["table"]
    entry = {"name": program.name, "group": task["group"],
             "arguments": (program.run or ["x"])[1:], "full": task["full"],
             "ignore": program.ignore, "variants": {}, "errors": {}}
    if "large" in table:
        entry["large"] = table["large"]
    for variant in variants:
        name = variant["name"]
        if name not in table.get("variants", VARIANTS):
            continue
        try:
            entry["variants"][name], output = build_variant(task, variant,
                                                            options)
        except (measuring.Failure, subprocess.CalledProcessError) as failure:
            entry["errors"][name] = str(failure)[-SHOWN:]
            continue
        if "output" not in entry:
            entry["output"] = output
        elif not comparing.agree(entry["output"], output, program.ignore):
            first = next(iter(entry["variants"]))
            entry["errors"][name] = (f"prints on the emulator something else "
                                     f"than {first}\n{output}")[:SHOWN]
    return entry


# The folder -----------------------------------------------------------------


def build_shims(options):
    """Returns the shims that were built."""
    include = f"{options.cuda}/include"
    commands = {"timing": ["cc", "-std=gnu11", HERE / "timing.c"]}
    if os.path.exists(include + "/cupti_range_profiler.h"):
        commands["counters"] = ["c++", "-std=gnu++17", "-fno-exceptions",
                                HERE / "counters.cpp"]
    for name, command in commands.items():
        target = options.folder / "lib" / f"gpu-check-{name}.so"
        ipa.run([*command, "-O2", "-fPIC", "-shared", "-isystem", include,
                 "-ldl", "-lpthread", "-o", target], options.work, None)
        subprocess.run(["strip", "-s", target], check=True)
    return list(commands)


def find_library(directories, name):
    for directory in directories:
        path = pathlib.Path(directory, name)
        if path.exists():
            return path
    raise Stop(f"{directories[0]}: no {name}")


def carry(options):
    """Copies what runs programs there: the runtime, the runner, and what was
    asked for."""
    libraries = options.folder / "lib"
    libraries.mkdir(parents=True)
    runtime = "libcudart.so.13"
    places = [f"{options.cuda}/lib64", f"{options.cuda}/lib"]
    shutil.copy(find_library(places, runtime).resolve(), libraries / runtime)
    for name in CUPTI_LIBRARIES if options.carry_cupti else []:
        with lzma.open(libraries / (name + ".xz"), "wb",
                       preset=COMPRESSION) as packed:
            packed.write(find_library([options.carry_cupti],
                                      name).read_bytes())
    shutil.copy(HERE / "runner.py", options.folder / "gpu-check")
    shutil.copy(HERE / "report.py", libraries)
    shutil.copy(HERE.parent / "comparing.py", libraries)
    if options.carry_sanitizer:
        if not (options.carry_sanitizer / "compute-sanitizer").is_file():
            raise Stop(f"{options.carry_sanitizer}: no compute-sanitizer")
        shutil.copytree(options.carry_sanitizer, options.folder / "sanitizer")


def digest_all(folder):
    return {str(path.relative_to(folder)):
            hashlib.sha256(path.read_bytes()).hexdigest()
            for path in sorted(folder.rglob("*"))
            if path.is_file() and path.name != "manifest.json"}


def needed_versions(folder):
    """Returns the newest versions of the C and C++ libraries that a file of the
    folder asks for, {"GLIBC": "2.34"}."""
    result = {}
    files = [path for path in sorted(folder.rglob("*")) if path.is_file()]
    for path in files:
        with open(path, "rb") as file:
            if file.read(4) != b"\x7fELF":
                continue
        text = subprocess.run(["readelf", "-VW", path], text=True,
                              capture_output=True, check=True).stdout
        for name, version in re.findall(r"Name: (GLIBC|GLIBCXX)_([\d.]+)",
                                        text):
            result[name] = max(result.get(name, version), version,
                               key=lambda v: [int(x) for x in v.split(".")])
    return result


def check_size(folder, limit):
    sizes = sorted(((path.stat().st_size, str(path.relative_to(folder)))
                    for path in folder.rglob("*") if path.is_file()),
                   reverse=True)
    total = sum(size for size, _ in sizes)
    if total > limit * MEGABYTE:
        largest = ", ".join(f"{name} {size / MEGABYTE:.1f}"
                            for size, name in sizes[:5])
        raise Stop(f"the folder would have {total / MEGABYTE:.1f} MB, more "
                   f"than {limit:g}; the largest: {largest}")
    return total


def fill(options):
    """Writes everything into options.folder; returns the manifest."""
    toolkit = options.work / "toolkit"
    ipa.run([sys.executable, ROOT / "emulator/test/ptx-toolkit",
             "--compress-mode=size", toolkit,
             options.peer_cuda or options.cuda], options.work, None)
    options.peer_cuda = str(toolkit)
    options.values = building.make_values(options)
    options.cuda_libraries = options.folder / "lib"
    variants = building.read_variants("gpu", options.variants.split(",")
                                      if options.variants else VARIANTS)
    variants.sort(key=lambda variant: VARIANTS.index(variant["name"]))
    for variant in variants:
        if variant["name"] == "gpulto":
            variant["link"] = [*variant["link"], "--gpulto-compress=size"]
    tasks = read_tasks(options)
    carry(options)
    manifest = {"format": FORMAT, "arch": int(options.arch),
                "versions": measuring.versions(options.values),
                "built-on": measuring.machine(),
                "shims": build_shims(options), "programs": []}
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for entry in pool.map(
                lambda task: prepare_program(task, variants, options), tasks):
            manifest["programs"].append(entry)
            print(f"{entry['group']}/{entry['name']}: " +
                  ", ".join([*entry["variants"],
                             *(f"{name} FAILED" for name in entry["errors"])]),
                  flush=True)
    manifest["needs"] = needed_versions(options.folder)
    manifest["files"] = digest_all(options.folder)
    (options.folder / "manifest.json").write_text(
        json.dumps(manifest, indent=1) + "\n", encoding="utf-8")
    return manifest


def put_in_place(made, target):
    """Renames the finished folder to where it is wanted."""
    if target.exists():
        shutil.rmtree(target)
    made.rename(target)
    runner = target / "gpu-check"
    runner.chmod(runner.stat().st_mode | stat.S_IXUSR | stat.S_IXGRP |
                 stat.S_IXOTH)


def check_target(target):
    if target.exists() and not (target / "manifest.json").is_file() and not (
            target.is_dir() and not any(target.iterdir())):
        raise Stop(f"{target}: exists, and is no folder of gpu-check")


def prepare(options):
    target = options.prepare.resolve()
    check_target(target)
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="gpulto-check-") as work, \
            tempfile.TemporaryDirectory(prefix=".gpu-check-",
                                        dir=target.parent) as beside:
        options.keep = options.work is not None
        options.work = (options.work or pathlib.Path(work)).resolve()
        options.work.mkdir(parents=True, exist_ok=True)
        options.folder = pathlib.Path(beside) / "folder"
        options.folder.mkdir()
        manifest = fill(options)
        total = check_size(options.folder, options.size)
        put_in_place(options.folder, target)
    failed = [(f"{entry['group']}/{entry['name']}: {name}", text)
              for entry in manifest["programs"]
              for name, text in entry["errors"].items()]
    for what, text in failed:
        print(f"gpu-check: {what}: {text}", file=sys.stderr)
    print(f"{target}: {len(manifest['programs'])} programs, "
          f"{total / MEGABYTE:.1f} MB, {len(failed)} failures; there: "
          f"{shlex.quote(target.name)}/gpu-check")
    return 1 if failed else 0


def main():
    parser = argparse.ArgumentParser(
        prog="gpu-check", description=__doc__,
        formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--prepare", type=pathlib.Path, required=True,
                        metavar="DIR", help="the folder to make")
    building.add_arguments(parser, None)
    parser.add_argument("--real", type=pathlib.Path, default=None,
                        metavar="CHECKOUT", help="a checkout of HeCBench")
    parser.add_argument("--programs", type=pathlib.Path, default=None,
                        metavar="DIR", help="a directory with a programs.toml, "
                        "instead of all that")
    parser.add_argument("--limit", type=float, default=120,
                        help="seconds that a program may run for on the "
                             "emulator")
    parser.add_argument("--size", type=float, default=60,
                        help="MB that the folder may have")
    parser.add_argument("--carry-cupti", type=pathlib.Path, default=None,
                        metavar="DIR", help="the directory that libcupti and "
                        "libnvperf are in, of a toolkit")
    parser.add_argument("--carry-sanitizer", type=pathlib.Path, default=None,
                        metavar="DIR", help="the directory that "
                        "compute-sanitizer is in, with its libraries")
    options = parser.parse_args()
    if options.output:
        parser.error("--output is for the folder that is made: DIR/gpu-check")
    # So that directories do not stay.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    try:
        return prepare(options)
    except (Stop, OSError, measuring.Failure,
            subprocess.CalledProcessError) as failure:
        print(f"gpu-check: error: {failure}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
