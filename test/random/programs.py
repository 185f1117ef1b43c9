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
import shlex
import shutil
import signal
import subprocess
import tempfile
from pathlib import Path

COMPILE_SECONDS, LINK_SECONDS, RUN_SECONDS = 300, 300, 300
# A plain build that needs more is no reference; of processor time, as the
# machine may be busy. One in six of Csmith's programs does not end, and most
# others do within a few milliseconds.
REFERENCE_SECONDS = {False: 0.25, True: 1.5}
PROCESSOR_SECONDS = 5


# What __cudaRegisterFatBinary must be given: a header and no images.
EMPTY_FAT_BINARY = (0xba55ed50).to_bytes(4, "little") + bytes(
    [1, 0, 16, 0]) + bytes(8)


@dataclasses.dataclass
class Unit:
    """A file to compile."""
    source: str
    flags: list
    native: str = ""  # by which compiler, without link-time optimization
    object: str = ""
    directory: str = ""  # where it is compiled

    def __post_init__(self):
        self.object = self.object or self.source.rsplit(".", 1)[0] + ".o"


@dataclasses.dataclass
class Program:
    files: dict  # text by name
    units: list
    plain: list  # sources of the plain build
    plainFlags: list
    isCuda: bool = False
    canShare: bool = False  # all but its first unit may be a shared library
    usesHeaders: bool = False  # the toolkit's, not test/random/prelude.h
    architectures: list = dataclasses.field(default_factory=lambda: [90])
    elements: int = 0  # what a smaller program may leave out
    suitsNvcc: bool = True
    environment: dict = dataclasses.field(default_factory=dict)
    # Options of gpulto-run with which it must print the same.
    modes: list = dataclasses.field(default_factory=lambda: [[]])


@dataclasses.dataclass
class Tools:
    build: Path
    llvm: Path
    cuda: Path
    asked: dict = dataclasses.field(default_factory=dict)

    def driver(self, isCuda):
        return [str(self.build / "bin" /
                    ("gpulto-clang++" if isCuda else "gpulto-clang"))]

    def clang(self, isCxx):
        return str(self.llvm / "bin" / ("clang++" if isCxx else "clang"))

    def native(self, unit):
        """The compiler of a unit without link-time optimization."""
        return (unit.native if shutil.which(unit.native)
                and unit.native != "clang" else self.clang(True))

    def knows(self, option):
        """Whether our driver has an option."""
        if "help" not in self.asked:
            self.asked["help"] = subprocess.run(
                self.driver(True) + ["--help"], capture_output=True, text=True,
                check=True).stdout.split()
        return option in self.asked["help"]

    def linkers(self, isCuda):
        """(how clang links INPUTS.o to OUTPUT, how our driver does, with
        OPTIONS): asked once, since starts of drivers take longer than small
        links."""
        if isCuda not in self.asked:
            with tempfile.TemporaryDirectory(prefix="gpulto-random-") as path:
                (Path(path) / "INPUTS.o").touch()
                words = ["INPUTS.o", "-o", "OUTPUT"] + self.libraries(isCuda)
                linker = "mold" if shutil.which("mold") else "lld"
                plain = asked([self.clang(isCuda), "-fuse-ld=" + linker]
                              + words, path)
                # Our driver answers with clang's command line, for its linker.
                ours = asked(self.driver(isCuda) + ["-flto=gpu"] + words
                             + ["-Xlinker", "OPTIONS"], path)
                self.asked[isCuda] = plain, asked(ours, path)
        return self.asked[isCuda]

    def libraries(self, isCuda):
        if not isCuda:
            return []
        lib = str(self.cuda / "lib64")
        return [f"-L{lib}", "-lcudart", f"-Wl,-rpath,{lib}"]


def asked(command, path):
    """The command that `command` would run."""
    said = subprocess.run(command + ["-###"], cwd=path, capture_output=True,
                          text=True, check=True).stderr
    return shlex.split(said.splitlines()[-1])


