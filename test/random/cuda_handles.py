"""Features of random programs: handles of kernels in data, and objects of
more than 4 GiB.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
from cuda_features import ITEMS, MAP_TYPES, Feature


class Handles(Feature):
    """Kernels in structs, tables and results, and passed by reference."""
    share = 0.3

    def make(self):
        rng = self.rng
        name = self.name = self.fresh("Handle")
        self.kernels = [self.mapKernel(file=self.cudaFile(), isStatic=False)
                        for _ in range(rng.randint(2, 3))]
        self.gathers = any(k.gathers for k in self.kernels)
        self.header.append(f"typedef void (*{name})({MAP_TYPES});")
        self.header.append(f"struct {name}Task {{ u32 first; {name} run; "
                           f"u32 *out; i64 b; {name} other; }};")
        names, lines = self.buffers(3)
        ways = [self.table, self.result, self.byReference, self.structure,
                self.variable, self.remembered, self.listed, self.held,
                self.returned]
        for way in rng.sample(ways, rng.randint(1, 3)):
            out, source = rng.sample(names, 2)
            lines.append(self.optional("{", way(out, source)))
        return lines + self.show(*names)

    def kernel(self):
        return self.rng.choice(self.kernels).name

    def start(self, handle, out, source):
        """A launch of `handle`."""
        values = self.scalarArguments()
        if self.chance(0.5):
            return [f"{handle}<<<{self.rng.choice([1, 2])}, 32>>>({out}, "
                    f"{source}, {values});"]
        args = self.fresh("args")
        return [f"struct {{ u32 *out; const u32 *in; u32 a; i64 b; i32 n; }} "
                f"{args}_s = {{{out}, {source}, {values}}};",
                f"void *{args}[] = {{&{args}_s.out, &{args}_s.in, &{args}_s.a, "
                f"&{args}_s.b, &{args}_s.n}};",
                f"cudaLaunchKernel((const void *){handle}, dim3(1), dim3(32), "
                f"{args}, 0, nullptr);"]

    def index(self, count):
        return f"{self.hostValue()} % {count}u"

    def table(self, out, source):
        table = self.fresh("table")
        file = self.cudaFile()
        handles = ", ".join(self.kernel() for _ in range(3))
        const = self.rng.choice(["", "const "])
        isStatic = self.chance(0.5)
        self.add(file, f"{'static ' if isStatic else ''}"
                 f"{self.name} {const}{table}[3] = {{{handles}}};")
        if not isStatic:
            self.cudaHeader.append(f"extern {self.name} {const}{table}[3];")
        run = self.fresh("runAt")
        body = self.start(f"{table}[i]", "out", "in")
        if not const and self.chance(0.4):
            body.insert(0, f"if (i == 1) {table}[i] = {self.kernel()};")
        self.function(f"void {run}(u32 i, u32 *out, const u32 *in)", body,
                      file)
        return [f"{run}({self.index(3)}, {out}, {source});"]

    def result(self, out, source):
        pick = self.fresh("pick")
        a, b = self.kernel(), self.kernel()
        self.function(f"{self.name} {pick}(u32 x)", self.rng.choice([
            [f"return x & 1 ? {a} : {b};"],
            [f"switch (x & 3) {{ case 0: return {a}; case 2: return {b}; }}",
             f"return {a};"], [f"{self.name} h = {a};",
                               f"if (x > 5) h = {b};", "return h;"]]),
            self.cudaFile())
        handle = self.fresh("handle")
        return ([f"{self.name} {handle} = {pick}({self.hostValue()});"]
                + self.start(handle, out, source))

    def byReference(self, out, source):
        choose = self.fresh("choose")
        form = self.rng.choice(["&", "*"])
        self.function(f"void {choose}({self.name} {form}h, u32 x)",
                      [f"if (x & 1) {'*' if form == '*' else ''}h = "
                       f"{self.kernel()};"], self.cudaFile())
        handle = self.fresh("handle")
        passed = f"&{handle}" if form == "*" else handle
        return ([f"{self.name} {handle} = {self.kernel()};",
                 f"{choose}({passed}, {self.hostValue()});"]
                + self.start(handle, out, source))

    def structure(self, out, source):
        run, task = self.fresh("runTask"), self.fresh("task")
        form = self.rng.choice(["const {} &t", "{} t", "{} *t"])
        parameter = form.format(self.name + "Task")
        field = "t->" if "*" in form else "t."
        body = self.start(f"{field}{self.rng.choice(['run', 'other'])}",
                          f"{field}out", "in")
        if "const" not in form and self.chance(0.5):
            body.insert(0, f"if ({field}first & 1) {field}run = "
                        f"{field}other;")
        self.function(f"void {run}({parameter}, const u32 *in)", body,
                      self.cudaFile())
        where = self.rng.choice(["", "heap", "array"])
        values = (f"{{{self.hostValue(depth=1)}, {self.kernel()}, {out}, "
                  f"{self.rng.choice([1, -1])}, {self.kernel()}}}")
        kind, text = f"{self.name}Task", task
        lines = [f"{kind} {task} = {values};"]
        if where == "heap":
            lines = [f"{kind} *{task} = new {kind}{values};"]
            text = f"(*{task})"
        elif where == "array":
            lines = [f"{kind} {task}[2] = {{{values}, {values}}};"]
            text = f"{task}[{self.hostValue(depth=1)} & 1]"
        passed = f"&{text}" if "*" in form else text
        lines.append(f"{run}({passed}, {source});")
        return lines + [f"delete {task};"] * (where == "heap")

    def variable(self, out, source):
        """A global variable that other functions set."""
        name, set_ = self.fresh("current"), self.fresh("setCurrent")
        home = self.cudaFile()
        self.header.append(f"extern {self.name} {name};")
        self.add(home, f"{self.name} {name}"
                 + self.rng.choice(["", f" = {self.kernel()}"]) + ";")
        self.function(f"void {set_}(u32 x)", [
            f"if (x != 3 || !{name}) {name} = {self.kernel()};"],
            self.cudaFile())
        return ([f"{set_}({self.hostValue(depth=1)} & 3);"]
                + self.start(name, out, source))


    def remembered(self, out, source):
        """Launches that remember a number of each kernel; two are equal."""
        rng, file = self.rng, self.cudaFile()
        twins = [self.fresh("twin") for _ in range(2)]
        for twin in twins:
            self.add(file, f"__global__ void {twin}(u32 *out, const u32 *in, "
                     "u32 a, i64 b, i32 n) { for (i32 i = threadIdx.x; i < n; "
                     "i += blockDim.x) out[i] = in[i] * a + (u32)b; }")
        node, first, number = map(self.fresh, ("Node", "first", "numberOf"))
        rows = rng.choice([1, 1, 5])
        row = f"(size_t)kernel * 2654435761u % {rows}" if rows > 1 else "0"
        self.add(file, f"struct {node} {{ {node} *next; {self.name} kernel; "
                 "u32 number; };",
                 f"{rng.choice(['static ', 'static ', ''])}{node} "
                 f"*{first}[{rows}];")
        self.add(file, f"static {self.inline()}u32 {number}({self.name} kernel)"
                 " {", "  static u32 count;",
                 f"  {node} **place = &{first}[{row}];",
                 "  for (; *place; place = &(*place)->next)",
                 "    if ((*place)->kernel == kernel) return (*place)->number;",
                 f"  *place = new {node}{{nullptr, kernel, count}};",
                 "  return count++;", "}")
        run = self.fresh("runKnown")
        self.function(f"u32 {run}(u32 x, u32 *out, const u32 *in)", [
            f"{self.name} h = x % 3 ? x & 1 ? {twins[0]} : {twins[1]} : "
            f"{self.kernel()};",
            f"u32 known = {number}(h) * 16 + {number}({rng.choice(twins)});",
            *self.start("h", "out", "in"), "return known;"], file)
        lines = [self.showValue(f"{run}({self.hostValue()}, {out}, {source})")
                 for _ in range(rng.randint(1, 3))]
        if self.chance(0.4):  # the list lets handles out
            again = self.fresh("again")
            self.function(f"void {again}(u32 *out, const u32 *in)", [
                f"for (u32 row = 0; row < {rows}; ++row)",
                f"  for ({node} *at = {first}[row]; at; at = at->next)",
                "    if (at->number == 0) {",
                *self.start("at->kernel", "out", "in"), "}"], file)
            lines.append(f"{again}({out}, {source});")
        return lines


    def listed(self, out, source):
        """Handles in a container."""
        run = self.fresh("runAll")
        kernels = ", ".join(self.kernel() for _ in range(self.rng.randint(1, 3)))
        self.header += ["#include <stdlib.h>", "#include <vector>"]
        self.function(f"void {run}(u32 x, u32 *out, const u32 *in)", [
            f"std::vector<{self.name}> all{{{kernels}}};",
            f"if (x & 1) all.push_back({self.kernel()});",
            f"for ({self.name} h : all) {{", *self.start("h", "out", "in"),
            "}"], self.cudaFile())
        return [f"{run}({self.hostValue()}, {out}, {source});"]

    def held(self, out, source):
        """Handles in objects that launch them."""
        run, hold = self.fresh("runHeld"), self.fresh("hold")
        kernels = ", ".join(self.kernel() for _ in range(self.rng.randint(1, 3)))
        self.header += ["#include <stdlib.h>", "#include <functional>",
                        "#include <vector>"]
        self.function(f"std::function<void(u32 *, const u32 *)> {hold}("
                      f"{self.name} h)", [
            "return [h](u32 *out, const u32 *in) {",
            *self.start("h", "out", "in"), "};"], self.cudaFile())
        self.function(f"void {run}(u32 *out, const u32 *in)", [
            "std::vector<std::function<void(u32 *, const u32 *)>> all;",
            f"for ({self.name} h : {{{kernels}}}) all.push_back({hold}(h));",
            "for (auto &one : all) one(out, in);"], self.cudaFile())
        return [f"{run}({out}, {source});"]

    def returned(self, out, source):
        """Handles that an object returns."""
        run = self.fresh("runPicked")
        self.header += ["#include <stdlib.h>", "#include <functional>"]
        self.function(f"void {run}(const std::function<{self.name}(u32)> &pick, "
                      "u32 x, u32 *out, const u32 *in)",
                      self.start("pick(x)", "out", "in"), self.cudaFile())
        return [f"{run}([](u32 x) {{ return x & 1 ? {self.kernel()} : "
                f"{self.kernel()}; }}, {self.hostValue()}, {out}, {source});"]


class Large(Feature):
    """Structs of 4 GiB and more on the heap, whose ends alone are touched."""
    share = 0.1

    def make(self):
        rng = self.rng
        name = self.fresh("Large")
        gap = rng.choice(["1ull << 32", "(1ull << 32) - 4", "(1ull << 32) + 8",
                          "(1ull << 31) - 8", "(1ull << 32) + 4096"])
        self.header.append(
            f"struct {name} {{ u32 first; i32 size; u8 rows[{gap}]; u32 last; "
            "i64 step; u32 *memory; };")
        start, _ = self.launcher()
        (out, source), lines = self.buffers(2)
        large, run = self.fresh("large"), self.fresh("runLarge")
        form = rng.choice(["const {} &t", "{} &t", "{} *t"])
        at = "t->" if "*" in form else "t."
        body = [f"{start}({at}memory, in, {at}{rng.choice(['first', 'last'])}"
                f" + x, {at}step, {at}size, nullptr);"]
        if "const" not in form and self.chance(0.5):
            body.insert(rng.randint(0, 1), f"{at}"
                        f"{rng.choice(['first', 'last'])} = x * 3 + 1;")
        self.function(f"void {run}({form.format(name)}, const u32 *in, u32 x)",
                      body)
        stores = [f"{large}->first = {self.hostValue(depth=1)};",
                  f"{large}->last = {self.host.constant()}u;",
                  f"{large}->size = {rng.choice([ITEMS, 32])};",
                  f"{large}->step = {rng.choice([1, -1, 5])};",
                  f"{large}->memory = {out};"]
        rng.shuffle(stores)
        passed = large if "*" in form else f"*{large}"
        lines.append(f"{name} *{large} = new {name};")
        lines += stores
        for _ in range(rng.randint(1, 2)):
            lines.append(self.optional(
                f"{run}({passed}, {source}, {self.hostValue(depth=1)});"))
            lines.append(self.showValue(f"{large}->first ^ {large}->last * 3"))
        return lines + [f"delete {large};"] + self.show(out)
