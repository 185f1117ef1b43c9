"""lit's configuration. Commands run under bash with pipefail.

Substitutions
  %gpulto %gpulto-clang %gpulto-clang++ %gpulto-nvcc %ld.lld %gpulto-run
                       our programs
  %lgen               the pass plugin of the compile-time stage
  %plugin             the linker plugin for bfd and gold
  %clang %clang++     stock clang 22, without any option
  %llvm               the directory of LLVM 22
  %cuda_path          the CUDA toolkit, %ptxas and %nvcc its programs
  %faults             the shim and the script of fault injection: --shim, --driver
  %compare            builds a program plain and with LTO, and compares: see
                      features/Inputs/compare.py
  %matrix             links small programs in many ways and compares: see
                      doors/Inputs/matrix.py
  %inputs             test/inputs
  %light              options for gpulto-clang++ that put a small cuda_runtime.h,
                      test/inputs/light, in the place of all of CUDA's headers:
                      for tests that are not about them (0.2 s a file, not 1.8).
                      With -include light_device.h mathematical functions and
                      those of lanes, from clang's headers (0.5 s)
  %light-nvcc         the same for gpulto-nvcc
  %plan               what whole-program analysis decides of the sources given:
                      compiles them, links up to the end of WPA, prints remarks
                      and leaves the jobs for `gpulto dump`: see inputs/plan.sh
  %objects            compiles sources, each set of them once for all tests: see
                      inputs/objects.sh
  %same               builds sources plain, runs that and other programs on the
                      emulator, and compares what they print: see inputs/same.sh
  %cudart             options that link CUDA's runtime, where programs find it
  %python %source %build
FileCheck, not, split-file, yaml2obj and LLVM's other tools are on PATH.
Features
  cuda ptxas nvcc     a toolkit was found, with ptxas, with nvcc
  cuda-12 cuda-13     the toolkit's release
  cupti               the toolkit has the headers of CUPTI
  gold bfd mold lld   linkers; lld is our own ld.lld
  meson autotools     build systems (the latter with libtool)
  setuptools          %python has it, and headers for modules in C
  openmp              LLVM's OpenMP is installed
  pkg-config bear bazel distcc icecc sccache ninja make parallel slurm
                      tools of these names; scripts/setup installs them
  clangd              clangd 22 is installed
  clang-19            an older clang is installed
  csmith              the generator of random C programs is installed
  emulator            gpulto-run is built
  gpu                 an NVIDIA GPU answers
  memory-cgroup       control groups that limit memory may be made
  mount               file systems may be mounted
  sanitizer tsan      our programs are built with one, with ThreadSanitizer
  x86                 this machine runs x86-64 code
  release             a Release build, as benchmarks want
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import glob
import importlib.util
import os
import platform
import re
import shutil
import subprocess
import sys
import sysconfig

import lit.formats

config.name = "gpulto"
config.test_format = lit.formats.ShTest(execute_external=True)
config.suffixes = [".test", ".ll", ".cu", ".cpp", ".c", ".s", ".yaml"]
config.excludes = ["unit", "fuzz", "faults", "inputs", "Inputs", "CMakeLists.txt"]
config.test_source_root = config.gpulto_source + "/test"
config.test_exec_root = config.gpulto_build + "/test/lit"
# Another toolkit than the configured one (scripts/test-toolkit) gets
# directories of its own.
ptx_toolkit = config.gpulto_build + "/test/ptx-toolkit"
no_ptxas = config.gpulto_build + "/test/no-ptxas"
objects = config.gpulto_build + "/test/objects"
other_toolkit = os.environ.get("GPULTO_TEST_CUDA")
if other_toolkit:
    config.cuda_path = other_toolkit
    config.test_exec_root += "-" + os.path.basename(other_toolkit)
    ptx_toolkit += "-" + os.path.basename(other_toolkit)
    no_ptxas += "-" + os.path.basename(other_toolkit)
    objects += "-" + os.path.basename(other_toolkit)

llvm_bin = config.llvm_root + "/bin"
path = [config.gpulto_bin, llvm_bin, os.environ.get("PATH", "")]
config.environment["PATH"] = os.pathsep.join(path)
# Results must not depend on the caller's locale, and no job server of a
# `make check` around us may be taken for a test's own.
config.environment["LC_ALL"] = "C"
for name in ("MAKEFLAGS", "MFLAGS", "MAKELEVEL", "CUDA_PATH"):
    config.environment.pop(name, None)
if other_toolkit:
    config.environment["CUDA_PATH"] = other_toolkit
for name in ("ASAN_OPTIONS", "UBSAN_OPTIONS", "TSAN_OPTIONS", "HOME",
             "TMPDIR", "TERM"):
    if name in os.environ:
        config.environment[name] = os.environ[name]


def program(name, found):
    """Adds %name; a test that needs a program not built yet says so."""
    ending = r"(?![\w+.-])"
    config.substitutions.append(("%" + re.escape(name) + ending, found))


build = config.gpulto_build
ours = {
    "gpulto-clang++": config.gpulto_bin + "/gpulto-clang++",
    "gpulto-nvcc": config.gpulto_bin + "/gpulto-nvcc",
    "gpulto-clang": config.gpulto_bin + "/gpulto-clang",
    "gpulto-run": config.gpulto_bin + "/gpulto-run",
    "gpulto": config.gpulto_bin + "/gpulto",
    "ld.lld": build + "/libexec/gpulto/ld.lld",
    "lgen": build + "/lib/gpulto/gpulto-lgen.so",
    "split-jobs": build + "/test/bin/gpulto-split-jobs",
    "plugin": build + "/lib/gpulto/gpulto-plugin.so",
    "device-link": build + "/test/bin/gpulto-device-link",
}
for name, found in ours.items():
    program(name, found)
light = (f"-nocudainc -I {config.test_source_root}/inputs/light "
         f"-I {config.cuda_path}/include -include cuda_runtime.h")
program("light-nvcc", "-Xcompiler " + light)
program("light", light)
program("plan", f"bash {config.test_source_root}/inputs/plan.sh "
        f"{config.gpulto_bin} {llvm_bin} "
        f"{config.cuda_path} '{light}' {objects}")
program("objects", f"bash {config.test_source_root}/inputs/objects.sh "
        f"{config.gpulto_bin} {config.cuda_path} '{light}' {objects}")
program("same", f"bash {config.test_source_root}/inputs/same.sh "
        f"{config.gpulto_bin} {config.cuda_path} '{light}' {no_ptxas}")
program("cudart", f"-L{config.cuda_path}/lib64 -lcudart "
        f"-Wl,-rpath,{config.cuda_path}/lib64")
program("faults", f"{sys.executable} {config.test_source_root}/faults/walk.py "
        f"--shim {build}/test/bin/gpulto-fault-shim.so "
        f"--driver {ours['gpulto-clang++']}")
program("compare", f"{sys.executable} "
        f"{config.test_source_root}/features/Inputs/compare.py "
        f"--bin={config.gpulto_bin} --clang={llvm_bin} "
        f"--cuda-path={config.cuda_path} --toolkit={ptx_toolkit}")
program("matrix", f"{sys.executable} "
        f"{config.test_source_root}/doors/Inputs/matrix.py "
        f"--bin={config.gpulto_bin} --clang={llvm_bin} --lld={llvm_bin}/ld.lld "
        f"--cuda-path={config.cuda_path}")
program("clang++", llvm_bin + "/clang++")
program("clang", llvm_bin + "/clang")
program("llvm", config.llvm_root)
program("ptxas", config.cuda_path + "/bin/ptxas")
program("nvcc", config.cuda_path + "/bin/nvcc")
program("cuda_path", config.cuda_path)
program("inputs", config.test_source_root + "/inputs")
program("python", sys.executable)
program("source", config.gpulto_source)
program("build", build)
program("cxx", config.cxx)
program("version", config.version)


def gpu_answers():
    tool = shutil.which("nvidia-smi")
    if not tool:
        return False
    try:
        done = subprocess.run([tool, "-L"], capture_output=True, timeout=30,
                              check=False)
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0 and b"GPU 0" in done.stdout


def has_setuptools():
    header = sysconfig.get_paths()["include"] + "/Python.h"
    return (importlib.util.find_spec("setuptools") is not None and
            os.path.exists(header))


def is_release():
    with open(build + "/CMakeCache.txt", encoding="utf-8") as cache:
        return "CMAKE_BUILD_TYPE:STRING=Release\n" in cache.read()


def can_mount():
    """A tmpfs of our own, in a mount name space that ends with the test."""
    done = subprocess.run(["unshare", "-m", "mount", "-t", "tmpfs", "none",
                           "/mnt"], capture_output=True, check=False)
    return done.returncode == 0


def can_limit_memory():
    """Control groups that limit memory may be made, of version 1 or 2."""
    for base in "/sys/fs/cgroup/memory", "/sys/fs/cgroup":
        group = f"{base}/gpulto-test-{os.getpid()}"
        try:
            os.mkdir(group)
        except OSError:
            continue
        found = any(os.path.exists(f"{group}/{name}")
                    for name in ("memory.limit_in_bytes", "memory.max"))
        os.rmdir(group)
        return found
    return False


def cuda_major():
    """The number before the point of the toolkit's release, as text."""
    try:
        with open(config.cuda_path + "/include/cuda.h", errors="replace") as file:
            found = re.search(r"#define CUDA_VERSION (\d+)\d{3}", file.read())
    except OSError:
        return ""
    return found.group(1) if found else ""


