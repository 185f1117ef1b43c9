#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tests of gpulto-run itself and of what needs more than one file: refusals,
substituted device code, shared libraries, two stubs for one kernel. One
function for each behaviour; run with --only=NAME for a single one. Without
nvcc only those run that build nothing."""
import argparse
import json
import os
import re
import shutil
import subprocess
import sys

import run_test

# Tests that need no compiler.
BUILD_NOTHING = ("test_command_line", "test_exports", "test_driver_exports")

PROGRAM = """
#include <cstdio>
__global__ void answer(int *p) { *p = ANSWER; }
int main() {
  int *p, host = 0;
  cudaMalloc(&p, sizeof(int));
  answer<<<1, 1>>>(p);
  cudaMemcpy(&host, p, sizeof(int), cudaMemcpyDeviceToHost);
  printf("%d %s\\n", host, cudaGetErrorString(cudaGetLastError()));
}
"""

LIBRARY = """
#include <cstdio>
__device__ int state = START;
static __global__ void step(int *p) { *p = ++state; }
extern "C" int NAME() {
  int *p, host = 0;
  cudaMalloc(&p, sizeof(int));
  step<<<1, 1>>>(p);
  cudaMemcpy(&host, p, sizeof(int), cudaMemcpyDeviceToHost);
  return host;
}
"""

USER = """
#include <cstdio>
#include <dlfcn.h>
extern "C" int first();
int main(int, char **argv) {
  int a = first(), b = first();
  for (int round = 0; round < 2; ++round) {
    void *library = dlopen(argv[1], RTLD_NOW);
    auto second = (int (*)())dlsym(library, "second");
    printf("%d %d %d\\n", a, b, second());
    dlclose(library);
  }
}
"""

# Registers one fat binary and two host stubs for its one kernel, as identical
# code folding across launches would.
TWO_STUBS = r"""
#include <cstdio>
#include <cuda_runtime_api.h>
#include <initializer_list>
extern "C" {
extern char image[];
void **__cudaRegisterFatBinary(void *);
void __cudaRegisterFatBinaryEnd(void **);
void __cudaRegisterFunction(void **, const char *, char *, const char *, int,
                            void *, void *, void *, void *, int *);
}
asm(".section .nv_fatbin,\"a\"\n.globl image\nimage:\n.incbin \"IMAGE\"\n"
    ".previous\n");
struct { int magic, version; const void *data; void *extra; }
    wrapper = {0x466243b1, 1, image, nullptr};
static void stubA(int *) {}
static void stubB(int *p) { if (p) printf("%d\n", *p); }
static int launch(const void *stub) {
  int *p, host = 0;
  cudaMalloc((void **)&p, sizeof(int));
  void *args[] = {&p};
  cudaLaunchKernel(stub, dim3{1, 1, 1}, dim3{1, 1, 1}, args, 0, nullptr);
  cudaMemcpy(&host, p, sizeof(int), cudaMemcpyDeviceToHost);
  return host;
}
int main() {
  void **handle = __cudaRegisterFatBinary(&wrapper);
  char name[] = "_Z6answerPi";
  for (const void *stub : {(const void *)stubA, (const void *)stubB})
    __cudaRegisterFunction(handle, (const char *)stub, name, name, -1, nullptr,
                           nullptr, nullptr, nullptr, nullptr);
  __cudaRegisterFatBinaryEnd(handle);
  printf("%d %d\n", launch((const void *)stubA), launch((const void *)stubB));
}
"""

# Registers what REGISTRATIONS says, then uses the stub and the variable.
REGISTERED_TWICE = r"""
#include <cstdio>
#include <cuda_runtime_api.h>
extern "C" {
extern char image[];
void **__cudaRegisterFatBinary(void *);
void __cudaRegisterFatBinaryEnd(void **);
void __cudaUnregisterFatBinary(void **);
void __cudaRegisterFunction(void **, const char *, char *, const char *, int,
                            void *, void *, void *, void *, int *);
void __cudaRegisterVar(void **, char *, char *, const char *, int, size_t, int,
                       int);
}
asm(".section .nv_fatbin,\"a\"\n.globl image\nimage:\n.incbin \"IMAGE\"\n"
    ".previous\n");
