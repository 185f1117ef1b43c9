"""What the features of random programs have in common.

A feature is code of one sort: streams, exceptions, threads. A program has some
beside its random functions, each an element of main, so that a smaller program
leaves out all of it. What a feature computes and launches is random; its device
work is in order, or on memory of its own.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import dataclasses
import random

ITEMS = 64  # of u32, in each buffer that a feature allocates
BYTES = 4 * ITEMS
MAP_TYPES = "u32 *, const u32 *, u32, i64, i32"


@dataclasses.dataclass
class File:
    """A further source of a program.

    The plain build has its lines between `before` and `after`; `beside` are
    files that it includes, by path."""
    path: str
    lines: list
    flags: list = dataclasses.field(default_factory=list)
    native: str = ""  # a compiler without link-time optimization
    directory: str = ""  # where it is compiled
    beside: dict = dataclasses.field(default_factory=dict)
    before: list = dataclasses.field(default_factory=list)
    after: list = dataclasses.field(default_factory=list)
    plain: list = None  # the lines in the plain build, if others
    object: str = ""


@dataclasses.dataclass
class MapKernel:
    """A kernel of MAP_TYPES: a thread writes out[i]; it reads in[i] only, or,
    if it gathers, any of `in`, which then must be another buffer."""
    name: str
    gathers: bool
    home: int
    isStatic: bool


class Feature:
    share = 0.2  # of programs that have it
    suitsNvcc = True

    def __init__(self, source, seed):
        self.rng = random.Random(f"{type(self).__name__} {seed}")
        self.source, self.device, self.host = (source, source.device,
                                               source.host)
        self.header, self.cudaHeader = [], []
        self.lines = {}  # by number of the file
        self.files = []  # further ones
        self.environment = {}
        body = self.make()
        self.element = self.host.element("{", body)

    def make(self):
        """Writes everything; returns the statements of main."""
        raise NotImplementedError

    # ---- names and places -----------------------------------------------

    def chance(self, probability):
        return self.rng.random() < probability

    def fresh(self, stem):
        return self.host.fresh(stem)

    def cudaFile(self):
        return self.rng.randrange(self.source.cudaFiles)

    def anyFile(self):
        return self.rng.randrange(self.source.files)

    def add(self, file, *lines):
        self.lines.setdefault(file, []).extend(lines)

    def optional(self, head, body=None):
        """A statement that a smaller program may leave out."""
        return self.host.element(head, body)

    def inline(self):
        return self.rng.choice(["", "", "__attribute__((noinline)) "])

    def function(self, signature, body, file=None, isDevice=False):
        """Defines a function that all files see, in some file."""
        if file is None:
            file = self.cudaFile() if isDevice else self.anyFile()
        (self.cudaHeader if isDevice else self.header).append(signature + ";")
        attribute = "__noinline__ " if self.chance(0.6) else ""
        if not isDevice:
            attribute = self.inline()
        self.add(file, attribute + signature + " {",
                 *["  " + line if isinstance(line, str) else line
                   for line in body], "}")
        return file

    # ---- random code ----------------------------------------------------

    def hostScope(self, scalars=()):
        """What an expression of the host may name, without effects."""
        scope = self.host.scope(self.source.files)  # as in a file of C++
        scope.callees = []
        scope.memory = []
        scope.scalars += scalars
        return scope

    def hostValue(self, scalars=(), depth=2):
        return self.host.value(self.hostScope(scalars), depth)

    def deviceScope(self, file, scalars=(), memory=()):
        scope = self.device.scope(file)
        scope.callees = [f for f in scope.callees if f.isPure and f.cost < 40
                         and all(p.kind in ("scalar", "function")
                                 for p in f.parameters)]
        scope.scalars += scalars
        scope.memory += memory
        return scope

    def deviceValue(self, file, scalars=(), memory=(), depth=2):
        return self.device.value(self.deviceScope(file, scalars, memory),
                                 depth)

    # ---- kernels --------------------------------------------------------

    def mapKernel(self, gathers=None, file=None, isStatic=None):
        gathers = self.chance(0.5) if gathers is None else gathers
        isStatic = self.chance(0.3) if isStatic is None else isStatic
        file = self.cudaFile() if file is None else file
        name = self.fresh("mk")
        scalars = [("a", "u32"), ("b", "i64"), ("n", "i32"), ("i", "u32")]
        read = "in[i]"
        if gathers:
            read = self.rng.choice([
                f"in[(i * a + (u32)b) & {ITEMS - 1}]",
                f"in[(i + n) & {ITEMS - 1}]",
                f"in[((i64)i * b + (i32)a) & {ITEMS - 1}]",
                f"in[{ITEMS - 1} - (i & {ITEMS - 1})]"])
        value = self.deviceValue(file, scalars)
        loop = self.rng.choice([
            "u32 i = globalId(); if (i < (u32)n)",
            "for (i32 i = globalId(); i < n; i += 32)",
            "for (i64 i = n - 1 - (i64)globalId(); i >= 0; i -= 32)"])
        if "i += 32" in loop or "i -= 32" in loop:  # a block of 32 threads
            loop = loop.replace("globalId", "localId")
            loop = "if (blockIdx.x == 0) " + loop
        signature = (f"__global__ void {name}(u32 *out, const u32 *in, u32 a, "
                     "i64 b, i32 n)")
        self.add(file, ("static " if isStatic else "") + signature + " {",
                 f"  {loop}", f"    out[i] = {read} "
                 f"{self.rng.choice('+^-')} {value};", "}")
        if not isStatic:
            self.cudaHeader.append(signature + ";")
        return MapKernel(name, gathers, file, isStatic)

    def launcher(self, kernel=None):
        """(name of a host function that launches, kernel)"""
        kernel = kernel or self.mapKernel()
        name = self.fresh("start")
        file = kernel.home if kernel.isStatic else self.cudaFile()
        more = self.rng.choice(["", f" + {self.rng.choice([1, 7])}"])
        self.function(
            f"void {name}(u32 *out, const u32 *in, u32 a, i64 b, i32 n, "
            "cudaStream_t stream)",
            [f"{kernel.name}<<<{self.rng.choice(['1', '2', '(n + 31) / 32'])}, "
             f"32, 0, stream>>>(out, in, a{more}, b, n);"], file)
        return name, kernel

    def scalarArguments(self, scope=None):
        """a, b, n of a map kernel."""
        rng = self.rng
        a = (f"{self.host.constant()}u" if self.chance(0.6)
             else self.hostValue())
        b = rng.choice(["1", "-1", "3", "-7", "0", "4294967297", "64",
                        f"(i64)(i32){self.hostValue(depth=1)}"])
        n = rng.choice([str(ITEMS), str(ITEMS), "32", "7", "1",
                        f"(i32)({self.hostValue(depth=1)} % {ITEMS + 1}u)"])
        return f"{a}, {b}, {n}"

    # ---- memory and results ---------------------------------------------

    def buffers(self, count):
        """(names, statements that allocate and fill them)"""
        names, lines = [], []
        for _ in range(count):
            name = self.fresh("buf")
            names.append(name)
            lines.append(f"u32 *{name};")
            lines.append(self.rng.choice([
                f"cudaMalloc((void **)&{name}, {BYTES});",
                f"{name} = (u32 *)allocate({BYTES});"]))
            lines.append(f"fill({name}, {BYTES}, {self.host.constant()}u);")
        return names, lines

    def show(self, *buffers):
        name = type(self).__name__
        return [f'show("{name} {b}", {b}, {BYTES});' for b in buffers]

    def showValue(self, text):
        return f'printf("{type(self).__name__} %08x\\n", (u32)({text}));'
