"""The memory, streams and variables of a random program about copies: where
they are declared, made and freed.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import dataclasses

from copy_order import Effect, Memory, Op

HOSTS = ["array", "static", "malloc", "new", "calloc", "member",
         "memberPointer",
         "object", "element", "mapped", "mallocHost", "hostAlloc",
         "registered"]
DEVICES = ["pointer", "pointer", "memberPointer", "object", "element", "pool",
           "ordered"]
PINNED = ["mallocHost", "hostAlloc", "registered"]
# The side of a copy that is a variable of its own statement.
NOBODYS = Effect("scratch", 0, 16, False)


@dataclasses.dataclass
class Name:
    """What code calls some memory: `room` elements may be touched there."""
    text: str
    room: int
    home: str
    memories: frozenset = frozenset()  # it is one of these; of parameters: {}
    form: str = ""
    file: int = None  # the only one that knows it
    device: int = 0
    group: str = ""  # of names of which no two are the same memory

    def isApart(self, other):
        if self.text == other.text:
            return False
        if self.group and self.group == other.group:
            return True
        return not self.memories & other.memories

    @property
    def canMove(self):
        """It may be allocated again."""
        return self.form in ("malloc", "new", "calloc", "pointer", "ordered",
                             "memberPointer", "mallocHost", "hostAlloc")


class World:
    """What every function sees. `names` is what `Order` has to know of it."""

    def __init__(self, rng, files, devices):
        self.rng, self.files, self.deviceCount = rng, files, devices
        self.elements = rng.choice([16, 24, 40, 64])
        self.bytes = 4 * self.elements
        self.names, self.header, self.members = {}, [], []
        self.definitions = {n: [] for n in range(files)}
        self.streams = {}  # text: (device, isBlocking)
        self.hosts, self.devices, self.symbols = [], [], []
        self.constants = []  # of the host, which nobody writes
        self.settings = {}  # small variables of the device: usual values
        self.settingHosts = set()  # those with a variable of the host
        self.setup, self.teardown = [], []
        self.objects = self.tables = 0
        self.makeStreams()
        self.makeHosts()
        self.makeConstants()
        self.makeDevices()
        self.makeSymbols()
        self.makeSettings()
        self.makePair()
        self.makeTable()

    def chance(self, share):
        return self.rng.random() < share

    def define(self, declaration, file=None, isStatic=False):
        """A variable that other files see, or one that they do not."""
        home = self.rng.randrange(self.files) if file is None else file
        if isStatic:
            self.definitions[home].append(f"static {declaration};")
        else:
            self.header.append(f"extern {declaration.split(' = ')[0]};")
            self.definitions[home].append(f"{declaration};")
        return home

    # ---- streams --------------------------------------------------------

    def makeStreams(self):
        rng = self.rng
        count = rng.choice([0, 1, 2, 2, 3])
        texts = [f"streams[{i}]" for i in range(count)]
        if count:
            self.define(f"cudaStream_t streams[{count}]")
        if self.chance(0.3):
            self.members.append("cudaStream_t stream;")
            texts.append("state.stream")
        for text in texts:
            self.makeStream(text, 0)
        if self.deviceCount > 1:
            self.define("cudaStream_t remoteStream")
            self.makeStream("remoteStream", 1)

    def makeStream(self, text, device):
        self.streams[text] = device, self.chance(0.5)
        self.setup.append(Op(self.onDevice(device, [self.creation(text)])))
        self.teardown.append(Op([f"cudaStreamSynchronize({text});",
                                 f"cudaStreamDestroy({text});"], kind="wait",
                                stream=text))

    def creation(self, text):
        isBlocking = self.streams[text][1]
        if isBlocking and self.chance(0.5):
            return f"cudaStreamCreate(&{text});"
        return (f"cudaStreamCreateWithFlags(&{text}, "
                f"{0 if isBlocking else 1});")

    def onDevice(self, device, lines):
        if not device:
            return lines
        return [f"cudaSetDevice({device});", *lines, "cudaSetDevice(0);"]

    # ---- memory ---------------------------------------------------------

    def add(self, text, form, home, device=0, file=None):
        memory = Memory(text, home, device)
        self.names[text] = [(memory, 0)]
        return Name(text, self.elements, home, frozenset({memory}), form, file,
                    device)

    def place(self, form, stem):
        """Declares a pointer; returns what code calls it."""
        if form == "memberPointer":
            self.members.append(f"u32 *{stem};")
            return f"state.{stem}"
        if form == "object":
            self.define(f"Holder {stem}")
            return f"{stem}.data()"
        if form == "element":
            self.tables += 1
            return f"pointers[{self.tables - 1}]"
        self.define(f"u32 *{stem}")
        return stem

    def makeHosts(self):
        forms = [self.rng.choice(HOSTS) for _ in range(self.rng.randint(3, 5))]
        if not set(forms) & set(PINNED):
            forms.append(self.rng.choice(PINNED))
        for number, form in enumerate(forms):
            self.hosts.append(self.makeHost(form, f"host{number}"))
        if self.chance(0.15):
            text = self.place("malloc", "shared0")
            name = self.add(text, "managed", "managed")
            self.hosts.append(name)
            self.devices.append(name)
            self.allocates(name)
            self.frees(name)

    def makeConstants(self):
        for number in range(self.rng.choice([0, 1, 1, 2])):
            text = f"constants{number}"
            values = ", ".join(str(self.rng.randrange(1 << 16))
                               for _ in range(self.elements))
            self.define(f"const u32 {text}[{self.elements}] = {{{values}}}")
            self.constants.append(self.add(text, "constant", "pageable"))

    def makeMapped(self, stem):
        """Pages that are at two addresses."""
        other = f"{stem}Mirror"
        name = self.add(self.place("malloc", stem), "mapped", "pageable")
        self.define(f"u32 *{other}")
        self.names[other] = self.names[stem]
        self.hosts.append(dataclasses.replace(name, text=other))
        self.setup.append(Op([f"mapTwice(&{stem}, &{other});"]))
        self.teardown.append(Op(
            [f"unmapTwice({stem}, {other});"],
            [Effect(stem, 0, self.bytes, True)]))
        return name

    def makeHost(self, form, stem):
        home = "pinned" if form in PINNED else "pageable"
        if form == "mapped":
            return self.makeMapped(stem)
        if form in ("array", "static"):
            file = self.define(f"u32 {stem}[{self.elements}]",
                               isStatic=form == "static")
            name = self.add(stem, form, home,
                            file=file if form == "static" else None)
            return name
        if form == "member":
            self.members.append(f"u32 {stem}[{self.elements}];")
            return self.add(f"state.{stem}", form, home)
        place = form if form in ("memberPointer", "object", "element") else \
            self.rng.choice(["malloc", "malloc", "memberPointer"])
        name = self.add(self.place(place, stem), form, home)
        self.allocates(name)
        self.frees(name)
        return name

    def makeDevices(self):
        count = self.rng.randint(3, 5)
        for number in range(count):
            form = self.rng.choice(DEVICES)
            if form == "pool":
                self.makePool(number)
                continue
            name = self.add(self.place(form, f"device{number}"), form, "device")
            self.devices.append(name)
            self.allocates(name)
            self.frees(name)
        if self.deviceCount > 1:
            for number in range(2):
                name = self.add(self.place("pointer", f"remote{number}"),
                                "remote", "device", 1)
                self.devices.append(name)
                self.allocates(name)
                self.frees(name)

    def makePool(self, number):
        """Two pieces of one allocation."""
        pool = self.place("pointer", f"pool{number}")
        self.setup.append(Op([f"cudaMalloc((void **)&{pool}, "
                              f"{2 * self.bytes});"]))
        for text in (pool, f"({pool} + {self.elements})"):
            self.devices.append(self.add(text, "pool", "device"))
        self.freesPool(pool)

    def freesPool(self, pool):
        self.teardown.append(Op([f"cudaFree({pool});"], kind="device"))

    def makePair(self):
        """Two pointers that change places."""
        self.pair = []
        if not self.chance(0.5):
            return
        names = [self.add(self.place("pointer", stem), "pair", "device")
                 for stem in ("ping", "pong")]
        both = [self.names[n.text][0] for n in names]
        for name in names:
            self.allocates(name)
            self.frees(name)
        for name in names:
            self.names[name.text] = both
            name.memories = frozenset(m for m, _ in both)
            name.group = "pair"
        self.pair = names
        self.devices += names

    def makeTable(self):
        """Pointers in device memory, and one chosen while the program runs."""
        fixed = [d for d in self.devices
                 if d.form in ("object", "element", "pool") and not d.device]
        self.table = None
        if len(fixed) < 2 or not self.chance(0.7):
            return
        rows = self.rng.sample(fixed, 2)
        both = [self.names[r.text][0] for r in rows]
        self.define("u32 *rowPointers[2]")
        self.define("u32 **rows")
        self.names["rowPointers"] = [(Memory("rowPointers", "pageable"), 0)]
        self.names["rows"] = [(Memory("rows", "device"), 0)]
        self.names["any row"] = both
        self.table = Name("any row", self.elements, "device",
                          frozenset(m for m, _ in both))
        self.setup += [Op(["cudaMalloc((void **)&rows, sizeof rowPointers);",
                           f"rowPointers[0] = {rows[0].text};",
                           f"rowPointers[1] = {rows[1].text};"]),
                       self.tableCopy()]
        self.teardown.append(Op(["cudaFree(rows);"], kind="device"))
        chosen = Name("rowPointers[turn & 1]", self.elements, "device",
                      self.table.memories)
        self.names[chosen.text] = both
        self.devices.append(chosen)

    def tableCopy(self):
        return Op(["cudaMemcpy(rows, rowPointers, sizeof rowPointers, "
                   "cudaMemcpyHostToDevice);"],
                  [Effect("rowPointers", 0, 16, False),
                   Effect("rows", 0, 16, True)], "copy")

    def makeSymbols(self):
        """Variables of each device: one that is constant in kernels, and
        sometimes all the time but for a first copy."""
        self.isFixedOnce = self.chance(0.35)
        for stem, qualifier in (("fixed", "__constant__"),
                                ("shared", "__device__")):
            home = self.rng.randrange(self.files)
            values = ", ".join(str(self.rng.randrange(1000))
                               for _ in range(self.rng.choice([0, 1, 4])))
            text = f"{qualifier} u32 {stem}[{self.elements}]"
            self.header.append(f"extern {text};")
            self.definitions[home].append(
                text + (f" = {{{values}}};" if values else ";"))
            for device in range(self.deviceCount):
                self.names[f"{stem}@{device}"] = [
                    (Memory(f"{stem}@{device}", "device", device), 0)]
            self.symbols.append(stem)
        if self.isFixedOnce and self.chance(0.7):
            source = self.rng.choice(self.constants + [
                n for n in self.hosts if n.form == "array"] or [None])
            if source:
                self.setup.append(Op(
                    [f"cudaMemcpyToSymbol(fixed, {source.text}, {self.bytes}, "
                     "0, cudaMemcpyHostToDevice);"],
                    [Effect(source.text, 0, self.bytes, False),
                     Effect("fixed", 0, self.bytes, True)], "copy"))
        if self.chance(0.4):  # its address, on the first device
            self.define("u32 *sharedAddress")
            self.names["sharedAddress"] = self.names["shared@0"]
            self.devices.append(Name(
                "sharedAddress", self.elements, "device",
                frozenset({self.names["shared@0"][0][0]}), "symbol"))
            self.setup.append(Op(["cudaGetSymbolAddress((void **)"
                                  "&sharedAddress, shared);"]))

    def makeSettings(self):
        """Variables of each device that copies set to the same values, as a
        rule, and as a rule before a kernel reads them."""
        for number in range(self.rng.choice([0, 1, 1, 2])):
            stem = f"setting{number}"
            values = self.settings[stem] = [self.rng.randrange(1 << 32)
                                            for _ in range(4)]
            home = self.rng.randrange(self.files)
            text = (f"{self.rng.choice(['__constant__', '__device__'])} "
                    f"u32 {stem}[4]")
            self.header.append(f"extern {text};")
            first = self.rng.choice(["", f" = {{{values[0]}u, 5}}"])
            self.definitions[home].append(f"{text}{first};")
            for device in range(self.deviceCount):
                self.names[f"{stem}@{device}"] = [
                    (Memory(f"{stem}@{device}", "device", device), 0)]
            if self.chance(0.5):  # what some copies are from, and nobody else uses
                first = self.rng.choice(["", f" = {{{values[0]}u, 5}}"])
                self.define(f"u32 {stem}Host[4]{first}")
                self.settingHosts.add(stem)
            if self.chance(0.75):
                self.setup.append(Op(
                    [self.settingCopy(stem, values)],
                    [NOBODYS, Effect(stem, 0, 16, True)], "copy"))

    def settingCopy(self, stem, values, first=0, suffix="", tail=""):
        """A block that sets elements of a variable from `first` on."""
        count = len(values)
        if stem in self.settingHosts and not suffix and self.chance(0.6):
            stores = [f"{stem}Host[{first + i}] = {value}u;"
                      for i, value in enumerate(values) if self.chance(0.9)]
            return (f"{{ {' '.join(stores)} cudaMemcpyToSymbol({stem}, "
                    f"{stem}Host + {first}, {4 * count}, {4 * first}, "
                    "cudaMemcpyHostToDevice); }")
        text = ", ".join(f"{value}u" for value in values)
        if count == 1 and self.chance(0.5):
            source, place = f"u32 values = {text};", "&values"
        else:
            kind = self.rng.choice(["u32", "const u32", "static const u32"])
            source, place = f"{kind} values[] = {{{text}}};", "values"
        return (f"{{ {source} cudaMemcpyToSymbol{suffix}({stem}, {place}, "
                f"{4 * count}, {4 * first}, cudaMemcpyHostToDevice{tail}); }}")

    # ---- allocations ----------------------------------------------------

    def slot(self, name):
        """The pointer itself, where it can be assigned."""
        return name.text.replace(".data()", ".values")

    def allocates(self, name):
        self.setup.append(self.allocation(name))

    def frees(self, name):
        self.teardown.append(self.release(name))

    def allocation(self, name):
        slot, count = self.slot(name), self.bytes
        form = name.form
        usual = [f"{slot} = (u32 *)malloc({count});"]
        if name.home == "device":
            lines = [f"cudaMalloc((void **)&{slot}, {count});"]
            if form == "ordered":
                stream = self.rng.choice(self.streamsOf(0) + ["0"])
                return Op([f"cudaMallocAsync((void **)&{slot}, {count}, "
                           f"{stream});"],
                          [Effect(name.text, 0, count, True)], "memory", stream)
            return Op(self.onDevice(name.device, lines))
        lines = {
            "new": [f"{slot} = new u32[{self.elements}];"],
            "calloc": [f"{slot} = (u32 *)calloc({self.elements}, 4);"],
            "mallocHost": [f"cudaMallocHost((void **)&{slot}, {count});"],
            "hostAlloc": [f"cudaHostAlloc((void **)&{slot}, {count}, "
                          f"{self.rng.choice([0, 1, 2, 4])});"],
            "registered": usual + [f"cudaHostRegister({slot}, {count}, 0);"],
            "managed": [f"cudaMallocManaged((void **)&{slot}, {count}, 1);"],
        }.get(form, usual)
        return Op(lines)

    def release(self, name):
        slot, form = self.slot(name), name.form
        everything = [Effect(name.text, 0, self.bytes, True)]
        if name.home == "device":
            if form == "ordered" and self.chance(0.5):
                stream = self.rng.choice(self.streamsOf(0) + ["0"])
                return Op([f"cudaFreeAsync({slot}, {stream});"], everything,
                          "memory", stream)
            lines = [f"cudaFree({slot});"]
            if form == "ordered": # it waits for nothing then
                lines.insert(0, "cudaDeviceSynchronize();")
            return Op(self.onDevice(name.device, lines),
                      everything, "host" if self.deviceCount > 1 else "device")
        text = {"new": f"delete[] {slot};",
                "mallocHost": f"cudaFreeHost({slot});",
                "hostAlloc": f"cudaFreeHost({slot});",
                "registered": f"cudaHostUnregister({slot}); free({slot});",
                "managed": f"cudaFree({slot});"}.get(form, f"free({slot});")
        return Op([text], everything)

    def streamsOf(self, device):
        return [s for s, (d, _) in self.streams.items() if d == device]
