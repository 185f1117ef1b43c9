"""Features of random programs: units in several directories, sources that are
compiled twice, native code in the link.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
from cuda_features import ITEMS, Feature, File

INCLUDE = '#include "common.h"'


class Places(Feature):
    """One text that is compiled twice, with other headers beside it, other -D,
    -include or -I: static kernels and variables of the same names."""
    share = 0.2

    def make(self):
        rng = self.rng
        stem = self.fresh("place")
        isCuda = self.chance(0.8)
        text = self.text(stem, isCuda)
        way = rng.choice(["beside", "macro", "include", "path", "made"])
        (out, source), lines = self.buffers(2)
        ending = "cu" if isCuda else "cpp"
        for number in range(2):
            here = f"{stem}{'ab'[number]}"
            macros = [f"#define {stem}_RUN {here}Run",
                      f"#define {stem}_FACTOR {rng.choice([3, 5, number])}"]
            self.header.append(
                f"u32 {here}Run(u32 *out, const u32 *in, u32 x);")
            statics = [f"{stem}{n}" for n in ("Kernel", "Helper", "Variable")]
            apart = [f"#define {s} {s}{number}" for s in statics]
            undo = [f"#undef {m.split()[1]}" for m in macros + apart]
            file = File("", text, before=macros + apart, after=undo)
            self.put(file, way, here, stem, ending, macros)
            self.files.append(file)
            lines.append(self.optional(
                f"{self.trace()} {here}Run({out}, {source}, "
                f"{self.hostValue(depth=1)}));"))
        return lines + self.show(out)

    @staticmethod
    def trace():
        return 'printf("Places %08x\\n",'

    def put(self, file, way, here, stem, ending, macros):
        """Where `file` is compiled, and how it gets its macros."""
        config = "\n".join(macros) + "\n"
        name = f"{stem}.{ending}"
        file.object = f"{here}.o"
        first, file.plain = INCLUDE, file.lines
        if way in ("beside", "path", "made"):
            first = '#include "config.h"\n' + INCLUDE
            file.beside = {f"{here}/config.h": config}
        file.path = name
        if way in ("beside", "made"):
            file.path = f"{here}/{name}"
            file.flags = ["-I."]
        if way == "made":  # as by make -C
            file.directory, file.path = here, f"{here}/{name}"
            file.flags = ["-I.."]
        elif way == "path":
            file.flags = [f"-I{here}"]
        elif way == "include":
            file.beside = {f"{here}.h": config}
            file.flags = ["-include", f"{here}.h"]
        elif way == "macro":
            file.flags = [f"-D{m.split()[1]}={m.split()[2]}" for m in macros]
        file.lines = [first] + file.lines

    def text(self, stem, isCuda):
        """What both units have."""
        variable, kernel, helper = (f"{stem}{n}" for n in
                                    ("Variable", "Kernel", "Helper"))
        factor = f"{stem}_FACTOR"
        run = f"u32 {stem}_RUN(u32 *out, const u32 *in, u32 x) {{"
        if not isCuda:
            return [f"static u32 {variable} = {factor};",
                    f"static u32 {helper}(u32 x) {{ {variable} += x; return "
                    f"{variable} * {factor}; }}", run,
                    f"  return {helper}(x) + "
                    f"{self.hostValue([('x', 'u32')])};", "}"]
        noinline = self.rng.choice(["", "__noinline__ "])
        value = self.rng.choice(["in[i]", f"{variable}[i & 3]", "i"])
        return [f"static __device__ u32 {variable}[4] = {{{factor}, 2}};",
                f"static __device__ {noinline}u32 {helper}(u32 x) {{ "
                f"return x * {factor} + {variable}[1]; }}",
                f"static __global__ void {kernel}(u32 *out, const u32 *in, "
                "u32 x) {", "  u32 i = threadIdx.x;",
                f"  out[i] += {helper}({value}) ^ x;", "}", run,
                f"  u32 v[2] = {{x, {factor}}};",
                self.rng.choice([
                    f"  cudaMemcpyToSymbol({variable}, v, 8, 8, "
                    "cudaMemcpyHostToDevice);", ""]),
                f"  {kernel}<<<1, {self.rng.choice([32, 7])}>>>(out, in, "
                f"{self.rng.choice(['x', factor, '4u'])});",
                f"  return x * {factor};", "}"]


class Native(Feature):
    """A file without link-time optimization, of g++ or clang: it is called
    back, captures our launches, changes graphs and variables."""
    share = 0.2

    def make(self):
        rng = self.rng
        self.name = self.fresh("native")
        self.text = [INCLUDE]
        (out, source), lines = self.buffers(2)
        ways = [self.callback, self.variable, self.capture, self.returned]
        for way in rng.sample(ways, rng.randint(1, 3)):
            lines.append(self.optional("{", way(out, source)))
        self.files.append(File(
            f"{self.name}.cpp", self.text, plain=self.text[1:],
            flags=[rng.choice(["-O0", "-O2"])],
            native=rng.choice(["g++", "clang"]), object=f"{self.name}.o"))
        return lines + self.show(out)

    def native(self, signature, body):
        self.header.append(signature + ";")
        self.text += [signature + " {", *["  " + line for line in body], "}"]

    def callback(self, out, source):
        call, ours = self.fresh("nativeCall"), self.fresh("ours")
        scalars = [("x", "u32"), ("y", "u32")]
        self.function(f"u32 {ours}(u32 x, u32 y)",
                      [f"return {self.hostValue(scalars)};"])
        indirect = self.chance(0.5)
        callee = "f" if indirect else ours
        self.native(f"u32 {call}(binary f, u32 x)",
                    [f"return {callee}(x, {self.host.constant()}u) + 1;"])
        return [self.showValue(f"{call}({ours}, {self.hostValue()})")]

    def variable(self, out, source):
        """A variable that both sides read and write."""
        name, change = self.fresh("shared"), self.fresh("change")
        home = self.anyFile()
        self.header.append(f"extern u32 {name}; extern u32 *{name}Pointer;")
        self.add(home, f"u32 {name} = {self.host.constant()}u;",
                 f"u32 *{name}Pointer = &{name};")
        form = self.rng.choice([name, f"*{name}Pointer"])
        self.native(f"void {change}(u32 x)", [f"{form} += x + 1;"])
        get = self.fresh("get")
        self.function(f"u32 {get}()", [f"return {name};"])
        return [self.showValue(f"{get}()"),
                f"{change}({self.hostValue(depth=1)});",
                self.showValue(f"{get}()")]

    def returned(self, out, source):
        """Memory that native code makes and hands in."""
        make, use = self.fresh("nativeMake"), self.fresh("useMade")
        self.native(f"u32 *{make}(u32 x)", [
            "static u32 made[4]; made[x & 3] += x; return made;"])
        self.function(f"u32 {use}(u32 *p, u32 x)", [
            "p[1] = x;", f"u32 *q = {make}(x);", "return p[1] + q[x & 3];"])
        return [self.showValue(f"{use}({make}(1), {self.hostValue()})")]

    def capture(self, out, source):
        """Records what we launch and gives it other arguments."""
        rng = self.rng
        start, kernel = self.launcher()
        record = self.fresh("record")
        body = ["cudaStream_t s; cudaStreamCreateWithFlags(&s, 1);",
                "cudaGraph_t g; cudaGraphExec_t e;",
                "cudaDeviceSynchronize();",
                "cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);",
                f"{start}(out, in, {self.scalarArguments()}, s);",
                "cudaStreamEndCapture(s, &g);",
                "cudaGraphInstantiate(&e, g, 0);"]
        if self.chance(0.7):
            slot, text = rng.choice([
                (2, f"u32 v = {self.host.constant()}u"),
                (3, f"i64 v = {rng.choice([5, -2])}"),
                (4, f"i32 v = {rng.choice([ITEMS, 9])}"),
                (1, "u32 *v = in + 0"), (0, "u32 *v = other")])
            body += ["cudaGraphNode_t node; size_t one = 1;",
                     "cudaKernelNodeParams p;",
                     "cudaGraphGetNodes(g, &node, &one);",
                     "cudaGraphKernelNodeGetParams(node, &p);", text + ";",
                     "void *args[5] = {p.kernelParams[0], p.kernelParams[1], "
                     "p.kernelParams[2], p.kernelParams[3], "
                     "p.kernelParams[4]};", f"args[{slot}] = &v;",
                     "p.kernelParams = args;"]
            if self.chance(0.3):
                body.append("p.blockDim = dim3(64);")
            body.append("cudaGraphExecKernelNodeSetParams(e, node, &p);")
        body += ["cudaGraphLaunch(e, s);", "cudaStreamSynchronize(s);"]
        self.native(f"void {record}(u32 *out, u32 *in, u32 *other)", body)
        (other,), lines = self.buffers(1)
        return lines + [f"{record}({out}, {source}, {other});"] \
            + self.show(other)


class Assembly(Feature):
    """Inline assembly that names a variable of another file."""
    share = 0.12
    suitsNvcc = False

    def make(self):
        name, add, get = (self.fresh(s) for s in ("named", "addTo", "getOf"))
        self.header.append(f'extern "C" {{ extern u32 {name}; }}')
        first = self.host.constant()
        self.add(self.anyFile(), f"u32 {name} = {first}u;")
        self.function(f"u32 {get}()", [f"return {name};"])
        form = self.rng.choice([
            (f'__asm__ volatile("addl %0, {name}(%%rip)" : : "r"(x) : '
             '"memory", "cc");'),
            (f'u32 was; __asm__ volatile("movl {name}(%%rip), %0" : "=r"(was) '
             f': : "memory"); {name} = was * 3 + x;')])
        guard = ["#ifndef __CUDA_ARCH__", form, "#endif"]
        self.function(f"void {add}(u32 x)", guard)
        lines = []
        for _ in range(self.rng.randint(1, 2)):
            lines += [self.showValue(f"{get}()"), self.optional(
                f"{add}({self.hostValue(depth=1)});")]
        return lines + [self.showValue(f"{get}()")]
