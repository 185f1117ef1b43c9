"""Random host code that prepares and launches kernels.

Pointers to device memory are `Memory` with a space (see cuda_device); their
count is how many elements further on a launch may still start, so that offsets
do not add up.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
from cuda_code import (GEOMETRY, SIZES, Function, Memory, Parameter, Scope,
                       Struct)
from cuda_device import (MOST_THREADS, READ_ONLY, SLICE, TILE,
                         sliceCount)
from cuda_indexes import IndexWriter

BUFFER_BYTES = MOST_THREADS * SLICE + 1024
LAUNCHES = 40
DIMENSIONS = {  # by whether the threads must be full warps
    False: ["dim3(8, 4)", "dim3(4, 4, 2)", "dim3(3, 5)", "dim3(16, 2, 2)"],
    True: ["dim3(8, 4)", "dim3(4, 4, 2)", "dim3(16, 2, 2)", "dim3(64)"]}
GRIDS = ["dim3(2)", "dim3(1, 2)", "dim3(1, 1, 2)", "dim3(1)"]

DECLARATIONS = """
void *allocate(size_t bytes);
void fill(void *device, u32 bytes, u32 seed);
u32 digest(const void *device, u32 bytes);
void show(const char *name, const void *device, u32 bytes);
extern binary deviceFunctions[4];
"""
SUPPORT = f"""
void fill(void *device, u32 bytes, u32 seed) {{
  static u8 values[{BUFFER_BYTES}];
  for (u32 i = 0; i < bytes; ++i) {{
    seed = seed * 1664525u + 1013904223u;
    values[i] = (u8)(seed >> 24);
  }}
  cudaMemcpy(device, values, bytes, cudaMemcpyHostToDevice);
}}
static u32 digestHost(const u8 *bytes, u32 count) {{
  u32 sum = 2166136261u;
  for (u32 i = 0; i < count; ++i)
    sum = (sum ^ bytes[i]) * 16777619u;
  return sum;
}}
u32 digest(const void *device, u32 bytes) {{
  static u8 values[{BUFFER_BYTES}];
  cudaMemcpy(values, device, bytes, cudaMemcpyDeviceToHost);
  return digestHost(values, bytes);
}}
void show(const char *name, const void *device, u32 bytes) {{
  printf("%s %08x\\n", name, digest(device, bytes));
}}
static void showSymbol(const char *name, const void *symbol, u32 bytes) {{
  static u8 values[{BUFFER_BYTES}];
  cudaMemcpyFromSymbol(values, symbol, bytes, 0, cudaMemcpyDeviceToHost);
  printf("%s %08x\\n", name, digestHost(values, bytes));
}}
"""


def makeStructs(rng, writer, withPointers):
    """Types for both sides, of all sizes; nested; with pointers and with what
    launches need."""
    structs = []
    for _ in range(rng.randint(2, 4)):
        fields = []
        for _ in range(rng.randint(1, 6)):
            form = rng.randrange(12)
            name = writer.fresh("f")
            if form < 7:
                kind = rng.choice(list(SIZES))
            elif form == 7:
                kind = rng.choice(list(GEOMETRY))
            elif form == 8:
                kind = (rng.choice(list(SIZES)), rng.randint(1, 5))
            elif form == 9 and structs:
                kind = rng.choice(structs)
            elif form == 10 and withPointers:
                kind = (f"{rng.choice(['RW', 'RO'])} "
                        f"{rng.choice(writer.elements)}")
            else:
                kind = "u8"
            fields.append((name, kind))
        structs.append(Struct(writer.fresh("S"), fields))
    return structs


class HostWriter(IndexWriter):
    launchLimit = LAUNCHES

    def __init__(self, rng, names, device, files):
        super().__init__(rng, names)
        self.device = device
        self.files = files  # those from device.files on are of C++
        self.functions, self.binaries = [], []
        # Pointers to device memory that every function sees.
        self.buffers = [Memory(self.fresh(space.lower()), element,
                               0 if space == "AT" else sliceCount(element),
                               True, space)
                        for space, element in
                        [(s, e) for s in ("RW", "RO")
                         for e in sorted(set(device.elements))]
                        + [("RW", "u32"), ("AT", "u32")]]
        self.globals = [(self.fresh("h"), self.constant()) for _ in range(3)]
        # Only main launches, and only what it allocated itself: then pointers
        # are known to be apart, or not to be.
        self.isLocalStyle = device.isQuiet or self.chance(0.1)

    def fieldLiteral(self, kind):
        if " " not in kind:
            return super().fieldLiteral(kind)
        return self.rng.choice([m.text for m in self.buffers
                                if f"{m.space} {m.element}" == kind])

    # ---- pointers to device memory --------------------------------------

    def devicePointer(self, scope, parameter, isAlone=False, room=0):
        """A pointer that suits `parameter` of a kernel or function. With
        `isAlone`, one thread runs, which may touch anything."""
        def suits(memory):
            if isAlone and "AT" not in (parameter.space, memory.space):
                return memory.space != ""
            return memory.space == parameter.space

        fits = [m for m in scope.memory if suits(m) and m.count >= room
                and (m.element == parameter.type or parameter.type == "u8")]
        memory = self.rng.choice(fits)
        text = memory.text
        if room == 0 and memory.count and self.chance(0.4):
            text = f"({text} + {self.rng.choice([1, memory.count])})"
        return (text if memory.element == parameter.type
                else f"({parameter.type} *){text}")

    def argument(self, scope, parameter, depth):
        if parameter.kind == "device":
            return self.devicePointer(scope, parameter, room=parameter.count)
        if parameter.kind == "handle":
            family = parameter.family
            known = [text for text, f in scope.handles if f is family]
            return self.rng.choice(known + [k.name for k in family
                                            if k.file in (None, scope.file)])
        return super().argument(scope, parameter, depth)

    # ---- launches -------------------------------------------------------

    def launch(self, scope):
        """A launch of some kernel, or None."""
        kernels = [k for k in self.device.kernels
                   if k.file in (None, scope.file)]
        if (not kernels or scope.isPlain
                or (self.isLocalStyle and not scope.isMain)
                or scope.launches + scope.times > self.launchLimit):
            return None
        kernel = self.rng.choice(kernels)
        handle = kernel.name
        if kernel.isTemplate:
            handle += f"<{self.rng.randint(1, 3)}>"
        families = [f for f in self.device.families if kernel in f]
        if families and self.chance(0.6):
            handle = self.handle(scope, families[0])
            kernel = self.worst(families[0])
        scope.launches += scope.times
        scope.cost += scope.times
        scope.effects = True
        isAlone = not kernel.needsWarps and self.chance(0.3)
        grid, block = ("1", "1") if isAlone else self.geometry(scope, kernel)
        arguments = [self.kernelArgument(scope, p, isAlone)
                     for p in kernel.parameters]
        shared = kernel.sharedBytes
        if not kernel.isTemplate and self.chance(0.25):
            return self.runtimeLaunch(kernel, handle, grid, block, arguments)
        more = f", {shared}" if shared else self.rng.choice(["", "", ", 0"])
        call = (f"{handle}<<<{grid}, {block}{more}>>>("
                f"{', '.join(arguments)});")
        if block in ("32u", "64u") and self.chance(0.2):
            call = (f"if ({self.leaf(scope)} & 1) {call} else " +
                    call.replace(f", {block}", ", 64u" if block == "32u"
                                 else ", 32u", 1))
        return self.element(call)

    def worst(self, family):
        """What a launch of any kernel of `family` must provide."""
        return max(family, key=lambda k: k.sharedBytes)

    def handle(self, scope, family):
        known = [text for text, f in scope.handles if f is family]
        names = known + [k.name for k in family]
        first, second = self.rng.choice(names), self.rng.choice(names)
        if self.chance(0.3):
            return first
        return f"({self.leaf(scope)} & 1 ? {first} : {second})"

    def geometry(self, scope, kernel):
        if self.chance(0.25):
            return (self.rng.choice(GRIDS),
                    self.rng.choice(DIMENSIONS[kernel.needsWarps]))
        grid = self.ofType(scope, "grid")
        if kernel.needsWarps:
            return grid, self.rng.choice(["32u", "64u", "32u",
                                          f"(32u << ({self.leaf(scope)} & 1))",
                                          self.choice(scope, (32, 64))])
        block = self.ofType(scope, "block")
        if self.chance(0.2):
            block = self.choice(scope, (1, 7, 32, 48, 64))
        if self.chance(0.25):
            grid = f"({self.leaf(scope)} % 64u + {block}) / {block}"
        return grid, block

    def choice(self, scope, values):
        """One of some of `values`."""
        text = f"{self.rng.choice(values)}u"
        for _ in range(self.rng.randint(1, 3)):
            text = (f"({self.leaf(scope)} % {self.rng.randint(2, 5)}u == 1u ? "
                    f"{self.rng.choice(values)}u : {text})")
        return text

    def kernelArgument(self, scope, parameter, isAlone):
        if parameter.kind == "device":
            return self.devicePointer(scope, parameter, isAlone)
        if parameter.kind == "function":
            return f"deviceFunctions[{self.leaf(scope)} & 3]"
        return super().argument(scope, parameter, 2)

    def runtimeLaunch(self, kernel, handle, grid, block, arguments):
        name = self.fresh("x")
        body = [f"{self.declared(p)} {name}_{i} = {a};" for i, (p, a) in
                enumerate(zip(kernel.parameters, arguments))]
        slots = ", ".join(f"&{name}_{i}" for i in range(len(arguments)))
        body.append(f"void *{name}[] = {{{slots}}};")
        if self.chance(0.5):
            body.append(f"cudaLaunchKernel((const void *){handle}, "
                        f"dim3({grid}), dim3({block}), {name}, "
                        f"{kernel.sharedBytes}, nullptr);")
        else:
            body += [f"cudaLaunchConfig_t {name}_config = {{}};",
                     f"{name}_config.gridDim = dim3({grid});",
                     f"{name}_config.blockDim = dim3({block});",
                     f"{name}_config.dynamicSmemBytes = {kernel.sharedBytes};",
                     f"cudaLaunchKernelExC(&{name}_config, "
                     f"(const void *){handle}, {name});"]
        return self.element("{", body)

    @staticmethod
    def declared(parameter):
        return parameter.declare().rpartition(parameter.name)[0].strip()

    # ---- statements -----------------------------------------------------

    def statement(self, scope, nesting):
        form = self.rng.randrange(12)
        made = None
        if form < 3:
            made = self.launch(scope)
        elif form == 10:
            made = self.keptPointer(scope)
        elif form == 11 and self.chance(0.3):
            made = self.query(scope)
        elif form == 11 and self.chance(0.4):
            made = self.movePointer(scope)
        elif form == 3:
            made = self.pointerField(scope)
        elif form == 4 and not scope.isPlain:
            made = self.symbolCopy(scope)
        elif form == 5 and self.chance(0.5):
            scope.effects = True
            name, _ = self.rng.choice(self.globals)
            made = self.element(f"{name} = {self.value(scope)};")
        elif form == 5 and self.chance(0.3):
            made = self.walk(scope)
        elif form == 6 and self.chance(0.2):
            made = self.element("{", self.wideIndexes(scope, [], False))
        return made or super().statement(scope, nesting)

    def keptPointer(self, scope):
        """Calls something while a global variable leads to a local one, or
        writes through such a variable."""
        local = [(t, s) for t, s, isWritable in scope.structs if isWritable]
        if not local:
            return None
        text, struct = self.rng.choice(local)
        kept = f"kept{struct.name}"
        scope.effects = True
        if self.chance(0.5):
            fields = [path for path, kind in struct.leaves("")
                      if kind in SIZES]
            return fields and self.element(
                f"if ({kept}) (*{kept}){self.rng.choice(fields)} = "
                f"{self.constant()}u;")
        call = self.call(scope)
        made = call and self.accumulate(scope, call)
        return made and self.element("{", [f"{kept} = &{text};", made,
                                           f"{kept} = nullptr;"])

    def query(self, scope):
        """Asks what depends on a kernel's code, without consequences."""
        kernels = [k.name for k in self.device.kernels if not k.isTemplate
                   and k.file in (None, scope.file)]
        if not kernels or scope.isPlain:
            return None
        name = self.fresh("q")
        scope.effects = True
        return self.element("{", [
            f"int {name};",
            f"cudaOccupancyMaxActiveBlocksPerMultiprocessor(&{name}, "
            f"(const void *){self.rng.choice(kernels)}, 32, 0);"])

    def movePointer(self, scope):
        """Lets a pointer lead where another one does, or to new memory."""
        movable = [m for m in scope.memory
                   if m.space in ("RW", "RO")
                   and m.text.isidentifier() and m.text[0] in "lp"]
        if not movable:
            return None
        target = self.rng.choice(movable)
        others = [m for m in movable if (m.space, m.element, m.count) ==
                  (target.space, target.element, target.count)
                  and m.text != target.text]
        scope.effects = True
        a = target.text
        if not others or self.chance(0.2):
            return self.element("{", [
                f"cudaMalloc((void **)&{a}, {BUFFER_BYTES + 256});",
                f"fill({a}, {BUFFER_BYTES}, {self.leaf(scope)});"])
        b = self.rng.choice(others).text
        if self.chance(0.5):
            return self.element("{", [f"{target.element} *was = {a};",
                                      f"{a} = {b};", f"{b} = was;"])
        return self.element(f"if ({self.leaf(scope)} & 1) {a} = {b};")

    def pointerField(self, scope):
        fields = [(path, kind) for text, struct, isWritable in scope.structs
                  if isWritable for path, kind in struct.leaves(text)
                  if isinstance(kind, str) and " " in kind]
        if not fields:
            return None
        path, kind = self.rng.choice(fields)
        space, element = kind.split()
        parameter = Parameter("device", "", element, 0, True, space)
        return self.element(f"{path} = {self.devicePointer(scope, parameter)};")

    def symbolCopy(self, scope):
        visible = [g for g in self.device.globals
                   if not g[1] or g[0] == scope.file]
        if not visible:
            return None
        memory = self.rng.choice(visible)[-1]
        scope.effects = True
        size = SIZES[memory.element]
        name = self.fresh("y")
        first = self.rng.choice([0, 1, 4])
        return self.element("{", [
            f"{memory.element} {name}[2] = {{({memory.element})"
            f"{self.leaf(scope)}, ({memory.element}){self.constant()}u}};",
            f"cudaMemcpyToSymbol({memory.text}, {name}, {2 * size}, "
            f"{first * size}, cudaMemcpyHostToDevice);"])

    def call(self, scope, depth=1, mustBePure=False):
        text = super().call(scope, depth, mustBePure)
        if text and not mustBePure:
            scope.effects = True
        return text

    # ---- functions ------------------------------------------------------

    def scope(self, file):
        isPlain = file >= self.device.files
        scope = Scope(file, [], [f.name for f in self.binaries])
        scope.isPlain = isPlain
        scope.callees = [f for f in self.functions if self.suits(scope, f)]
        scope.isMain = False
        scope.effects = False
        scope.handles = []
        scope.memory += self.buffers
        scope.scalars += [(name, "u32") for name, _ in self.globals]
        if not scope.isPlain:
            for home, isStatic, _, _, memory in self.device.globals:
                if memory.space == "RW" and self.chance(0.5) and (
                        not isStatic or home == file):
                    scope.memory.append(self.symbolPointer(scope, memory))
                elif memory.space == "RO" and self.chance(0.3) and (
                        not isStatic or home == file):
                    scope.memory.append(self.symbolPointer(scope, memory))
        return scope

    def suits(self, scope, callee):
        # C++ files know no kernels, so they have no handles to pass.
        return not scope.isPlain or all(p.kind != "handle"
                                        for p in callee.parameters)

    def symbolPointer(self, scope, memory):
        name = self.fresh("z")
        scope.declarations += [
            f"{memory.element} *{name};",
            f"cudaGetSymbolAddress((void **)&{name}, {memory.text});"]
        return Memory(name, memory.element,
                      min(sliceCount(memory.element), READ_ONLY), True,
                      memory.space)

    def enter(self, scope, parameters):
        super().enter(scope, parameters)
        for p in parameters:
            if p.kind == "device":
                scope.memory += [Memory(p.name, p.type, p.count, True,
                                        p.space)] * 2
            elif p.kind == "handle":
                scope.handles.append((p.name, p.family))
        for text, struct, _ in scope.structs:
            for path, kind in struct.leaves(text):
                if isinstance(kind, str) and " " in kind:
                    space, element = kind.split()
                    scope.memory.append(Memory(path, element, 0, True, space))
        if scope.scalars and self.chance(0.3):
            self.double(scope)

    def double(self, scope):
        """Numbers that a loop doubles up to another, or counts meanwhile."""
        power, count = self.fresh("p"), self.fresh("q")
        limit = self.leaf(scope)
        small = f"{limit} % {self.rng.choice([5, 300, 5000])}u"
        below = self.rng.choice(["<", "<="])
        first = self.rng.choice([1, 2, 32])
        most = self.rng.choice([20, 31, 32, 33, 40])
        # Unsigned numbers may wrap around if something else ends the loop.
        loop = self.rng.choice([
            f"while ({power} {below} {small}) {power} *= 2u;",
            f"while ({power} {below} {small} && {power} < 64u) {power} <<= 1;",
            f"while ({count} < 32u && (1u << {count}) {below} {limit}) "
            f"++{count};",
            f"for (; {power} {below} {limit} && {count} < {most}u; ++{count}) "
            f"{power} *= 2u;",
            f"{{ int n = {first}; while (n {below} (int)({small}) - 100 && "
            f"n < 1024) n *= 2; {power} = (u32)n; }}"])
        scope.declarations += [f"u32 {power} = {first}u, {count} = "
                               f"{self.rng.choice([0, 0, 3])}u;", loop]
        scope.scalars += [(power, "u32"), (count, "u32")]

    def makeFunctions(self):
        for _ in range(2):
            self.binaries.append(self.oneFunction(isBinary=True))
        for _ in range(self.rng.randint(3, 7) if self.device.isLarge
                       else self.rng.randint(1, 4)):
            if self.chance(0.2):
                self.makers.append(self.oneFunction(
                    maker=self.rng.choice(self.device.structs)))
            else:
                self.functions.append(self.oneFunction())

    def oneFunction(self, isBinary=False, maker=None):
        file = self.rng.randrange(self.files)
        inline = self.rng.choice(["", "__attribute__((noinline)) "])
        isStatic = not isBinary and self.chance(0.4)
        name = self.fresh("host")
        parameters = ([Parameter("scalar", n, "u32") for n in ("x", "y")]
                      if isBinary else self.parameters(canRecurse=not maker))
        result = ("u32" if isBinary else maker.name if maker
                  else self.rng.choice(list(SIZES)))
        function = Function(name, result, parameters,
                            file if isStatic else None,
                            prefix=("static " if isStatic else "") + inline)
        function.home = file
        scope = self.scope(file)
        if isBinary:  # callable anywhere, so without effects
            scope.isPlain = True
            scope.callees = []
            self.enter(scope, parameters)
            value = self.value(scope, 3)
            function.body = scope.declarations + [f"return {value};"]
            return function
        if not scope.isPlain and self.chance(0.25):
            memory = self.localBuffer(scope, scope.declarations, 200)
            scope.effects = True
            scope.results.append(
                f"h0 ^= digest({memory.text}, {BUFFER_BYTES});")
        self.function(function, scope, self.rng.randint(
            2, 6 if self.device.isLarge else 4), maker)
        function.isPure = not scope.effects and not any(
            p.isWritable or p.kind == "mutable" for p in parameters)
        return function

    def parameters(self, canRecurse):
        found = [self.parameter() for _ in range(self.rng.randint(1, 5))]
        if canRecurse and self.chance(0.15):
            found.append(Parameter("scalar", "depth", "i32"))
        return found

    def parameter(self):
        rng, name = self.rng, self.fresh("p")
        form = rng.randrange(12)
        if form < 3:
            return Parameter("scalar", name, rng.choice(list(SIZES)))
        if form == 3:
            return Parameter("scalar", name, rng.choice(list(GEOMETRY)))
        if form < 6:
            space = rng.choice(["RW", "RW", "RO"])
            element = rng.choice(self.device.elements)
            return Parameter("device", name, element, rng.choice(
                [0, sliceCount(element)]), True, space)
        if form == 6:
            return Parameter("function", name)
        if form == 7 and self.device.families:
            family = rng.choice(self.device.families)
            return Parameter("handle", name, f"Handle{family[0].name}",
                             family=family)
        if form == 8:
            return Parameter("memory", name, rng.choice(self.device.elements),
                             rng.choice([1, 4]), self.chance(0.5),
                             isEnd=self.chance(0.3))
        kind = rng.choice(["struct", "constant", "constant", "mutable"])
        return Parameter(kind, name, rng.choice(self.device.structs))

    # ---- main -----------------------------------------------------------

    def main(self, count, features):
        """The lines of main: memory, work with `features`, results."""
        scope = self.scope(0)
        scope.isMain = True
        scope.scalars.append(("argc", "i32"))
        lines = []
        for seed, buffer in enumerate(self.buffers):
            lines += self.allocate(buffer, seed)
        lines += ["cudaMemcpyFromSymbol(deviceFunctions, functionTable, 32, "
                  "0, cudaMemcpyDeviceToHost);"]
        locals_ = [self.localBuffer(scope, lines, 100 + seed)
                   for seed in range(self.rng.randint(
                        0, 6 if self.device.isLarge else 2))]
        if self.isLocalStyle:
            scope.memory = [m for m in scope.memory if m not in self.buffers]
            locals_ += [self.localBuffer(scope, lines, 110 + seed, m.space,
                                         m.element)
                        for seed, m in enumerate(self.buffers)]
        scope.cost = -4 * LAUNCHES
        self.enter(scope, [])
        work = self.statements(scope, count)
        while scope.launches < 2:
            work.append(self.launch(scope) or self.element(";"))
            if not self.device.kernels or len(work) > 100:
                break
        for element in features:
            work.insert(self.rng.randint(0, len(work)), element)
        shown = [f'show("{m.text}", {m.text}, {BUFFER_BYTES});'
                 for m in self.buffers + locals_]
        for home, isStatic, _, _, memory in self.device.globals:
            if not isStatic or home == 0:
                shown.append(f'showSymbol("{memory.text}", {memory.text}, '
                             f"{SIZES[memory.element] * TILE});")
        shown += [f'showSymbol("{name}", {name}, 32);'
                  for name in ("counters", "localCounters")]
        sums = " ^ ".join(f"(u32){text}" for text, _ in
                          scope.assignable + self.globals)
        return (lines + scope.declarations + work
                + [self.element(line) for line in shown]
                + [f'printf("%08x %d\\n", {sums}, (int)cudaGetLastError());',
                   "return 0;"])

    def localBuffer(self, scope, lines, seed, space=None, element=None):
        """Device memory that a local variable leads to, and perhaps a second
        pointer into it."""
        space = space or self.rng.choice(["RW", "RW", "RO"])
        element = element or self.rng.choice(self.device.elements)
        name = self.fresh("l")
        memory = Memory(name, element,
                        0 if space == "AT" else sliceCount(element), True,
                        space)
        lines.append(f"{element} *{name};")
        lines += self.allocate(memory, seed)
        scope.memory += [memory] * 4
        if memory.count and self.chance(0.2):
            further = self.fresh("l")
            lines.append(f"{element} *{further} = {name} + "
                         f"{self.rng.choice([1, sliceCount(element)])};")
            scope.memory += [Memory(further, element, 0, True,
                                    memory.space)] * 2
        return memory

    def allocate(self, memory, seed):
        name, size = memory.text, SIZES[memory.element]
        bytes_ = BUFFER_BYTES
        form = self.rng.randrange(30 if self.isLocalStyle else 8)
        if form == 0:
            lines = [f"{name} = ({memory.element} *)allocate({bytes_});"]
        elif form == 1:
            shift = self.rng.choice([size, 3 * size, 16, 256])
            lines = [f"{name} = ({memory.element} *)((char *)allocate("
                     f"{bytes_ + 256}) + {shift});"]
        elif form == 2:
            lines = [f"cudaMalloc((void **)&{name}, {bytes_ + 256});",
                     f"{name} += {self.rng.choice([1, 2, 3])};"]
        elif form == 3:
            lines = [f"cudaMallocManaged((void **)&{name}, {bytes_}, 1);"]
        elif form == 4:
            lines = [f"cudaMallocAsync((void **)&{name}, {bytes_}, nullptr);"]
        else:
            lines = [f"cudaMalloc((void **)&{name}, {bytes_});"]
        return lines + [f"fill({name}, {bytes_}, {seed});"]
