"""Kernels of random programs about copies: what each reads and writes.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import dataclasses

INDEX = "u32 i = blockIdx.x * blockDim.x + threadIdx.x;"
STRIDE = ("for (u32 i = blockIdx.x * blockDim.x + threadIdx.x; i < n; "
          "i += gridDim.x * blockDim.x)")


@dataclasses.dataclass
class Form:
    """A sort of kernel. `out` and `in` are memory, of which `uses` says what
    happens to it (r, w, rw, - for neither); all else is numbers. {c} and {d}
    are odd constants."""
    name: str
    parameters: str
    uses: dict
    body: list
    isShareable: bool = False  # `out` and `in` may be the same memory
    room: str = ""  # text of the elements that it touches, if not n


FORMS = [
    Form("fill", "u32 *out, u32 n, u32 a", {"out": "w"},
         [INDEX, "if (i < n)", "  out[i] = i * {c}u + a;"]),
    Form("stride", "u32 *out, u32 n, u32 a", {"out": "w"},
         [STRIDE, "  out[i] = a ^ (i << {k});"]),
    Form("map", "u32 *out, const u32 *in, u32 n, u32 a",
         {"out": "w", "in": "r"},
         [INDEX, "if (i < n)", "  out[i] = in[i] * {c}u + a;"], True),
    Form("mapStride", "u32 *out, const u32 *in, u32 n, u32 a",
         {"out": "w", "in": "r"},
         [STRIDE, "  out[i] = (in[i] ^ {c}u) + a;"], True),
    Form("update", "u32 *out, u32 n, u32 a", {"out": "rw"},
         [INDEX, "if (i < n)", "  out[i] = out[i] * {c}u + a;"]),
    Form("some", "u32 *out, const u32 *in, u32 n, u32 a",
         {"out": "rw", "in": "r"},
         [INDEX, "if (i < n && ((in[i] ^ a) & {k}u))",
          "  out[i] = in[i] + {d}u;"], True),
    Form("ifAsked", "u32 *out, u32 n, u32 a", {"out": "w"},
         [INDEX, "if (a > 100 && i < n)", "  out[i] = i + a * {d}u;"]),
    Form("early", "u32 *out, const u32 *in, u32 n, u32 a",
         {"out": "w", "in": "r"},
         ["if (in[0] % {k}u == 0)", "  return;", INDEX, "if (i < n)",
          "  out[i] = a + i;"]),
    Form("upper", "u32 *out, u32 n, u32 a", {"out": "w"},
         [INDEX, "if (i < n && i >= a % n)", "  out[i] = i * {d}u;"]),
    Form("sum", "u32 *out, const u32 *in, u32 n, u32 a",
         {"out": "rw", "in": "r"},
         [INDEX, "if (i < n)", "  atomicAdd(out, in[i] * a);"]),
    Form("gather", "u32 *out, const u32 *in, u32 n, u32 a",
         {"out": "w", "in": "r"},
         [INDEX, "if (i < n)", "  out[i] = in[(i * {c}u + a) % n];"]),
    Form("scatter", "u32 *out, const u32 *in, u32 n, u32 a",
         {"out": "w", "in": "r"},
         [INDEX, "if (i < n)", "  out[n - 1 - i] = in[i] - a;"]),
    Form("readOnly", "u32 *out, const u32 *in, u32 n, u32 a",
         {"out": "w", "in": "r"},
         [INDEX, "u32 sum = 0;", STRIDE.replace("u32 i", "u32 j")
          .replace("i <", "j <").replace("i +=", "j +="),
          "  sum += in[j];", "if (sum == a && n > 100000)",
          "  out[i] = sum;"]),
    Form("two", "u32 *out, u32 *more, const u32 *in, u32 n, u32 a",
         {"out": "w", "more": "rw", "in": "r"},
         [INDEX, "if (i < n) {", "  out[i] = in[i] + a;",
          "  more[i] += in[n - 1 - i];", "}"]),
    Form("rows", "u32 *out, const u32 *in, u32 n, u32 a",
         {"out": "w", "in": "r"},
         ["u32 width = n / 4;", "u32 x = threadIdx.x, y = blockIdx.x;",
          "if (x < width && y < 4)",
          "  out[y * width + x] = in[x * 4 + y] + a;"]),
    Form("bytes", "u32 *out, u32 n, u32 a", {"out": "rw"},
         [INDEX, "if (i < n)", "  ((u8 *)out)[i * 4 + (a & 3)] = (u8)i;"]),
    Form("byView", "View out, u32 a", {"out": "view"},
         [INDEX, "if (i < out.n)",
          "  out.out[i] = out.in[i] * {c}u + a + out.extra[1];"]),
    Form("byTable", "u32 **out, u32 which, u32 n, u32 a", {"out": "table"},
         [INDEX, "u32 *row = out[which & 1];", "if (i < n)",
          "  row[i] = row[i] * {c}u + a;"]),
    Form("copyRow", "u32 **out, u32 which, u32 n, u32 a", {"out": "table"},
         [INDEX, "if (i < n)",
          "  out[which & 1][i] = out[~which & 1][i] + a;"]),
    Form("fromSymbol", "u32 *out, u32 n, u32 a",
         {"out": "w", "fixed": "r", "shared": "r"},
         [INDEX, "if (i < n)", "  out[i] = fixed[i % {N}u] + a * "
          "shared[(i + {k}) % {N}u];"]),
    Form("toSymbol", "const u32 *in, u32 n, u32 a",
         {"in": "r", "shared": "rw"},
         [INDEX, "if (i < n)", "  shared[i] = in[i] + a;"]),
    Form("countSymbol", "u32 n, u32 a", {"shared": "rw"},
         [INDEX, "if (i < n)", "  atomicAdd(&shared[a % 4], i);"]),
]


@dataclasses.dataclass
class Kernel:
    name: str
    form: Form
    text: list
    home: int

    def declaration(self):
        return f"__global__ void {self.name}({self.form.parameters});"


def settingForms(settings):
    """Kernels that read the variables `settings`."""
    return [Form(f"{name}Form", "u32 *out, u32 n, u32 a",
                 {"out": "rw", name: "r"},
                 [INDEX, "if (i < n)", f"  out[i] = out[i] * ({name}[{{k}} & 3]"
                  f" | 1) + {name}[0] * {name}[i & 3] + a;"])
            for name in settings]


def makeKernels(rng, files, elements, symbols, settings=()):
    """Some kernels in random files; `symbols` are the names of (a constant
    variable, one that kernels may write), `settings` of others that none
    writes."""
    chosen = rng.sample(FORMS, rng.randint(6, 12)) + settingForms(settings)
    if not any(f.name in ("map", "mapStride") for f in chosen):
        chosen.append(FORMS[2])
    kernels = []
    for form in chosen:
        name = f"{form.name}Kernel"
        values = {"{c}": rng.choice([3, 5, 7, 1664525]),
                  "{d}": rng.choice([1, 9, 4099]), "{k}": rng.randint(2, 7),
                  "{N}": elements}
        lines = []
        for line in form.body:
            for place, value in values.items():
                line = line.replace(place, str(value))
            lines.append("  " + line.replace("fixed[", symbols[0] + "[")
                         .replace("shared[", symbols[1] + "["))
        qualifier = rng.choice(["", "", "__launch_bounds__(128) "])
        text = [f"__global__ {qualifier}void {name}({form.parameters}) {{",
                *lines, "}"]
        kernels.append(Kernel(name, form, text, rng.randrange(files)))
    return kernels
