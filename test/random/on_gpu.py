#!/usr/bin/env python3
"""Runs random programs on a GPU, and compares with what they print on the emulator.

  on_gpu.py prepare {cuda,copies} SEEDS DIR    here: builds, and runs on the emulator
  on_gpu.py run DIR                            there, with nothing but DIR and a GPU

SEEDS is as in run.py. Of each program DIR has the plain build, whose device code the
driver compiles, and the links that run.py would compare, but for shared libraries. Those
that ask for two devices, or for other architectures than sm_90, are left out, and so are
those that run.py would discard. `run` prints what differs, and ends with status 1 if a link
prints something else than the plain build does there; where that one, too, prints something
else than the emulator, the emulator or the program is at fault.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import argparse
import collections
import concurrent.futures
import functools
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
SECONDS = 120
ARCHITECTURE = 90
PLAIN = "plain"


# Here -----------------------------------------------------------------------


def build(folder, chosen, target):
    """Builds a program as run.py does; what runs on a GPU, and what it must print,
    go into `target`. Raises run.Discarded and programs.Failure."""
    import run  # noqa: PLC0415
    expected = run.reference(folder)
    tools = folder.tools
    # Another name, since PTX files lie beside the one for the emulator.
    folder.make(tools.driver(True) + folder.program.plainFlags + ["-O2"]
                + folder.program.plain + ["-o", "whole"] + tools.libraries(True),
                SECONDS)
    folder.compile()
    builds = {PLAIN: "whole"}
    for number, configuration in enumerate(chosen):
        folder.link(configuration, f"lto{number}")
        builds[configuration.name] = f"lto{number}"
    target.mkdir(parents=True)
    for name in builds.values():
        subprocess.run(["strip", "-s", "-o", target / name, folder.path / name],
                       check=True)
    (target / "expected.json").write_text(json.dumps(
        {"output": expected.output, "builds": builds}))


def prepare_one(options, tools, seed):
    """Returns what to say of a seed, or nothing."""
    import run  # noqa: PLC0415
    from programs import Failure, Folder, seededRandom
    program = run.generator(options)(seed)
    if program.environment or program.architectures != [ARCHITECTURE]:
        return "not for this GPU"
    rng = seededRandom(options.kind, seed)
    chosen = [each for each in run.choose(options.kind, rng, program, tools)
              if each.form != "shared"]
    with tempfile.TemporaryDirectory(prefix="gpulto-random-") as path:
        try:
            build(Folder(path, program, tools), chosen,
                  options.directory / f"{options.kind}-{seed}")
        except (run.Discarded, Failure) as reason:
            return str(reason)[-300:]
    return None


def prepare(options):
    import run  # noqa: PLC0415
    from programs import Tools
    tools = Tools(options.build.resolve(), options.llvm, options.cuda)
    tools.linkers(True)
    tools.knows("")
    options.directory.mkdir(parents=True, exist_ok=True)
    runtime = "libcudart.so.13"
    shutil.copy((options.cuda / "lib64" / runtime).resolve(), options.directory / runtime)
    shutil.copy(__file__, options.directory)
    seeds = run.parseSeeds(options.seeds)
    with concurrent.futures.ProcessPoolExecutor(options.jobs) as pool:
        work = functools.partial(prepare_one, options, tools)
        for seed, said in zip(seeds, pool.map(work, seeds)):
            if said:
                print(f"{options.kind}-{seed}: {said}", flush=True)
    return 0


# There ----------------------------------------------------------------------


def outcome(path, options):
    """What a build prints, or how it ended."""
    command = [options.emulator.resolve(), "--emulate", path] if options.emulator else [path]
    libraries = str(options.directory.resolve())
    try:
        done = subprocess.run(command, cwd=path.parent, text=True, errors="replace",
                              timeout=SECONDS, capture_output=True, check=False,
                              env=dict(os.environ, LD_LIBRARY_PATH=libraries))
    except subprocess.TimeoutExpired:
        return f"took more than {SECONDS} s"
    return done.stdout if done.returncode == 0 else (
        f"{done.stdout}status {done.returncode}\n{done.stderr}")


def run_one(options, program):
    """Returns (verdict by build, the outputs that differ by build)."""
    told = json.loads((program / "expected.json").read_text())
    printed = {name: outcome(program.resolve() / file, options)
               for name, file in told["builds"].items()}
    verdicts = {}
    for name, text in printed.items():
        verdicts[name] = ("as emulated" if text == told["output"] else
                          "as plain" if text == printed[PLAIN] and name != PLAIN else
                          "differs")
    return verdicts, {name: text for name, text in printed.items()
                      if verdicts[name] != "as emulated"}


def run_all(options):
    programs = sorted(path.parent for path in options.directory.glob("*/expected.json"))
    counts, wrong = collections.Counter(), 0
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        work = functools.partial(run_one, options)
        for program, (verdicts, others) in zip(programs, pool.map(work, programs)):
            for name, verdict in verdicts.items():
                kind = "plain" if name == PLAIN else "linked"
                counts[f"{kind}: {verdict}"] += 1
                wrong += kind == "linked" and verdict == "differs"
                if verdict != "as emulated":
                    print(f"{program.name}: {name}: {verdict}", flush=True)
            if others and options.output:
                target = options.output / f"{program.name}.json"
                target.write_text(json.dumps(others, indent=1))
    for what, count in sorted(counts.items()):
        print(f"{count:6} {what}")
    print(f"{len(programs)} programs")
    return 1 if wrong or not programs else 0


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    verbs = parser.add_subparsers(dest="verb", required=True)
    there = verbs.add_parser("run")
    there.add_argument("directory", type=Path)
    there.add_argument("--output", type=Path, help="directory for what differs")
    there.add_argument("--emulator", type=Path, metavar="GPULTO-RUN",
                       help="run on the emulator")
    here = verbs.add_parser("prepare")
    here.add_argument("kind", choices=["cuda", "copies"])
    here.add_argument("seeds")
    here.add_argument("directory", type=Path)
    here.add_argument("--build", type=Path, default=HERE.parents[1] / "build/release")
    here.add_argument("--llvm", type=Path, default=Path("/usr/lib/llvm-22"))
    here.add_argument("--cuda", type=Path, default=Path("/usr/local/cuda"))
    here.set_defaults(without=[])
    for each in (here, there):
        each.add_argument("--jobs", type=int, default=os.cpu_count())
    options = parser.parse_args()
    return prepare(options) if options.verb == "prepare" else run_all(options)


if __name__ == "__main__":
    sys.exit(main())
