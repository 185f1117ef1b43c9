"""Random statements of programs about copies: the host's, copies, waits and
what goes round them.

Each statement is a node of copy_order, which knows whom it has to wait for.
What a statement reads has been written: `World` gives every piece of memory
contents before the first one.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import dataclasses

from copy_order import (Call, Effect, Exit, If, Loop, Memory, Op, Sequence,
                        Try)
from copy_world import Name

MOST_TIMES = 60  # a statement is done at most so often in a function
MOST_COST = 400  # of statements that run in one call
RECENT = 6  # copies that are likely to be made again
DIRECTIONS = {(False, False): "cudaMemcpyHostToHost",
              (False, True): "cudaMemcpyHostToDevice",
              (True, False): "cudaMemcpyDeviceToHost",
              (True, True): "cudaMemcpyDeviceToDevice"}


@dataclasses.dataclass
class Scope:
    """What a function, or a part of it, may use."""
    file: int
    hosts: list
    devices: list
    streams: list
    constants: list = dataclasses.field(default_factory=list)
    count: str = ""  # a variable that holds the elements of each parameter
    device: int = 0
    isHelper: bool = False  # it knows its parameters only
    times: int = 1
    cost: int = 0
    loops: list = dataclasses.field(default_factory=list)
    inLoop: bool = False
    handler: str = ""  # innermost: try, or the buffer of setjmp
    throws: bool = False
    callees: list = dataclasses.field(default_factory=list)
    recent: list = dataclasses.field(default_factory=list)
    isMain: bool = False


def plus(text, offset):
    return f"{text} + {offset}" if offset else text


class Steps:
    """Writers of statements; CudaSteps adds more."""

    def __init__(self, rng, world, without):
        self.rng, self.world, self.without = rng, world, without
        self.count = self.numbers = 0
        self.functions, self.callbacks = [], []
        self.buffers = []  # of setjmp

    def chance(self, share):
        return self.rng.random() < share

    def fresh(self, stem):
        self.numbers += 1
        return f"{stem}{self.numbers}"

    def constant(self):
        return self.rng.choice([0, 1, 3, 7, 200, self.rng.randrange(1 << 16)])

    def op(self, text, effects=(), kind="host", stream="", first=""):
        return Op([text] if isinstance(text, str) else text, list(effects),
                  kind, stream, first, choice=self.rng.random())

    # ---- what is touched ------------------------------------------------

    def span(self, scope, room):
        """(first element, elements): constants."""
        form = self.rng.randrange(10)
        if form < 5:
            return 0, room
        if form == 5:
            return 0, room // 2
        if form == 6:
            return room // 2, room - room // 2
        first = self.rng.randrange(room)
        return first, self.rng.randint(1, room - first)

    def part(self, scope, name):
        """(first, text of the number of elements, their bound)."""
        first, count = self.span(scope, name.room)
        if count == name.room:
            text = scope.count or self.rng.choice(["size", str(count)])
            if scope.count and self.chance(0.3):
                text = str(count)
            return 0, text, name.room
        return first, str(count), count

    def effect(self, name, first, count, isWrite):
        return Effect(name.text, 4 * first, 4 * (first + count), isWrite)

    def host(self, scope):
        return self.rng.choice(scope.hosts)

    def other(self, name, names):
        """Another that is certainly not the same memory, or None."""
        fits = [n for n in names if n.isApart(name)]
        return self.rng.choice(fits) if fits else None

    # ---- what the host does ---------------------------------------------

    def hostWrite(self, scope):
        name = self.host(scope)
        first, count, bound = self.part(scope, name)
        at = plus(name.text, first)
        i, a, b = self.fresh("i"), self.constant(), self.constant()
        effect = self.effect(name, first, bound, True)
        forms = [
            f"for (u32 {i} = 0; {i} < {count}; ++{i}) "
            f"({at})[{i}] = {i} * {a}u + {b}u;",
            f"for (u32 {i} = 0; {i} < {count}; {i} += 3) "
            f"({at})[{i}] = {b}u + total;",
            f"for (u32 *{i} = {at}, *{i}e = {i} + {count}; {i} != {i}e; ++{i}) "
            f"*{i} = *{i} * 3 + {b}u;",
            f"memset({at}, {b & 255}, {count} * 4);",
            f"fill({at}, {count}, {a}u);",
            f"fill({at}, {count}, total);",
            f"readZeros({at}, {count});",
            f"change({at}, {count}, {a}u);"]
        return self.op(self.rng.choice(forms), [effect])

    def hostWriteOne(self, scope):
        name = self.host(scope)
        at = self.rng.randrange(name.room)
        effect, p = self.effect(name, at, 1, True), self.fresh("p")
        back = self.rng.randint(0, at)
        forms = [
            f"{name.text}[{at}] = {self.constant()}u;",
            f"{name.text}[{at}] ^= {self.index(scope)};",
            f"{name.text}[{at}] = {name.text}[{at}];",
            f"{{ u32 *{p} = {plus(name.text, at - back)}; {p}[{back}] = "
            f"total; }}",
            f"*(u8 *)&{name.text}[{at}] = {self.constant() & 255};",
            f"setOne({name.text}, {at}, {self.constant()}u);"]
        return self.op(self.rng.choice(forms), [effect])

    def index(self, scope):
        """Some number."""
        return self.rng.choice(scope.loops + ["total", "turn", "5u"])

    def hostMove(self, scope):
        """From host memory to other host memory."""
        source = self.rng.choice(scope.hosts + scope.constants)
        target = self.other(source, scope.hosts)
        if not target:
            return None
        room = min(source.room, target.room)
        first, count = self.span(scope, room)
        a, b = plus(target.text, first), plus(source.text, first)
        call = self.rng.choice([f"memcpy({a}, {b}, {4 * count})",
                                f"memmove({a}, {b}, {4 * count})",
                                f"throughFile({a}, {b}, {count})",
                                f"throughPipe({a}, {b}, {count})"])
        return self.op(call + ";", [
            self.effect(source, first, count, False),
            self.effect(target, first, count, True)])

    def hostRead(self, scope):
        name = self.host(scope)
        first, count, bound = self.part(scope, name)
        at = plus(name.text, first)
        form = self.rng.randrange(4)
        if form == 0:
            return self.op(f'show("{self.fresh("sum")}", {at}, {count});',
                           [self.effect(name, first, bound, False)])
        if form == 1:
            return self.op(f"total = total * 31 + digest({at}, {count});",
                           [self.effect(name, first, bound, False)])
        place = self.rng.randrange(name.room)
        return self.op(f"total = total * 31 + {name.text}[{place}];",
                       [self.effect(name, place, 1, False)])

    def thread(self, scope):
        """A thread that writes or reads what it gets, and is waited for."""
        name = self.host(scope)
        if name.room < self.world.elements // 2:
            return None
        number = self.rng.randrange(len(self.callbacks))
        callback = self.callbacks[number]
        t = self.fresh("t")
        return self.op([f"pthread_t {t};",
                        f"pthread_create(&{t}, nullptr, {callback.name}Thread, "
                        f"{name.text});",
                        f"pthread_join({t}, nullptr);"],
                       callback.effects(name))

    def busyThread(self, scope):
        """The same, while the host does something else."""
        node = self.thread(scope)
        if not node:
            return None
        touched = [n for n in scope.hosts if n.text == node.effects[0].name][0]
        others = [n for n in scope.hosts if n.isApart(touched)]
        if not others or scope.isHelper:
            return None
        inner = dataclasses.replace(scope, hosts=others)
        between = self.hostWrite(inner)
        node.text[2:2] = between.text
        node.effects += between.effects
        return node

    # ---- copies ---------------------------------------------------------

    def twoSides(self, scope):
        """(source, target, first of the source, of the target, count)."""
        if scope.recent and self.chance(0.5):
            source, target, first, to, count = self.rng.choice(scope.recent)
            if self.chance(0.3) and source.form != "constant":
                source, target, first, to = target, source, to, first
            return source, target, first, to, count
        form = self.rng.randrange(12)
        if form < 5:
            sides = scope.hosts + scope.constants, scope.devices
        elif form < 9:
            sides = scope.devices, scope.hosts
        elif form < 11:
            sides = scope.devices, scope.devices
        else:
            sides = scope.hosts, scope.hosts
        if not sides[0] or not sides[1]:
            return None
        source = self.rng.choice(sides[0])
        target = self.other(source, sides[1])
        if not target:
            return None
        room = min(source.room, target.room)
        first, count = self.span(scope, room)
        to = first
        if self.chance(0.15):
            to = self.rng.randint(0, target.room - count)
        result = source, target, first, to, count
        scope.recent.append(result)
        del scope.recent[:-RECENT]
        return result

    def direction(self, source, target):
        if self.chance(0.12) or "managed" in (source.home, target.home):
            return "cudaMemcpyDefault"
        return DIRECTIONS[source.home == "device", target.home == "device"]

    def copyArguments(self, scope, sides):
        """(text, effects)"""
        source, target, first, to, count = sides
        room = source.room
        effects = [self.effect(source, first, count, False),
                   self.effect(target, to, count, True)]
        size = self.rng.choice([f"{4 * count}", f"{count} * sizeof(u32)"])
        if count == room == target.room and (scope.count or self.chance(0.4)):
            size = f"{scope.count or 'size'} * 4"
        a, b = plus(target.text, to), plus(source.text, first)
        if count > 1 and self.chance(0.08):  # not all bytes of the elements
            a, b = f"(u8 *)({a}) + 1", f"(u8 *)({b}) + 1"
            size = f"{4 * count - 1 - self.rng.randrange(4)}"
        return f"{a}, {b}, {size}, {self.direction(source, target)}", effects

    def copy(self, scope):
        sides = self.twoSides(scope)
        if not sides or sides[0].device != sides[1].device and self.chance(0.5):
            return None
        if self.chance(0.1):
            return self.copyRows(scope, sides)
        text, effects = self.copyArguments(scope, sides)
        return self.op(self.checked(scope, f"cudaMemcpy({text})"), effects,
                       "copy")

    def copyAsync(self, scope):
        sides = self.twoSides(scope)
        if not sides or sides[0].device != sides[1].device:
            return None
        hosts = ("pageable", "pinned")
        if sides[0].home in hosts and sides[1].home in hosts:
            return self.hostMove(scope)
        stream = self.rng.choice(scope.streams)
        if self.chance(0.1):
            return self.copyRows(scope, sides, stream)
        text, effects = self.copyArguments(scope, sides)
        return self.op(self.checked(scope, f"cudaMemcpyAsync({text}, "
                                    f"{stream})"), effects, "async", stream)

    def copyRows(self, scope, sides, stream=""):
        """Rows of both, with gaps."""
        source, target, first, to, count = sides
        pitches = [self.rng.choice([4, 5, 8]) for _ in range(2)]
        width = self.rng.randint(1, 4)
        rows = min((count - width) // p + 1 if count >= width else 0
                   for p in pitches)
        if rows < 1:
            return None
        text = (f"({plus(target.text, to)}, {4 * pitches[0]}, "
                f"{plus(source.text, first)}, {4 * pitches[1]}, {4 * width}, "
                f"{rows}, {self.direction(source, target)}")
        effects = [self.effect(source, first, count, False),
                   self.effect(target, to, count, True)]
        if stream:
            return self.op(self.checked(
                scope, f"cudaMemcpy2DAsync{text}, {stream})"), effects,
                "async", stream)
        return self.op(self.checked(scope, f"cudaMemcpy2D{text})"), effects,
                       "copy")

    def checked(self, scope, call):
        """What is done with the result of `call`."""
        form = self.rng.randrange(12)
        if form < 7:
            return f"{call};"
        if form < 9:
            return f"CHECK({call});"
        if form == 9:
            return f"failures += {call} != cudaSuccess;"
        if form == 10:
            error = self.fresh("error")
            return (f"{{ cudaError_t {error} = {call}; if ({error}) "
                    f"printf(\"{error} %d\\n\", (int){error}); }}")
        return f"if ({call} != cudaSuccess) exit(3);"

    # ---- what goes round statements -------------------------------------

    def condition(self, scope):
        """(text, effects of the host)"""
        if scope.hosts and self.chance(0.35):
            name = self.host(scope)
            at = self.rng.randrange(name.room)
            return (f"{name.text}[{at}] % 3 {self.rng.choice(['==', '!='])} 1",
                    [self.effect(name, at, 1, False)])
        if scope.loops and self.chance(0.5):
            loop = self.rng.choice(scope.loops)
            return (f"{loop} {self.rng.choice(['==', '!=', '<', '>'])} "
                    f"{self.rng.randrange(3)}u", [])
        return self.rng.choice([
            "turn & 1", "arguments == 1", "total & 2", "total & 4",
            "total % 5 < 3", "total % 7 != 2",
            self.rng.choice(["size > 8", "arguments > 1"])]), []

    def if_(self, scope, nesting):
        text, reads = self.condition(scope)
        then = self.sequence(scope, self.rng.randint(1, 3), nesting - 1)
        other = None
        if self.chance(0.3):
            other = self.sequence(scope, self.rng.randint(1, 2), nesting - 1)
        return If(text, self.op([], reads), then, other)

    def loop(self, scope, nesting):
        trips = self.rng.choice([1, 2, 2, 3, 3, 4])
        if scope.times * trips > MOST_TIMES:
            return None
        i = self.fresh("i")
        bound, isEntered = f"{trips}u", True
        if self.chance(0.3):
            bound, isEntered = f"total % {trips + 1}u", False
        elif self.chance(0.2):
            bound, isEntered = f"{trips}u * arguments", True
        before = scope.inLoop, scope.handler
        scope.inLoop = True
        scope.times *= trips
        scope.loops.append(i)
        body = self.sequence(scope, self.rng.randint(2, 5), nesting - 1)
        scope.loops.pop()
        scope.times //= trips
        scope.inLoop, scope.handler = before
        head = f"for (u32 {i} = 0, {i}e = {bound}; {i} < {i}e; ++{i}) {{"
        return Loop(head, body, isEntered)

    def rounds(self, scope, nesting):
        """A loop that goes on with the same few buffers."""
        if not scope.hosts or not scope.devices:
            return None
        hosts = self.rng.sample(scope.hosts, min(2, len(scope.hosts)))
        devices = [d for d in scope.devices if d.device == scope.device]
        devices = self.rng.sample(devices, min(2, len(devices)))
        inner = dataclasses.replace(scope, hosts=hosts, devices=devices,
                                    recent=[])
        for host in hosts:
            for device in devices[:self.rng.randint(1, 2)]:
                room = min(host.room, device.room)
                if host.isApart(device):
                    inner.recent += [(host, device, 0, 0, room),
                                     (device, host, 0, 0, room)]
        node = self.loop(inner, nesting)
        scope.cost = inner.cost
        return node

    def seldom(self, scope, nesting):
        """A loop that copies the same in each round, though what it copies, or
        where it goes, is written in few of them."""
        trips = self.rng.choice([3, 4, 6])
        host = self.host(scope)
        devices = [d for d in scope.devices
                   if d.device == scope.device and d.isApart(host)]
        if scope.times * trips > MOST_TIMES or not devices:
            return None
        device = self.rng.choice(devices)
        i, room = self.fresh("i"), min(host.room, device.room)
        recent = [(host, device, 0, 0, room)]
        inner = dataclasses.replace(
            scope, hosts=[host], devices=[device], recent=list(recent),
            inLoop=True, handler="", loops=scope.loops + [i],
            times=scope.times * trips)
        rare = self.rng.choice([f"{i} == turn % 9", "total % 5 == 4",
                                "arguments > 5", f"{i} == 2u", f"{i} % 4 == 3u"])
        written = If(rare, self.op([], []),
                     self.sequence(inner, self.rng.randint(1, 2), 0))
        inner.recent = list(recent)
        text, effects = self.copyArguments(scope, recent[0])
        copied = self.op(self.checked(inner, f"cudaMemcpy({text})"), effects,
                         "copy")
        inner.devices = devices
        used = [self.launch(inner) for _ in range(self.rng.randint(1, 2))]
        body = [written, copied] + [u for u in used if u]
        if self.chance(0.3):
            self.rng.shuffle(body)
        scope.cost = inner.cost + trips
        return Loop(f"for (u32 {i} = 0; {i} < {trips}u; ++{i}) {{",
                    Sequence(body), True)

    def leave(self, scope, nesting):
        """Breaks, continues, returns or throws, sometimes."""
        kinds = ["return"] if not scope.isMain else []
        if scope.inLoop:
            kinds += ["break", "continue"] * 2
        if scope.handler or scope.throws:
            kinds += ["throw"] * 3
        kinds = [k for k in kinds if k not in self.without]
        if not kinds:
            return None
        kind = self.rng.choice(kinds)
        text = f"{kind};"
        if kind == "throw":
            text = f"throw {self.rng.randrange(9)};"
            if scope.handler not in ("", "try"):
                text = self.rng.choice([
                    f"longjmp({scope.handler}, 1);",
                    f"jumpTo({scope.handler}, {1 + self.rng.randrange(3)});"])
        condition, reads = self.condition(scope)
        return If(condition, self.op([], reads),
                  Sequence([Exit(kind, self.op(text))]))

    def try_(self, scope, nesting):
        before = scope.inLoop, scope.handler
        if "setjmp" not in self.without and self.chance(0.2):
            return self.setjmp(scope, nesting)
        scope.handler = "try"
        body = self.sequence(scope, self.rng.randint(2, 4), nesting - 1)
        scope.inLoop, scope.handler = before
        handler = self.sequence(scope, 1, nesting - 1)
        handler.nodes.insert(0, self.op("total += (u32)thrown;"))
        return Try("try {", body, "} catch (int thrown) {", handler)

    def setjmp(self, scope, nesting):
        """Only with memory that is not this function's own: variables that
        were changed since setjmp have no value behind it."""
        if scope.isHelper:
            return None
        buffer = self.fresh("jump")
        self.buffers.append(buffer)
        inner = dataclasses.replace(
            scope, handler=buffer, inLoop=False, callees=[], throws=False,
            hosts=[n for n in scope.hosts if not n.form.startswith("local")],
            devices=[n for n in scope.devices
                     if not n.form.startswith("local")],
            recent=[])
        body = self.sequence(inner, self.rng.randint(2, 4), nesting - 1)
        scope.cost = inner.cost
        jump = self.leave(dataclasses.replace(inner, isMain=True), 0)
        if jump:
            body.nodes.insert(self.rng.randint(0, len(body.nodes)), jump)
        handler = self.sequence(scope, 1, nesting - 1)
        return Try(f"if (setjmp({buffer}) == 0) {{", body, "} else {", handler)

    def block(self, scope, nesting):
        """With memory that ends behind it."""
        form = self.rng.choice(["stack", "stack", "heap", "static", "device",
                                "device", "deviceAsync", "pinned"])
        elements = self.world.elements
        text = self.fresh("local")
        home = {"device": "device", "deviceAsync": "device",
                "pinned": "pinned"}.get(form, "pageable")
        stem = "stack" if form == "stack" else form
        memory = Memory(f"{stem} {text}", home, scope.device)
        name = Name(text, elements, home, frozenset({memory}), "local " + form,
                    device=scope.device)
        isDevice = home == "device"
        inner = dataclasses.replace(
            scope, recent=list(scope.recent),
            hosts=scope.hosts + ([] if isDevice else [name] * 2),
            devices=scope.devices + ([name] * 2 if isDevice else []))
        begin = self.beginBlock(inner, form, name)
        body = self.sequence(inner, self.rng.randint(2, 4), nesting - 1)
        scope.cost = inner.cost
        return Sequence(begin + [body] + self.endBlock(scope, form, name),
                        {text: memory}, isBlock=True)

    def beginBlock(self, scope, form, name):
        elements, text = self.world.elements, name.text
        whole = [self.effect(name, 0, elements, True)]
        if form in ("stack", "static"):
            declaration = f"u32 {text}[{elements}]"
            if form == "static":
                return [self.op(f"static {declaration};")]
            if self.chance(0.5):
                return [self.op(f"{declaration} = {{{self.constant()}u}};",
                                whole)]
            return [self.op(f"{declaration};"), self.contents(scope, name)]
        if form == "deviceAsync":
            stream = self.rng.choice(scope.streams)
            return [self.op([f"u32 *{text};"]), self.op(
                f"cudaMallocAsync((void **)&{text}, {4 * elements}, {stream});",
                whole, "memory", stream), self.contents(scope, name)]
        make = {"heap": f"u32 *{text} = (u32 *)malloc({4 * elements});",
                "device": f"u32 *{text}; cudaMalloc((void **)&{text}, "
                          f"{4 * elements});",
                "pinned": f"u32 *{text}; cudaMallocHost((void **)&{text}, "
                          f"{4 * elements});"}[form]
        return [self.op(make), self.contents(scope, name)]

    def endBlock(self, scope, form, name):
        whole = [self.effect(name, 0, self.world.elements, True)]
        text = name.text
        if form == "deviceAsync" and self.chance(0.6):
            stream = self.rng.choice(scope.streams)
            return [self.op(f"cudaFreeAsync({text}, {stream});", whole,
                            "memory", stream)]
        if form == "deviceAsync": # cudaFree waits for nothing then
            return [self.op(f"cudaDeviceSynchronize(); cudaFree({text});", whole,
                            "device" if self.world.deviceCount == 1 else "host")]
        if form == "device":
            one = self.world.deviceCount == 1
            return [self.op(f"cudaFree({text});", whole,
                            "device" if one and self.chance(0.7) else "host")]
        if form == "heap":
            return [self.op(f"free({text});", whole)]
        if form == "pinned":
            return [self.op(f"cudaFreeHost({text});", whole)]
        return []

    def contents(self, scope, name):
        """Gives all of new memory contents."""
        whole = self.effect(name, 0, self.world.elements, True)
        text, count = name.text, self.world.elements
        if name.home != "device":
            return self.op(self.rng.choice(
                [f"fill({text}, {count}, {self.constant()}u);",
                 f"memset({text}, {self.constant() & 255}, {4 * count});"]),
                [whole])
        sources = [n for n in scope.hosts + scope.constants if n.room == count]
        if sources and self.chance(0.6):
            source = self.rng.choice(sources)
            scope.recent.append((source, name, 0, 0, count))
            return self.op(self.checked(
                scope, f"cudaMemcpy({text}, {source.text}, {4 * count}, "
                "cudaMemcpyHostToDevice)"),
                [self.effect(source, 0, count, False), whole], "copy")
        stream = self.rng.choice(scope.streams)
        if self.chance(0.5) or stream == "0":
            return self.op(f"cudaMemset({text}, {self.constant() & 255}, "
                           f"{4 * count});", [whole], "stream", "0")
        return self.op(f"cudaMemsetAsync({text}, {self.constant() & 255}, "
                       f"{4 * count}, {stream});", [whole], "stream", stream)

    # ---- calls ----------------------------------------------------------

    def call(self, scope, nesting=0):
        fits = [f for f in scope.callees
                if scope.cost + scope.times * f.cost < MOST_COST
                and (f.file is None or f.file == scope.file)
                and (not f.throws or scope.handler == "try" or scope.throws
                     and not scope.handler)]
        if not fits:
            return None
        function = self.rng.choice(fits)
        arguments, texts, used = {}, [], []
        for kind, parameter in function.parameters:
            text, meaning = self.argument(scope, function, kind, used)
            if text is None:
                return None
            texts.append(text)
            if meaning:
                arguments[parameter] = meaning
        scope.cost += scope.times * function.cost
        callee = function.name
        if function.pointer and self.chance(0.4):
            callee = function.pointer
        return Call(f"{callee}({', '.join(texts)});", function, arguments)

    def argument(self, scope, function, kind, used):
        """(text, (name, bytes further on)) of a parameter."""
        if kind == "cudaStream_t":
            stream = self.rng.choice(scope.streams)
            return stream, (stream, 0)
        if kind == "u32":
            room = function.room
            return self.rng.choice([str(room), str(room), "size / 2",
                                    str(max(1, room // 2))]), None
        names = scope.hosts if kind == "host" else scope.devices
        fits = [n for n in names if n.room >= function.room
                and n.home != "managed"
                and n.device in (0 if kind == "host" else scope.device,)
                and all(n.isApart(u) for u in used)]
        if not fits:
            return None, None
        name = self.rng.choice(fits)
        used.append(name)
        offset = 0
        if name.room > function.room and self.chance(0.3):
            offset = self.rng.choice([1, name.room - function.room])
        return plus(name.text, offset), (name.text, 4 * offset)

    def sequence(self, scope, count, nesting):
        return Sequence([s for _ in range(count)
                         for s in [self.statement(scope, nesting)] if s])

    def statement(self, scope, nesting):
        raise NotImplementedError
