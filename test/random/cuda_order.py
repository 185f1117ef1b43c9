"""A feature of random programs: blocks that hand values to each other.

Two blocks take turns by a flag, whose accesses are ordered, in functions that
may stay calls or are of other files. No access to the data races with another.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
from cuda_features import Feature

AWAITS = {
    "exchange": "while (__atomic_fetch_add(flag, 0, __ATOMIC_ACQ_REL) != v) ;",
    "load": "while (__atomic_load_n(flag, __ATOMIC_RELAXED) != v) ; "
            "__threadfence();",
    "fence": "while (*(volatile u32 *)flag != v) ; __threadfence();",
    "compare": "u32 e = v; while (!__atomic_compare_exchange_n(flag, &e, v, "
               "false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) e = v;"}
POSTS = {
    "exchange": "__atomic_exchange_n(flag, v, __ATOMIC_ACQ_REL);",
    "store": "__threadfence(); __atomic_store_n(flag, v, __ATOMIC_RELAXED);",
    "fence": "__threadfence(); *(volatile u32 *)flag = v;",
    "add": "__atomic_fetch_add(flag, 1, __ATOMIC_RELEASE);"}


class Order(Feature):
    share = 0.2
    suitsNvcc = False  # which may lack these built-in functions

    def make(self):
        rng = self.rng
        await_, post = (self.helper("await", AWAITS),
                        self.helper("post", POSTS))
        kernel, file = self.fresh("pingpong"), self.cudaFile()
        turns = rng.choice([2, 2, 3, 4])
        scalars = [("seen", "u32"), ("a", "u32")]
        lines, slots = ["u32 seen = 0;"], 4
        for block in range(2):
            lines.append(f"if (blockIdx.x == {block}) {{")
            for turn in range(turns):
                if turn % 2 != block:
                    continue
                if turn:
                    lines.append(f"  {await_}(flag, {turn});")
                lines += self.turn(file, scalars, slots)
                lines.append(f"  {post}(flag, {turn + 1});")
            if block == turns % 2:
                lines += [f"  {await_}(flag, {turns});"]
                lines += self.turn(file, scalars, slots)
                lines.append("  out[0] = seen;")
            else:
                lines.append("  out[1] = seen;")
            lines.append("}")
        signature = (f"__global__ void {kernel}(u32 *data, u32 *flag, u32 *out,"
                     " u32 a)")
        self.cudaHeader.append(signature + ";")
        self.add(file, signature + " {", *["  " + line for line in lines], "}")
        (data, out), made = self.buffers(2)
        flag = self.fresh("flag")
        return made + [
            f"u32 *{flag};", f"cudaMalloc((void **)&{flag}, 4);",
            f"cudaMemset({flag}, 0, 4);",
            f"{kernel}<<<2, 1>>>({data}, {flag}, {out}, "
            f"{self.host.constant()}u);"] + self.show(data, out)

    def turn(self, file, scalars, slots):
        """What a block does while it is its turn."""
        for _ in range(self.rng.randint(1, 3)):
            slot = self.rng.randrange(slots)
            yield "  " + self.rng.choice([
                f"data[{slot}] = {self.deviceValue(file, scalars, depth=1)};",
                f"seen = seen * 3 + data[{slot}];",
                f"data[{slot}] += seen + {self.host.constant()}u;"])

    def helper(self, name, forms):
        """A function for one of `forms`, which may call one of another file."""
        name = self.fresh(name)
        self.function(f"__device__ void {name}(u32 *flag, u32 v)",
                      [forms[self.rng.choice(list(forms))]], isDevice=True)
        if self.chance(0.3):
            outer = self.fresh("outer")
            self.function(f"__device__ void {outer}(u32 *flag, u32 v)",
                          [f"{name}(flag, v);"], isDevice=True)
            return outer
        return name
