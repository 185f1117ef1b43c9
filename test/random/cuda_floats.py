"""Features of random programs: floating-point numbers, compared bit by bit.

What may be fused depends on the unit's -ffp-contract and on pragmas, and where
it is fused on the optimizer. So a function is one of two sorts: its values are
integers so small that all results are exact, fused or not, or it says
`contract(off)` and is in a unit that listens to that.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
from cuda_features import Feature

# Units that may fuse in spite of pragmas have no function that must not be.
LISTENING = ["off", "on", "fast-honor-pragmas"]
EXACT = {"float": 1 << 24, "double": 1 << 52}  # integers up to here are
PRAGMA = "#pragma clang fp contract({})"


class Floats(Feature):
    share = 0.35

    def make(self):
        rng = self.rng
        self.real = rng.choice(["float", "float", "double"])
        self.functions = {True: [], False: []}  # by whether on the device
        for _ in range(rng.randint(1, 3)):
            self.oneFunction(isDevice=True)
        self.oneFunction(isDevice=False)
        kernel = self.kernel()
        (memory,), lines = self.buffers(1)
        array, count = self.fresh("numbers"), 8
        values = ", ".join(self.number() for _ in range(count))
        lines += [f"{self.real} {array}[{count}] = {{{values}}};",
                  f"{self.real} *{array}_device; cudaMalloc((void **)"
                  f"&{array}_device, sizeof {array}); cudaMemcpy("
                  f"{array}_device, {array}, sizeof {array}, "
                  "cudaMemcpyHostToDevice);"]
        for _ in range(rng.randint(1, 2)):
            name, isExact = rng.choice(self.functions[False])
            x = rng.choice([self.number(), f"{array}[{rng.randrange(count)}]"])
            passed = f"{name}({x}, {self.number()})"
            lines.append(self.optional(self.showValue(f"bitsOf({passed})")))
            if isExact:  # and large perhaps
                passed = f"({self.real})((i32){passed} & 63)"
            else:
                passed = self.number()
            lines.append(self.optional(
                f"{kernel}<<<{rng.choice([1, 2])}, 32>>>({memory}, "
                f"{array}_device, {passed}, {rng.choice([count, 5])});"))
        return lines + self.show(memory)

    def number(self):
        """A small integer, known or not."""
        if self.chance(0.6):
            return f"({self.real}){self.rng.choice([0, 1, 2, 3, -1, 7, 50])}"
        return f"({self.real})({self.hostValue(depth=1)} & 63)"

    # ---- expressions ----------------------------------------------------

    def exact(self, leaves, depth):
        """(text, bound of its magnitude), an integer in any rounding."""
        rng = self.rng
        if depth == 0 or self.chance(0.15):
            return rng.choice(leaves)
        (a, most), (b, other) = (self.exact(leaves, depth - 1)
                                 for _ in range(2))
        form = rng.randrange(8)
        if form < 4 and most * other <= EXACT[self.real] // 8:
            c, third = rng.choice(leaves)
            sign = rng.choice("+-")
            return (rng.choice([f"({a} * {b} {sign} {c})",
                                f"({c} {sign} {a} * {b})"]),
                    most * other + third)
        if form == 4:
            return f"({a} < {b} ? {a} : {b})", max(most, other)
        if form == 5 and most < 1 << 30:
            return f"({self.real})((i32){a} & 127)", 127
        if most + other > EXACT[self.real] // 8:
            return rng.choice(leaves)
        return f"({a} {rng.choice('+-')} {b})", most + other

    def inexact(self, leaves, depth):
        """Of numbers that are neither huge nor infinite."""
        rng = self.rng
        if depth == 0 or self.chance(0.15):
            return rng.choice(leaves)[0]
        a, b = (self.inexact(leaves, depth - 1) for _ in range(2))
        return rng.choice([
            f"({a} * {b} {rng.choice('+-')} {rng.choice(leaves)[0]})",
            f"({a} {rng.choice('+-')} {b})", f"({a} / ({b} * {b} + 1))",
            f"({a} * ({self.real})0.3 - {b} * ({self.real})0.7)"])

    # ---- functions ------------------------------------------------------

    def body(self, leaves, isExact, isDevice):
        """Statements after which `r` is the result."""
        lines = [PRAGMA.format(self.rng.choice(["on", "off", "fast"])
                               if isExact else "off")]
        if isExact and self.chance(0.3):
            lines = []
        real = self.real
        if isExact:
            text, most = self.exact(leaves, 2)
            lines.append(f"{real} p = {text};")
            if most <= 1 << 10 and self.chance(0.5):
                lines.append(f"for (i32 i = 0; i < {self.rng.choice([3, 8])}; "
                             f"++i) p = p + x * {self.rng.choice([2, 3])};")
                most += 8 * 3 * 64
            # A product that another statement adds to may be fused as well.
            c, third = self.rng.choice(leaves)
            if most * third < EXACT[real] // 8:
                lines.append(f"{real} q = p * {c};")
                return lines + [f"{real} r = q {self.rng.choice('+-')} "
                                f"{self.rng.choice(leaves)[0]};"]
            return lines + [f"{real} r = p;"]
        lines.append(f"{real} p = {self.inexact(leaves, 2)};")
        if self.chance(0.4):
            lines.append(f"for (i32 i = 0; i < {self.rng.choice([3, 8])}; ++i)"
                         f" p = p * ({real})0.5 + x / (i + 1);")
        callees = self.functions[isDevice]
        if callees and self.chance(0.5):
            others = [n for n, isExact in callees if not isExact]
            if others:
                lines.append(f"p = p - {self.rng.choice(others)}(x, "
                             f"{leaves[1][0]});")
        lines.append(f"{real} q = p * {self.rng.choice(leaves)[0]};")
        return lines + [f"{real} r = q - {self.inexact(leaves, 1)};"]

    def place(self, isExact, isDevice):
        file = self.cudaFile() if isDevice else self.anyFile()
        if not isExact:
            self.source.inexactFiles.add(file)
        return file

    def oneFunction(self, isDevice):
        isExact, name = self.chance(0.5), self.fresh("real")
        leaves = [("x", 63), ("y", 63), (f"({self.real})3", 3),
                  (f"({self.real})-7", 7)]
        lines = self.body(leaves, isExact, isDevice)
        file = self.place(isExact, isDevice)
        device = "__device__ " if isDevice else ""
        signature = f"{device}{self.real} {name}({self.real} x, {self.real} y)"
        self.function(signature, lines + ["return r;"], file, isDevice)
        self.functions[isDevice].append((name, isExact))

    def kernel(self):
        isExact, name = self.chance(0.5), self.fresh("realKernel")
        real = self.real
        leaves = [("x", 63), ("v[i & 3]", 63), ("(x - 1)", 64),
                  (f"({real})(i & 31)", 31)]
        lines = self.body(leaves, isExact, True)
        file = self.place(isExact, True)
        signature = (f"__global__ void {name}(u32 *out, const {real} *v, "
                     f"{real} x, i32 n)")
        self.cudaHeader.append(signature + ";")
        calls = []
        for callee, _ in self.functions[True]:
            if self.chance(0.7):
                calls.append(f"sum = sum * 31 + (u32)bitsOf({callee}(v[i % n], "
                             f"{self.rng.choice(['x', 'v[1]', '2'])}));")
        pragma = [line for line in lines if line.startswith("#")]
        lines = [line for line in lines if not line.startswith("#")]
        self.add(file, signature + " {", *pragma,
                 "  u32 i = globalId(), sum = 0;",
                 *["  " + line for line in lines + calls],
                 "  out[i] = out[i] * 3 + sum + (u32)bitsOf(r);", "}")
        return name
