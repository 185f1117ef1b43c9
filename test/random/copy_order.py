"""Where a program about copies must wait, so that nothing in it races.

A random program is a tree of nodes (`Op`, `Sequence`, `If`, ...) that says of
each operation which bytes of which memory who reads and writes: the host, or a
stream. `order` walks it as it will run, calls included, and keeps of all that
may not have happened yet a state:

  what was done (memory, bytes, writes, by which stream) -> who comes after it

Where an operation conflicts with something that it need not come after, a wait
is noted in front of it, in all places from which it is reached. Loops are
walked until the state at their head stays; branches are joined: everything that
either did, and only who comes after it in both. Waits are only ever added, so
that it ends; a last walk that adds none has proven that there is no race.

The rules are CUDA's, whatever it leaves open: a copy of pageable memory with a
stream may read it in the call, or when the stream gets there; a copy without
one waits as emulator/README.md says ("Finding waits and copies that a program
lacks").
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import collections
import dataclasses

HOST = "host"
WALKS = 50  # more would be a fault here


@dataclasses.dataclass(frozen=True)
class Memory:
    """An allocation or a variable, as one piece."""
    name: str
    home: str  # pageable, pinned, managed or device
    device: int = 0


@dataclasses.dataclass(frozen=True)
class Effect:
    """Bytes [first, end) behind the address that `name` has where it stands."""
    name: str
    first: int
    end: int
    isWrite: bool


@dataclasses.dataclass
class Op:
    """A statement.

    kind: host (what the host does), stream (work of `stream`), memory (it is
    allocated or freed in `stream`; CUDA does not say whether other streams and
    the legacy one wait for each other then), copy and async
    (copies without a stream and with one: the first effect is the source's),
    wait (the host waits for `stream`), device (it waits for all of the device),
    after (`stream`, or the host, waits for `first`, a stream or an event),
    record (the event `first` stands for what `stream` has got so far)."""
    text: list
    effects: list = dataclasses.field(default_factory=list)
    kind: str = HOST
    stream: str = ""
    first: str = ""
    number: int = 0
    choice: float = 0  # which of the ways to wait
    waits: dict = dataclasses.field(default_factory=dict)  # (who, for whom)


@dataclasses.dataclass
class Sequence:
    nodes: list
    locals: dict = dataclasses.field(default_factory=dict)  # name: what it is
    number: int = 0
    isBlock: bool = False
    end: Op = None  # here variables of the stack end

    def __post_init__(self):
        self.end = Op([])


@dataclasses.dataclass
class If:
    condition: str
    reads: Op
    then: object
    other: object = None
    number: int = 0


@dataclasses.dataclass
class Loop:
    head: str
    body: object
    isEntered: bool  # at least once
    number: int = 0


@dataclasses.dataclass
class Try:
    """With a handler for what `Exit("throw")` throws; or setjmp."""
    head: str
    body: object
    middle: str
    handler: object
    number: int = 0


@dataclasses.dataclass
class OnDevice:
    """Another device is current."""
    device: int
    body: object
    number: int = 0


@dataclasses.dataclass
class Exit:
    """Leaves a loop, a function, or all up to the innermost Try."""
    kind: str  # break, continue, return, throw
    op: Op


@dataclasses.dataclass
class Call:
    text: str
    function: object
    arguments: dict  # parameter: (name at the call, bytes further on)
    number: int = 0


@dataclasses.dataclass
class Function:
    name: str
    parameters: list = dataclasses.field(default_factory=list)  # (kind, name)
    body: object = None
    file: int = None  # the only one that knows it
    home: int = 0
    throws: bool = False
    cost: int = 1
    room: int = 0  # elements of each parameter that may be touched
    pointer: str = ""  # a variable that holds its address


class State(dict):
    """(memory, first, end, isWrite, stream): who comes after it."""

    def joined(self, other):
        if other is None:
            return self
        result = State(self)
        for key, seen in other.items():
            result[key] = result[key] & seen if key in result else seen
        return result


def join(first, second):
    return second if first is None else first.joined(second)


class Frame:
    """What names mean in a function that is being walked."""

    def __init__(self, names, device):
        self.names, self.device = names, device


class Order:
    """`streams`: (its device, whether it and the legacy stream wait for each
    other) of each."""

    def __init__(self, globalNames, streams, isPerThread, devices):
        self.globalNames, self.isPerThread = globalNames, isPerThread
        self.twoDevices = devices > 1
        self.blocking, self.ofDevice = {}, {}
        for device in range(devices):
            mine = {s for s, (d, _) in streams.items() if d == device}
            self.blocking[device] = frozenset(
                {s for s in mine if streams[s][1]} | {f"P{device}"})
            self.ofDevice[device] = frozenset(
                mine | {f"P{device}", f"L{device}"})
        self.grown = False
        # Where break, continue, return and throw arrive.
        self.exits = collections.defaultdict(list)
        self.live = []  # variables of the stack
        self.depths = collections.defaultdict(list)

    def order(self, main):
        """Adds the waits that `main` needs."""
        for _ in range(WALKS):
            self.grown = False
            self.call(main, Frame(dict(self.globalNames), 0), State())
            if not self.grown:
                return
        raise AssertionError("waits are added without end")

    # ---- names ----------------------------------------------------------

    def agent(self, frame, stream):
        """Default streams are those of the current device."""
        stream = frame.names.get(stream, stream)
        if isinstance(stream, list):
            raise AssertionError(f"{stream} is memory")
        if stream in ("0", "cudaStreamLegacy", "cudaStreamPerThread"):
            kind = "L" if stream == "cudaStreamLegacy" or (
                stream == "0" and not self.isPerThread) else "P"
            return f"{kind}{frame.device}"
        return stream

    def places(self, frame, effect):
        """(memory, first, end) of each that it may be."""
        name = effect.name
        if name not in frame.names:  # a variable of each device
            name = f"{name}@{frame.device}"
        for memory, offset in frame.names[name]:
            yield memory, effect.first + offset, effect.end + offset

    # ---- the state ------------------------------------------------------

    def blockingOf(self, agent):
        return self.blocking[int(agent[1:])]

    def isLegacy(self, agent):
        return agent.startswith("L")

    def settle(self, state, agent):
        """Work of the legacy stream follows all in blocking streams, and work
        in those follows its; to wait for a blocking stream is no work there."""
        if self.isLegacy(agent):
            before = self.blockingOf(agent)
        else:
            before = frozenset(f"L{device}" for device, streams
                               in self.blocking.items() if agent in streams)
        for key, seen in state.items():
            if seen & before:
                state[key] = seen | {agent}

    def comesAfter(self, state, who, first):
        """From here on `who` is after what `first` is after."""
        if self.isLegacy(first):
            self.settle(state, first)
        for key, seen in list(state.items()):
            if first not in seen:
                continue
            if who == HOST:
                del state[key]
            else:
                state[key] = seen | {who}

    def deviceIsDone(self, state, device):
        """The host has waited for all streams of the device."""
        for key, seen in list(state.items()):
            if seen & self.ofDevice[device]:
                del state[key]

    def need(self, state, op, who, effects, frame):
        """Waits for what conflicts with `effects` of `who`."""
        for effect in effects:
            for memory, first, end in self.places(frame, effect):
                for key in list(state):
                    other, low, high, isWrite, stream = key
                    if (other is memory and low < end and first < high
                            and (isWrite or effect.isWrite)
                            and who not in state.get(key, {who})):
                        self.addWait(state, op, who, stream)

    def addWait(self, state, op, who, stream):
        role = HOST if who == HOST else "stream"
        if (role, stream) not in op.waits:
            op.waits[role, stream] = True
            self.grown = True
        self.applyWait(state, who, stream)

    def applyWait(self, state, who, stream):
        if self.twoDevices and isDefault(stream):
            # All of the device is waited for, see `waitText`.
            self.deviceIsDone(state, int(stream[1:]))
            return
        self.comesAfter(state, who, stream)

    def begin(self, state, op, who):
        """The waits that are noted so far happen."""
        for role, stream in op.waits:
            self.applyWait(state, HOST if role == HOST else who, stream)

    def done(self, state, effects, agent, frame):
        seen = frozenset({agent})
        for effect in effects:
            for memory, first, end in self.places(frame, effect):
                if first < end:
                    key = (memory, first, end, effect.isWrite, agent)
                    state[key] = state.get(key, seen) & seen

    # ---- nodes ----------------------------------------------------------

    def walk(self, node, frame, state):
        """The state behind `node`, or None if nothing gets there."""
        if state is None:
            return None
        return getattr(self, "walk" + type(node).__name__)(node, frame, state)

    def walkOp(self, op, frame, state):
        state = State(state)
        if op.kind == "copy":
            self.walkCopy(op, frame, state)
            return state
        agent = self.agent(frame, op.stream) if op.stream else HOST
        who = HOST if op.kind == HOST else agent
        self.begin(state, op, who)
        if op.kind == HOST:
            self.need(state, op, HOST, op.effects, frame)
        elif op.kind in ("stream", "async", "memory"):
            orders = op.kind != "memory" or not self.isLegacy(agent)
            if op.kind == "async":
                self.need(state, op, HOST, self.staged(frame, op), frame)
            if orders:
                self.settle(state, agent)
            self.need(state, op, agent, op.effects, frame)
            if orders:
                self.settle(state, agent)
            self.done(state, op.effects, agent, frame)
        elif op.kind == "wait":
            self.comesAfter(state, HOST, agent)
        elif op.kind == "device":
            self.deviceIsDone(state, frame.device)
            self.need(state, op, HOST, op.effects, frame)
        elif op.kind == "after":
            self.comesAfter(state, agent, self.agent(frame, op.first))
        elif op.kind == "record":
            for key, seen in state.items():
                state[key] = seen - {op.first}
            self.comesAfter(state, op.first, agent)
        return state

    def staged(self, frame, op):
        """The source of a copy with a stream, if it may be read in the call."""
        homes = {m.home for m, _, _ in self.places(frame, op.effects[0])}
        return op.effects[:1] if "pageable" in homes else []

    def walkCopy(self, op, frame, state):
        """A copy without Async."""
        agent = self.agent(frame, "0")
        source, target = op.effects
        homes = [{memory.home for memory, _, _ in self.places(frame, e)}
                 for e in op.effects]
        hosts = {"pageable", "pinned"}
        if all(h <= hosts for h in homes):
            self.begin(state, op, HOST)
            self.need(state, op, HOST, op.effects, frame)
            return
        self.begin(state, op, agent)
        self.settle(state, agent)
        if "pageable" in homes[0] and homes[0] <= hosts:
            self.need(state, op, agent, [source, target], frame)
            self.comesAfter(state, HOST, agent)
            self.done(state, [target], agent, frame)
            return
        self.need(state, op, agent, op.effects, frame)
        self.settle(state, agent)
        self.done(state, op.effects, agent, frame)
        if homes[0] <= hosts or homes[1] <= hosts:
            self.comesAfter(state, HOST, agent)

    def walkSequence(self, node, frame, state):
        depth, names = len(self.live), frame.names
        if node.locals:
            frame = Frame({**names, **{name: [(memory, 0)] for name, memory
                                       in node.locals.items()}}, frame.device)
            self.live += [m for m in node.locals.values()
                          if m.name.startswith("stack")]
        for each in node.nodes:
            state = self.walk(each, frame, state)
        ending = self.live[depth:]
        if ending and state is not None:
            state = self.leave(node.end, frame, state, ending)
        del self.live[depth:]
        return state

    def leave(self, op, frame, state, ending):
        """Variables of the stack end."""
        state = State(state)
        self.begin(state, op, HOST)
        for memory in ending:
            inner = Frame({"it": [(memory, 0)]}, frame.device)
            self.need(state, op, HOST, [Effect("it", 0, 1 << 30, True)], inner)
        return state

    def walkIf(self, node, frame, state):
        state = self.walk(node.reads, frame, state)
        then = self.walk(node.then, frame, state)
        other = state
        if node.other:
            other = self.walk(node.other, frame, state)
        return join(then, other)

    def walkLoop(self, node, frame, state):
        head = state
        while True:
            with self.arrival("break") as breaks, \
                    self.arrival("continue") as continues:
                back = self.walk(node.body, frame, head)
                for each in continues:
                    back = join(back, each)
            after = join(head, back)
            if after == head:
                break
            head = after
        result = back if node.isEntered else head
        for each in breaks:
            result = join(result, each)
        return result

    def arrival(self, kind):
        return Arrival(self, kind)

    def walkTry(self, node, frame, state):
        with self.arrival("throw") as thrown:
            result = self.walk(node.body, frame, state)
        caught = None
        for each in thrown:
            caught = join(caught, each)
        if caught is not None:
            result = join(self.walk(node.handler, frame, caught), result)
        return result

    def walkExit(self, node, frame, state):
        depth = self.depths[node.kind][-1]
        state = self.walk(node.op, frame, state)
        state = self.leave(node.op, frame, state, self.live[depth:])
        self.exits[node.kind][-1].append(state)
        return None

    def walkCall(self, node, frame, state):
        names = dict(self.globalNames)
        for parameter, (name, offset) in node.arguments.items():
            meaning = frame.names.get(name, name)
            if isinstance(meaning, list):
                meaning = [(memory, at + offset) for memory, at in meaning]
            names[parameter] = meaning
        return self.call(node.function, Frame(names, frame.device), state)

    def walkOnDevice(self, node, frame, state):
        return self.walk(node.body, Frame(frame.names, node.device), state)

    def call(self, function, frame, state):
        """`function` with what its parameters are."""
        with self.arrival("return") as returned:
            state = self.walk(function.body, frame, state)
        for each in returned:
            state = join(state, each)
        return state


class Arrival:
    """Collects the states in which something is left."""

    def __init__(self, order, kind):
        self.order, self.kind = order, kind

    def __enter__(self):
        states = []
        self.order.exits[self.kind].append(states)
        self.order.depths[self.kind].append(len(self.order.live))
        return states

    def __exit__(self, *_):
        self.order.exits[self.kind].pop()
        self.order.depths[self.kind].pop()


def isDefault(stream):
    return stream[0] in "LP"
