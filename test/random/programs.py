"""What random programs are, how they are built, and how builds are compared.

A program is files, the units to compile for `-flto=gpu`, and the sources of its
plain build, which says what it must print. Everything is chosen by the seed.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import dataclasses
import functools
import os
import random
import resource
import signal
import subprocess
from pathlib import Path

COMPILE_SECONDS, LINK_SECONDS, RUN_SECONDS = 300, 300, 300
# A plain build that needs more is no reference; of processor time, as the
# machine may be busy.
REFERENCE_SECONDS, PROCESSOR_SECONDS = 1, 5


@dataclasses.dataclass
class Unit:
    """A file to compile; native: without link-time optimization."""
    source: str
    flags: list
    native: bool = False

    @property
    def object(self):
        return self.source.rsplit(".", 1)[0] + ".o"


@dataclasses.dataclass
class Program:
    files: dict  # text by name
    units: list
    plain: list  # sources of the plain build
    plainFlags: list
    isCuda: bool = False
    canShare: bool = False  # all but its first unit may be a shared library
    usesHeaders: bool = False  # the toolkit's, not test/random/prelude.h
    runs: list = dataclasses.field(default_factory=lambda: [[]])
    elements: int = 0  # what a smaller program may leave out


@dataclasses.dataclass
class Tools:
    build: Path
    llvm: Path
    cuda: Path

    def driver(self, program):
        return [str(self.build / "bin" /
                    ("gpulto-clang++" if program.isCuda else "gpulto-clang"))]

    def plain(self, program):
        """clang, by our driver where CUDA needs its repairs."""
        if program.isCuda:
            return self.driver(program)
        return [str(self.llvm / "bin" / "clang")]

    def libraries(self, program):
        if not program.isCuda:
            return []
        lib = str(self.cuda / "lib64")
        return [f"-L{lib}", "-lcudart", f"-Wl,-rpath,{lib}"]


@dataclasses.dataclass
class Outcome:
    """What a command did: its status is a number or 'timeout'."""
    status: object
    output: str
    errors: str

    def __eq__(self, other):
        return (self.status, self.output) == (other.status, other.output)


class Failure(Exception):
    """A build that failed, with the command and what it said."""


class Folder:
    """A program in a directory, and the commands that were run there."""

    def __init__(self, path, program, tools):
        self.path, self.program, self.tools = Path(path), program, tools
        self.commands = []
        self.path.mkdir(parents=True, exist_ok=True)
        for name, text in program.files.items():
            (self.path / name).write_text(text)

    def execute(self, command, seconds, processorSeconds=None):
        """Runs `command`; it and its children are killed when time is up."""
        self.commands.append(command)
        limit = None
        if processorSeconds:
            limit = functools.partial(resource.setrlimit, resource.RLIMIT_CPU,
                                      (processorSeconds, processorSeconds))
        child = subprocess.Popen(command, cwd=self.path, text=True,
                                 errors="replace", start_new_session=True,
                                 preexec_fn=limit, stdout=subprocess.PIPE,
                                 stderr=subprocess.PIPE)
        try:
            output, errors = child.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            os.killpg(child.pid, signal.SIGKILL)
            child.communicate()
            return Outcome("timeout", "", "")
        return Outcome(child.returncode, output, errors)

    def make(self, command, seconds):
        done = self.execute([str(c) for c in command], seconds)
        if done.status != 0:
            raise Failure(f"{' '.join(map(str, command))}\nstatus "
                          f"{done.status}\n{done.errors}")
        return done

    def plain(self, level, name):
        """The plain build at `level`."""
        program = self.program
        self.make(self.tools.plain(program) + program.plainFlags + [level]
                  + program.plain + ["-o", name]
                  + self.tools.libraries(program), COMPILE_SECONDS)
        return self.run(name, REFERENCE_SECONDS)

    def nvcc(self, name):
        """nvcc's build of the same sources, with the toolkit's headers."""
        self.make([self.tools.cuda / "bin" / "nvcc", "-arch=sm_90", "-rdc=true",
                   "-fmad=false", "-cudart", "shared", "-std=c++17", "-w",
                   "-DRANDOM_REAL_HEADERS"] + self.program.plain
                  + ["-o", name], COMPILE_SECONDS)
        return self.run(name)

    def compile(self):
        for unit in self.program.units:
            lto = [] if unit.native else ["-flto=gpu"]
            self.make(self.tools.driver(self.program) + lto + unit.flags
                      + ["-c", unit.source, "-o", unit.object],
                      COMPILE_SECONDS)

    def link(self, configuration, name):
        """Links the compiled units and runs the result."""
        self.make(self.tools.driver(self.program) + ["-flto=gpu",
                  "--gpulto-jobs=1"] + self.inputs(configuration.form, name)
                  + ["-o", name] + configuration.options
                  + self.tools.libraries(self.program), LINK_SECONDS)
        return self.run(name)

    def inputs(self, form, name):
        """The objects in `form`: all but the first and native ones may be put
        together."""
        units = self.program.units
        apart = [u.object for i, u in enumerate(units) if i == 0 or u.native]
        others = [u.object for u in units if u.object not in apart]
        if not others or form == "objects":
            return apart + others
        joined = f"{name}-{form}" + {"archive": ".a", "shared": ".so"}.get(
            form, ".o")
        command = {"archive": [self.tools.llvm / "bin" / "llvm-ar", "rcs",
                               joined],
                   "joined": ["ld.bfd", "-r", "-o", joined],
                   "shared": self.tools.driver(self.program)
                   + ["-flto=gpu", "-shared", "-Wl,-rpath,$ORIGIN", "-o",
                      joined],
                   "relocatable": self.tools.driver(self.program)
                   + ["-flto=gpu", "-r", "-o", joined]}[form]
        self.make(command + others, LINK_SECONDS)
        return apart + [joined] + (["-Wl,-rpath,$ORIGIN"]
                                   if form == "shared" else [])

    def run(self, name, processorSeconds=PROCESSOR_SECONDS):
        """Runs a build in each way that the program wants."""
        runner = [str(self.tools.build / "bin" / "gpulto-run"), "--emulate"]
        outcomes = [self.execute((runner + options if self.program.isCuda
                                  else []) + [f"./{name}"], RUN_SECONDS,
                                 processorSeconds)
                    for options in self.program.runs]
        return Outcome([o.status for o in outcomes],
                       "".join(o.output for o in outcomes),
                       "".join(o.errors for o in outcomes))


@dataclasses.dataclass
class Configuration:
    """How to link: what of the program, and with which options."""
    name: str
    form: str
    options: list


# Sets of parameters under which passes act that the defaults keep quiet on
# small programs.
PARAMETERS = {
    "defaults": {},
    "clones": {"ipaCpInlinedHostInstructions": 0,
               "ipaCpInlinedDeviceInstructions": 0, "ipaCpEvalThreshold": 0,
               "ipaCpUnitGrowthPercent": 1000},
    "imports": {"inlineInstructions": 100000, "importConstantBytes": 100000},
    "apart": {"inlineInstructions": 0, "importConstantBytes": 0,
              "hostPartitionInstructions": 100,
              "devicePartitionInstructions": 100},
}


def configurations(rng, program):
    """Two links of a program: one with few partitions and one with many; and
    one with a shared library where it may be."""
    isCuda = program.isCuda
    for number in range(3 if program.canShare else 2):
        partitions = rng.choice(["7", "max", "1to1"] if number == 1
                                else ["one", "auto"])
        # A relocatable link makes a complete device program.
        form = rng.choice(["objects"] * 5 + ["archive", "joined"]
                          + ([] if isCuda else ["relocatable"]))
        form = "shared" if number == 2 else form
        parameters = rng.choice(list(PARAMETERS) + ["clones"])
        options = [f"--gpulto-partitions={partitions}"]
        options += [f"--gpulto-param={name}={value}"
                    for name, value in PARAMETERS[parameters].items()]
        name = f"{partitions} {form} {parameters}"
        if isCuda and rng.random() < 0.25:
            name += " ptxas"
        elif isCuda:
            options += ["--gpulto-check-kernels=off", "--gpulto-embed=ptx"]
        yield Configuration(name, form, options)


def processorSeconds():
    """Of this process and of all its children so far."""
    return sum(u.ru_utime + u.ru_stime for u in
               map(resource.getrusage,
                   (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)))


def seededRandom(kind, seed):
    return random.Random(f"{kind} {seed}")
