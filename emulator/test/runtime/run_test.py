#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Builds a CUDA program with an unmodified compiler, runs it by gpulto-run, or on this
machine's GPU, and compares what it says with the directives in its source:

  // EXPECT: text            next line of standard output, exactly
  // EXPECT-ERR: regex       some line of standard error matches
  // REFUSE-ERR: regex       no line of standard error matches
  // EXPECT-STATUS: n        exit status (0)
  // RUN-OPTIONS: ...        options of gpulto-run
  // ONLY: nvcc clang ...    build variants this program is for
  // ARCH: sm_NN             what it is compiled for (sm_90)
  // TOOLKIT: N           the release of CUDA it is for; skipped with others
  // SOURCES: b.cu ...       further translation units, beside this one
  // BUILD: ...              further compiler options
  // LABEL: slow             the label in ctest (fast)

Exit status 77 says that a tool is missing."""
import argparse
import difflib
import os
import re
import shutil
import subprocess
import sys

SKIP = 77
VARIANTS = ("nvcc", "nvcc-rdc", "clang", "clang-rdc")


def directives(path):
    found = {}
    with open(path) as file:
        for line in file:
            match = re.match(r"\s*// ([A-Z][A-Z-]*): ?(.*)$", line)
            if match:
                found.setdefault(match[1], []).append(match[2])
    return found


def words(found, name):
    return [w for line in found.get(name, []) for w in line.split()]


def use_other_toolkit(options):
    """Takes the toolkit of scripts/test-toolkit for the configured one."""
    other = os.environ.get("GPULTO_TEST_CUDA")
    if other:
        options.cuda = other
        options.work += "-" + os.path.basename(other)


def cuda_release(options):
    """The release of the toolkit, without its minor number."""
    with open(os.path.join(options.cuda, "include", "cuda.h")) as file:
        for line in file:
            match = re.match(r"#define CUDA_VERSION (\d+)\d{3}$", line)
            if match:
                return match[1]
    return None


def toolkit_for_clang(options):
    """Makes the symlink toolkit in which stock clang works, once."""
    directory = os.path.join(options.work, "ptx-toolkit")
    if not os.path.exists(os.path.join(directory, "shim")):
        tool = os.path.join(os.path.dirname(__file__), "..", "ptx-toolkit")
        scratch = f"{directory}.{os.getpid()}"
        subprocess.run([tool, scratch, options.cuda], check=True)
        try:
            os.rename(scratch, directory)
        except OSError:  # another test was faster
            shutil.rmtree(scratch)
    return directory


def driver_directory(options):
    """Returns where -lcuda finds the driver to link with: the toolkit's stub or,
    as NVIDIA's wheels have none, the emulator's."""
    stubs = os.path.join(options.cuda, "lib64", "stubs")
    if not options.gpulto_run or os.path.exists(
            os.path.join(stubs, "libcuda.so")):
        return stubs
    directory = os.path.join(options.work, "driver")
    ours = os.path.join(os.path.dirname(options.gpulto_run), "..", "lib",
                        "gpulto-emulator", "libcuda.so.1")
    os.makedirs(directory, exist_ok=True)
    script = os.path.join(directory, "libcuda.so")
    with open(f"{script}.{os.getpid()}", "w", encoding="ascii") as file:
        file.write(f"INPUT({os.path.realpath(ours)})\n")
    os.rename(file.name, script)  # another test may be as far
    return directory


def compile_command(options, found, sources, output):
    library = os.path.join(options.cuda, "lib64")
    extra = words(found, "BUILD")
    rdc = options.variant.endswith("-rdc")
    arch = found.get("ARCH", ["sm_90"])[0]
    if options.variant.startswith("nvcc"):
        nvcc = os.path.join(options.cuda, "bin", "nvcc")
        virtual = arch.replace("sm", "compute")
        # nvcc 13.0 takes -arch=sm_100a for sm_100 as well.
        target = (["-arch=sm_90"] if arch == "sm_90" else
                  ["-gencode", f"arch={virtual},code={virtual}"])
        return ([nvcc] + target + ["-O2", "-cudart", "shared"] +
                (["-rdc=true"] if rdc else []) + extra + sources +
                ["-o", output, "-L" + driver_directory(options)])
    toolkit = toolkit_for_clang(options)
    command = [options.clang, f"--cuda-path={toolkit}", "-isystem",
               f"{toolkit}/shim", "-isystem",
               f"{toolkit}/include/cccl", "-isystem", f"{toolkit}/include",
               "-Wno-unknown-cuda-version",
               f"--offload-arch={arch}", "-O2"]
    if rdc:
        command += ["-fgpu-rdc", "--offload-new-driver",
                    f"-Wl,--cuda-path={toolkit}", "-Xoffload-linker",
                    f"-L{library}", "-Xoffload-linker", "-lcudadevrt"]
    else:
        command.append("--cuda-include-ptx=all")
    return command + extra + sources + ["-o", output, f"-L{library}",
                                        "-L" + driver_directory(options),
                                        "-lcudart"]


def check(found, result, options):
    if options.on_gpu:  # what standard error says is the emulator's
        found = {name: said for name, said in found.items()
                 if name not in ("EXPECT-ERR", "REFUSE-ERR")}
    problems = []
    expected = found.get("EXPECT", [])
    got = result.stdout.splitlines()
    if got != expected:
        problems += difflib.unified_diff(expected, got, "expected", "got", n=0,
                                         lineterm="")
    for pattern in found.get("EXPECT-ERR", []):
        if not any(re.search(pattern, l) for l in result.stderr.splitlines()):
            problems.append(f"standard error has no line like '{pattern}'")
    for pattern in found.get("REFUSE-ERR", []):
        if any(re.search(pattern, l) for l in result.stderr.splitlines()):
            problems.append(f"standard error has a line like '{pattern}'")
    status = int(found.get("EXPECT-STATUS", ["0"])[0])
    if result.returncode != status:
        problems.append(f"exit status {result.returncode}, expected {status}")
    return problems


def run(found, binary, options):
    """Runs what was built."""
    command = [binary] if options.on_gpu else [
        options.gpulto_run, "--emulate", *words(found, "RUN-OPTIONS"), binary]
    environment = dict(os.environ)
    if options.on_gpu:
        environment["LD_LIBRARY_PATH"] = ":".join(filter(None, [
            os.path.join(options.cuda, "lib64"), environment.get("LD_LIBRARY_PATH")]))
    return subprocess.run(command, capture_output=True, text=True, timeout=120,
                          env=environment)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    runner = parser.add_mutually_exclusive_group(required=True)
    runner.add_argument("--gpulto-run")
    runner.add_argument("--on-gpu", action="store_true", help="run without an "
                        "emulator; what the directives say of one does not count")
    parser.add_argument("--cuda", required=True)
    parser.add_argument("--clang", default="clang++-22")
    parser.add_argument("--work", required=True, help="scratch directory")
    parser.add_argument("--variant", choices=VARIANTS, required=True)
    parser.add_argument("source")
    options = parser.parse_args()
    use_other_toolkit(options)

    found = directives(options.source)
    compiler = (os.path.join(options.cuda, "bin", "nvcc")
                if options.variant.startswith("nvcc") else options.clang)
    if not shutil.which(compiler):
        print(f"skipped: no {compiler}")
        return SKIP
    only = found.get("TOOLKIT")
    if only and cuda_release(options) != only[0]:
        print(f"skipped: for CUDA {only[0]}")
        return SKIP
    os.makedirs(options.work, exist_ok=True)
    name = os.path.splitext(os.path.basename(options.source))[0]
    output = os.path.join(options.work, f"{name}.{options.variant}")
    here = os.path.dirname(os.path.abspath(options.source))
    sources = [options.source] + [os.path.join(here, s)
                                  for s in words(found, "SOURCES")]
    command = compile_command(options, found, sources, output)
    built = subprocess.run(command, capture_output=True, text=True)
    if built.returncode:
        print(" ".join(command), built.stdout, built.stderr, sep="\n")
        return 1
    result = run(found, output, options)
    problems = check(found, result, options)
    for problem in problems:
        print(problem)
    if problems:
        print("--- standard output", result.stdout, "--- standard error",
              result.stderr, sep="\n")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
