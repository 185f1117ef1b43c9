#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Builds the program in the current directory plain and with -flto=gpu, cut in
several ways, runs all of them and compares what they print.

The sources are *.c, *.cpp, *.ll, *.s and *.cu here. Each is compiled to
DIR/NAME.o, once plain (DIR is `plain`) and once for each --flags (`lto`,
`lto1`, ...). `link.sh`, if it is here, then makes DIR's program of them, in
DIR, once for each cut; it gets $LINK, which links C++ and, with --cuda, the
CUDA runtime, $AR, and $PREVIOUS, the directory with the sources. Without
`link.sh`, all objects are linked to `app`. `app` is what runs.

A program with --cuda is built plain by stock clang with relocatable device
code, its PTX kept, and runs on the emulator. Its sources read the small
cuda_runtime.h of test/inputs/light, with --headers CUDA's own. Programs that
print something else, and those that exit otherwise, fail the test."""
import argparse
import difflib
import glob
import os
import shlex
import subprocess
import sys

COMPILED = (".c", ".cpp", ".ll", ".s", ".cu")
LIGHT = os.path.join(os.path.dirname(__file__), "..", "..", "inputs", "light")


def arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    # From lit.
    parser.add_argument("--bin", required=True, help="folder of our programs")
    parser.add_argument("--clang", required=True, help="folder of clang")
    parser.add_argument("--cuda-path", required=True)
    parser.add_argument("--toolkit", required=True,
                        help="where to keep the toolkit for plain builds")
    # From the test.
    parser.add_argument("--cuda", action="store_true")
    parser.add_argument("--headers", action="store_true")
    parser.add_argument("--flags", action="append", default=[],
                        help="compile options; may be given several times, "
                        "the plain build has the first")
    parser.add_argument("--link", default="", help="options of every link")
    parser.add_argument("--plain-link", default="", help="of the plain link")
    parser.add_argument("--lto-link", default="", help="of the others")
    parser.add_argument("--cuts", default="auto,max,3",
                        help="values of --gpulto-partitions")
    parser.add_argument("--status", type=int, default=0)
    parser.add_argument("--arguments", default="", help="of the program")
    return parser.parse_args()


def run(command, **more):
    done = subprocess.run(command, **more)
    if done.returncode:
        sys.exit(f"exit status {done.returncode}: {shlex.join(command)}")


def toolkit(options):
    """The toolkit with which stock clang keeps its PTX, made once."""
    if not os.path.exists(options.toolkit):
        tool = os.path.join(os.path.dirname(__file__), "..", "..", "..",
                            "emulator", "test", "ptx-toolkit")
        scratch = f"{options.toolkit}.{os.getpid()}"
        run([tool, scratch, options.cuda_path])
        try:
            os.rename(scratch, options.toolkit)
        except OSError:  # another test was faster
            subprocess.run(["rm", "-rf", scratch], check=True)
    return options.toolkit


class Build:
    """One way to compile and link."""

    def __init__(self, options, folder, flags):
        self.options = options
        self.folder = folder
        self.isPlain = folder == "plain"
        self.flags = shlex.split(flags)
        os.makedirs(folder, exist_ok=True)

    def compiler(self, isCxx=True):
        name = "clang++" if isCxx else "clang"
        if self.isPlain:
            return [os.path.join(self.options.clang, name)]
        return [os.path.join(self.options.bin, "gpulto-" + name), "-flto=gpu"]

    def cuda(self):
        architecture = any("--offload-arch" in flag for flag in self.flags)
        flags = [] if architecture else ["--offload-arch=sm_90"]
        if not self.options.headers:
            flags += ["-nocudainc", "-I", LIGHT, "-I",
                      self.options.cuda_path + "/include",
                      "-include", "cuda_runtime.h"]
        if not self.isPlain:
            return flags + ["--cuda-path=" + self.options.cuda_path]
        include = toolkit(self.options) + "/include"
        return flags + ["--cuda-path=" + toolkit(self.options), "-isystem",
                        include + "/cccl", "-isystem", include, "-fgpu-rdc",
                        "--offload-new-driver", "-Wno-unknown-cuda-version"]

    def compile(self):
        for source in sorted(os.listdir(".")):
            stem, ending = os.path.splitext(source)
            if ending not in COMPILED:
                continue
            command = self.compiler(ending != ".c") + self.flags
            command += ["-w", "-I."]
            if ending == ".cu":
                command += self.cuda()
            elif self.options.cuda:
                command += ["-isystem", self.options.cuda_path + "/include"]
            run(command + ["-c", source, "-o", f"{self.folder}/{stem}.o"])

    def linkCommand(self, cut):
        options = self.options
        command = self.compiler() + shlex.split(options.link)
        if self.isPlain:
            command += ["-fuse-ld=lld"] + shlex.split(options.plain_link)
        else:
            command += [f"--gpulto-partitions={cut}"]
            command += shlex.split(options.lto_link)
        if not options.cuda:
            return command
        if self.isPlain:
            chosen = "--cuda-path=" + toolkit(options)
            command += ["--offload-link", chosen, "-Xoffload-linker", chosen]
        library = options.cuda_path + "/lib64"
        return command + [f"-L{library}", "-lcudart", f"-Wl,-rpath,{library}"]

    def link(self, cut):
        command = self.linkCommand(cut)
        if os.path.exists("link.sh"):
            environment = dict(os.environ, LINK=shlex.join(command),
                               PREVIOUS="..", AR="llvm-ar rcs")
            run(["bash", "-e", "../link.sh"], cwd=self.folder, env=environment)
            return
        objects = sorted(glob.glob(self.folder + "/*.o"))
        run(command + objects + ["-o", self.folder + "/app"])

    def output(self):
        command = [f"./app"] + shlex.split(self.options.arguments)
        if self.options.cuda:
            command = [os.path.join(self.options.bin, "gpulto-run"),
                       "--emulate"] + command
        done = subprocess.run(command, cwd=self.folder, text=True,
                              stdout=subprocess.PIPE)
        if done.returncode != self.options.status:
            print(done.stdout)
            sys.exit(f"{self.folder}: exit status {done.returncode}")
        return done.stdout


def main():
    options = arguments()
    flags = options.flags or ["-O2"]
    plain = Build(options, "plain", flags[0])
    plain.compile()
    plain.link(None)
    expected = plain.output()
    for i, some in enumerate(flags):
        build = Build(options, "lto" + (str(i) if i else ""), some)
        build.compile()
        for cut in options.cuts.split(","):
            build.link(cut)
            got = build.output()
            if got != expected:
                sys.exit(f"{some}, {cut} partitions: other output\n" +
                         "\n".join(difflib.unified_diff(
                             expected.splitlines(), got.splitlines(),
                             "plain", build.folder, lineterm="")))
    print(expected, end="")


main()
