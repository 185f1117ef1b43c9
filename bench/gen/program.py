#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Generates programs of host and device code of any size, to measure with.

    bench/gen/program.py DIRECTORY --files 160 --functions 8000 --kernels 480

The program prints a checksum of all that it computed. Its text is a function of
the options alone, on every machine. DIRECTORY also gets a programs.toml for
bench/run.py. For summaries without a program see SummaryGenerator.h.

What is in it: functions with loops, switches, tables, structs by value and by
reference; templates and classes with virtual functions that many files
instantiate; static functions; variables that other files change; bounded
recursion; device helpers across files; __constant__ and __device__ variables;
kernels with shared memory and atomics, launched with constants, with computed
sizes and by way of functions in other files.
"""

import argparse
import dataclasses
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
from device_code import FORMS as DEVICE_FORMS  # noqa: E402
from device_code import DeviceWriter  # noqa: E402
from graph import Graph  # noqa: E402
from host_code import FORMS as HOST_FORMS  # noqa: E402
from host_code import HostWriter  # noqa: E402


@dataclasses.dataclass
class Shape:
    """The size and shape of a program."""
    files: int = 40
    functions: int = 2000  # of the host; classes and templates not counted
    kernels: int = 120
    helpers: int = -1  # device functions; less than 0: two for each kernel
    kernels_per_file: int = 3  # files without kernels are C++
    depth: int = 10  # layers of the call graphs
    degree: int = 8  # most calls of a function
    statements: int = 4  # most blocks of code of a function
    classes: int = 2  # classes with virtual functions, for each file
    seed: int = 1

    def check(self):
        least = {"files": 1, "functions": 0, "kernels": 0,
                 "kernels_per_file": 1, "depth": 1, "degree": 1,
                 "statements": 0, "classes": 1}
        for name, minimum in least.items():
            if getattr(self, name) < minimum:
                raise SystemExit(f"program.py: --{name.replace('_', '-')}: "
                                 f"at least {minimum}")


MAIN = """#include "{prelude}"
#include <cstdio>
#include <cstdlib>
{declarations}
int main(int argc, char **argv) {{
  u32 h = argc > 1 ? (u32)std::strtoul(argv[1], nullptr, 10) : 1u;
{host}
  std::printf("host %08x\\n", h);
{device}
  return 0;
}}
"""
DEVICE_MAIN = """
static void check(cudaError_t status, const char *what) {
  if (status == cudaSuccess)
    return;
  std::fprintf(stderr, "%s: %s\\n", what, cudaGetErrorString(status));
  std::exit(1);
}
Workspace workspace;
static void makeWorkspace() {
  static u32 in[kElements];
  static float weights[kElements];
  for (u32 i = 0; i < kElements; ++i) {
    in[i] = mix(i, 7);
    weights[i] = small(in[i]);
  }
  check(cudaMalloc(&workspace.in, sizeof in), "cudaMalloc");
  check(cudaMalloc(&workspace.out, sizeof in), "cudaMalloc");
  check(cudaMalloc(&workspace.weights, sizeof weights), "cudaMalloc");
  check(cudaMemcpy(workspace.in, in, sizeof in, cudaMemcpyHostToDevice),
        "copy");
  check(cudaMemcpy(workspace.weights, weights, sizeof weights,
                   cudaMemcpyHostToDevice), "copy");
  check(cudaMemset(workspace.out, 0, sizeof in), "cudaMemset");
}
u32 digestOutput(u32 sum) {
  static u32 out[kElements];
  check(cudaGetLastError(), "launch");
  check(cudaMemcpy(out, workspace.out, sizeof out, cudaMemcpyDeviceToHost),
        "copy");
  for (u32 value : out)
    sum = mix(sum, value);
  return sum;
}
"""


class Program:
    """The files of one program, made one at a time."""

    def __init__(self, shape):
        shape.check()
        self.shape = shape
        helpers = shape.helpers if shape.helpers >= 0 else 2 * shape.kernels
        cuda_files = min(shape.files, -(-shape.kernels //
                                        shape.kernels_per_file))
        # Spread evenly, so that call graphs near each other have both kinds.
        cuda = [i * shape.files // cuda_files for i in range(cuda_files)]
        self.kernels = {file: [] for file in cuda}
        for kernel in range(shape.kernels):
            self.kernels[cuda[kernel * cuda_files // shape.kernels]].append(
                kernel)
        host = Graph(shape.seed, list(range(shape.files)), shape.functions,
                     HOST_FORMS, shape.depth, shape.degree)
        device = Graph(shape.seed + (1 << 32), cuda, helpers if cuda else 0,
                       DEVICE_FORMS, shape.depth, shape.degree)
        self.host = HostWriter(shape.seed, host, shape)
        self.device = DeviceWriter(shape.seed, device, shape, self.kernels)

    def source(self, file):
        return f"unit{file}." + ("cu" if file in self.kernels else "cpp")

    def main(self):
        files = range(self.shape.files)
        declarations = [f"u32 runHost{file}(u32 h);" for file in files]
        declarations += [f"u32 runDevice{file}(u32 h);"
                         for file in self.kernels]
        device = []
        if self.kernels:
            declarations.append(DEVICE_MAIN)
            device = ["  makeWorkspace();"]
            device += [f"  h = runDevice{file}(h);" for file in self.kernels]
            device.append('  std::printf("device %08x\\n", h);')
        prelude = "device_prelude.h" if self.kernels else "prelude.h"
        return MAIN.format(
            prelude=prelude, declarations="\n".join(declarations),
            host="\n".join(f"  h = runHost{file}(h);" for file in files),
            device="\n".join(device))

    def files(self):
        """Yields name and text of every file."""
        headers = ["prelude.h"] + ["device_prelude.h"] * bool(self.kernels)
        for name in headers:
            yield name, (HERE / name).read_text(encoding="utf-8")
        yield "main.cu" if self.kernels else "main.cpp", self.main()
        for file in range(self.shape.files):
            yield f"globals{file}.h", self.host.header(file)
            text = self.host.file(file)
            if file in self.kernels:
                text = self.device.file(file) + "\n" + text
            yield self.source(file), text

    def description(self):
        """Returns what bench/run.py reads."""
        return ('[[program]]\nname = "generated"\ndirectory = "."\n'
                'sources = ["*.cu", "*.cpp"]\nrun = ["./program"]\n')


def write(program, directory):
    directory.mkdir(parents=True, exist_ok=True)
    for name, text in program.files():
        (directory / name).write_text(text, encoding="utf-8")
    (directory / "programs.toml").write_text(program.description(),
                                             encoding="utf-8")


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("directory", type=pathlib.Path)
    for field in dataclasses.fields(Shape):
        parser.add_argument("--" + field.name.replace("_", "-"), type=int,
                            default=field.default,
                            help=f"default: {field.default}")
    options = vars(parser.parse_args())
    directory = options.pop("directory")
    write(Program(Shape(**options)), directory)
    return 0


if __name__ == "__main__":
    sys.exit(main())
