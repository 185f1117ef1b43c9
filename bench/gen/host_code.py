"""Host code of generated programs: function bodies of a dozen kinds.

Every body works on `h`, the value that becomes its result, and makes one call a
statement, since C++ leaves the order of calls within one open. All arithmetic
is unsigned or exact, so that every compiler's program prints the same.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
from graph import Rng

VERBS = ("update scan load merge find parse apply check resolve build reset "
         "copy count sort visit emit reduce split encode project").split()
NOUNS = ("Table Index Node Buffer Record Frame Queue Token Block Range Layout "
         "Shape Cache Graph Edge Field Matrix Column Stream Bucket").split()

# What a function is passed and what it returns; {name} is its name.
SIGNATURES = [
    "u32 {name}(u32 a, u32 b)",
    "u32 {name}(const Record &r, u32 a)",
    "u32 {name}(u32 *data, u32 count)",
    "u64 {name}(u64 a, u32 b)",
    "float {name}(float x, u32 a)",
    "void {name}(Record &r, u32 a)",
]
FORMS = [0, 0, 0, 1, 1, 2, 3, 4, 5, 5]
START = [  # of `h`, by signature
    "u32 h = mix(a, b);",
    "u32 h = mix(r.key + r.size, a);",
    "u32 h = mix(data[0], count);",
    "u32 h = mix((u32)(a >> 32) ^ (u32)a, b);",
    "u32 h = mix((u32)x, a);",
    "u32 h = mix(r.key, a);",
]
FINISH = [
    "return h;",
    "return h ^ r.links[h & 3];",
    "for (u32 i = 0; i < count; ++i) data[i] = mix(data[i], h);\n  return h;",
    "return ((u64)h << 32) | (a & 0xffffffffu);",
    "return small(h);",
    "r.links[h & 3] = h;\n  r.size += h & 15;\n  r.weight = small(h);",
]
# By signature: a call, with `h` in and out. {a} and {b} are small constants.
CALLS = [
    "h = mix(h, {name}(h, {a}u));",
    "{{ Record x{{h, {a}u, 1.0f, {{h, 2, 3, 4}}}}; h ^= {name}(x, {b}u); }}",
    "{{ u32 d[{n}] = {{h, {a}u}}; h += {name}(d, {n}); h ^= d[1]; }}",
    "h ^= (u32)({name}(h * 0x100000001ull, {a}u) >> 32);",
    "h += (u32){name}(small(h), {a}u);",
    "{{ Record x{{h, {a}u, 2.0f, {{1, h, 3, 4}}}}; {name}(x, {b}u); "
    "h = mix(h, x.links[0] + x.size); }}",
]
# What recursion passes on, by signature.
RECURSION = ["h", "Record{h, 1, 1.0f, {h, 2, 3, 4}}", "data", "a ^ h",
             "small(h)", "r"]

BLOCKS = [
    """  for (u32 i = 0; i < {n}; ++i)
    h = mix(h ^ i * {k}u, h >> {s});""",
    """  u32 values{u}[{n}];
  for (u32 i = 0; i < {n}; ++i)
    values{u}[i] = h * (i + {a}u);
  for (u32 i = 0; i < {n}; ++i)
    h += values{u}[(h >> {s}) % {n}u] ^ i;""",
    """  switch (h & 3) {{
  case 0: h += {k}u; break;
  case 1: h = mix(h, {a}u); break;
  case 2: h ^= h >> {s}; break;
  default: h = h * {odd}u + 1;
  }}""",
    """  if (h % {odd}u < {b}u) {{
    h = fold<{m}>(h, {k}u);
  }} else if (h & 64u) {{
    h = h / {a}u + {b}u;
  }}""",
    """  Ring<u32, {m}> ring{u};
  for (u32 i = 0; i < {n}; ++i)
    ring{u}.push(h + i * {a}u);
  h ^= ring{u}.digest();""",
    """  {integer} items{u}[{m}];
  for (u32 i = 0; i < {m}; ++i)
    items{u}[i] = ({integer})(h >> i);
  sortAll(items{u});
  h = mix(h, (u32)items{u}[{m} / 2]);""",
    """  Table<u32, {m}> table{u};
  for (u32 i = 1; i < {m}; ++i)
    table{u}.at(h % i + 1) += i;
  h += table{u}.at({b}u);""",
    """  float sum{u} = 0;
  for (u32 i = 0; i < {m}; ++i)
    sum{u} += small(h >> i) * 0.5f;
  h ^= (u32)sum{u};""",
    """  h = digestText(h, "{text}");""",
    """  counter{g} += h & {k}u;
  h = mix(h, counter{g});""",
    """  h ^= constants{g}[h >> {s} & 15u];""",
    """  {shape} shape{u}(h, {a}u);
  h += measureShape{g}(shape{u}, {b}u);""",
]
INTEGERS = ["u32", "u64", "int", "unsigned short", "unsigned char"]


def name_of(node):
    """Returns a name as programmers give them; the number makes it unique."""
    rng = Rng(node.id, 4)
    return f"{rng.choice(VERBS)}{rng.choice(NOUNS)}{node.id}"


def declaration(node):
    static = "static " if node.is_static else ""
    return static + SIGNATURES[node.form].format(
        name=name_of(node)) + ";"


class HostWriter:
    """Writes host functions; classes and global variables belong to files."""

    def __init__(self, seed, graph, shape):
        self.seed, self.graph, self.shape = seed, graph, shape

    def numbers(self, rng, file):
        """Returns what fills the holes of blocks and calls."""
        with_globals = rng.below(self.shape.files) if rng.chance(20) else file
        odd = rng.below(1 << 12) * 2 + 3
        return {"n": rng.between(2, 12), "m": 2 << rng.below(3),
                "k": rng.below(1 << 16), "a": rng.between(1, 40),
                "b": rng.between(1, 9), "s": rng.between(1, 15), "odd": odd,
                "g": with_globals, "integer": rng.choice(INTEGERS),
                "text": f"{rng.choice(VERBS)} {rng.choice(NOUNS)}",
                "shape": f"Shape{with_globals}_"
                         f"{rng.below(self.shape.classes)}"}

    def function(self, node, used):
        """Returns the definition of `node`; `used` gathers the files whose
        globals and classes it names."""
        rng = Rng(self.seed, node.id, 5)
        lines = ["  " + START[node.form]]
        calls = [self.call(rng, call) for call in node.calls]
        for number in range(rng.power_law(self.shape.statements + 1)):
            block = rng.choice(BLOCKS)
            numbers = self.numbers(rng, node.file)
            if "{g}" in block or "{shape}" in block:
                used.add(numbers["g"])
            lines.append(block.format(u=number, **numbers))
            if calls:
                lines.append(calls.pop())
        lines += calls
        if node.recursion:
            lines += self.recursion(node)
        lines.append("  " + FINISH[node.form])
        signature = SIGNATURES[node.form].format(name=name_of(node))
        text = "\n".join(lines) + "\n}\n"
        if node.is_static:
            signature = "static " + signature
        if not node.recursion:
            return signature + " {\n" + text
        # The depth is a variable of the function's own: signatures stay few.
        return signature + f" {{\n  static u32 depth = 0;\n{text}"

    def call(self, rng, call):
        callee = self.graph.nodes[call.callee]
        made = CALLS[callee.form].format(
            name=name_of(callee), n=2 << rng.below(3), a=rng.between(1, 40),
            b=rng.between(1, 9))
        return f"  {call.condition('h', rng.below(1 << 16))}{made}"

    def recursion(self, node):
        rng = Rng(self.seed, node.id, 6)
        last = {2: "count"}.get(node.form, f"h % {rng.between(5, 50)}u")
        inner = f"{name_of(node)}({RECURSION[node.form]}, {last})"
        if node.form == 1:
            made = f"h ^= {inner};"
        elif node.form == 5:
            made = inner + ";"
        else:
            made = f"h += (u32){inner};"
        return [f"  if (depth < {node.recursion}) {{", "    ++depth;",
                f"    {made}", "    --depth;", "  }"]

    # ---- what belongs to a file ----------------------------------------------

    def header(self, file):
        """Returns the declarations of a file's globals and its classes."""
        lines = ["#pragma once", '#include "prelude.h"',
                 f"extern u32 counter{file};",
                 f"extern const u32 constants{file}[16];",
                 f"u32 measureShape{file}(const Shape &shape, u32 scale);"]
        for number in range(self.shape.classes):
            rng = Rng(self.seed, file, number, 7)
            name = f"Shape{file}_{number}"
            lines += [
                f"class {name} : public Shape {{", "public:",
                f"  {name}(u32 a, u32 b) : first(a), second(b) {{}}",
                "  u32 measure(u32 scale) const override {",
                f"    return fold<{rng.between(1, 6)}>(first * scale, second"
                f" + {rng.below(99)}u);", "  }"]
            if rng.chance(50):
                lines.append("  u32 sides() const override { return second % "
                             f"{rng.between(3, 9)}u + 3; }}")
            lines += ["private:", "  u32 first, second;", "};"]
        return "\n".join(lines) + "\n"

    def globals(self, file):
        rng = Rng(self.seed, file, 8)
        values = ", ".join(f"{rng.below(1 << 32)}u" for _ in range(16))
        return (f"u32 counter{file} = {rng.below(1000)};\n"
                f"const u32 constants{file}[16] = {{{values}}};\n"
                f"u32 measureShape{file}(const Shape &shape, u32 scale) {{\n"
                "  return shape.measure(scale) * shape.sides();\n}\n")

    def run(self, file):
        """Returns the function that calls all of a file that nobody calls."""
        lines = [f"u32 runHost{file}(u32 h) {{"]
        for node in self.graph.roots(file):
            rng = Rng(self.seed, node.id, 9)
            lines.append("  " + CALLS[node.form].format(
                name=name_of(node), n=2 << rng.below(3), a=rng.between(1, 40),
                b=rng.between(1, 9)))
        return "\n".join(lines + ["  return h;", "}"]) + "\n"

    def file(self, file):
        """Returns the host part of a file."""
        used = {file}
        nodes = self.graph.of_file.get(file, [])
        functions = [self.function(node, used) for node in nodes]
        lines = [f'#include "globals{number}.h"' for number in sorted(used)]
        lines += [declaration(node) for node in self.graph.needed(file)]
        lines += [declaration(node) for node in nodes]
        return "\n".join([*lines, self.globals(file), *functions,
                          self.run(file)])
