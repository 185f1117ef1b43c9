"""Random statements of programs about copies that are CUDA's alone: launches,
symbols, host functions, graphs, a second device, calls that fail.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import dataclasses

from copy_order import Effect, OnDevice, Sequence
from copy_steps import MOST_COST, Steps, plus
from copy_world import NOBODYS

# The methods that write statements and how likely they are; those of AROUND
# write others inside.
PLAIN = {
    "hostWrite": 9, "hostWriteOne": 6, "hostMove": 3, "hostRead": 7,
    "thread": 2, "busyThread": 2, "signal": 2, "copy": 16, "copyAsync": 14,
    "symbolCopy": 4, "setting": 5, "memset": 4, "launch": 16, "wait": 3, "record": 3,
    "await_": 3, "newStream": 1, "hostFunction": 2, "graph": 1, "again": 2,
    "moved": 2, "swap": 2, "turnTable": 2, "failing": 2, "nothing": 2,
    "lastError": 2, "onSecond": 2, "call": 9}
AROUND = {"if_": 7, "loop": 6, "rounds": 7, "seldom": 5, "leave": 4, "try_": 4, "block": 4}
NEED_HOSTS = {"hostWrite", "hostWriteOne", "hostMove", "hostRead", "thread",
              "busyThread", "symbolCopy", "hostFunction", "failing", "nothing",
              "seldom"}
NAMES = [name.strip("_") for name in {**PLAIN, **AROUND}] + [
    "setjmp", "throw", "break", "continue", "return"]
WAYS = ["cudaStreamSynchronize({s});", "cudaDeviceSynchronize();", "poll({s});",
        "waitByEvent({s}, {d});"]


@dataclasses.dataclass
class Callback:
    """A function that changes or reads elements [first, end) of its memory."""
    name: str
    first: int
    end: int
    reads: bool
    writes: bool
    home: int
    text: list

    def effects(self, name):
        return [Effect(name.text, 4 * self.first, 4 * self.end, isWrite)
                for isWrite, done in ((False, self.reads), (True, self.writes))
                if done]


class CudaSteps(Steps):
    def __init__(self, rng, world, without, kernels):
        super().__init__(rng, world, without)
        self.kernels = kernels
        self.makeCallbacks()
        shared = [n for n in world.hosts if n.file is None]
        self.signalled = rng.choice(shared) if shared and self.chance(0.3) \
            and "signal" not in without else None
        self.menu = [name for name, weight in {**PLAIN, **AROUND}.items()
                     if name.strip("_") not in without for _ in range(weight)]

    def makeCallbacks(self):
        for number in range(2):
            half = self.world.elements // 2
            first = self.rng.randrange(half)
            end = self.rng.randint(first + 1, half)
            name, form = f"callback{number}", self.rng.randrange(3)
            line = [f"p[i] = i * {self.constant()}u;",
                    f"p[i] = p[i] * 5 + {self.constant()}u;",
                    "heard = heard * 31 + p[i];"][form]
            self.callbacks.append(Callback(
                name, first, end, form > 0, form < 2,
                self.rng.randrange(self.world.files), [
                    f"void {name}(void *data) {{", "  u32 *p = (u32 *)data;",
                    f"  for (u32 i = {first}; i < {end}; ++i)", f"    {line}",
                    "}", f"void *{name}Thread(void *data) {{",
                    f"  {name}(data);", "  return nullptr;", "}"]))

    def statement(self, scope, nesting):
        if scope.cost + scope.times > MOST_COST:
            return None
        for _ in range(4):
            name = self.rng.choice(self.menu)
            isNested = name in AROUND
            if (isNested and nesting <= 0 and name != "leave"
                    or not scope.hosts and name in NEED_HOSTS):
                continue
            method = getattr(self, name)
            before = scope.cost
            node = method(scope, nesting) if isNested else method(scope)
            if node:
                scope.cost = max(scope.cost, before) + (
                    0 if isNested else scope.times)
                return self.numbered(node)
        return None

    def numbered(self, node):
        """`node` as one that a smaller program may leave out."""
        self.count += 1
        node.number = self.count
        return node

    # ---- the device -----------------------------------------------------

    def stream(self, scope):
        return self.rng.choice(scope.streams)

    def memset(self, scope):
        name = self.rng.choice(scope.devices)
        first, count, bound = self.part(scope, name)
        at = plus(name.text, first)
        effects = [self.effect(name, first, bound, True)]
        value = self.rng.choice([0, 0, 1, 255])
        stream = self.stream(scope)
        if stream == "0" or self.chance(0.4):
            return self.op(self.checked(
                scope, f"cudaMemset({at}, {value}, {count} * 4)"), effects,
                "stream", "0")
        return self.op(self.checked(
            scope, f"cudaMemsetAsync({at}, {value}, {count} * 4, {stream})"),
            effects, "stream", stream)

    def launch(self, scope):
        kernel = self.rng.choice(self.kernels)
        stream = self.stream(scope)
        made = self.arguments(scope, kernel)
        if not made:
            return None
        before, arguments, effects = made
        threads = self.rng.choice([8, 16, 32, 33, 64])
        blocks = self.rng.choice([1, 1, 2, 3])
        grid = (f"(size + {threads - 1}) / {threads}" if self.chance(0.4)
                else str(blocks))
        if kernel.form.name == "rows":
            grid = "4"
        more = "" if stream == "0" and self.chance(0.7) else f", 0, {stream}"
        launch = (f"{kernel.name}<<<{grid}, {threads}{more}>>>"
                  f"({', '.join(arguments)});")
        if before:
            launch = f"{{ {before} {launch} }}"
        return self.op(launch, effects, "stream", stream)

    def arguments(self, scope, kernel):
        """(lines before, texts, effects)"""
        uses, chosen, effects = kernel.form.uses, {}, []
        for name, use in uses.items():
            if name in self.world.symbols or name in self.world.settings:
                isSmall = name in self.world.settings
                effects += self.used(Effect(
                    name, 0, 16 if isSmall else self.world.bytes, False), use)
            elif use == "table":
                table = self.world.table
                if not table or scope.isHelper or scope.device:
                    return None
                effects += [Effect("rows", 0, 16, False)] + self.used(
                    Effect(table.text, 0, self.world.bytes, False), "rw")
            else:
                parts = (["out", "in", "extra"] if use == "view" else [name])
                for part in parts:
                    memory = self.pickMemory(scope, kernel, chosen, part, uses)
                    if not memory:
                        return None
                    chosen[part] = memory
        room = min([n.room for n in chosen.values()] + [self.world.elements])
        _, count = self.span(scope, room)
        if count < room:
            count = self.rng.randint(4, room)
        view = uses.get("out") == "view"
        for part, memory in chosen.items():
            use = {"out": "w", "in": "r", "extra": "r"}[part] if view \
                else uses[part]
            # `extra` and small kernels touch the beginning as well.
            effects += self.used(self.effect(memory, 0, max(count, 2), False),
                                 use)
        return self.argumentTexts(scope, kernel, chosen, room, count) + (
            effects,)

    def used(self, effect, use):
        return [dataclasses.replace(effect, isWrite=isWrite)
                for letter, isWrite in (("r", False), ("w", True))
                if letter in use]

    def pickMemory(self, scope, kernel, chosen, part, uses):
        fits = [n for n in scope.devices if n.device == scope.device]
        # Page-locked memory is the device's, too.
        if self.chance(0.08):
            fits += [n for n in scope.hosts if n.home == "pinned"
                     and not scope.isHelper and not scope.device] * 3
        if kernel.form.isShareable and part == "in" and self.chance(0.1):
            return chosen["out"]
        fits = [n for n in fits if all(n.isApart(c) for c in chosen.values())
                and not (n.form == "symbol" and "shared" in uses)]
        return self.rng.choice(fits) if fits else None

    def argumentTexts(self, scope, kernel, chosen, room, count):
        """(lines before, texts)"""
        n = str(count)
        if count == room:
            n = self.rng.choice([scope.count or "size", scope.count or n])
        texts, before = [], ""
        for parameter in kernel.form.parameters.split(", "):
            kind, _, name = parameter.rpartition(" ")
            name = name.strip("*")
            if kind == "View":
                view = self.fresh("view")
                fields = [chosen[f].text for f in ("out", "in", "extra")]
                before = f"View {view} = {{{', '.join(fields + [n])}}};"
                texts.append(view)
            elif "table" == kernel.form.uses.get(name):
                texts.append("rows")
            elif name in chosen:
                texts.append(chosen[name].text)
            elif name == "n":
                texts.append(n)
            else:
                texts.append(self.rng.choice(
                    [f"{self.constant()}u", "5u", "200u", self.index(scope)]))
        return before, texts

    def symbolCopy(self, scope):
        """To or from a variable of the device."""
        symbol = self.rng.choice(self.world.symbols)
        isTo = self.chance(0.65)
        if symbol == "fixed" and self.world.isFixedOnce:
            isTo = False
        host = self.rng.choice(scope.hosts + (scope.constants if isTo else []))
        first, count = self.span(scope, host.room)
        at = self.rng.randint(0, self.world.elements - count)
        if first + count == self.world.elements:
            at = self.rng.choice([at, first])
        variable = Effect(symbol, 4 * at, 4 * (at + count), False)
        memory = self.effect(host, first, count, False)
        target = dataclasses.replace(variable if isTo else memory,
                                     isWrite=True)
        effects = [memory, target] if isTo else [variable, target]
        text = plus(host.text, first)
        pair, name = ((f"{symbol}, {text}", "To") if isTo
                      else (f"{text}, {symbol}", "From"))
        direction = ("cudaMemcpyHostToDevice" if isTo
                     else "cudaMemcpyDeviceToHost")
        call = f"{pair}, {4 * count}, {4 * at}, {direction}"
        if self.chance(0.5):
            return self.op(self.checked(
                scope, f"cudaMemcpy{name}Symbol({call})"), effects, "copy")
        stream = self.stream(scope)
        return self.op(self.checked(
            scope, f"cudaMemcpy{name}SymbolAsync({call}, {stream})"), effects,
            "async", stream)

    def setting(self, scope):
        """A copy of known values to a variable, or a copy from it."""
        if not self.world.settings:
            return None
        stem = self.rng.choice(list(self.world.settings))
        first = self.rng.choice([0, 0, 0, 0, 1, 2])
        count = 4 if not first and self.chance(0.7) else self.rng.randint(
            1, 4 - first)
        touched = Effect(stem, 4 * first, 4 * (first + count), True)
        if self.chance(0.15):
            return self.op(
                f"{{ u32 values[{count}]; cudaMemcpyFromSymbol(values, {stem}, "
                f"{4 * count}, {4 * first}, cudaMemcpyDeviceToHost); "
                "total = total * 31 + values[0]; }",
                [dataclasses.replace(touched, isWrite=False),
                 dataclasses.replace(NOBODYS, isWrite=True)], "copy")
        values = self.world.settings[stem][first:first + count]
        if self.chance(0.1):
            values = [*values[:-1], self.constant()]
        if self.chance(0.7):
            return self.op(self.world.settingCopy(stem, values, first),
                           [NOBODYS, touched], "copy")
        stream = self.stream(scope)
        return self.op(
            self.world.settingCopy(stem, values, first, "Async", f", {stream}")
            .replace("{ u32", "{ static const u32")
            .replace("{ const u32", "{ static const u32"), [NOBODYS, touched],
            "async", stream)

    # ---- waits and order ------------------------------------------------

    def wait(self, scope):
        """One that nobody may need."""
        stream = self.stream(scope)
        form = self.rng.randrange(4)
        if form == 0 and self.world.deviceCount == 1:
            return self.op(self.rng.choice(
                ["cudaDeviceSynchronize();", "CHECK(cudaDeviceSynchronize());"
                 ]), (), "device")
        if form == 1 and len(set(scope.streams)) > 1 and not scope.isHelper:
            first = self.rng.choice([s for s in scope.streams if s != stream])
            return self.op(f"follow({stream}, {first}, {scope.device});", (),
                           "after", stream, first)
        return self.op(f"cudaStreamSynchronize({stream});", (), "wait", stream)

    def record(self, scope):
        """An event that may be waited for elsewhere."""
        if scope.isHelper or scope.device:
            return None
        event, stream = f"marks[{self.rng.randrange(2)}]", self.stream(scope)
        return self.op(f"cudaEventRecord({event}, {stream});", (), "record",
                       stream, event)

    def await_(self, scope):
        if scope.isHelper or scope.device:
            return None
        event, stream = f"marks[{self.rng.randrange(2)}]", self.stream(scope)
        if self.chance(0.5):
            return self.op(f"cudaEventSynchronize({event});", (), "after", "",
                           event)
        return self.op(f"cudaStreamWaitEvent({stream}, {event}, 0);", (),
                       "after", stream, event)

    def newStream(self, scope):
        """A stream ends, and another of the same name begins."""
        streams = self.world.streamsOf(0)
        if not streams or scope.isHelper or scope.device:
            return None
        stream = self.rng.choice(streams)
        return self.op([f"cudaStreamSynchronize({stream});",
                        f"cudaStreamDestroy({stream});",
                        self.world.creation(stream)], (), "wait", stream)

    def signal(self, scope):
        """The handler changes what one buffer holds."""
        if not self.signalled:
            return None
        return self.op("raise(SIGUSR1);", [Effect(
            self.signalled.text, 0, self.world.bytes, isWrite)
            for isWrite in (False, True)])

    def hostFunction(self, scope):
        """The host at work in a stream."""
        name, stream = self.host(scope), self.stream(scope)
        callback = self.rng.choice(self.callbacks)
        if name.room < self.world.elements // 2 or "heard" in str(
                callback.text):
            return None
        return self.op(f"cudaLaunchHostFunc({stream}, {callback.name}, "
                       f"{name.text});", callback.effects(name), "stream",
                       stream)

    def graph(self, scope):
        """Work that is captured, then launched once or more."""
        streams = [s for s in scope.streams
                   if s not in ("0", "cudaStreamLegacy", "cudaStreamPerThread")]
        if not streams or scope.isHelper:
            return None
        stream = self.rng.choice(streams)
        inner = dataclasses.replace(
            scope, streams=[stream], recent=[],
            hosts=[n for n in scope.hosts if n.home == "pinned"])
        nodes = [self.rng.choice([self.launch, self.copyAsync, self.memset,
                                  self.hostFunction])(inner)
                 if inner.hosts else self.launch(inner)
                 for _ in range(self.rng.randint(2, 4))]
        nodes = [n for n in nodes if n and n.kind in ("stream", "async")
                 and n.stream == stream and "total" not in str(n.text)]
        if not nodes:
            return None
        effects = [e for n in nodes for e in n.effects]
        graph, run = self.fresh("graph"), self.fresh("run")
        lines = [f"cudaGraph_t {graph}; cudaGraphExec_t {run};",
                 f"cudaStreamBeginCapture({stream}, "
                 "cudaStreamCaptureModeRelaxed);",
                 *[line for n in nodes for line in n.text],
                 f"cudaStreamEndCapture({stream}, &{graph});",
                 f"cudaGraphInstantiate(&{run}, {graph}, 0);"]
        launches = [self.op(f"cudaGraphLaunch({run}, {stream});", effects,
                            "stream", stream)
                    for _ in range(self.rng.randint(1, 2))]
        if self.chance(0.4):
            between = self.hostWriteOne(scope)
            if between:
                launches.insert(1, between)
        end = self.op([f"cudaStreamSynchronize({stream});",
                       f"cudaGraphExecDestroy({run});",
                       f"cudaGraphDestroy({graph});"], (), "wait", stream)
        return Sequence([self.op(lines), *launches, end], isBlock=True)

    # ---- memory ---------------------------------------------------------

    def again(self, scope):
        """Frees memory and allocates some of the same size."""
        fits = [n for n in scope.hosts + scope.devices
                if n.canMove and not n.group]
        if not fits or scope.isHelper or scope.device:
            return None
        name = self.rng.choice(fits)
        scope.recent[:] = [r for r in scope.recent if name not in r[:2]]
        nodes = [self.world.release(name), self.world.allocation(name)]
        for node in nodes:
            node.choice = self.rng.random()
        return Sequence(nodes + [self.contents(scope, name)])

    def moved(self, scope):
        fits = [n for n in scope.hosts if n.form in ("malloc", "calloc")
                and n.canMove]
        if not fits:
            return None
        name = self.rng.choice(fits)
        slot = self.world.slot(name)
        size = self.rng.choice(["size * 4", "size * 8",
                                str(4096 + self.world.bytes)])
        return self.op(f"{slot} = (u32 *)realloc({slot}, {size});",
                       [Effect(name.text, 0, self.world.bytes, True)])

    def swap(self, scope):
        if self.world.pair and not scope.isHelper and self.chance(0.6):
            first, second = (n.text for n in self.world.pair)
            p = self.fresh("p")
            return self.op(f"{{ u32 *{p} = {first}; {first} = {second}; "
                           f"{second} = {p}; }}")
        return self.op("++turn;")

    def turnTable(self, scope):
        """The pointers in device memory change places."""
        if not self.world.table or scope.isHelper or scope.device:
            return None
        p = self.fresh("p")
        return Sequence([
            self.op([f"{{ u32 *{p} = rowPointers[0]; rowPointers[0] = "
                     f"rowPointers[1]; rowPointers[1] = {p}; }}"],
                    [Effect("rowPointers", 0, 16, True)]),
            self.world.tableCopy()])

    # ---- what fails, and what does nothing ------------------------------

    def failing(self, scope):
        """A call that fails and changes nothing."""
        if scope.isHelper:
            return None
        host = self.host(scope).text
        device = self.rng.choice(scope.devices).text
        huge = "((size_t)1 << 40)"
        call = self.rng.choice([
            f"cudaMemcpy({device}, {host}, 16, (cudaMemcpyKind)77)",
            f"cudaMemcpy({host}, {device}, 16, (cudaMemcpyKind)-3)",
            f"cudaMemcpy(nullptr, {host}, 16, cudaMemcpyHostToDevice)",
            f"cudaMemcpy({host}, nullptr, 16, cudaMemcpyDeviceToHost)",
            f"cudaMemset({device}, 0, {huge})",
            f"cudaMemcpy({device}, {host}, {huge}, cudaMemcpyHostToDevice)",
            f"cudaMemcpyToSymbol(fixed, {host}, 4, {self.world.bytes}, "
            "cudaMemcpyHostToDevice)",
            f"cudaMemcpyFromSymbol({host}, shared, {self.world.bytes + 4}, 0, "
            "cudaMemcpyDeviceToHost)",
            f"cudaMemcpy2D({device}, 4, {host}, 4, 8, 2, "
            "cudaMemcpyHostToDevice)",
            f"cudaMemcpyAsync({device}, {host}, 16, (cudaMemcpyKind)77, 0)"])
        tail = self.rng.choice(["", ' printError("{}", cudaGetLastError());',
                                ' printError("{}", cudaPeekAtLastError());'])
        tail = tail.replace("{}", self.fresh("failed"))
        if self.chance(0.4):
            return self.op(f'printError("{self.fresh("failed")}", {call});'
                           + tail)
        return self.op(f"{call};" + tail)

    def nothing(self, scope):
        """Copies and fills of no bytes."""
        host, device = self.host(scope).text, self.rng.choice(
            scope.devices).text
        none = self.rng.choice(["0", "size - size", "turn * 0"])
        call = self.rng.choice([
            f"cudaMemcpy({device}, {host}, {none}, cudaMemcpyHostToDevice)",
            f"cudaMemcpyAsync({host}, {device}, {none}, "
            "cudaMemcpyDeviceToHost, 0)",
            f"cudaMemcpyAsync({device}, {host}, {none}, "
            "cudaMemcpyHostToDevice, 0)",
            f"cudaMemset({device}, 1, {none})"])
        return self.op(self.checked(scope, call))

    def lastError(self, scope):
        call = self.rng.choice(["cudaGetLastError", "cudaPeekAtLastError"])
        return self.op(f'printError("{self.fresh("last")}", {call}());')

    # ---- a second device ------------------------------------------------

    def onSecond(self, scope):
        if (self.world.deviceCount == 1 or scope.isHelper or scope.device
                or scope.handler not in ("", "try")):
            return None
        inner = dataclasses.replace(
            scope, device=1, recent=[], handler="", throws=False, callees=[],
            inLoop=False, isMain=True,
            devices=[n for n in self.world.devices if n.device == 1],
            streams=self.world.streamsOf(1) + ["0"])
        body = Sequence([s for _ in range(self.rng.randint(2, 5))
                         for s in [self.statement(inner, 0)] if s])
        scope.cost = inner.cost
        if self.chance(0.4):
            near = self.rng.choice([n for n in self.world.devices
                                    if not n.device])
            far = self.rng.choice(inner.devices)
            pair = [(near, 0, far, 1), (far, 1, near, 0)][self.rng.randrange(2)]
            count = self.rng.randint(1, self.world.elements)
            body.nodes.append(self.op(
                f"cudaMemcpyPeer({pair[2].text}, {pair[3]}, {pair[0].text}, "
                f"{pair[1]}, {4 * count});",
                [self.effect(pair[0], 0, count, False),
                 self.effect(pair[2], 0, count, True)], "copy"))
        return OnDevice(1, body)


def waitText(op, role, stream, streams, twoDevices):
    """How the host, or the stream of `op`, waits for `stream`."""
    device = streams[stream][0] if stream in streams else int(stream[1:])
    if stream not in streams:
        if twoDevices:
            return f"waitForDevice({device});"
        stream = ("cudaStreamLegacy" if stream[0] == "L"
                  else "cudaStreamPerThread")
    if role != "host" and op.choice < 0.6:
        return f"follow({op.stream or '0'}, {stream}, {device});"
    way = WAYS[min(int(op.choice * 1000) % 7, 3)]
    if twoDevices and way == WAYS[1]:
        way = WAYS[0]
    return way.format(s=stream, d=device)