struct { int magic, version; const void *data; void *extra; }
    wrapper = {0x466243b1, 1, image, nullptr};
static void stub() {}
static int shadow;
static void kernel(void **handle, char *name) {
  __cudaRegisterFunction(handle, (const char *)stub, name, name, -1, nullptr,
                         nullptr, nullptr, nullptr, nullptr);
}
static void variable(void **handle, const char *name, size_t bytes) {
  __cudaRegisterVar(handle, (char *)&shadow, (char *)name, name, 0, bytes, 0,
                    0);
}
int main() {
  void **a = __cudaRegisterFatBinary(&wrapper);
  void **b = __cudaRegisterFatBinary(&wrapper);
  char one[] = "one", two[] = "two";
  REGISTRATIONS
  (void)b, (void)one, (void)two;
  int value = 0;
  int launched = cudaLaunchKernel((const void *)stub, dim3{1, 1, 1},
                                  dim3{1, 1, 1}, nullptr, 0, nullptr);
  int copied = cudaMemcpyFromSymbol(&value, (const void *)&shadow,
                                    sizeof(int), 0, cudaMemcpyDeviceToHost);
  printf("%d %d %d\n", launched, copied, value);
}
"""
TWO_KERNELS = """
__device__ int x, y = 7;
extern "C" __global__ void one() { x = 1; }
extern "C" __global__ void two() { x = 2; }
"""

# Captures a launch into a graph.
CAPTURING = """
__device__ int state;
static __global__ void step() { ++state; }
extern "C" cudaGraphExec_t capture() {
  cudaStream_t stream;
  cudaGraph_t graph;
  cudaGraphExec_t executable;
  cudaStreamCreate(&stream);
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
  step<<<1, 1, 0, stream>>>();
  cudaStreamEndCapture(stream, &graph);
  cudaGraphInstantiate(&executable, graph, 0);
  return executable;
}
"""
CLOSING = """
#include <cstdio>
#include <cuda_runtime_api.h>
#include <dlfcn.h>
int main(int, char **argv) {
  void *library = dlopen(argv[1], RTLD_NOW);
  auto capture = (cudaGraphExec_t (*)())dlsym(library, "capture");
  cudaGraphExec_t graph = capture();
  printf("%d ", cudaGraphLaunch(graph, nullptr));
  dlclose(library);
  printf("%d ", cudaGraphLaunch(graph, nullptr));
  printf("%d\\n", cudaGraphExecDestroy(graph));
}
"""

# The thread goes on when the library, and with it the runtime, is closed.
UNLOADING = """
#include <dlfcn.h>
#include <stdio.h>
#include <thread>
int main(int, char **argv) {
  std::thread([&] {
    void *library = dlopen(argv[1], RTLD_NOW);
    auto second = (int (*)())dlsym(library, "second");
    printf("%d ", second());
    dlclose(library);
  }).join();
  puts("ended");
}
"""


class Failure(Exception):
    pass


class Tests:
    def __init__(self, options):
        self.options = options
        self.nvcc = os.path.join(options.cuda, "bin", "nvcc")
        os.makedirs(options.work, exist_ok=True)

    def path(self, name):
        return os.path.join(self.options.work, name)

    def write(self, name, text):
        with open(self.path(name), "w") as file:
            file.write(text)
        return self.path(name)

    def build(self, output, source, *flags):
        command = [self.nvcc, "-arch=sm_90", source, "-o", self.path(output),
                   *flags]
        result = subprocess.run(command, capture_output=True, text=True)
        if result.returncode:
            raise Failure(" ".join(command) + "\n" + result.stderr)
        return self.path(output)

    def driver_stub(self):
        """What programs of the driver API are linked with; not every toolkit
        has it."""
        return os.path.join(self.options.cuda, "lib64", "stubs", "libcuda.so")

    def program(self, output, *flags, answer=1):
        source = self.write(output + ".cu", PROGRAM)
        return self.build(output, source, f"-DANSWER={answer}", *flags)

    def run(self, *arguments, environment=None):
        return subprocess.run([self.options.gpulto_run, *arguments],
                              capture_output=True, text=True, timeout=60,
                              env={**os.environ, **(environment or {})})

    def expect(self, result, status, out="", err=""):
        if result.returncode != status or out not in result.stdout or \
                err not in result.stderr:
            raise Failure(f"expected status {status}, '{out}' and '{err}'; got "
                          f"{result.returncode}\n{result.stdout}\n"
                          f"{result.stderr}")

    # Refusals ---------------------------------------------------------------

    def test_static_runtime(self):
        program = self.program("static", "-cudart", "static")
        self.expect(self.run("--emulate", program), 126,
                    err="static CUDA runtime")

    def test_static_runtime_beside_the_driver(self):
        # Not by its device code alone, which a program may load itself.
        source = self.write("beside.cpp", "#include <cuda_runtime.h>\n"
                            "#include <cuda.h>\nint main() { int *p; "
                            "return cuInit(0) + cudaMalloc(&p, 4); }")
        self.expect(self.run("--emulate", self.build(
            "beside", source, "-cudart", "static", "-lcuda",
            "-L" + run_test.driver_directory(self.options))), 126, "",
            "static CUDA runtime")

    def test_static_runtime_in_a_library(self):
        # gpulto-run does not see that; the driver is asked for its tables.
        self.build("libhidden.so", self.write("hidden.cu", LIBRARY.replace(
            "START", "1").replace("NAME", "first")), "-shared",
            "-Xcompiler=-fPIC", "-cudart", "static")
        source = self.write("opening.cpp", "#include <dlfcn.h>\n"
                            "int main(int, char **argv) { void *l = "
                            "dlopen(argv[1], RTLD_NOW); return ((int (*)())"
                            "dlsym(l, \"first\"))(); }")
        self.expect(self.run("--emulate", self.build(
            "opening", source, "-cudart", "none", "-ldl"),
            self.path("libhidden.so")), 0, "", "-cudart shared (nvcc)")

    def test_code_without_a_runtime(self):
        # A program of the driver API may carry code that it loads itself.
        source = self.write("carrying.cu", "#include <cuda.h>\n#include <cstdio>\n"
                            "__global__ void k() {}\n"
                            "int main() { printf(\"%d\\n\", cuInit(0)); }")
        self.expect(self.run("--emulate", self.build(
            "carrying", source, "-cudart", "shared", "-lcuda",
            "-L" + run_test.driver_directory(self.options))), 0, "0")

    def test_both_runtimes(self):
        # Also when stripped of the static one's names.
        program = self.program("both", "-cudart", "none", "-lcudart_static",
                               "-lrt", "-lpthread", "-ldl", "-Xlinker",
                               "--no-as-needed", "-lcudart", "-Xlinker", "-s")
        self.expect(self.run("--emulate", program), 126,
                    err="CMAKE_CUDA_RUNTIME_LIBRARY=Shared")

    def test_cubin_only(self):
        source = self.write("cubin.cu", PROGRAM)
        program = self.path("cubin")
        subprocess.run([self.nvcc, source, "-o", program, "-DANSWER=1",
                        "-cudart", "shared", "-gencode",
                        "arch=compute_90,code=sm_90"], check=True)
        result = self.run("--emulate", program)
        self.expect(result, 0, err="no PTX")
        self.expect(result, 0, "0 no kernel image", "--device-code")

    def test_command_line(self):
        self.expect(self.run("--frobnicate", "/bin/true"), 125,
                    err="unknown option")
        self.expect(self.run("--arch=old", "/bin/true"), 125,
                    err="not a number")
        self.expect(self.run("--counters", "/bin/true"), 125,
                    err="needs a value")
        self.expect(self.run("--accesses", "/bin/true"), 125,
                    err="--accesses needs --counters")
        self.expect(self.run("--pageable-sync", "/bin/true"), 125,
                    err="--pageable-sync needs --deferred")
        self.expect(self.run(), 125, err="no program")
        self.expect(self.run("/does/not/exist"), 127, err="No such file")
        self.expect(self.run("--help"), 0, "--device-code=FILE.ptx")
        self.expect(self.run("--emulate", "--", "/bin/echo", "--arch=1"), 0,
                    "--arch=1")

    def test_older_device(self):
        program = self.program("new", "-cudart", "shared")
        self.expect(self.run("--arch=80", program), 0, "0 no kernel image",
                    "pass --arch=90")

    # Images -----------------------------------------------------------------

    def test_newest_image(self):
        source = self.write("multi.cu", """
