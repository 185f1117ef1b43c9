"""Who calls whom in a generated program.

Functions lie in layers and call into higher layers only, so that every program
ends. Few functions are called by very many (degrees follow a power law), most
calls stay near their file. Nothing here knows what the functions look like:
hosts and devices have a graph each.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import dataclasses

MASK = (1 << 64) - 1
NEAR = 4  # files to either side that a file knows well
IN_FILE, NEARBY = 60, 25  # percent of calls; the others go to the hubs
# A call is made as often as keeps a function within this many units of work.
COST_LIMIT = 1500


class Rng:
    """SplitMix64 (Steele, Lea, Flood: Fast Splittable Pseudorandom Number
    Generators, 2014), by integers alone: the same on every machine and with
    every Python."""

    def __init__(self, *key):
        self.state = 0
        for part in key:
            self.state = (self.next() ^ part) & MASK
        self.next()

    def next(self):
        self.state = (self.state + 0x9E3779B97F4A7C15) & MASK
        value = self.state
        value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9 & MASK
        value = (value ^ (value >> 27)) * 0x94D049BB133111EB & MASK
        return value ^ (value >> 31)

    def below(self, limit):
        return (self.next() >> 32) * limit >> 32

    def between(self, first, last):
        return first + self.below(last - first + 1)

    def chance(self, percent):
        return self.below(100) < percent

    def choice(self, sequence):
        return sequence[self.below(len(sequence))]

    def power_law(self, limit):
        """Returns a number below `limit`; i is about as likely as 1/(i + 1)."""
        low = 1 << self.below(limit.bit_length())
        return low - 1 + self.below(min(low, limit + 1 - low))


@dataclasses.dataclass
class Call:
    callee: int
    rarity: int  # made once in 2**rarity times

    def condition(self, value, salt):
        """Returns C++ that is true as often as the call is to be made."""
        if not self.rarity:
            return ""
        mask = (1 << self.rarity) - 1
        return f"if (({value} >> 7 & {mask}u) == {salt & mask}u) "


@dataclasses.dataclass
class Node:
    """One function."""
    id: int
    file: int
    layer: int
    form: int  # which of the writer's signatures
    is_static: bool
    calls: list = dataclasses.field(default_factory=list)
    recursion: int = 0  # how deep it calls itself
    is_called: bool = False
    cost: int = 0


class Graph:
    """`count` functions spread over `files`, a list of file numbers."""

    def __init__(self, seed, files, count, forms, depth, degree):
        self.nodes = []
        self.of_file = {file: [] for file in files}
        for number in range(count):
            rng = Rng(seed, number, 1)
            file = files[number * len(files) // count]
            node = Node(number, file, rng.below(depth), rng.choice(forms),
                        rng.chance(30), cost=rng.between(10, 30))
            node.recursion = rng.between(2, 5) if rng.chance(3) else 0
            self.nodes.append(node)
            self.of_file[file].append(node)
        self.hubs = self.make_hubs(seed)
        self.deepest = {file: sorted(nodes, key=lambda n: (-n.layer, n.id))
                        for file, nodes in self.of_file.items()}
        self.files = files
        for node in sorted(self.nodes, key=lambda n: (-n.layer, n.id)):
            self.connect(Rng(seed, node.id, 2), node, degree)

    def make_hubs(self, seed):
        """The functions that everybody may call, most popular first."""
        hubs = [node for node in self.nodes if not node.is_static]
        return sorted(hubs, key=lambda n: (-n.layer,
                                           Rng(seed, n.id, 3).next()))

    def connect(self, rng, node, degree):
        if self.hubs and node.layer >= self.hubs[0].layer:
            return
        for _ in range(1 + rng.power_law(degree)):
            callee = self.pick(rng, node)
            if callee is None or any(c.callee == callee.id for c in node.calls):
                continue
            call = self.call_of(callee)
            node.calls.append(call)
            node.cost += callee.cost >> call.rarity
            callee.is_called = True
        node.cost *= node.recursion + 1

    @staticmethod
    def call_of(callee):
        """Returns a call that is as rare as its cost asks for."""
        rarity = 0
        while callee.cost >> rarity > COST_LIMIT // 8:
            rarity += 1
        return Call(callee.id, rarity)

    @staticmethod
    def above(file):
        """Returns a caller in `file` that may call every layer."""
        return Node(-1, file, -1, 0, False)

    def pick(self, rng, node):
        """Returns a function of a higher layer, or nothing."""
        chosen = rng.below(100)
        candidates = self.hubs
        if chosen < IN_FILE:
            candidates = self.deepest[node.file]
        elif chosen < IN_FILE + NEARBY:
            near = node.file + rng.between(-NEAR, NEAR)
            candidates = self.deepest.get(near, self.hubs)
        if not candidates:
            return None
        callee = candidates[rng.power_law(len(candidates))]
        if callee.layer <= node.layer:
            return None
        if callee.is_static and callee.file != node.file:
            return None
        return callee

    def roots(self, file):
        """The functions of `file` that nobody calls."""
        return [node for node in self.of_file.get(file, [])
                if not node.is_called]

    def needed(self, file):
        """The functions of other files that those of `file` call."""
        found = {call.callee for node in self.of_file.get(file, [])
                 for call in node.calls}
        return [self.nodes[number] for number in sorted(found)
                if self.nodes[number].file != file]
