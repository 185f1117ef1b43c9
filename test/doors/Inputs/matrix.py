#!/usr/bin/env python3
"""Links small programs in many ways with each linker, plain and with
-flto=gpu, and compares what they print.

A scenario is a shell script that runs in a directory of its own. $LINK and
$LINKXX are the driver with the linker chosen, $O the directory of objects:
with LTO, x.o is a fat object, x.slim.o and x.bc.o have bitcode alone; x.n.o is
always native. Its output must be the same both ways. A scenario that makes no
program with -flto=gpu says so by `# no LTO`: of all others the statistics of
the last link must show that bitcode was optimized.

usage: matrix.py --linkers=NAME,... --bin=DIR --clang=DIR --lld=FILE --work=DIR
                 [--cuda-path=DIR] [SCENARIO...]
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import argparse
import concurrent.futures
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).parent
LIGHT = HERE.parent.parent / "inputs" / "light"


def split(path):
    """Returns the parts of a file, each behind a line `//--- NAME`."""
    parts = re.split(r"^//--- (\S+)\n", path.read_text(), flags=re.M)
    return dict(zip(parts[1::2], parts[2::2]))


def run(command, **options):
    return subprocess.run(command, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, check=False,
                          **options)


class Matrix:
    def __init__(self, options):
        self.options = options
        self.work = pathlib.Path(options.work).resolve()
        self.linkers = [name for name in options.linkers.split(",")
                        if name == "lld" or shutil.which(f"ld.{name}")]
        self.scripts = split(HERE / "scenarios.sh")
        self.sources = split(HERE / "sources.c")
        if not options.cuda_path:
            self.scripts = {name: script for name, script
                            in self.scripts.items() if "cuda" not in name}

    def wanted(self, linker):
        """Scenarios to run: not those that name other linkers only."""
        for name, script in self.scripts.items():
            only = re.search(r"^# only (.*)$", script, re.M)
            if self.options.scenarios and name not in self.options.scenarios:
                continue
            if not only or linker in only[1].split():
                yield name

    def compiler(self, lto, source):
        name = "clang" + ("" if source.endswith(".c") else "++")
        if source.endswith(".cu"):
            return [f"{self.options.bin}/gpulto-clang++",
                    f"--cuda-path={self.options.cuda_path}",
                    "-nocudainc", "-I", str(LIGHT), "-I",
                    f"{self.options.cuda_path}/include",
                    "-include", "cuda_runtime.h", "--offload-arch=sm_90", "--cuda-include-ptx=all"
                    ] + ["-flto=gpu"] * lto
        if lto:
            return [f"{self.options.bin}/gpulto-{name}", "-flto=gpu"]
        return [f"{self.options.clang}/{name}"]

    def compile_all(self, mode):
        """Compiles what the wanted scenarios name."""
        directory = self.work / mode
        directory.mkdir(parents=True)
        for name, text in self.sources.items():
            (directory / name).write_text(text)
        used = "\n".join(self.scripts[name] for linker in self.linkers
                         for name in self.wanted(linker))
        objects = sorted(set(re.findall(r"\$O/(\S+?\.o)\b", used)))
        commands = []
        for name in objects:
            stem, kind = name[:-2], ""
            if stem.rpartition(".")[2] in ("n", "slim", "bc", "stock"):
                stem, _, kind = stem.rpartition(".")
            source = next(s for s in self.sources
                          if s.rpartition(".")[0] == stem)
            lto = mode == "lto" and kind in ("", "slim")
            command = self.compiler(lto, source)
            if lto and kind == "slim":
                command.append("-fno-fat-lto-objects")
            if mode == "lto" and kind in ("bc", "stock"):
                command.append("-flto=thin")
            if mode == "lto" and kind == "stock":
                command.append("-ffat-lto-objects")
            flags = re.match(r"// flags: (.*)", self.sources[source])
            commands.append(command + ["-O2", "-fPIC", "-c", source, "-o", name]
                            + (flags[1].split() if flags else []))
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            for done in pool.map(lambda c: run(c, cwd=directory), commands):
                if done.returncode or done.stdout:
                    sys.exit(f"{' '.join(done.args)}\n{done.stdout}")

    def run_scenario(self, linker, name, mode):
        """Returns the output of a script, and what is wrong with it."""
        directory = self.work / f"{mode}-{linker}-{name}"
        directory.mkdir()
        options = self.options
        if mode == "lto":
            driver = f"{options.bin}/gpulto-clang"
            flags = (f"-flto=gpu -fuse-ld={linker} "
                     f"--gpulto-stats={directory}/stats.json")
            if "cuda" in name:
                flags += f" --cuda-path={options.cuda_path}"
        else:
            driver = f"{options.clang}/clang"
            flags = (f"--ld-path={options.lld}" if linker == "lld"
                     else f"-fuse-ld={linker}")
        cuda = f"{options.cuda_path}/lib64"
        environment = dict(
            os.environ, LC_ALL="C", O=f"../{mode}",
            LINK=f"{driver} {flags}", LINKXX=f"{driver}++ {flags}",
            CUDART=f"-L{cuda} -lcudart -Wl,-rpath,{cuda}",
            EMULATE=f"{options.bin}/gpulto-run --emulate", TMPDIR=str(directory))
        script = self.scripts[name]
        done = run(["bash", "-ec", script], cwd=directory, env=environment)
        output = f"{done.stdout}status {done.returncode}\n"
        wrong = ""
        if "# no LTO" not in script and mode == "lto":
            stats = directory / "stats.json"
            if not stats.exists() or not json.loads(
                    stats.read_text())["counters"].get("objects"):
                wrong = "nothing was optimized"
        if list(directory.glob("gpulto-*")):
            wrong = "temporary files are left"
        if not wrong:
            shutil.rmtree(directory)
        return output, wrong

    def check(self, scenario):
        linker, name = scenario
        plain, _ = self.run_scenario(linker, name, "plain")
        lto, wrong = self.run_scenario(linker, name, "lto")
        expected = re.search(r"^# prints (.*)$", self.scripts[name], re.M)
        if expected and plain != expected[1].replace("|", "\n") + "\nstatus 0\n":
            wrong = "the plain program does not print what it should"
        if not plain.endswith("status 0\n"):
            wrong = "the plain link fails"
        if plain != lto:
            wrong = wrong or "the outputs differ"
        if not wrong:
            return ""
        return (f"{linker}: {name}: {wrong}\n"
                f"{self.scripts[name].strip()}\n-- plain\n{plain}-- LTO\n{lto}")

    def main(self):
        shutil.rmtree(self.work, ignore_errors=True)
        self.compile_all("plain")
        self.compile_all("lto")
        scenarios = [(linker, name) for linker in self.linkers
                     for name in self.wanted(linker)]
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            failures = [f for f in pool.map(self.check, scenarios) if f]
        print("\n".join(failures))
        print(f"{', '.join(self.linkers)}: {len(scenarios) - len(failures)} of "
              f"{len(scenarios)} links are as the plain ones")
        return bool(failures)


def main():
    parser = argparse.ArgumentParser()
    for name in "linkers", "bin", "clang", "lld", "work":
        parser.add_argument(f"--{name}", required=True)
    parser.add_argument("--cuda-path", default="")
    parser.add_argument("scenarios", nargs="*")
    return Matrix(parser.parse_args()).main()


if __name__ == "__main__":
    sys.exit(main())
