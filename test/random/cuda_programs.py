"""Random programs of host and device code over several files.

The writers of cuda_device and cuda_host make functions, kernels and main; this
puts them into files. Entities of the same sort that are local to their files
share names between files (macros in the files; the plain build, which is one
file with all of it, keeps the names apart).
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import random
import re
from pathlib import Path

from cuda_code import Struct, render, typeOf
from cuda_device import BLOCK_SUM, COUNTERS, SHAPES, DeviceWriter
from cuda_floats import LISTENING, Floats
from cuda_handles import Handles, Large
from cuda_host import DECLARATIONS, SUPPORT, HostWriter, makeStructs
from cuda_objects import Objects, Threads
from cuda_order import Order
from cuda_places import Assembly, Native, Places
from cuda_streams import Devices, Graphs, Streams
from programs import Program, Unit

FEATURES = [Floats, Handles, Large, Objects, Threads, Order, Places, Native,
            Assembly, Streams, Graphs, Devices]
HERE = Path(__file__).resolve().parent
# Without a toolkit's headers clang would not know how to launch.
PRELUDE_FLAGS = ["-nocudainc", "-nocudalib", "-Xclang",
                 "-target-sdk-version=12.3"]
HEADER_FLAGS = ["-DRANDOM_REAL_HEADERS"]
COMMON_FLAGS = ["-w", "-std=c++17"]
PLAIN_FLAGS = ["-ffp-contract=off"]
LARGE_SHARE = 0.04  # of programs with much of everything
HEADERS_SHARE = 0.005  # of those with the toolkit's headers, for seconds each


def generate(seed, dropped=frozenset(), without=()):
    """Returns the program of `seed` without the elements `dropped` and the
    features `without`; element 0 are functions and kernels that nothing
    names."""
    source = Source(seed)
    return source.program(dropped | {
        f.element.number for f in source.features
        if type(f).__name__ in without})


class Source:
    """A program before it is text."""

    def __init__(self, seed):
        rng = self.rng = random.Random(f"program {seed}")
        names = {}
        isLarge = rng.random() < LARGE_SHARE
        self.cudaFiles = rng.randint(2, 4) if isLarge else rng.choice([1, 2, 2])
        self.files = self.cudaFiles + rng.choice([0, 0, 1])
        if self.files == 1:
            self.files = 2
        device = self.device = DeviceWriter(rng, names, [], self.cudaFiles,
                                            isLarge)
        device.structs = self.structs = makeStructs(
            rng, device, not device.isQuiet)
        device.variables()
        device.makeFunctions()
        device.makeKernels()
        host = self.host = HostWriter(rng, names, device, self.files)
        host.makeFunctions()
        self.inexactFiles = set()  # those that must listen to pragmas
        order = random.Random(f"features {seed}")
        chosen = [f for f in FEATURES if order.random() < f.share]
        order.shuffle(chosen)
        self.features = [feature(self, seed) for feature in chosen]
        self.main = host.main(14 if isLarge else 5,
                              [f.element for f in self.features])
        self.elements = names["element"]
        self.usesHeaders = rng.random() < HEADERS_SHARE
        self.twoArchitectures = rng.random() < 0.1
        self.buildSeed = rng.random()

    # ---- text -----------------------------------------------------------

    def removeUnused(self, dropped):
        """Takes functions and kernels away that the rest does not name."""
        device, host = self.device, self.host
        lists = [device.functions, device.makers, device.kernels,
                 host.functions, host.makers]
        fixed = [line for f in self.kept(dropped)
                 for lines in f.lines.values() for line in lines]
        fixed += [line for f in self.kept(dropped) for line in f.header
                  + [text for file in f.files for text in file.lines]]
        fixed += render(self.main, dropped)
        fixed += [b for f in device.binaries + host.binaries
                  for b in render(f.body, dropped)]
        removed = True
        while removed:
            removed = False
            texts = {f.name: list(render(f.body, dropped))
                     for functions in lists for f in functions}
            for functions in lists:
                for f in list(functions):
                    if not isNamed(f.name, fixed, texts):
                        functions.remove(f)
                        del texts[f.name]
                        removed = True
        device.families = [family for family in device.families
                           if all(k in device.kernels for k in family)]

    def define(self, function, dropped):
        template = {True: ["template <int N>"] if function.result == "void"
                    else ["template <class T, int N>"], False: []}
        lines = template[function.isTemplate] + [function.signature() + " {"]
        return lines + list(render(function.body, dropped)) + ["}"]

    def header(self, dropped):
        device, host = self.device, self.host
        lines = ["#pragma once", '#include "prelude.h"']
        for struct in self.structs:
            lines += [f"struct {struct.name} {{"]
            lines += [f"  {field(name, kind)};" for name, kind in struct.fields]
            lines += ["};"]
        lines += [f"extern {m.element} *{m.text};" for m in host.buffers]
        lines += [f"extern u32 {name};" for name, _ in host.globals]
        lines += [f"extern {s.name} *kept{s.name};" for s in self.structs]
        lines.append(DECLARATIONS)
        for family in device.families:
            lines.append(f"typedef void (*Handle{family[0].name})"
                         f"({family[0].types()});")
        lines += [f.signature() + ";" for f in host.functions + host.binaries
                  + host.makers if f.file is None]
        lines += ["#ifdef RANDOM_CUDA", "__device__ u32 blockSum(u32 *, u32);",
                  "extern __device__ binary functionTable[4];",
                  "extern __device__ u32 counters[8];"]
        lines += [f"extern {text};" for _, isStatic, text, _, _
                  in device.globals if not isStatic]
        inHeader = [f for f in device.functions + device.makers
                    + device.kernels if f.inHeader]
        for function in (device.binaries + device.functions + device.makers
                         + device.kernels):
            if function.file is None and not function.inHeader:
                lines.append(function.signature() + ";")
        if device.usesShapes:
            lines.append(SHAPES)
        for function in inHeader:
            if function.name != "shapes":
                lines += self.define(function, dropped)
        lines += ["#endif"]
        for feature in self.kept(dropped):
            lines += feature.header + ["#ifdef RANDOM_CUDA"]
            lines += feature.cudaHeader + ["#endif"]
        return lines

    def kept(self, dropped):
        return [f for f in self.features if f.element.number not in dropped]

    def file(self, number, dropped):
        device, host = self.device, self.host
        lines = [COUNTERS] if number == 0 else []
        for home, isStatic, text, values, _ in device.globals:
            if home == number:
                lines.append(f"{'static ' if isStatic else ''}{text}"
                             f"{f' = {{{values}}}' if values else ''};")
        lines += [f.signature() + ";" for f in device.makers + host.makers
                  if f.file == number]
        mine = [f for f in device.binaries + device.functions + device.makers
                + device.kernels if not f.inHeader and f.home == number]
        for function in mine:
            lines += self.define(function, dropped)
        if number == 0:
            lines.append(BLOCK_SUM)
            names = ", ".join(device.binaries[i % len(device.binaries)].name
                              for i in range(4))
            lines += [f"__device__ binary functionTable[4] = {{{names}}};",
                      "binary deviceFunctions[4];", SUPPORT]
            lines += [f"{m.element} *{m.text};" for m in host.buffers]
            lines += [f"{s.name} *kept{s.name};" for s in self.structs]
            lines += [f"u32 {name} = {value}u;" for name, value in host.globals]
        if number == self.cudaFiles - 1 and device.usesShapes:
            lines += ["__device__ u32 Square::area(u32 x) const "
                      "{ return side * side + x; }",
                      "__device__ u32 Cube::area(u32 x) const "
                      "{ return side * Square::area(x); }"]
        if number == 1:
            lines.append("void *allocate(size_t bytes) {\n  void *p;\n"
                         "  cudaMalloc(&p, bytes);\n  return p;\n}")
        for function in host.binaries + host.functions + host.makers:
            if function.home == number:
                lines += self.define(function, dropped)
        for feature in self.kept(dropped):
            lines += feature.lines.get(number, [])
        if number == 0:
            lines += ["int main(int argc, char **) {"]
            lines += list(render(self.main, dropped)) + ["}"]
        return lines

    def twins(self, number):
        """Macros that give local entities names that other files use too."""
        device = self.device
        sorts = {"twinFunction": [f.name for f in
                                  device.functions + device.makers
                                  if f.file == number],
                 "twinKernel": [k.name for k in device.kernels
                                if k.file == number],
                 "twinVariable": [m.text for home, isStatic, _, _, m
                                  in device.globals
                                  if isStatic and home == number],
                 "twinHost": [f.name for f in
                              self.host.functions + self.host.makers
                              if f.file == number]}
        return [f"#define {name} {sort}{i}" for sort, names in sorts.items()
                for i, name in enumerate(names)]

    # ---- the program ----------------------------------------------------

    def program(self, dropped):
        if 0 in dropped:
            self.removeUnused(dropped)
        include = '#include "common.h"'
        header = "\n".join(self.header(dropped)) + "\n"
        files = {"common.h": header,
                 "prelude.h": (HERE / "prelude.h").read_text()}
        everything, units, rng = [include], [], random.Random(self.buildSeed)
        features = self.kept(dropped)
        architectures = [90, 80] if self.twoArchitectures else [90]
        cuda = [f"--offload-arch=sm_{a}" for a in architectures]
        cuda.append("--cuda-include-ptx=all")  # the emulator runs PTX
        cuda += (HEADER_FLAGS if self.usesHeaders
                 else PRELUDE_FLAGS) + COMMON_FLAGS
        usual = unitFlags(rng)
        for number in range(self.files):
            isCuda = number < self.cudaFiles
            name = f"f{number}.{'cu' if isCuda else 'cpp'}"
            lines = self.file(number, dropped)
            files[name] = "\n".join([include] + self.twins(number)
                                    + lines) + "\n"
            everything += lines
            flags = usual if rng.random() < 0.6 else unitFlags(rng)
            if number in self.inexactFiles:
                flags = listening(flags)
            unit = Unit(name, (cuda if isCuda else COMMON_FLAGS) + flags)
            if not isCuda and rng.random() < 0.3:
                unit.native = "clang"
                unit.flags = [f for f in unit.flags
                              if f != "-fno-fat-lto-objects"]
            units.append(unit)
        for feature in features:
            for file in feature.files:
                isCuda = file.path.endswith(".cu")
                files[file.path] = "\n".join(file.lines) + "\n"
                files.update(file.beside)
                everything += file.before + file.plain + file.after
                flags = (cuda if isCuda else COMMON_FLAGS) + file.flags
                units.append(Unit(file.path, flags + ([] if file.native
                                                      else usual),
                                  native=file.native, object=file.object,
                                  directory=file.directory))
        files["all.cu"] = "\n".join(everything) + "\n"
        return Program(files, units, ["all.cu"], cuda + PLAIN_FLAGS,
                       isCuda=True, usesHeaders=self.usesHeaders,
                       architectures=architectures, elements=self.elements,
                       suitsNvcc=all(f.suitsNvcc for f in features),
                       environment={k: v for f in features
                                    for k, v in f.environment.items()})


def isNamed(name, fixed, texts):
    """Whether `name` occurs, but in the function of this name."""
    word = re.compile(rf"\b{name}\b")
    return any(map(word.search, fixed)) or any(
        word.search(line) for other, lines in texts.items() if other != name
        for line in lines)


def unitFlags(rng):
    """The options of one file."""
    flags = [rng.choice(["-O2"] * 5 + ["-O0", "-O1", "-O1", "-O3"])]
    flags += rng.choice([["-fno-fat-lto-objects"]] * 5
                        + [["-g", "-fno-fat-lto-objects"], [], ["-g"]])
    return flags + ["-ffp-contract=" + rng.choice(LISTENING + ["fast"])]


def listening(flags):
    """The same for a file whose functions must not be fused if they say so."""
    return [f.replace("=fast", "=fast-honor-pragmas")
            if f == "-ffp-contract=fast" else f for f in flags]


def field(name, kind):
    if isinstance(kind, Struct):
        return f"{kind.name} {name}"
    if isinstance(kind, tuple):
        return f"{kind[0]} {name}[{kind[1]}]"
    return f"{typeOf(kind)} {name}"