def filledIn(command, places):
    """`command` with lists of words in place of some words."""
    return [word for each in command for word in places.get(each, [each])]


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
        for name, text in program.files.items():
            (self.path / name).parent.mkdir(parents=True, exist_ok=True)
            (self.path / name).write_text(text)

    def execute(self, command, seconds, processorSeconds=None, directory="",
                environment=None):
        """Runs `command`; it and its children are killed when time is up."""
        self.commands.append((directory, environment or {}, command))
        limit = None
        if processorSeconds:
            limit = functools.partial(signal.setitimer, signal.ITIMER_PROF,
                                      processorSeconds)
        child = subprocess.Popen(command, cwd=self.path / directory, text=True,
                                 errors="replace", start_new_session=True,
                                 env=environment and {**os.environ,
                                                      **environment},
                                 preexec_fn=limit, stdout=subprocess.PIPE,
                                 stderr=subprocess.PIPE)
        try:
            output, errors = child.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            return Outcome("timeout", "", "")
        finally:
            if child.returncode is None:
                os.killpg(child.pid, signal.SIGKILL)
                child.communicate()
        return Outcome(child.returncode, output, errors)

    def make(self, command, seconds, directory=""):
        done = self.execute([str(c) for c in command], seconds,
                            directory=directory)
        if done.status != 0:
            raise Failure(f"{' '.join(map(str, command))}\nstatus "
                          f"{done.status}\n{done.errors}")
        return done

    # ---- plain builds ---------------------------------------------------

    def plain(self, level, name):
        """The plain build at `level`, run."""
        program, tools = self.program, self.tools
        flags = program.plainFlags + [level] + program.plain
        if program.isCuda and not program.usesHeaders:
            return self.plainCuda(flags, name)
        if program.isCuda:
            # Our driver without -flto=gpu is clang with repairs for headers.
            self.make(tools.driver(True) + flags + ["-o", name]
                      + tools.libraries(True), COMPILE_SECONDS)
        else:
            self.make([tools.clang(False)] + flags + ["-c", "-o", name + ".o"],
                      COMPILE_SECONDS)
            self.linkPlain(name)
        return self.run(name, REFERENCE_SECONDS[program.isCuda])

    def linkPlain(self, name):
        self.make(filledIn(self.tools.linkers(self.program.isCuda)[0],
                           {"INPUTS.o": [name + ".o"], "OUTPUT": [name]}),
                  LINK_SECONDS)

    def plainCuda(self, flags, name):
        """Without ptxas and with as few processes as may be: PTX for each
        architecture, which the emulator runs in place of what the host code
        has in it, which is nothing."""
        tools = self.tools
        compiler = [tools.clang(True), f"--cuda-path={tools.cuda}",
                    "-Wno-unknown-cuda-version", "-x", "cuda"]
        architectures = [f for f in flags if f.startswith("--offload-arch=")]
        flags = [f for f in flags if f not in architectures]
        for option in architectures:
            architecture = option.rpartition("_")[2]
            self.make(compiler + flags
                      + [option, "--cuda-device-only", "-S", "-o",
                         f"{name}-{architecture}.ptx"], COMPILE_SECONDS)
        (self.path / "empty.fatbin").write_bytes(EMPTY_FAT_BINARY)
        self.make(compiler + flags
                  + ["--cuda-host-only", "-Xclang", "-fcuda-include-gpubinary",
                     "-Xclang", "empty.fatbin", "-c", "-o", name + ".o"],
                  COMPILE_SECONDS)
        self.linkPlain(name)
        return self.run(name, REFERENCE_SECONDS[True], ptx=name)

    def plainIn(self, mode, name):
        """What the plain build `name` prints with these options of
        gpulto-run."""
        return self.run(name, REFERENCE_SECONDS[True], ptx=name, mode=mode)

    def nvcc(self, name):
        """nvcc's build of the same sources, with the toolkit's headers."""
        self.make([self.tools.cuda / "bin" / "nvcc", "-arch=sm_90", "-rdc=true",
                   "-fmad=false", "-cudart", "shared", "-std=c++17", "-w",
                   "-DRANDOM_REAL_HEADERS"] + self.program.plain
                  + ["-o", name], COMPILE_SECONDS)
        return self.run(name)

    # ---- ours -----------------------------------------------------------

    def compile(self, lto=("-flto=gpu",)):
        """Units of the same options in one go, which saves starts."""
        groups = {}
        for unit in self.program.units:
            usual = Unit(unit.source, []).object
            isUsual = unit.object == usual and "/" not in usual
            key = (unit.native, unit.directory, tuple(unit.flags),
                   "" if isUsual else unit.object)
            groups.setdefault(key, []).append(unit)
        for (native, directory, flags, name), units in groups.items():
            command = self.tools.driver(self.program.isCuda) + list(lto)
            if native:
                command = [self.tools.native(units[0])]
            up = "../" if directory else ""
            sources = [u.source[len(directory) + 1:] if directory else u.source
                       for u in units]
            self.make(command + list(flags) + ["-c"] + sources
                      + (["-o", up + name] if name else []), COMPILE_SECONDS,
                      directory)

    def link(self, configuration, name):
        """Links the compiled units and runs the result."""
        inputs = self.inputs(configuration.form, name)
        options = ["--gpulto-jobs=1"] + configuration.options
        tools, isCuda = self.tools, self.program.isCuda
        if configuration.form == "shared" or configuration.driver:
            options += configuration.driver
            self.make(tools.driver(isCuda) + ["-flto=gpu", *inputs, "-o", name,
                      "-Wl,-rpath,$ORIGIN", *options,
                      *tools.libraries(isCuda)], LINK_SECONDS)
        else:
            self.make(filledIn(tools.linkers(isCuda)[1],
                               {"INPUTS.o": inputs, "OUTPUT": [name],
                                "OPTIONS": options}), LINK_SECONDS)
        return self.run(name, mode=configuration.mode)

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
                   "shared": self.tools.driver(self.program.isCuda)
                   + ["-flto=gpu", "-shared", "-Wl,-rpath,$ORIGIN", "-o",
                      joined],
                   "relocatable": self.tools.driver(self.program.isCuda)
                   + ["-flto=gpu", "-r", "-o", joined]}[form]
        self.make(command + others, LINK_SECONDS)
        return apart + [joined]

    def run(self, name, processorSeconds=PROCESSOR_SECONDS, ptx=None, mode=()):
        """Runs a build on each architecture, with more options of gpulto-run
        in `mode`; with `ptx`, the device code is in files of this name."""
        outcomes = []
        for architecture in self.program.architectures:
            command = [f"./{name}"]
            if self.program.isCuda:
                command = [str(self.tools.build / "bin" / "gpulto-run"),
                           "--emulate", f"--arch={architecture}", *mode,
                           *command]
            if ptx:
                command.insert(2, f"--device-code={ptx}-{architecture}.ptx")
            outcomes.append(self.execute(
                command, RUN_SECONDS, processorSeconds,
                environment=self.program.environment))
        return Outcome([o.status for o in outcomes],
                       "".join(o.output for o in outcomes),
                       "".join(o.errors for o in outcomes))


