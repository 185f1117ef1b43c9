"""Device code of generated programs: helpers, kernels and their launches.

A thread writes its own element of the output only, or adds atomically, so that
results do not depend on the order of threads.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
from graph import Rng

SIGNATURES = [
    "__device__ u32 {name}(u32 a, u32 b)",
    "__device__ float {name}(float x, u32 a)",
    "__device__ u32 {name}(const u32 *in, u32 i)",
    "__device__ void {name}(Record &r, u32 a)",
]
FORMS = [0, 0, 0, 1, 2, 3]
START = ["u32 h = mix(a, b);", "u32 h = mix((u32)x, a);",
         "u32 h = mix(in[i & 255u], i);", "u32 h = mix(r.key, a);"]
FINISH = ["return h;", "return small(h) + x * 0.5f;",
          "return h ^ in[h & 255u];",
          "r.key = h;\n  r.links[h & 3] += a;\n  r.weight += small(h);"]
CALLS = [
    "h = mix(h, {name}(h, {a}u));",
    "h += (u32){name}(small(h), {a}u);",
    "h ^= {name}({memory}, h);",
    "{{ Record x{{h, {a}u, 1.0f, {{h, 2, 3, 4}}}}; {name}(x, {b}u); "
    "h = mix(h, x.links[1] + x.key); }}",
]

BLOCKS = [
    """  for (u32 i = 0; i < {n}; ++i)
    h = mix(h ^ i * {k}u, h >> {s});""",
    """  if (h >> {s} & 1u) {{
    h = fold<{m}>(h, {a}u);
  }} else {{
    h += h >> {s};
  }}""",
    """  float f{u} = small(h);
  for (u32 i = 0; i < {m}; ++i)
    f{u} = f{u} * 0.5f + (float)(h >> i & {a}u);
  h ^= (u32)f{u};""",
    """  u32 values{u}[{m}];
  for (u32 i = 0; i < {m}; ++i)
    values{u}[i] = h + i * {a}u;
  for (u32 i = 0; i < {m}; ++i)
    h += values{u}[(h >> {s}) % {m}u] ^ i;""",
    """  h ^= deviceTable{g}[h >> {s} & 15u];""",
    """  h = mix(h, deviceScale{g} * {a}u);""",
    """  for (u32 i = 0; i < {n} && h % {odd}u > {odd}u / 2; ++i)
    h = h / 2 + {a}u;""",
]

# Kernels, by what they do with `h`, which starts as an element of the input.
KERNELS = [
    """__global__ void {name}(const u32 *in, u32 *out, u32 count, u32 scale) {{
  u32 i = lane();
  if (i >= count)
    return;
  u32 h = in[i] * scale;
{body}
  out[i] = mix(out[i], h);
}}
""",
    """__global__ void {name}(const u32 *in, u32 *out, u32 count, u32 scale) {{
  __shared__ u32 tile[130];
  u32 i = lane();
  tile[threadIdx.x + 1] = i < count ? in[i] : scale;
  if (threadIdx.x == 0) {{
    tile[0] = scale;
    tile[blockDim.x + 1] = count;
  }}
  __syncthreads();
  u32 h = tile[threadIdx.x] + 2 * tile[threadIdx.x + 1] + tile[threadIdx.x + 2];
{body}
  if (i < count)
    out[i] = mix(out[i], h);
}}
""",
    """__global__ void {name}(const u32 *in, u32 *out, u32 count, u32 scale) {{
  __shared__ u32 shared[64];
  u32 h = 0;
  for (u32 i = lane(); i < count; i += gridDim.x * blockDim.x) {{
    h += in[i] * scale;
{body}
  }}
  h = blockSum<64>(shared, h);
  if (threadIdx.x == 0)
    atomicAdd(&out[scale & 255u], h);
}}
""",
    """__global__ void {name}(const u32 *in, u32 *out, Parameters p) {{
  for (u32 i = lane(); i < p.count; i += gridDim.x * blockDim.x) {{
    u32 h = in[i] * p.scale + p.offset;
{body}
    h += (u32)(p.factor * small(h));
    out[i] = mix(out[i], h);
  }}
}}
""",
    """__global__ void {name}(const u32 *in, u32 *out, u32 count, u32 scale) {{
  __shared__ u32 bins[32];
  if (threadIdx.x < 32)
    bins[threadIdx.x] = 0;
  __syncthreads();
  u32 i = lane();
  if (i < count) {{
    u32 h = in[i] + scale;
{body}
    atomicAdd(&bins[h & 31u], h >> 5);
  }}
  __syncthreads();
  if (threadIdx.x < 32)
    atomicAdd(&out[threadIdx.x], bins[threadIdx.x]);
}}
""",
    """__global__ void {name}(const u32 *in, const float *weights, u32 *out,
    u32 rows) {{
  __shared__ float tile[64];
  float sum = 0;
  for (u32 row = 0; row < rows; ++row) {{
    tile[threadIdx.x] = weights[row * 64 + threadIdx.x];
    __syncthreads();
    for (u32 k = 0; k < 8; ++k)
      sum += tile[(threadIdx.x + k) & 63u] * (float)(in[k] & 15u);
    __syncthreads();
  }}
  u32 i = lane();
  u32 h = (u32)sum;
{body}
  out[i & 1023u] = mix(out[i & 1023u], h);
}}
""",
]
PARAMETERS, MATRIX = 3, 5  # kernels with other parameters than the others
TEMPLATES = 2  # launches of kernels that other files instantiate, in each file
CONSTANT_FILES = 512  # those with constant memory, of which there is 64 KB

HELPER_NAMES = "distance weigh hash clampTo sample pack force blend".split()
KERNEL_NAMES = "advance relax collect stencil gather score smooth bin".split()


def helper_name(node):
    return f"{Rng(node.id, 14).choice(HELPER_NAMES)}D{node.id}"


class DeviceWriter:
    """Writes device code; `graph` holds the helpers, kernels are numbers."""

    def __init__(self, seed, graph, shape, kernels):
        self.seed, self.graph, self.shape = seed, graph, shape
        self.kernels = kernels  # by file

    def kernel_name(self, kernel):
        return f"{Rng(kernel, 15).choice(KERNEL_NAMES)}Kernel{kernel}"

    def kernel_form(self, kernel):
        return Rng(self.seed, kernel, 16).below(len(KERNELS))

    def numbers(self, rng, file):
        return {"n": rng.between(2, 12), "m": 2 << rng.below(3),
                "k": rng.below(1 << 16), "a": rng.between(1, 40),
                "b": rng.between(1, 9), "s": rng.between(1, 15), "g": file,
                "odd": rng.below(1 << 6) * 2 + 3}

    def body(self, rng, file, calls, memory, count):
        """Returns statements: blocks of code with the calls between them."""
        lines = []
        calls = [self.call(rng, call, memory) for call in calls]
        for number in range(count):
            lines.append(rng.choice(BLOCKS).format(
                u=number, **self.numbers(rng, file)))
            if calls:
                lines.append(calls.pop())
        return "\n".join(lines + calls)

    def call(self, rng, call, memory):
        callee = self.graph.nodes[call.callee]
        made = CALLS[callee.form].format(
            name=helper_name(callee), memory=memory, a=rng.between(1, 40),
            b=rng.between(1, 9))
        return f"  {call.condition('h', rng.below(1 << 16))}{made}"

    def helper(self, node):
        rng = Rng(self.seed, node.id, 10)
        memory = "in" if node.form == 2 else f"deviceMemory{node.file}"
        body = self.body(rng, node.file, node.calls, memory,
                         rng.power_law(self.shape.statements + 1))
        return (f"{self.signature(node)} {{\n  {START[node.form]}\n"
                f"{body}\n  {FINISH[node.form]}\n}}\n")

    def signature(self, node):
        text = SIGNATURES[node.form].format(name=helper_name(node))
        return ("static " if node.is_static else "") + text

    def kernel(self, kernel, file, used):
        """Returns a kernel's definition; `used` gathers the helpers."""
        rng = Rng(self.seed, kernel, 11)
        # A kernel is above all layers: it may call what its file may.
        calls = []
        for _ in range(1 + rng.power_law(self.shape.degree)):
            callee = self.graph.pick(rng, self.graph.above(file))
            if callee and callee.id not in [c.callee for c in calls]:
                calls.append(self.graph.call_of(callee))
                used.add(callee.id)
        body = self.body(rng, file, calls, "in",
                         1 + rng.power_law(self.shape.statements + 1))
        return KERNELS[self.kernel_form(kernel)].format(
            name=self.kernel_name(kernel), body=body)

    # ---- launches ------------------------------------------------------------

    def launch(self, rng, kernel, size):
        """Returns a launch; `size` is the number of elements, or nothing for
        one that is computed from `h`."""
        count = str(size) if size else "n"
        scale = rng.between(1, 99)
        form = self.kernel_form(kernel)
        if form == MATRIX:
            grid = rng.between(1, 4) if size else "n / 64 + 1"
            return (f"{self.kernel_name(kernel)}<<<{grid}, 64>>>(workspace.in, "
                    f"workspace.weights, workspace.out, {rng.between(1, 8)});")
        if form == PARAMETERS:
            last = (f"Parameters{{{count}, {scale}, {rng.below(64)}, "
                    f"{rng.between(1, 9)}.0f}}")
        else:
            last = f"{count}, {scale}"
        grid = f"({count} + 63) / 64"
        if size and rng.chance(60):
            grid = (size + 63) // 64
        return (f"{self.kernel_name(kernel)}<<<{grid}, 64>>>(workspace.in, "
                f"workspace.out, {last});")

    def templated(self, rng):
        """Returns a launch of a kernel that other files instantiate as well."""
        size = 64 * rng.between(1, 4)
        if rng.chance(50):
            kind = rng.choice(["u32", "float", "unsigned short"])
            return (f"transformAll<{kind}, {rng.between(1, 4)}><<<{size // 64},"
                    f" 64>>>(workspace.in, workspace.out, {size}, "
                    f"({kind}){rng.between(1, 3)});")
        return (f"reduceAll<64><<<{size // 64}, 64>>>(workspace.in, "
                f"workspace.out, {size});")

    def run(self, file):
        """Returns the function that launches a file's kernels, some by way of
        functions that another file calls."""
        lines, wrappers = [f"u32 runDevice{file}(u32 h) {{",
                           "  u32 n = 64 + h % 200u;"], []
        for kernel in self.kernels[file]:
            rng = Rng(self.seed, kernel, 12)
            if self.is_wrapped(kernel):
                wrappers.append(f"void {self.wrapper(kernel)}(u32 n) {{\n  "
                                f"{self.launch(rng, kernel, None)}\n}}\n")
                lines.append(f"  {self.wrapper(kernel)}"
                             f"({64 * rng.between(1, 4)});")
            for _ in range(1 + rng.power_law(3)):
                size = 32 * rng.between(2, 10) if rng.chance(75) else None
                lines.append("  " + self.launch(rng, kernel, size))
        rng = Rng(self.seed, file, 13)
        lines += ["  " + self.templated(rng) for _ in range(TEMPLATES)]
        lines += [f"  {self.wrapper(kernel)}(128);"
                  for kernel in self.borrowed(file)]
        lines += ["  return digestOutput(h);", "}", ""]
        return "".join(wrappers) + "\n".join(lines)

    def is_wrapped(self, kernel):
        return Rng(self.seed, kernel, 17).chance(30)

    def wrapper(self, kernel):
        return f"launch{kernel}"

    def borrowed(self, file):
        """Returns kernels of the next file that this file launches, too."""
        files = sorted(self.kernels)
        other = files[(files.index(file) + 1) % len(files)]
        return [kernel for kernel in self.kernels[other]
                if other != file and self.is_wrapped(kernel)]

    def file(self, file):
        """Returns the device part of a file."""
        rng = Rng(self.seed, file, 18)
        used = {node.id for node in self.graph.needed(file)}
        kernels = [self.kernel(kernel, file, used)
                   for kernel in self.kernels[file]]
        nodes = self.graph.of_file[file]
        own = {node.id for node in nodes}
        values = ", ".join(f"{rng.below(1 << 32)}u" for _ in range(16))
        space = "__constant__" if file < CONSTANT_FILES else "__device__"
        lines = ['#include "device_prelude.h"',
                 f"{space} u32 deviceTable{file}[16] = {{{values}}};",
                 f"__device__ u32 deviceScale{file} = {rng.below(1000)};",
                 f"__device__ u32 deviceMemory{file}[256] = {{{values}}};"]
        lines += [self.signature(self.graph.nodes[number]) + ";"
                  for number in sorted(used | own)]
        lines += [f"void {self.wrapper(kernel)}(u32 n);"
                  for kernel in self.borrowed(file)]
        return "\n".join([*lines, *map(self.helper, nodes), *kernels,
                          self.run(file)])