program("cuda_major", cuda_major())


def has_nvlink():
    """The toolkit has an nvlink, and of its own release: with another the link
    does without and warns. Wheels of CUDA 12 have none."""
    releases = []
    for name in "ptxas", "nvlink":
        tool = f"{config.cuda_path}/bin/{name}"
        if not os.path.exists(tool):
            return False
        said = subprocess.run([tool, "--version"], capture_output=True,
                              text=True, check=False).stdout
        releases.append(re.findall(r"release ([\d.]+)", said))
    return releases[0] == releases[1]


features = {
    "cuda-" + cuda_major(): cuda_major(),
    "cuda": os.path.exists(config.cuda_path + "/include/cuda_runtime.h"),
    "ptxas": os.path.exists(config.cuda_path + "/bin/ptxas"),
    "nvlink": has_nvlink(),
    "nvcc": os.path.exists(config.cuda_path + "/bin/nvcc"),
    "cupti": os.path.exists(config.cuda_path +
                            "/include/cupti_range_profiler.h"),
    "gold": shutil.which("ld.gold"),
    "bfd": shutil.which("ld.bfd"),
    "mold": shutil.which("ld.mold"),
    "lld": os.path.exists(ours["ld.lld"]),
    "gdb": shutil.which("gdb"),
    "csmith": shutil.which("csmith") and os.path.isdir("/usr/include/csmith"),
    "openmp": glob.glob(config.llvm_root + "/lib/clang/*/include/omp.h"),
    "clang-19": shutil.which("clang++-19"),
    "meson": shutil.which("meson"),
    "autotools": shutil.which("autoreconf") and shutil.which("libtoolize"),
    **{name: shutil.which(name)
       for name in ("pkg-config", "bear", "bazel", "distcc", "icecc", "sccache",
                    "ninja", "make", "parallel")},
    "clangd": shutil.which("clangd-22"),
    "setuptools": has_setuptools(),
    "slurm": all(shutil.which(name, path="/usr/sbin:" + os.environ["PATH"])
                 for name in ("munged", "slurmctld", "slurmd", "srun")),
    "emulator": os.path.exists(ours["gpulto-run"]),
    "gpu": gpu_answers(),
    "memory-cgroup": can_limit_memory(),
    "mount": shutil.which("unshare") and can_mount(),
    "sanitizer": config.sanitizer,
    "tsan": "thread" in config.sanitizer,
    "x86": platform.machine() == "x86_64",
    "release": is_release(),
}
for name, present in features.items():
    if present:
        config.available_features.add(name)