@dataclasses.dataclass
class Configuration:
    """How to link: what of the program, and with which options; and how to
    run what comes of it."""
    name: str
    form: str
    options: list
    driver: list = dataclasses.field(default_factory=list)  # its own options
    mode: list = dataclasses.field(default_factory=list)  # of gpulto-run


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


# What changes which copies a link removes. No link has all of them.
TRANSFER_OPTIONS = ["-fno-gpulto-transfers", "-fgpulto-transfer-epochs",
                    "-fgpulto-transfer-epochs"]


def configurations(rng, program):
    """Two links of a program: one with few partitions and one with many; and
    one with a shared library where it may be."""
    isCuda = program.isCuda
    for number in range(3 if program.canShare else 2):
        # A job costs more than the code in it, and "max" has many.
        partitions = rng.choice(["7"] * 4 + ["1to1"] * 3 + ["max"]
                                if number == 1 else ["one", "auto"])
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


def withTransfers(rng, chosen, tools):
    """Adds options about copies, as far as there are any, to all but the first
    of `chosen`."""
    known = [option for option in TRANSFER_OPTIONS if tools.knows(option)]
    for configuration in chosen[1:]:
        if known and rng.random() < 0.6:
            option = rng.choice(known)
            configuration.driver.append(option)
            configuration.name += " " + option
    return chosen


def processorSeconds():
    """Of this process and of all its children so far."""
    return sum(u.ru_utime + u.ru_stime for u in
               map(resource.getrusage,
                   (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)))


def seededRandom(kind, seed):
    return random.Random(f"{kind} {seed}")
