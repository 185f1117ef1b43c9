"""Random programs about copies whose buffers are locals of functions.

Most buffers of copy_programs are known everywhere, so a link keeps nearly all of their
copies. Here it may follow pointers: main and the functions that it calls have host
memory (heap, stack) and device memory of their own, pass them on, copy, compute, loop
and leave loops. All work is in the default stream, so there is no race.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import random
from pathlib import Path

from cuda_programs import COMMON_FLAGS, PRELUDE_FLAGS
from programs import Program, Unit

HERE = Path(__file__).parent
MODES = [[], ["--poison", "--deferred"],
         ["--poison", "--deferred", "--pageable-sync"]]
COMMON = """
#include "copy_prelude.h"
#define IN cudaMemcpyHostToDevice
#define OUT cudaMemcpyDeviceToHost
extern "C" void *malloc(size_t);
extern "C" void free(void *);
extern "C" void exit(int);
extern "C" void *memset(void *, int, size_t);
#define CHECK(call) do { if (int code = (call)) { printf("failed %d\\n", code); exit(1); } } while (0)
__global__ void setAll(u32 *to, u32 value, int n);
__global__ void increase(u32 *to, int n);
__global__ void add(u32 *to, const u32 *from, int n);
__global__ void setHalf(u32 *to, u32 value, int n);
__global__ void setIf(u32 *to, u32 value, int n, int flag);
__global__ void touchBoth(u32 **table, int n);
struct Pair { u32 *h, *d; int n; };
void show(const char *name, const u32 *h, int n);
"""
KERNELS = """
__global__ void setAll(u32 *to, u32 value, int n) {
  int i = threadIdx.x; if (i < n) to[i] = value + i; }
__global__ void increase(u32 *to, int n) { int i = threadIdx.x; if (i < n) to[i] += 3; }
__global__ void add(u32 *to, const u32 *from, int n) {
  int i = threadIdx.x; if (i < n) to[i] = to[i] * 5 + from[i]; }
__global__ void setHalf(u32 *to, u32 value, int n) {
  int i = threadIdx.x; if (i < n / 2) to[i] = value; }
__global__ void setIf(u32 *to, u32 value, int n, int flag) {
  int i = threadIdx.x; if (flag && i < n) to[i] = value ^ i; }
