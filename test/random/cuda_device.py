"""Random device functions and kernels.

Kernels are free of races whatever the geometry, of at most MOST_THREADS
threads: through a pointer of space RW a thread touches the SLICE bytes that are
its own, through RO it only reads what nobody writes meanwhile, through AT there
are only atomics whose order does not matter. A launch of one thread may pass
anything anywhere.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import dataclasses

from cuda_code import SIZES, Function, Memory, Parameter, Scope
from cuda_indexes import IndexWriter

MOST_THREADS, SLICE, TILE = 128, 32, 64
READ_ONLY = 16  # elements that are read through a pointer of space RO
ELEMENTS = ["u8", "u16", "u32", "u32", "u32", "u64"]
KERNEL_STEPS = 3

SHAPES = """
struct Shape {
  u32 side;
  __device__ explicit Shape(u32 side) : side(side) {}
  __device__ virtual u32 area(u32 x) const { return side * x; }
};
struct Square : Shape {
  __device__ explicit Square(u32 side) : Shape(side) {}
  __device__ u32 area(u32 x) const override;
};
struct Cube : Square {
  __device__ explicit Cube(u32 side) : Square(side) {}
  __device__ u32 area(u32 x) const override;
};
__device__ inline u32 shapeArea(const Shape &shape, u32 x) {
  return shape.area(x);
}
__device__ __noinline__ inline u32 shapes(u32 a, u32 b) {
  Shape shape(a);
  Square square(b);
  Cube cube(a ^ b);
  const Shape *all[] = {&shape, &square, &cube};
  return shapeArea(*all[b % 3], a) + shapeArea(*all[a % 3], b);
}
"""


# Written by atomics from anywhere, read by the host.
COUNTERS = """
__device__ u32 counters[8];
static __device__ u32 localCounters[8];
"""
BLOCK_SUM = """
__device__ __noinline__ u32 blockSum(u32 *tile, u32 value) {
  tile[localId()] = value;
  __syncthreads();
  u32 sum = 0;
  for (u32 i = 0; i < blockThreads(); ++i)
    sum += tile[i];
  __syncthreads();
  return sum;
}
"""


@dataclasses.dataclass
class Kernel(Function):
    needsWarps: bool = False
    sharedBytes: int = 0  # of dynamic shared memory

    def types(self):
        """The parameters as a function type has them."""
        return ", ".join(p.declare().rpartition(p.name)[0].strip()
                         for p in self.parameters)


def sliceCount(element):
    """Elements of its slice that a thread touches through one pointer; the
    pointer may be as many further on."""
    return SLICE // SIZES[element] // 2


class DeviceWriter(IndexWriter):
    def __init__(self, rng, names, structs, files, isLarge=False):
        super().__init__(rng, names)
        self.isLarge = isLarge
        # What pointers lead to; each sort needs buffers.
        self.elements = ELEMENTS if isLarge else ["u32", "u32", rng.choice(
            ["u8", "u16", "u64"])]
        self.structs = structs
        self.files = files
        self.functions, self.kernels = [], []
        self.binaries = []
        self.globals = []  # (file or None, Memory, declaration, initializer)
        # Without pointers but those that kernels get, which lets facts about
        # these be proven.
        self.isQuiet = self.chance(0.35)
        self.usesShapes = not self.isQuiet and self.chance(0.25)

    # ---- variables ------------------------------------------------------

    def variables(self):
        for _ in range(self.rng.randint(2, 4)):
            space = self.rng.choice(["__device__", "__constant__"])
            element = self.rng.choice(list(SIZES))
            home = self.rng.randrange(self.files)
            isStatic = self.chance(0.4)
            name = self.fresh("g")
            values = ", ".join(f"({element}){self.constant()}u"
                               for _ in range(self.rng.randint(0, 8)))
            self.globals.append(
                (home, isStatic, f"{space} {element} {name}[{TILE}]", values,
                 Memory(name, element, READ_ONLY, False,
                        "CO" if space == "__constant__" else "RO")))
        for _ in range(self.rng.randint(0, 2)):
            element = self.rng.choice(self.elements)
            name = self.fresh("w")
            size = MOST_THREADS * SLICE // SIZES[element] + TILE
            self.globals.append(
                (self.rng.randrange(self.files), self.chance(0.3),
                 f"__device__ {element} {name}[{size}]", "",
                 Memory(name, element, size, True, "RW")))

    def statement(self, scope, nesting):
        if scope.file is not None and self.chance(0.05):
            counters = "counters"
            if scope.file == 0 and self.chance(0.3):
                counters = "localCounters"
            return self.element(
                f"atomicAdd(&{counters}[{self.leaf(scope)} & 7], "
                f"{self.value(scope, 1)});")
        if self.chance(0.06):
            return self.walk(scope) or super().statement(scope, nesting)
        return super().statement(scope, nesting)

    def binary(self, scope):
        if self.functionTable and self.chance(0.25):
            return f"functionTable[{self.leaf(scope)} & 3]"
        return super().binary(scope)

    functionTable = False

    # ---- functions ------------------------------------------------------

    def scope(self, file):
        """What any device code in `file` sees; None is the header."""
        scope = Scope(file, self.functions, [
            f.name for f in self.binaries if f.file in (None, file)])
        for home, isStatic, _, _, memory in self.globals:
            if memory.space != "RW" and (not isStatic or home == file):
                scope.memory.append(dataclasses.replace(memory, space=""))
        if self.chance(0.3):
            scope.scalars.append(("RANDOM_ARCH", "u32"))
        return scope

    def makeFunctions(self):
        for _ in range(3):
            self.binaries.append(self.oneFunction(isBinary=True))
        self.functionTable = not self.isQuiet
        if self.usesShapes:
            self.functions.append(Function(
                "shapes", "u32", [Parameter("scalar", "a", "u32"),
                                  Parameter("scalar", "b", "u32")],
                inHeader=True, cost=20, body=[]))
        for _ in range(self.rng.randint(3, 8) if self.isLarge
                       else self.rng.randint(1, 4)):
            if self.chance(0.15):
                self.makers.append(
                    self.oneFunction(maker=self.rng.choice(self.structs)))
            else:
                self.functions.append(self.oneFunction())

    def inHeaderCallees(self):
        return [f for f in self.functions if f.file is None]

    def place(self):
        """(file or None, is in the header, prefix)"""
        form = self.rng.randrange(6)
        inline = self.rng.choice(["", "__noinline__ ", "__noinline__ "])
        if form == 0:
            return None, True, f"__device__ {inline}inline "
        if form <= 2:
            return self.rng.randrange(self.files), False, \
                f"static __device__ {inline}"
        return None, False, f"__device__ {inline}"

    def oneFunction(self, isBinary=False, maker=None):
        file, inHeader, prefix = self.place()
        isTemplate = not isBinary and not maker and self.chance(0.15)
        if isBinary or isTemplate:
            file, inHeader = None, isTemplate
            prefix = "__device__ " + ("inline " if isTemplate else "")
        if isBinary:
            parameters = [Parameter("scalar", n, "u32") for n in ("x", "y")]
        elif isTemplate:
            parameters = [Parameter("scalar", "x", "u32")]
        else:
            parameters = self.parameters(canRecurse=not maker)
        result = "T" if isTemplate else (
            "u32" if isBinary else maker.name if maker
            else self.rng.choice(list(SIZES)))
        function = Function(self.fresh("b" if isBinary else "d"), result,
                            parameters, file, inHeader, isTemplate,
                            prefix=prefix)
        function.isPure = not any(p.isWritable or p.kind == "mutable"
                                  for p in parameters)
        home = self.rng.randrange(self.files)
        function.home = file if file is not None else home
        # What is written into the header sees no file's statics.
        scope = self.scope(None if inHeader else function.home)
        if inHeader:
            scope.callees = self.inHeaderCallees()
        if isTemplate:
            scope.scalars.append(("N", "u32"))
        return self.function(function, scope, self.rng.randint(
            1, 4 if self.isLarge else 3), maker)

    def parameters(self, canRecurse):
        found = [self.parameter() for _ in range(self.rng.randint(1, 4))]
        if canRecurse and self.chance(0.15):
            found.append(Parameter("scalar", "depth", "i32"))
        return found

    def parameter(self):
        name = self.fresh("p")
        form = self.rng.randrange(10)
        if form < 4:
            return Parameter("scalar", name, self.rng.choice(list(SIZES)))
        if form < 7:
            element = self.rng.choice(self.elements)
            return Parameter("memory", name, element,
                             self.rng.choice([1, 2, sliceCount(element)]),
                             self.chance(0.5), isEnd=self.chance(0.2))
        if form == 7:
            return Parameter("function", name)
        kind = self.rng.choice(["struct", "constant", "mutable"])
        return Parameter(kind, name, self.rng.choice(self.structs))

    # ---- kernels --------------------------------------------------------

    def makeKernels(self):
        """Some share their parameters, so that one handle may be either."""
        self.families = []
        for _ in range(self.rng.randint(2, 5) if self.isLarge
                       else self.rng.randint(1, 2)):
            parameters = self.kernelParameters()
            family = [self.kernel(parameters)
                      for _ in range(self.rng.choice([1, 1, 2]))]
            self.kernels += family
            if len(family) > 1 and all(k.file is None and not k.isTemplate
                                       and not k.needsWarps
                                       for k in family):
                self.families.append(family)

    def kernelParameters(self):
        found = [self.devicePointer("RW")]
        for _ in range(self.rng.randint(1, 5)):
            form = self.rng.randrange(8)
            name = self.fresh("p")
            if form < 3:
                found.append(Parameter("scalar", name,
                                       self.rng.choice(list(SIZES))))
            elif form < 5:
                found.append(Parameter("struct", name,
                                       self.rng.choice(self.structs)))
            elif form == 5 and not self.isQuiet:
                found.append(Parameter("function", name))
            else:
                found.append(self.devicePointer(
                    self.rng.choice(["RW", "RO", "RO", "AT"])))
        self.rng.shuffle(found)
        return found

    def devicePointer(self, space):
        element = "u32" if space == "AT" else self.rng.choice(self.elements)
        count = sliceCount(element) if space == "RW" else READ_ONLY
        return Parameter("device", self.fresh("p"), element, count,
                         space != "RO", space)

    def kernel(self, parameters):
        form = self.rng.randrange(8)
        file = self.rng.randrange(self.files)
        kernel = Kernel(self.fresh("k"), "void", parameters)
        bounds = self.rng.choice(["", "", "", f"__launch_bounds__({TILE}) "])
        kernel.prefix = f"__global__ {bounds}"
        kernel.home = file
        if form == 0:
            kernel.isTemplate = kernel.inHeader = True
        elif form <= 2:
            kernel.file = file
            kernel.prefix = f"static __global__ {bounds}"
        scope = self.scope(None if kernel.inHeader else file)
        if kernel.inHeader:
            scope.callees = self.inHeaderCallees()
            scope.scalars.append(("N", "u32"))
        kernel.body = self.kernelBody(kernel, scope)
        kernel.cost = scope.cost
        return kernel

    def kernelBody(self, kernel, scope):
        self.enter(scope, kernel.parameters)
        scope.scalars += [("gid", "u32"), ("threadIdx.x", "u32"),
                          ("blockDim.x", "u32"), ("gridDim.x", "u32"),
                          ("blockIdx.x", "u32")]
        lines, slices = ["u32 gid = globalId();"], []
        pointers = [(p.name, f"{p.space} {p.type}") for p in kernel.parameters
                    if p.kind == "device"]
        for p in kernel.parameters:
            if p.kind == "struct":
                pointers += [(path, kind) for path, kind
                             in p.type.leaves(p.name)
                             if isinstance(kind, str) and " " in kind]
        for home, isStatic, _, _, memory in self.globals:
            if (memory.space == "RW" and self.chance(0.5)
                    and (not isStatic or home == scope.file)):
                pointers.append((memory.text, f"RW {memory.element}"))
        atomics = []
        for path, kind in pointers:
            space, element = kind.split()
            if space == "RW":
                name = self.fresh("m")
                lines.append(f"{element} *{name} = {path} + gid * "
                             f"{SLICE // SIZES[element]};")
                memory = Memory(name, element, sliceCount(element), True)
                scope.memory.append(memory)
                slices.append(memory)
            elif space == "RO":
                name = self.fresh("m")
                lines.append(f"const {element} *{name} = {path};")
                scope.memory.append(Memory(name, element, READ_ONLY, False))
            else:
                atomics.append(path)
        for _ in range(self.rng.randint(1, KERNEL_STEPS)):
            lines += self.step(kernel, scope, atomics)
        sums = " + ".join(f"(u32){text}" for text, _ in scope.assignable)
        for memory in slices[:2]:
            lines.append(f"{memory.text}[0] = ({memory.element})"
                         f"((u32){memory.text}[0] ^ ({sums}));")
        return scope.declarations + lines

    def step(self, kernel, scope, atomics):
        form = self.rng.randrange(9)
        if form >= 7:
            return self.wideIndexes(scope, self.sizes(kernel), True)
        if form < 3:
            return self.statements(scope, self.rng.randint(1, 4))
        if form < 5:
            return self.shared(kernel, scope)
        if form == 5 and atomics:
            operation = self.rng.choice(["atomicAdd", "atomicMax", "atomicXor"])
            # One operation for a counter, or the order would matter.
            index = ["atomicAdd", "atomicMax", "atomicXor"].index(operation)
            return [self.element(
                f"{operation}({self.rng.choice(atomics)} + {index * 4} + "
                f"({self.leaf(scope)} & 3), {self.value(scope)});")]
        target, kind = self.rng.choice(scope.assignable)
        if self.chance(0.3):
            name = self.fresh("t")
            call = f"blockSum({name}, {self.value(scope)})"
            if self.chance(0.4):
                kernel.needsWarps = True
                twice = [p.name for p in kernel.parameters
                         if p.kind == "scalar" and p.type in ("u32", "i32")]
                call = (f"sumOfWarps({name}, {self.value(scope)}, "
                        f"{self.rng.choice(twice + ['0', '1'])})")
            return [f"__shared__ u32 {name}[{TILE}];", self.element(
                f"{target} = ({kind})((u32){target} + {call});")]
        if self.chance(0.5):
            kernel.needsWarps = True
            return [self.element(
                f"{target} = ({kind})((u32){target} + __shfl_xor_sync("
                f"0xffffffffu, {self.value(scope)}, "
                f"{self.rng.choice([1, 4, 16])}));")]
        return [self.element(
            f"{target} = ({kind})((u32){target} + (u32)__syncthreads_or("
            f"{self.leaf(scope)} == {self.constant()}u));")]

    @staticmethod
    def sizes(kernel):
        """Parameters of 64 bits, which may be sizes."""
        return [p.name for p in kernel.parameters
                if p.kind == "scalar" and SIZES[p.type] == 8] + [
            path for p in kernel.parameters if p.kind == "struct"
            for path, field in p.type.leaves(p.name)
            if field in ("u64", "i64")]

    def shared(self, kernel, scope):
        """All threads fill a tile, wait, and read any of it."""
        element = self.rng.choice(["u32", "u32", "u8", "u64"])
        name = self.fresh("t")
        if self.chance(0.3) and not kernel.sharedBytes:
            kernel.sharedBytes = TILE * SIZES[element]
            declaration = ("extern __shared__ __attribute__((aligned(8))) u8 "
                           f"dynamicShared[]; {element} *{name} = "
                           f"({element} *)dynamicShared;")
        else:
            declaration = f"__shared__ {element} {name}[{TILE}];"
        index = self.fresh("n")
        isCounted = element == "u32" and self.chance(0.3)
        scope.scalars.append((index, "u32"))
        value = "0" if isCounted else self.ofType(scope, element)
        scope.scalars.remove((index, "u32"))
        lines = [declaration,
                 f"for (u32 {index} = localId(); {index} < {TILE}; "
                 f"{index} += blockThreads())",
                 f"  {name}[{index}] = {value};", "__syncthreads();"]
        if isCounted:
            lines += [self.element(
                f"atomicAdd({name} + ({self.leaf(scope)} & {TILE - 1}), "
                f"{self.value(scope)});"), "__syncthreads();"]
        memory = Memory(name, element, TILE, False)
        scope.memory.append(memory)
        lines += self.statements(scope, self.rng.randint(1, 3))
        # Later steps do not write it, so reading on needs no barrier.
        return lines
