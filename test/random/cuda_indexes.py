"""Random arithmetic of indices: signed and unsigned, of 32 and 64 bits and of
both in one sum, with strides that are negative and sums that wrap.

Numbers with a sign stay small enough for their products; what wraps is unsigned
or is converted from unsigned.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
from cuda_code import LOOP_COST, Writer

# What sizes are reduced to, so that (y * nx + x) * ny fits the type.
BOUNDS = {"u64": ["| 0"] * 3 + ["& 63", "% 50000"], "u32": ["| 0", "% 50000"],
          "i64": ["& 63", "% 50000"], "i32": ["& 63", "% 1000"]}


class IndexWriter(Writer):
    def wideIndexes(self, scope, sizes, isDevice):
        """Rows and columns, up to sizes that may be anything."""
        rng = self.rng
        kind = rng.choice(["u64", "u64", "i64", "i64", "i32", "u32"])
        isSigned = kind[0] == "i"
        # A second type for columns: sums convert one of the two.
        other = kind if self.chance(0.6) else rng.choice(
            {"u64": ["u32", "u64"], "u32": ["u32"], "i64": ["i32", "u32"],
             "i32": ["i32"]}[kind])

        def size(which):
            text = rng.choice(sizes * 3 + [self.leaf(scope)])
            value = f"({which})((u64){text} {rng.choice(BOUNDS[which])})"
            if which[0] == "i" and self.chance(0.2):
                return f"{value} - {rng.choice([1, 25, 400])}"
            return value if kind != "i64" or which != "u32" else \
                f"{value} % 50000u"

        x, y, nx, ny, at, rounds = (self.fresh("x") for _ in range(6))
        index = rng.choice([f"{y} * {nx} + {x}", f"{x} * {ny} + {y}",
                            f"({y} + 1) * {nx} + {x} - 1", f"{x} + {y} - {nx}",
                            f"({y} * {nx} + {x}) * {ny}"]
                           + [f"({ny} - 1 - {y}) * {nx} - {x}",
                              f"{y} - {x} * {nx}",
                              f"(i32)((u32){x} * 2654435761u - (u32){y})",
                              f"(i32)((u32){y} - (u32){nx}) * ({kind})1"
                              if kind != "i32" else f"-{x}"]
                           * (1 + isSigned))
        condition = rng.choice(["true", f"{at} < {nx} * {ny}", f"{at} > 0",
                                f"{x} + 1 < {nx} && {y} + 1 < {ny}"])
        target, its = rng.choice(scope.assignable)
        value = self.atIndex(scope, at, isSigned)
        return [f"{other} {nx} = {size(other)}; {kind} {ny} = {size(kind)};",
                f"u32 {rounds} = 0;",
                self.rows(kind, y, ny, rounds, isDevice),
                f"  {self.rows(other, x, nx, rounds, isDevice)} {{",
                f"    {kind} {at} = {index};",
                f"    if ({condition})",
                f"      {target} = ({its})((u32){target} * 5 + {value});",
                "  }"]

    def rows(self, kind, x, count, rounds, isDevice):
        """The head of a loop up to `count` or down from it."""
        rng = self.rng
        starts, steps = ["0", "1"], ["1", "1", "3"]
        if isDevice:
            starts += ["gid", f"({kind})blockIdx.x * blockDim.x",
                       f"({kind})blockIdx.x * blockDim.x + threadIdx.x"]
            steps.append(f"({kind})gridDim.x * blockDim.x")
        form = rng.randrange(4)
        step = rng.choice(steps)
        goesOn = f"{rounds} < 8"
        if form == 0 and kind[0] == "i":
            return (f"for ({kind} {x} = {count} - 1; {x} >= 0 && {goesOn}; "
                    f"{x} -= {step}, ++{rounds})")
        if form < 2:
            return (f"for ({kind} {x} = {count}; {x}-- > 0 && {goesOn}; "
                    f"++{rounds})")
        return (f"for ({kind} {x} = {rng.choice(starts)}; {x} < {count} && "
                f"{goesOn}; {x} += {step}, ++{rounds})")

    def atIndex(self, scope, at, isSigned):
        """A number that depends on the index `at`, or what is there."""
        rng = self.rng
        forms = [f"(u32){at}", f"(u32)({at} >> 3)", f"(u32)((u64){at} >> 30)"]
        readable = [m for m in scope.memory if not m.space]
        if readable and self.chance(0.7):
            memory = rng.choice(readable)
            text, count = memory.text, memory.count
            forms = [f"(u32){text}[(u64){at} % {count}]",
                     f"(u32){text}[{at} & {count - 1}]",
                     f"(u32)({text} + {count - 1})[-(i64)({at} & {count - 1})]"]
            if isSigned:
                forms += [f"(u32){text}[({at} % {count} + {count}) % {count}]",
                          f"(u32)({text} + {count // 2})[{at} % "
                          f"{count // 2 or 1}]"]
        return rng.choice(forms)

    def walk(self, scope):
        """Goes through memory from its middle, with negative indices."""
        rng = self.rng
        readable = [m for m in scope.memory if not m.space and m.count > 1]
        if not readable:
            return None
        memory = rng.choice(readable)
        half, step = memory.count // 2, rng.choice([1, 2, 3])
        half = min(half, 8)
        if scope.times * 2 * half > LOOP_COST:
            return None
        middle, index = self.fresh("c"), self.fresh("n")
        kind = rng.choice(["i64", "i32", "i64"])
        head = rng.choice([
            f"for ({kind} {index} = {half - 1}; {index} >= -{half}; {index} -= "
            f"{step})",
            f"for ({kind} {index} = -{half}; {index} < {half}; {index} += "
            f"{step})"])
        target, its = rng.choice(scope.assignable)
        scope.cost += scope.times * 2 * half
        read = rng.choice([f"{middle}[{index}]", f"*({middle} + {index})",
                           f"({middle} - 1)[{index} + 1]"])
        return self.element("{", [
            f"const {memory.element} *{middle} = {memory.text} + "
            f"{memory.count // 2};", head,
            f"  {target} = ({its})((u32){target} * 3 + (u32){read});"])