void show(const char *name, const u32 *h, int n) {
  u32 sum = 0;
  for (int i = 0; i < n; ++i) sum = sum * 31 + h[i];
  printf("%s %u\\n", name, sum);
}
"""
KINDS = {"copyIn": 12, "copyOut": 9, "onDevice": 3, "onHost": 2, "fill": 3, "kernel": 12,
         "hostWrite": 7, "hostRead": 5, "call": 4, "loop": 5, "if": 3, "swap": 2,
         "again": 2, "stack": 2, "leave": 2, "pairs": 2, "throw": 1, "rounds": 6}


class Source:
    def __init__(self, seed, dropped, without):
        self.rng = random.Random(f"locals {seed}")
        self.dropped, self.count, self.depth = dropped, 1, 0
        self.kinds = [kind for kind, weight in KINDS.items() if kind not in without
                      for _ in range(weight)]
        self.helpers = [f"helper{number}" for number in range(self.rng.randint(1, 3))]
        self.names = 0

    def pick(self, *choices):
        return self.rng.choice(choices)

    def statement(self, scope, inLoop, callees):
        """Lines of one statement; none if it is dropped."""
        number, self.count = self.count, self.count + 1
        lines = self.lines(self.rng.choice(self.kinds), scope, inLoop, callees)
        return [] if number in self.dropped else lines

    def body(self, scope, length, inLoop=False, callees=()):
        return [line for _ in range(length)
                for line in self.statement(scope, inLoop, callees)]

    def copy(self, target, source, kind):
        size, place = self.pick(*[("n * 4", "")] * 5, ("n * 2", ""), ("n * 2", " + n / 2"),
                                ("16", ""), ("n * 4 - 4", " + 1"))
        other = place if self.rng.random() < 0.7 or place == " + 1" else ""
        arguments = f"{target}{place}, {source}{other}, {size}, {kind}"
        call = self.pick(*[f"cudaMemcpy({arguments})"] * 4,
                         f"cudaMemcpyAsync({arguments}, 0)")
        line = self.pick(*[f"{call};"] * 3, f"CHECK({call});",
                         f"if ({call} != cudaSuccess) exit(2);")
        return [line] + ["cudaDeviceSynchronize();"] * ("Async" in call)

    def lines(self, kind, scope, inLoop, callees):
        rng, pick = self.rng, self.pick
        h, g = pick(*scope["h"]), pick(*scope["h"])
        d, e = pick(*scope["d"]), pick(*scope["d"])
        value = rng.randrange(100)
        if kind == "copyIn":
            return self.copy(d, h, "IN")
        if kind == "copyOut":
            return self.copy(h, d, "OUT")
        if kind == "onDevice":
            return self.copy(d, e, "cudaMemcpyDeviceToDevice") if d != e else []
        if kind == "onHost":
            return self.copy(h, g, "cudaMemcpyHostToHost") if h != g else []
        if kind == "fill":
            return [f"cudaMemset({d}, {value}, {pick('n * 4', 'n * 4', 'n')});"]
        if kind == "kernel":
            return [pick(f"setAll<<<1, 64>>>({d}, {value}, n);",
                         f"increase<<<1, 64>>>({d}, n);",
                         f"add<<<1, 64>>>({d}, {e}, n);", f"add<<<1, 64>>>({d}, {e}, n);",
                         f"setHalf<<<1, 64>>>({d}, {value}, n);",
                         f"setIf<<<1, 64>>>({d}, {value}, n, flag & {pick(1, 2, 4)});",
                         f"add<<<1, 64>>>({d} + n / 2, {e}, n / 2);")]
        if kind == "hostWrite":
            return [pick(f"for (int k = 0; k < n; ++k) {h}[k] = k * {value + 1};",
                         f"{h}[{pick('0', '3', 'n - 1', 'n / 2')}] += {value};",
                         f"memset({h}, {value}, n * {pick(4, 2)});",
                         f"{{ u32 *q = {h} + 1; q[flag & 3] ^= {value}; }}",
                         f"for (int k = 0; k < n; ++k) {h}[k] += {g}[n - 1 - k];")]
        if kind == "hostRead":
            return [pick(f'show("{h}", {h}, n);', f'show("{h}", {h}, n / 2);',
                         f'printf("%u\\n", {h}[n - 2]);',
                         f"sum += {h}[{pick('0', 'n - 1')}];")]
        if kind == "call" and callees:
            return [f"{pick(*callees)}({h}, {g}, {d}, {e}, n, flag);"]
        if kind == "loop" and self.depth < 2:
            return self.loop(scope, callees)
        if kind == "rounds" and self.depth < 2:
            return self.rounds(scope, h, d, callees)
        if kind == "if" and self.depth < 3:
            self.depth += 1
            lines = [f"if (flag & {pick(1, 2, 4)}) {{",
                     *self.body(scope, rng.randint(1, 3), inLoop, callees)]
            if rng.random() < 0.4:
                lines += ["} else {", *self.body(scope, rng.randint(1, 2), inLoop, callees)]
            self.depth -= 1
            return lines + ["}"]
        if kind == "swap":
            a, b = pick((h, g), (d, e))
            # What a function frees is its own.
            isAlike = (a in ("mine", "dMine")) == (b in ("mine", "dMine"))
            return [f"{{ u32 *t = {a}; {a} = {b}; {b} = t; }}"] \
                if a != b and isAlike else []
        if kind == "again" and scope["own"]:
            if h in scope["own"] and rng.random() < 0.5:
                return [f"free({h}); {h} = (u32 *)malloc(n * 4);",
                        f"for (int k = 0; k < n; ++k) {h}[k] = {value};"]
            if d in scope["own"]:
                return [f"cudaFree({d}); cudaMalloc((void **)&{d}, n * 4);",
                        f"cudaMemset({d}, {value}, n * 4);"]
        if kind == "stack" and self.depth < 3:
            return self.stack(scope, inLoop, callees)
        if kind == "leave" and inLoop:
            return [f"if ({pick('round == 2', 'flag & 2', 'sum % 3 == 1')}) "
                    f"{pick('break', 'continue')};"]
        if kind == "pairs":
            return [f"Pair pairs{self.fresh()}[2] = {{{{{h}, {d}, n}}, {{{g}, {e}, n / 2}}}};",
                    f"for (int k = 0; k < 2; ++k) {{ Pair &p = pairs{self.names}[k];",
                    "  cudaMemcpy(p.d, p.h, p.n * 4, IN); increase<<<1, 64>>>(p.d, p.n);",
                    pick("  cudaMemcpy(p.h, p.d, p.n * 4, OUT);", ""), "}"]
        if kind == "throw" and self.depth < 3:
            self.depth += 1
            lines = ["try {", *self.body(scope, 2, False, callees),
                     f"  if (flag & {pick(1, 2)}) throw {value};",
                     *self.body(scope, 1, False, callees), "} catch (int code) {",
                     "  sum += code;", *self.body(scope, 1, False, callees), "}"]
            self.depth -= 1
            return lines
        return []

    def fresh(self):
        self.names += 1
        return self.names

    def loop(self, scope, callees):
        self.depth += 1
        lines = [f"for (int round = 0; round < {self.pick('1', '2', '3', '3', 'n / 16')}; "
                 "++round) {", *self.body(scope, self.rng.randint(2, 5), True, callees), "}"]
        self.depth -= 1
        return lines

    def rounds(self, scope, h, d, callees):
        """A loop that copies to and fro between h and d; few of its statements touch h."""
        self.depth += 1
        chance = self.rng.random
        far = dict(scope, h=[name for name in scope["h"] if name != h] or [h],
                   d=[d] if chance() < 0.5 else scope["d"], own=[])
        copy = "cudaMemcpy({}, {}, n * 4, {})".format
        checked = self.pick(*["{};"] * 3, "CHECK({});", "if ({}) break;").format

        def some(share, names):
            return self.statement(names, True, callees) if chance() < share else []

        lines = [f"for (int round = 0; round < {self.pick('n / 16', 'flag', 'n / 32 + 1')}; "
                 "++round) {", *some(0.15, scope)]
        if chance() < 0.6:
            lines.append(self.pick("", "", "", "if (round != 1) ", "if (flag & 1) ")
                         + copy(d, h, "IN") + ";")
        lines += [f"increase<<<1, 64>>>({d}, n);", *some(0.4, far), *some(0.1, scope)]
        lines.append(self.pick(*[""] * 5, "if (round & 1) ", "if (flag & 2) ")
                     + checked(copy(h, d, "OUT")))
        lines += [*some(0.4, far), *some(0.1, scope), "}"]
        self.depth -= 1
        return lines

    def stack(self, scope, inLoop, callees):
        """A block with an array of its own."""
        self.depth += 1
        name = f"local{self.fresh()}"
        inner = dict(scope, h=scope["h"] + [name] * 2)
        lines = ["{", f"u32 {name}[64];",
                 self.pick(f"for (int k = 0; k < n; ++k) {name}[k] = k;",
                           f"cudaMemcpy({name}, {scope['d'][0]}, n * 4, OUT);"),
                 *[line for line in self.body(inner, self.rng.randint(2, 3), inLoop, callees)
                   if not line.startswith("{ u32 *t") and f"free({name})" not in line],
                 f'show("{name}", {name}, n);', "}"]
        self.depth -= 1
        return lines

    def function(self, name, callees):
        scope = {"h": ["h0", "h1"], "d": ["d0", "d1"], "own": []}
        lines = [f"__attribute__((noinline)) void {name}(u32 *h0, u32 *h1, u32 *d0, u32 *d1, "
                 "int n, int flag) {", "u32 sum = 0;"]
        ends = []
        if self.rng.random() < 0.4:
            scope["h"].append("mine")
            scope["own"].append("mine")
            lines += ["u32 *mine = (u32 *)malloc(n * 4);",
                      "for (int k = 0; k < n; ++k) mine[k] = k + flag;"]
            ends.append("free(mine);")
        if self.rng.random() < 0.4:
            scope["d"].append("dMine")
            scope["own"].append("dMine")
            lines += ["u32 *dMine; cudaMalloc((void **)&dMine, n * 4);",
                      "cudaMemset(dMine, 1, n * 4);"]
            ends.append("cudaFree(dMine);")
        lines += self.body(scope, self.rng.randint(3, 8), False, callees)
        return lines + ['printf("%u\\n", sum);', *ends, "}"]

    def main(self):
        hosts = [f"a{number}" for number in range(self.rng.randint(2, 4))]
        devices = [f"b{number}" for number in range(self.rng.randint(2, 4))]
        lines = ["int main(int count, char **) {", "int n = 64 * count, flag = count * "
                 f"{self.rng.randrange(8)};", "u32 sum = 0;"]
        for number, name in enumerate(hosts):
            lines += [f"u32 *{name} = " + self.pick("(u32 *)malloc(n * 4);", "new u32[64];"),
                      f"for (int k = 0; k < n; ++k) {name}[k] = k * 7 + {number};"]
        for name in devices:
            lines += [f"u32 *{name}; cudaMalloc((void **)&{name}, n * 4);",
                      f"cudaMemset({name}, 2, n * 4);"]
        scope = {"h": hosts, "d": devices, "own": devices}
        lines += self.body(scope, self.rng.randint(8, 20), False, self.helpers)
        for name in devices:
            if self.rng.random() < 0.5:
                lines += [f"cudaMemcpy({hosts[0]}, {name}, n * 4, OUT);",
                          f'show("{name}", {hosts[0]}, n);']
        for name in hosts:
            if self.rng.random() < 0.7:
                lines.append(f'show("{name}", {name}, n);')
        return lines + ['printf("%u %d\\n", sum, cudaGetLastError());', "}"]


def generate(seed, dropped=frozenset(), without=()):
    """Returns the program of `seed` without the statements `dropped` and those whose
    kind is in `without`."""
    source = Source(seed, dropped, set(without))
    rng = source.rng
    texts = {"f0.cu": KERNELS, "f1.cu": ""}
    for number, name in enumerate(source.helpers):
        file = source.pick("f0.cu", "f1.cu")
        texts[file] += "\n".join(source.function(name, source.helpers[:number])) + "\n"
    texts[source.pick("f0.cu", "f1.cu")] += "\n".join(source.main()) + "\n"
    header = COMMON + "".join(
        f"void {name}(u32 *, u32 *, u32 *, u32 *, int, int);\n" for name in source.helpers)
    files = {"common.h": header} | {
        name: '#include "common.h"\n' + text for name, text in texts.items()}
    files["all.cu"] = '#include "common.h"\n' + "".join(texts.values())
    for name in ("prelude.h", "copy_prelude.h"):
        files[name] = (HERE / name).read_text()
    cuda = ["--offload-arch=sm_90", "--cuda-include-ptx=all", *PRELUDE_FLAGS, *COMMON_FLAGS]
    level = rng.choice(["-O2", "-O2", "-O3"])
    return Program(files, [Unit(name, cuda + [level]) for name in texts], ["all.cu"], cuda,
                   isCuda=True, elements=source.count, suitsNvcc=False, modes=MODES)
