"""Features of random programs: objects on the heap, exceptions and threads of
the host.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
from cuda_features import BYTES, ITEMS, Feature

TEMPLATES = """
template <class T> struct {name}Owner {{
  T *object;
  explicit {name}Owner(T *object) : object(object) {{}}
  {name}Owner({name}Owner &&o) : object(o.object) {{ o.object = nullptr; }}
  ~{name}Owner() {{ delete object; }}
  T *operator->() const {{ return object; }}
}};
template <class T> struct {name}List {{
  T *items = nullptr;
  u32 count = 0, room = 0;
  void add(const T &item) {{
    if (count == room) {{
      T *larger = new T[room = room * 2 + 1];
      for (u32 i = 0; i < count; ++i)
        larger[i] = items[i];
      delete[] items;
      items = larger;
    }}
    items[count++] = item;
  }}
  ~{name}List() {{ delete[] items; }}
}};
"""


class Objects(Feature):
    """Classes with virtual functions, owners that delete them, destructors
    that leave a trace or launch, exceptions between files."""
    share = 0.3

    def make(self):
        self.name = self.fresh("Object")
        self.trace = f"{self.name}Trace"
        self.header.append(f"extern u32 {self.trace};")
        self.add(0, f"u32 {self.trace} = {self.host.constant()}u;")
        self.header.append(TEMPLATES.format(name=self.name))
        self.start = None
        if self.chance(0.6):
            self.start = self.launcher()[0]
            self.startOwn = self.launcher(self.mapKernel(gathers=False))[0]
        self.classes()
        thrower = self.thrower()
        (out, source), lines = self.buffers(2)
        user = self.user(thrower)
        for _ in range(self.rng.randint(1, 3)):
            lines.append(self.optional(
                f"{self.trace} = {self.trace} * 3 + {user}({out}, {source}, "
                f"{self.hostValue()});"))
        return lines + self.show(out) + [self.showValue(self.trace)]

    def leave(self, text):
        return f"{self.trace} = {self.trace} * 31 + {text};"

    def classes(self):
        """A base and classes derived from it, or from each other."""
        rng, base = self.rng, self.name
        self.kinds, lines = [base], []
        lines.append(
            f"struct {base} {{ u32 id; u32 *memory; {base}(u32 id, u32 *memory)"
            f" : id(id), memory(memory) {{}} virtual ~{base}(); "
            f"virtual u32 work(u32 x); u32 plain(u32 x) const noexcept; }};")
        self.add(self.anyFile(), f"{base}::~{base}() {{ {self.leave('id')} }}",
                 f"u32 {base}::work(u32 x) {{ return "
                 f"{self.hostValue([('x', 'u32'), ('id', 'u32')])}; }}",
                 f"u32 {base}::plain(u32 x) const noexcept {{ return id ^ "
                 f"{self.hostValue([('x', 'u32')])}; }}")
        for number in range(rng.randint(1, 3)):
            kind, parent = f"{base}{number}", rng.choice(self.kinds)
            self.kinds.append(kind)
            extra = rng.choice(["u32 a = 5;", "u64 a = 1; u8 b[12] = {3};",
                                "i32 a = -1;"])
            members = [f"{kind}(u32 id, u32 *memory)",
                       "u32 work(u32 x) override", f"~{kind}() override"]
            bodies = [f" : {parent}(id + {number}, memory) {{ a += id; }}",
                      f" {{ return {rng.choice([parent + '::work(x) + ', ''])}"
                      f"(u32)a * x + {self.hostValue([('x', 'u32')])}; }}",
                      f" {{ {self.destructor()} }}"]
            inside, file = [], self.anyFile()
            for member, body in zip(members, bodies):
                if self.chance(0.4):
                    inside.append(member + body)
                    continue
                inside.append(member + ";")
                outside = member.replace(" override", "")
                result, _, rest = outside.rpartition(" work")
                if rest.startswith("("):
                    outside = f"{result} {kind}::work{rest}"
                else:
                    outside = f"{kind}::{outside}"
                self.add(file, outside + body)
            lines.append(f"struct {kind} : {parent} {{ {extra} "
                         f"{' '.join(inside)} }};")
        self.header += lines

    def destructor(self):
        """What a destructor does: it leaves a trace, and may launch."""
        if self.start and self.chance(0.5):
            work = self.rng.choice([
                f"{self.startOwn}(memory, memory + {ITEMS // 2}, id, 1, "
                f"{ITEMS // 2}, nullptr);",
                "cudaMemset(memory, (int)(id & 255), 16);"])
            return f"{self.leave('id + 1')} if (memory) {work}"
        return self.rng.choice([self.leave("id + (u32)a"), self.leave("7"),
                                ""])

    def object(self, memory):
        kind = self.rng.choice(self.kinds)
        return f"{kind}({self.hostValue(depth=1)}, {memory})"

    def thrower(self):
        """A function that may throw several things, in one file."""
        name, rng = self.fresh("mayThrow"), self.rng
        scalars = [("x", "u32")]
        forms = [f"throw {self.hostValue(scalars, 1)};",
                 f"throw (i64){self.hostValue(scalars, 1)};",
                 f"throw {self.object('nullptr')};",
                 f"throw new {self.object('nullptr')};"]
        chosen = rng.sample(forms, rng.randint(1, 3))
        body = [f"{self.name}Owner<{self.name}> kept(new "
                f"{self.object('nullptr')});"] if self.chance(0.5) else []
        for number, form in enumerate(chosen):
            body.append(f"if (x % {rng.choice([3, 5, 7])}u == {number}u) "
                        f"{form}")
        more = "kept->work(x)" if len(body) > len(chosen) else "x"
        body.append(f"return {more} ^ {self.hostValue(scalars)};")
        inner = self.function(f"u32 {name}(u32 x)", body)
        if self.chance(0.5):  # through the frame of another file
            through = self.fresh("through")
            self.function(f"u32 {through}(u32 x)", [
                f"{self.name} local({self.hostValue(scalars, 1)}, nullptr);",
                f"u32 r = {name}(x + local.plain(x));", "return r + local.id;"])
            name = through
        return name

    def user(self, thrower):
        """Makes objects, uses them, and catches."""
        name, rng = self.fresh("useObjects"), self.rng
        scalars = [("x", "u32"), ("sum", "u32")]
        body = ["u32 sum = 0;", "try {",
                f"  {self.name}List<u32> list;",
                f"  {self.name}Owner<{self.name}> one("
                f"x & 1 ? ({self.name} *)new {self.object('out')} : new {self.object('out')});"]
        steps = ["  list.add(one->work(x));", "  sum += one->plain(x);",
                 f"  for (u32 i = 0; i < (x & 7); ++i) list.add(i * sum);",
                 f"  sum += {thrower}(x + list.count);",
                 f"  sum ^= {thrower}({self.hostValue(scalars, 1)});",
                 f"  {{ {self.name}Owner<{self.name}> two("
                 f"({self.name}Owner<{self.name}> &&)one); "
                 f"sum += two->work(sum); one.object = new "
                 f"{self.object('nullptr')}; }}"]
        if self.start:
            steps.append(f"  {self.start}(out, in, sum, 1, {ITEMS}, nullptr);")
        body += [rng.choice(steps) for _ in range(rng.randint(2, 5))]
        body.append("  for (u32 i = 0; i < list.count; ++i) sum = sum * 7 + "
                    "list.items[i];")
        catches = [("u32 e", "sum += e;"), ("i64 e", "sum -= (u32)e;"),
                   (f"{self.name} &e", "sum += e.work(sum);"),
                   (f"{self.name} *e", "sum ^= e->plain(1); delete e;")]
        rng.shuffle(catches)
        if self.chance(0.3):
            catches = catches[:2]
        for what, then in catches:
            body.append(f"}} catch ({what}) {{ {then}")
        body += ["} catch (...) { sum += 1000; }", "return sum;"]
        self.function(f"u32 {name}(u32 *out, const u32 *in, u32 x)", body)
        return name


class Threads(Feature):
    """Host threads that launch in streams of their own on memory of their
    own."""
    share = 0.15

    def make(self):
        rng, name = self.rng, self.fresh("Thread")
        start, kernel = self.launcher()
        self.header.append(f"struct {name} {{ u32 *out, *in; u32 number, sum; "
                           f"u32 kept[{ITEMS}]; cudaStream_t stream; }};")
        self.header.append(f"extern u32 {name}Joined;")
        self.add(0, f"u32 {name}Joined;")
        run = self.fresh("thread")
        local, file = self.fresh("local"), self.anyFile()
        self.add(file, f"static thread_local u32 {local} = "
                 f"{self.host.constant()}u;")
        scalars = [("t.number", "u32"), (local, "u32")]
        body = [f"{name} &t = *({name} *)argument;",
                "cudaStreamCreateWithFlags(&t.stream, 1);"]
        for _ in range(rng.randint(2, 4)):
            body.append(rng.choice([
                f"{start}(t.out, t.in, {self.hostValue(scalars, 1)}, "
                f"{rng.choice([1, -3])}, {ITEMS}, t.stream);",
                f"{local} += {self.hostValue(scalars)};",
                f"cudaMemcpyAsync(t.kept, t.out, {BYTES}, "
                "cudaMemcpyDeviceToHost, t.stream); "
                "cudaStreamSynchronize(t.stream); t.sum += t.kept[3];",
                f"__atomic_fetch_add(&{name}Joined, t.number + 1, "
                "__ATOMIC_RELAXED);"]))
        body += ["cudaStreamSynchronize(t.stream);",
                 f"t.sum ^= {local};", "return nullptr;"]
        self.function(f"void *{run}(void *argument)", body, file)
        count = rng.randint(2, 3)
        all_, lines = self.fresh("threads"), []
        lines.append(f"static {name} {all_}[{count}]; "
                     f"pthread_t {all_}_id[{count}];")
        for i in range(count):
            names, made = self.buffers(2)
            lines += made + [f"{all_}[{i}].out = {names[0]}; "
                             f"{all_}[{i}].in = {names[1]}; "
                             f"{all_}[{i}].number = {i};"]
        lines.append("cudaDeviceSynchronize();")
        for i in range(count):
            lines.append(f"pthread_create(&{all_}_id[{i}], nullptr, {run}, "
                         f"&{all_}[{i}]);")
        for i in range(count):
            lines.append(f"pthread_join({all_}_id[{i}], nullptr);")
        for i in range(count):
            lines.append(self.showValue(f"{all_}[{i}].sum"))
            lines += self.show(f"{all_}[{i}].out")
        return lines + [self.showValue(f"{name}Joined")]