#ifdef __CUDA_ARCH__
#define ANSWER (__CUDA_ARCH__ / 10)
#else
#define ANSWER 0
#endif
""" + PROGRAM)
        program = self.path("multi")
        command = [self.nvcc, source, "-o", program, "-cudart", "shared"]
        for arch in ("75", "86", "90a"):
            command += ["-gencode", f"arch=compute_{arch},code=compute_{arch}"]
        subprocess.run(command, check=True)
        for device, image in ((75, 75), (80, 75), (89, 86), (90, 90),
                              (100, 86)):
            self.expect(self.run(f"--arch={device}", program), 0,
                        f"{image} no error")

    def test_targets_of_families(self):
        source = self.write("family.cu", """
#include <cstdio>
#include <cuda_runtime.h>
__global__ void answer(int *p) {
#ifdef __CUDA_ARCH__
  *p = __CUDA_ARCH__ / 10;
#ifdef __CUDA_ARCH_FAMILY_SPECIFIC__
  *p += 1000;
#endif
#ifdef __CUDA_ARCH_SPECIFIC__
  *p += 1000;
#endif
#endif
}
int main() {
  int *p, v = 0;
  cudaMalloc(&p, 4);
  answer<<<1, 1>>>(p);
  cudaError_t error = cudaGetLastError();
  cudaMemcpy(&v, p, 4, cudaMemcpyDeviceToHost);
  printf("%d %s", v, cudaGetErrorString(error));
  cudaDeviceProp d;
  cudaGetDeviceProperties(&d, 0);
  printf(" %d.%d %d\\n", d.major, d.minor, d.maxThreadsPerMultiProcessor);
}
""")
        program = self.path("family")
        command = [self.nvcc, source, "-o", program, "-cudart", "shared"]
        for arch in ("90", "100f", "110a", "120f", "121a"):
            command += ["-gencode", f"arch=compute_{arch},code=compute_{arch}"]
        subprocess.run(command, check=True)
        for device, text in ((90, "90 no error 9.0 2048"),
                             (100, "1100 no error 10.0 2048"),
                             (103, "1100 no error 10.3 2048"),
                             (110, "2110 no error 11.0 1536"),
                             (120, "1120 no error 12.0 1536"),
                             (121, "2121 no error 12.1 1536")):
            self.expect(self.run(f"--arch={device}", program), 0, text)
        only = self.path("exact")
        subprocess.run([self.nvcc, source, "-o", only, "-cudart", "shared",
                        "-gencode", "arch=compute_100a,code=compute_100a"],
                       check=True)
        self.expect(self.run("--arch=103", only), 0, "0 no kernel image",
                    "PTX is for sm_100a, which an emulated sm_103")

    def test_compression(self):
        for mode in ("size", "speed", "balance", "none"):
            program = self.program("mode-" + mode, "-cudart", "shared",
                                   f"--compress-mode={mode}")
            self.expect(self.run("--emulate", program), 0, "1 no error")

    def test_device_code(self):
        program = self.program("replaced", "-cudart", "shared", answer=1)
        source = self.path("replaced.cu")
        ptx = self.build("two;%25.ptx", source, "-DANSWER=2", "-ptx")
        self.expect(self.run("--emulate", program), 0, "1 no error")
        self.expect(self.run("--device-code=" + ptx, program), 0, "2 no error")
        self.expect(self.run("--device-code=/none", program), 0,
                    "0 file not found", "cannot open /none")

    # Registration -----------------------------------------------------------

    def test_shared_libraries(self):
        for name, start in (("first", 10), ("second", 20)):
            source = self.write(name + ".cu", LIBRARY)
            self.build(f"lib{name}.so", source, "-shared", "-Xcompiler=-fPIC",
                       f"-DNAME={name}", f"-DSTART={start}", "-cudart",
                       "shared")
        user = self.build("user", self.write("user.cpp", USER), "-cudart",
                          "shared", "-L" + self.options.work, "-lfirst",
                          "-Xlinker", "-rpath=" + self.options.work, "-ldl")
        self.expect(self.run("--emulate", user, self.path("libsecond.so")), 0,
                    "11 12 21\n11 12 21\n")

    def test_unloaded_runtime(self):
        library = self.build("libalone.so", self.write("alone.cu", LIBRARY),
                             "-shared", "-Xcompiler=-fPIC", "-DNAME=second",
                             "-DSTART=20", "-cudart", "shared")
        program = self.build("unloading",
                             self.write("unloading.cpp", UNLOADING),
                             "-cudart", "none", "-ldl")
        self.expect(self.run("--emulate", program, library), 0, "21 ended")

    def test_two_stubs(self):
        source = self.write("answer.cu", PROGRAM)
        image = self.build("answer.fatbin", source, "-DANSWER=3", "-fatbin")
        program = self.build(
            "stubs", self.write("stubs.cpp", TWO_STUBS.replace("IMAGE", image)),
            "-cudart", "shared")
        self.expect(self.run("--emulate", program), 0, "3 3")
        self.expect(self.run("--refuse-double-stub", program), 1,
                    err="two host stubs")

    def registered_twice(self, name, registrations):
        image = self.build("twice.fatbin", self.write("twice.cu", TWO_KERNELS),
                           "-fatbin")
        text = REGISTERED_TWICE.replace("IMAGE", image).replace(
            "REGISTRATIONS", registrations)
        return self.run("--emulate", self.build(
            name, self.write(name + ".cpp", text), "-cudart", "shared"))

    def test_registered_twice_alike(self):
        """The first registration counts as long as it is there."""
        both = ("kernel(a, one); kernel(b, one);"
                "variable(a, \"x\", 4); variable(b, \"x\", 4);")
        for name, more in (("alike", ""),
                           ("gone", "__cudaUnregisterFatBinary(a);")):
            result = self.registered_twice(name, both + more)
            self.expect(result, 0, "0 0 1\n")
            if result.stderr:
                raise Failure("a message: " + result.stderr)

    def test_registered_twice_differently(self):
        self.expect(self.registered_twice(
            "kernels", "kernel(a, one); kernel(b, two);"
            "variable(a, \"y\", 4);"), 0, "98 0 7\n",
            "one host stub is registered for the kernels one and two")
        self.expect(self.registered_twice(
            "variables", "kernel(a, one); variable(a, \"x\", 4);"
            "variable(a, \"y\", 4);"), 0, "0 13 0\n",
            "device variables x (4 bytes) and y (4 bytes)")
        self.expect(self.registered_twice(
            "sizes", "kernel(a, one); variable(a, \"x\", 4);"
            "variable(b, \"x\", 8);"), 0, "0 13 0\n",
            "device variables x (4 bytes) and x (8 bytes)")

    def test_closed_library_in_a_graph(self):
        self.build("libcapturing.so", self.write("capturing.cu", CAPTURING),
                   "-shared", "-Xcompiler=-fPIC", "-cudart", "shared")
        closing = self.build("closing", self.write("closing.cpp", CLOSING),
                             "-cudart", "shared", "-ldl")
        self.expect(self.run("--emulate", closing,
                             self.path("libcapturing.so")), 0, "0 98 0\n")

    def test_exports(self):
        """Every name of the toolkit's library, under the same version."""
        if not shutil.which("nm"):
            return
        libraries = os.path.join(self.options.cuda, "lib64")
        theirs = os.path.realpath(os.path.join(libraries, "libcudart.so"))
        runtime = ".".join(os.path.basename(theirs).split(".")[:3])
        ours = os.path.join(os.path.dirname(self.options.gpulto_run), "..",
                            "lib", "gpulto-emulator", runtime)
        def names(library):
            text = subprocess.run(["nm", "-D", "--defined-only",
                                   "--with-symbol-versions", library],
                                  check=True, capture_output=True, text=True)
            return {line.split()[-1] for line in text.stdout.splitlines()}
        # Ours has those of later releases, too.
        if len(names(theirs)) < 400 or not names(theirs) <= names(ours):
            raise Failure(f"names are missing: "
                          f"{sorted(names(theirs) - names(ours))}")

    def test_driver_exports(self):
        """Every name that cuda.h has, and every one of the stub library, and
        the releases that cudaTypedefs.h has for them."""
        def read(*path):
            with open(os.path.join(*path)) as file:
                return file.read()
        include = os.path.join(self.options.cuda, "include")
        header = read(include, "cuda.h")
        table = [line.split() for line in read(
            os.path.dirname(os.path.abspath(__file__)), "..", "..", "runtime",
            "symbols-driver.txt").splitlines()]
        known = {(re.sub(r"(_v\d)?(_ptsz|_ptds)?$", "", name), version,
                  re.sub(r".*(_ptsz|_ptds)$", r"\1", name)[-5:]
                  if re.search("_pt[sd][sz]$", name) else "")
                 for name, version in table}
        typed = {(name, version, form or "") for name, version, form in
                 re.findall(r"PFN_(cu\w+?)_v(\d+)(_ptsz|_ptds)?\)",
                            read(include, "cudaTypedefs.h"))}
        if len(typed) < 500 or not typed <= known:
            raise Failure(f"other releases: {sorted(typed - known)}")
        wanted = set(re.findall(r"^CUresult\s+CUDAAPI\s+(cu[A-Z]\w*)\(", header,
                                re.M))
        wanted |= set(re.findall(
            r"^ *CUresult CUDAAPI (cu[A-Z]\w*)\(", header, re.M))
        for form, name in re.findall(
                r"^ *#define\s+cu[A-Z]\w*\s+(?:__CUDA_API_(PT[DS][SZ])\()?"
                r"(cu[A-Z]\w*)", header, re.M):
            wanted.add(name)
            if form:
                wanted.add(f"{name}_{form.lower()}")
        nm = shutil.which("nm")
        libraries = [self.driver_stub(),
                     os.path.join(os.path.dirname(self.options.gpulto_run),
                                  "..", "lib", "gpulto-emulator",
                                  "libcuda.so.1")]
        if not nm:
            return
        theirs, ours = (
            {line.split()[-1] for line in subprocess.run(
                [nm, "-D", "--defined-only", library], check=True,
                capture_output=True, text=True).stdout.splitlines()
             if " cu" in line} if os.path.exists(library) else set()
            for library in libraries)
        wanted |= theirs
        # Forms that are there with a per-thread default stream alone.
        wanted -= {"cuGetProcAddress_v2_ptsz"}
        if len(wanted) < 500 or not wanted <= ours:
            raise Failure(f"names are missing: {sorted(wanted - ours)}")

    # Options ----------------------------------------------------------------

    def test_instruction_limit(self):
        source = self.write("endless.cu", """
#include <cstdio>
__global__ void endless(volatile int *p) { while (*p == 0); }
int main() {
  int *p;
  cudaMalloc(&p, sizeof(int));
  endless<<<4, 64>>>(p);
  puts(cudaGetErrorName(cudaDeviceSynchronize()));
}
""")
        program = self.build("endless", source, "-cudart", "shared")
        said = [self.run("--max-instructions=100000", program)
                for _ in range(2)]
        self.expect(said[0], 0, "cudaErrorLaunchTimeout",
                    "ran 100000 warp instructions")
        if said[0].stderr != said[1].stderr:
            raise Failure("stopped at two places:\n" + said[0].stderr +
                          said[1].stderr)

    def test_schedule_seed(self):
        source = self.write("order.cu", """
#include <cstdio>
__device__ int turn;
__global__ void order(int *p) {
  if (threadIdx.x == 0)
    p[blockIdx.x] = atomicAdd(&turn, 1);
}
int main() {
  int *p, host[64];
  cudaMalloc(&p, sizeof(host));
  order<<<64, 32>>>(p);
  cudaMemcpy(host, p, sizeof(host), cudaMemcpyDeviceToHost);
  for (int turn : host)
    printf("%d ", turn);
}
""")
        program = self.build("order", source, "-cudart", "shared")
        orders = [self.run("--threads=1", f"--schedule-seed={seed}",
                           program).stdout for seed in (0, 1, 1, 2)]
        if orders[0] != " ".join(map(str, range(64))) + " " or \
                orders[1] != orders[2] or len(set(orders)) != 3 or \
                sorted(orders[1].split()) != sorted(orders[0].split()):
            raise Failure("orders by seed 0, 1, 1, 2: " + "\n".join(orders))

    def test_environment(self):
        program = self.program("environment", "-cudart", "shared")
        self.expect(
            self.run(program, environment={"GPULTO_EMULATOR": "verbose;x=1"}),
            0, "1 no error", "GPULTO_EMULATOR: unknown setting 'x'")
        self.expect(
            self.run(program, environment={"GPULTO_EMU_DEVICES": "none"}),
            0, "1 no error", "GPULTO_EMU_DEVICES: devices: 'none' is not a")

    def test_counters_of_two_devices(self):
        source = self.write("two.cu", """
__global__ void count() {}
int main() {
  for (int device = 0; device < 2; ++device) {
    cudaSetDevice(device);
    count<<<1, 1>>>();
  }
}
""")
        program = self.build("two", source, "-cudart", "shared")
        counters = self.path("two.json")
        self.expect(self.run("--devices=2", "--counters=" + counters, program),
                    0)
        with open(counters) as file:
            launches = json.load(file)["launches"]
        devices = [launch.get("device", 0) for launch in launches]
        if devices != [0, 1]:
            raise Failure(f"launches are of devices {devices}")

    def test_number_of_devices(self):
        source = self.write("number.cu", """
#include <stdio.h>
int main() {
  int count = 0;
  cudaGetDeviceCount(&count);
  printf("%d devices", count);
}
""")
        program = self.build("number", source, "-cudart", "shared")
        environment = {"GPULTO_EMU_DEVICES": "3"}
        self.expect(self.run(program, environment=environment), 0, "3 devices")
        self.expect(
            self.run("--devices=2", program, environment=environment), 0,
            "2 devices")

    def test_counters(self):
        program = self.program("counted", "-cudart", "shared")
        texts = []
        for name in ("a.json", "b.json"):
            self.expect(self.run("--counters=" + self.path(name), program), 0)
            with open(self.path(name)) as file:
                texts.append(file.read())
        json.loads(texts[0])
        if texts[0] != texts[1] or "answer" not in texts[0]:
            raise Failure("counters differ or lack the kernel:\n" + texts[0])

    def test_transfers(self):
        """A program that tells nothing of its host code has a log, too."""
        source = self.write("copies.cu", """
int main() {
  static int numbers[64], *p;
  cudaMalloc(&p, sizeof numbers);
  for (int i = 0; i < 3; ++i)
    cudaMemcpy(p, numbers, sizeof numbers, cudaMemcpyHostToDevice);
}
""")
        program = self.build("copies", source, "-cudart", "shared")
        path = self.path("transfers.json")
        self.expect(self.run("--transfers=" + path, program), 0)
        with open(path) as file:
            log = json.load(file)
        copies = [row for row in log["copies"] if row["call"] == "cudaMemcpy"]
        redundant = sum(row["redundant"] for row in copies)
        if log["host_traced"] or redundant != 512:
            raise Failure(f"not as expected: {log}")
        self.expect(self.run("--transfers=/nowhere/t.json", program), 0,
                    err="cannot write the log of transfers to /nowhere/t.json")

    def test_accesses(self):
        """Rows have the lines of nvcc's -lineinfo."""
        source = self.write("rows.cu", """
__device__ int take(const int *p, int i) {
  return p[i];
}
__global__ void rows(int *p) {
  p[threadIdx.x + 64] = take(p, p[threadIdx.x]);
}
int main() {
  int *p;
  cudaMalloc(&p, 1024);
  rows<<<1, 32>>>(p);
}
""")
        program = self.build("rows", source, "-cudart", "shared", "-lineinfo")
        counters = self.path("rows.json")
        self.expect(self.run("--accesses", "--counters=" + counters, program),
                    0)
        with open(counters) as file:
            rows = json.load(file)["accesses"]
        found = sorted((row["source"].split(":")[1], row["kind"],
                        row["full"]["tainted"]) for row in rows)
        if found != [("3", "load", 1), ("6", "load", 0), ("6", "store", 0)]:
            raise Failure(f"rows are {rows}")

    def test_counters_of_spinning_kernels(self):
        """Bit by bit the same although blocks wait for each other."""
        source = self.write("chain.cu", """
#include <cstdio>
__global__ void chain(volatile int *p) {
  if (threadIdx.x == 0) {
    while (blockIdx.x && p[blockIdx.x - 1] == 0);
    p[blockIdx.x] = 1 + (blockIdx.x ? p[blockIdx.x - 1] : 0);
  }
}
int main() {
  int *p, host[4000];
  cudaMalloc(&p, sizeof(host));
  chain<<<4000, 64>>>(p);
  cudaMemcpy(host, p, sizeof(host), cudaMemcpyDeviceToHost);
  printf("%d %s\\n", host[3999], cudaGetErrorString(cudaGetLastError()));
}
""")
        program = self.build("chain", source, "-cudart", "shared")
        # Workers that wait for each other's blocks.
        self.expect(self.run("--threads=4", program), 0, "4000 no error")
        texts = set()
        for name in ("c.json", "d.json", "e.json"):
            self.expect(self.run("--counters=" + self.path(name), program), 0,
                        "4000 no error")
            with open(self.path(name)) as file:
                texts.add(file.read())
        if len(texts) != 1:
            raise Failure("counters differ from run to run")

    def test_rpath(self):
        program = self.program("rpath", "-cudart", "shared", "-Xlinker",
                               "--disable-new-dtags", "-Xlinker",
                               f"-rpath={self.options.cuda}/lib64")
        self.expect(self.run("--emulate", program), 0, "1 no error")

    def test_rpath_of_the_driver(self):
        os.makedirs(self.path("driver"), exist_ok=True)
        if not os.path.exists(self.driver_stub()):
            return
        shutil.copy(self.driver_stub(),
                    self.path(os.path.join("driver", "libcuda.so.1")))
        source = self.write("driver-rpath.cpp", "#include <cuda.h>\n"
                            "#include <cstdio>\n"
                            "int main() { printf(\"%d\\n\", cuInit(0)); }")
        program = self.build("driver-rpath", source, "-cudart", "none",
                             "-lcuda", "-Xlinker", "--disable-new-dtags",
                             "-Xlinker", f"-rpath={self.path('driver')}")
        self.expect(self.run("--emulate", program), 0, "0\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--gpulto-run", required=True)
    parser.add_argument("--cuda", required=True)
    parser.add_argument("--work", required=True)
    parser.add_argument("--only")
    options = parser.parse_args()
    other = os.environ.get("GPULTO_TEST_CUDA")
    if other:  # scripts/test-toolkit
        options.cuda = other
        options.work += "-" + os.path.basename(other)
    tests = Tests(options)
    names = sorted(n for n in dir(tests) if n.startswith("test_"))
    if not shutil.which(tests.nvcc):
        print(f"no {tests.nvcc}: only what builds nothing is tested")
        names = [n for n in names if n in BUILD_NOTHING]
    failures = 0
    for name in names:
        if options.only and name != "test_" + options.only:
            continue
        try:
            getattr(tests, name)()
            print(f"ok    {name}")
        except (Failure, subprocess.CalledProcessError) as failure:
            failures += 1
            print(f"FAIL  {name}: {failure}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
