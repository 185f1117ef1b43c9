"""Random C++ without undefined behaviour: expressions, statements, functions.

The same code serves both sides. Values are computed as u32 or u64, which wrap,
and converted; what overflow would spoil is kept small by masks. Memory is
described by `Memory`: how many elements of which type may be touched, so that
every index is masked. Loops have known bounds and calls go to functions made
before, hence every program ends; `cost` bounds how long it takes.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import dataclasses

SIZES = {"i8": 1, "u8": 1, "i16": 2, "u16": 2, "i32": 4, "u32": 4, "i64": 8,
         "u64": 8}
# Scalars whose values launches need: threads of a block, blocks.
GEOMETRY = {"block": (1, 64), "grid": (1, 2)}
FUNCTION_COST, LOOP_COST, MOST_DEPTH = 200, 60, 6


@dataclasses.dataclass
class Element:
    """A statement that a smaller program may leave out."""
    number: int
    head: str
    body: list = None
    tail: str = "}"


def render(items, dropped, indent="  "):
    """The lines of a body without the elements in `dropped`."""
    for item in items:
        if isinstance(item, str):
            yield indent + item
        elif item.number not in dropped:
            yield indent + item.head
            if item.body is not None:
                yield from render(item.body, dropped, indent + "  ")
                yield indent + item.tail


@dataclasses.dataclass
class Memory:
    """`text[i]` exists for all i below `count`, a power of two."""
    text: str
    element: str
    count: int
    isWritable: bool
    space: str = ""  # on the host: of device memory, see cuda_host


@dataclasses.dataclass
class Struct:
    name: str
    fields: list  # (name, kind): a type, GEOMETRY, Struct, or (type, count)

    def structs(self, prefix):
        """(path, struct) of itself and of nested structs."""
        yield prefix, self
        for name, kind in self.fields:
            if isinstance(kind, Struct):
                yield from kind.structs(f"{prefix}.{name}")

    def leaves(self, prefix):
        """(path, kind) of each field, those of nested structs included."""
        for name, kind in self.fields:
            if isinstance(kind, Struct):
                yield from kind.leaves(f"{prefix}.{name}")
            else:
                yield f"{prefix}.{name}", kind


def typeOf(kind):
    """The C++ type of a field or scalar; "RW u8" is a pointer to device
    memory."""
    if kind in GEOMETRY:
        return "u32"
    return kind.split()[1] + " *" if " " in kind else kind


@dataclasses.dataclass
class Parameter:
    """kind: scalar, memory, struct, constant or mutable reference, function,
    or those of cuda_host."""
    kind: str
    name: str
    type: object = None
    count: int = 0
    isWritable: bool = False
    space: str = ""
    family: list = None  # of a handle: the kernels that it may be
    isEnd: bool = False  # leads to the end of the memory, not its beginning

    def declare(self):
        if self.kind in ("memory", "device"):
            const = "" if self.isWritable else "const "
            return f"{const}{self.type} *{self.name}"
        if self.kind == "function":
            return f"binary {self.name}"
        if self.kind == "handle":
            return f"{self.type} {self.name}"
        if self.kind == "scalar":
            return f"{typeOf(self.type)} {self.name}"
        reference = {"struct": "", "constant": "const &", "mutable": "&"}
        form = reference[self.kind]
        const = "const " if "const" in form else ""
        return f"{const}{self.type.name} {form[-1:]}{self.name}"


@dataclasses.dataclass
class Function:
    name: str
    result: str
    parameters: list
    file: object = None  # the only file that sees it, or None
    inHeader: bool = False
    isTemplate: bool = False
    isPure: bool = True  # may be called anywhere in an expression
    prefix: str = ""
    body: list = None
    cost: int = 0
    launches: int = 0

    def signature(self):
        parameters = ", ".join(p.declare() for p in self.parameters)
        return f"{self.prefix}{self.result} {self.name}({parameters})"


class Scope:
    """What the code being written can name."""

    def __init__(self, file, callees, binaries):
        self.file = file
        self.callees = callees
        self.binaries = list(binaries)
        self.scalars = []  # (text, type)
        self.assignable = []
        self.memory = []
        self.structs = []  # (text, Struct, is writable)
        self.declarations = []
        self.results = []  # statements before the return
        self.cost = 0
        self.times = 1  # how often the code runs that is written now
        self.depth = 0
        self.launches = 0

    def visible(self):
        return [f for f in self.callees if f.file in (None, self.file)]


class Writer:
    """Writes code for one side, with names and numbers that are unique."""

    def __init__(self, rng, names):
        self.rng = rng
        self.names = names
        self.makers = []  # functions that return structs

    def fresh(self, stem):
        self.names[stem] = self.names.get(stem, -1) + 1
        return f"{stem}{self.names[stem]}"

    def element(self, head, body=None, tail="}"):
        self.names["element"] = self.names.get("element", 0) + 1
        return Element(self.names["element"], head, body, tail)

    def chance(self, probability):
        return self.rng.random() < probability

    def constant(self):
        """Few values, so that calls agree now and then."""
        if self.chance(0.6):
            return self.rng.choice([0, 1, 2, 3, 4, 7, 8, 16, 32, 255])
        return self.rng.choice([self.rng.randrange(1 << 32), 0x80000000,
                                0xffffffff, 65535, 32768, 128, 1000,
                                1290, 1291, 46340, 46341, 0x7fffffff])

    # ---- expressions ----------------------------------------------------

    def value(self, scope, depth=2):
        """An expression of type u32."""
        rng = self.rng
        if depth <= 0 or self.chance(0.2):
            return self.leaf(scope)
        a = self.value(scope, depth - 1)
        b = self.value(scope, depth - 1)
        form = rng.randrange(15)
        if form < 4:
            return f"({a} {rng.choice('+-*^&|')} {b})"
        if form == 4:
            return f"({a} {rng.choice(['<<', '>>'])} ({b} & 31))"
        if form == 5:
            return f"({a} {rng.choice('/%')} ({b} | 1))"
        if form == 6:
            return (f"(u32)((i32){a} "
                    + rng.choice([f">> ({b} & 31))",
                                  f"/ (i32)(({b} & 63) + 1))",
                                  f"< (i32){b})"]))
        if form == 7:
            test = rng.choice(["<", "==", ">="])
            return f"({a} {test} {b} ? {self.leaf(scope)} : {self.leaf(scope)})"
        if form == 8:
            return f"(u32)({rng.choice(['i8', 'u8', 'i16', 'u16'])}){a}"
        if form == 9:
            return f"(u32)((i32)({a} & 1023) * (i32)({b} & 1023))"
        if form == 10:
            return (f"(u32)({self.wide(scope, depth - 1)} >> "
                    f"{rng.choice([7, 32])})")
        if form == 11:
            real = rng.choice(["float", "double"])
            return (f"(u32)bitsOf(({real})({a} & 1023) "
                    + rng.choice([f"* ({real})({b} & 255))", f"- ({real})0.5)",
                                  f"/ ({real})(({b} & 15) + 1))"]))
        if form == 12:
            return f"((u32)(u16){a} | (u32)(u16){b} << 16)"
        if form == 13:
            return (rng.choice(["bytesSum", "bytesAreLess", "halvesAverage"])
                    + f"({a}, {b})")
        return f"(u32)__builtin_popcount({a})"

    def wide(self, scope, depth=1):
        """An expression of type u64."""
        a, b = self.value(scope, depth), self.value(scope, depth)
        form = self.rng.randrange(4)
        if form == 0:
            return f"((u64){a} * {b})"
        if form == 1:
            return f"((u64){a} << 32 | {b})"
        if form == 2:
            return f"((u64)(i64)(i32){a} + {b})"
        return f"(u64){self.leaf(scope)}"

    def leaf(self, scope):
        rng = self.rng
        form = rng.randrange(10)
        if form < 4 and scope.scalars:
            text, _ = rng.choice(scope.scalars)
            return f"(u32){text}"
        if form < 6:
            readable = [m for m in scope.memory if not m.space]
            if readable:
                return f"(u32){self.access(scope, rng.choice(readable))}"
        if form < 8:
            fields = [(path, kind) for text, struct, _ in scope.structs
                      for path, kind in struct.leaves(text)
                      if kind in SIZES or kind in GEOMETRY]
            if fields:
                return f"(u32){rng.choice(fields)[0]}"
        if form == 8:
            call = self.call(scope, 0, mustBePure=True)
            if call:
                return call
        return f"{self.constant()}u"

    def access(self, scope, memory):
        """An element of `memory`, often a constant one or the loop's."""
        loops = [text for text, kind in scope.scalars if kind == "loop"]
        if loops and self.chance(0.4):
            index = self.rng.choice(loops)
            return f"{memory.text}[{index} & {memory.count - 1}]"
        if self.chance(0.5):
            return f"{memory.text}[{self.rng.randrange(memory.count)}]"
        index = self.leaf(scope) if self.chance(0.5) else f"{self.constant()}u"
        return f"{memory.text}[{index} & {memory.count - 1}]"

    def ofType(self, scope, kind, depth=2):
        """An expression for a scalar of type or GEOMETRY `kind`."""
        if kind in GEOMETRY:
            least, most = GEOMETRY[kind]
            known = [text for text, k in scope.scalars if k == kind]
            known += [path for text, struct, _ in scope.structs
                      for path, k in struct.leaves(text) if k == kind]
            if known and self.chance(0.5):
                return self.rng.choice(known)
            if self.chance(0.75):
                usual = [1, 2] if kind == "grid" else [1, 8, 32, 32, 33, 64]
                return f"{self.rng.choice(usual)}u"
            return f"({self.leaf(scope)} % {most}u + {least}u)"
        if self.chance(0.4):
            return f"({kind}){self.constant()}u"
        if self.chance(0.3):  # what jump functions say of an argument
            return f"({kind}){self.leaf(scope)}"
        if SIZES[kind] == 8 and self.chance(0.5):
            return f"({kind}){self.wide(scope)}"
        return f"({kind}){self.value(scope, depth)}"

    # ---- calls ----------------------------------------------------------

    def call(self, scope, depth=1, mustBePure=False):
        """A call as u32, or None if nothing can be called here."""
        if scope.depth > 2:
            return None
        if scope.binaries and self.chance(0.25):
            cost = 2 + self.binaryCost
            if scope.cost + scope.times * cost < FUNCTION_COST:
                scope.cost += scope.times * cost
                scope.depth += 1
                text = (f"{self.binary(scope)}({self.value(scope, depth)}, "
                        f"{self.value(scope, depth)})")
                scope.depth -= 1
                return text
        fits = [f for f in scope.visible() if self.affordable(scope, f)
                and (f.isPure or not mustBePure)]
        if not fits:
            return None
        callee = self.rng.choice(fits)
        scope.cost += scope.times * callee.cost
        scope.launches += scope.times * callee.launches
        scope.depth += 1
        arguments = [self.argument(scope, p, depth) for p in callee.parameters]
        scope.depth -= 1
        name = callee.name
        if callee.isTemplate:
            name += (f"<{self.rng.choice(list(SIZES))}, "
                     f"{self.rng.randint(1, 5)}>")
        text = f"{name}({', '.join(arguments)})"
        return f"({text}, 0u)" if callee.result == "void" else f"(u32){text}"

    binaryCost = 10
    launchLimit = 0

    def affordable(self, scope, callee):
        return (scope.cost + scope.times * callee.cost < FUNCTION_COST
                and scope.launches + scope.times * callee.launches
                <= self.launchLimit)

    def suits(self, scope, callee):
        """Whether there are arguments for `callee`."""
        return True

    def binary(self, scope):
        """A function of two numbers, called by name or through a pointer."""
        return self.rng.choice(scope.binaries)

    def argument(self, scope, parameter, depth):
        kind = parameter.kind
        if kind == "scalar":
            return self.ofType(scope, parameter.type, depth)
        if kind == "memory":
            return self.pointer(scope, parameter)
        if kind == "function":
            return self.binary(scope)
        return self.structOf(scope, parameter.type, kind == "mutable")

    def pointer(self, scope, parameter):
        """Memory that is large enough, its beginning or its end."""
        begin = self.beginning(scope, parameter)
        return f"{begin} + {parameter.count}" if parameter.isEnd else begin

    def beginning(self, scope, parameter):
        """Memory that is large enough, at its start or further on."""
        fits = [m for m in scope.memory if m.element == parameter.type
                and not m.space and m.count >= parameter.count
                and (m.isWritable or not parameter.isWritable)]
        if not fits or self.chance(0.1):
            fits = [self.array(scope, parameter.type,
                               max(parameter.count, 4))]
        fields = [(path, kind) for text, struct, isWritable in scope.structs
                  if isWritable or not parameter.isWritable
                  for path, kind in struct.leaves(text)
                  if kind == parameter.type and parameter.count == 1]
        if fields and self.chance(0.5):
            return f"&{self.rng.choice(fields)[0]}"
        memory = self.rng.choice(fits)
        room = memory.count - parameter.count
        if room and self.chance(0.5):
            return f"{memory.text} + {self.rng.choice([1, room, room // 2])}"
        return memory.text

    def array(self, scope, element, count):
        """A new local array."""
        name = self.fresh("a")
        values = ", ".join(f"({element}){self.constant()}u"
                           for _ in range(self.rng.randint(1, count)))
        scope.declarations.append(f"{element} {name}[{count}] = {{{values}}};")
        memory = Memory(name, element, count, True)
        scope.memory.append(memory)
        return memory

    def structOf(self, scope, struct, mustWrite):
        """A struct to pass, which may be a member of another."""
        fits = [path for text, s, isWritable in scope.structs
                if isWritable or not mustWrite
                for path, inner in s.structs(text) if inner is struct]
        if fits and self.chance(0.8):
            return self.rng.choice(fits)
        name = self.fresh("s")
        scope.declarations.append(
            f"{struct.name} {name} = {self.literal(struct)};")
        scope.structs.append((name, struct, True))
        return name

    def literal(self, struct):
        """All fields, valid ones. Constants, as nothing else is in scope where
        variables are declared."""
        values = []
        for _, kind in struct.fields:
            if isinstance(kind, Struct):
                values.append(self.literal(kind))
            elif isinstance(kind, tuple):
                values.append("{%s}" % ", ".join(
                    f"({kind[0]}){self.constant()}u" for _ in range(kind[1])))
            elif kind in GEOMETRY:
                values.append(str(self.rng.choice([1, 2] if kind == "grid"
                                                  else [1, 8, 32, 64])))
            else:
                values.append(self.fieldLiteral(kind))
        return "{" + ", ".join(values) + "}"

    def fieldLiteral(self, kind):
        """A scalar; pointers to device memory are the host's."""
        return "nullptr" if " " in kind else f"({kind}){self.constant()}u"

    # ---- statements -----------------------------------------------------

    def statements(self, scope, count, nesting=2):
        return [s for _ in range(count)
                for s in [self.statement(scope, nesting)] if s]

    def statement(self, scope, nesting):
        rng = self.rng
        scope.cost += scope.times
        form = rng.randrange(12)
        if form < 2 and nesting > 0:
            return self.loop(scope, nesting)
        if form == 2 and nesting > 0:
            return self.condition(scope, nesting)
        if form == 3 and nesting > 0:
            return self.switch(scope, nesting)
        if form < 6:
            writable = [m for m in scope.memory if m.isWritable and not m.space]
            if writable:
                memory = rng.choice(writable)
                target = self.access(scope, memory)
                value = self.ofType(scope, memory.element)
                return self.element(f"{target} = {value};")
        if form < 8:
            statement = self.assignField(scope)
            if statement:
                return statement
        if form < 10:
            call = self.call(scope)
            if call:
                return self.accumulate(scope, call)
        return self.accumulate(scope, self.value(scope, 3))

    def accumulate(self, scope, text):
        target, kind = self.rng.choice(scope.assignable)
        operator = self.rng.choice(["=", "+", "^"])
        if operator == "=" and not self.chance(0.3):
            operator = "+"
        if operator == "=":
            return self.element(f"{target} = ({kind}){text};")
        return self.element(f"{target} = ({kind})"
                            f"((u32){target} {operator} {text});")

    def assignField(self, scope):
        fields = [(path, kind) for text, struct, isWritable in scope.structs
                  if isWritable for path, kind in struct.leaves(text)]
        if not fields:
            return None
        path, kind = self.rng.choice(fields)
        if isinstance(kind, tuple):
            path, kind = f"{path}[{self.rng.randrange(kind[1])}]", kind[0]
        if kind not in SIZES and kind not in GEOMETRY:
            return None
        form = self.rng.randrange(8)
        if form == 0:
            return self.assignStruct(scope)
        if form == 1 and kind in SIZES:  # only some of its bytes
            name = self.fresh("c")
            return self.element("{", [
                f"{kind} {name} = {self.ofType(scope, kind)};",
                f"__builtin_memcpy(&{path}, &{name}, "
                f"{(SIZES[kind] + 1) // 2});"])
        return self.element(f"{path} = {self.ofType(scope, kind)};")

    def assignStruct(self, scope):
        """Assigns all of a struct, or a part of one of two."""
        target, struct, isWritable = self.rng.choice(scope.structs)
        others = [t for t, s, w in scope.structs if s is struct and t != target
                  and (w or not isWritable)]
        makers = [m for m in self.makers if m.result == struct.name
                  and m.file in (None, scope.file)
                  and self.suits(scope, m)
                  and scope.cost + scope.times * m.cost < FUNCTION_COST]
        if not isWritable:
            return None
        if makers and self.chance(0.5):
            maker = self.rng.choice(makers)
            scope.cost += scope.times * maker.cost
            arguments = [self.argument(scope, p, 1) for p in maker.parameters]
            return self.element(f"{target} = {maker.name}"
                                f"({', '.join(arguments)});")
        if not others:
            return None
        other = self.rng.choice(others)
        fields = [path for path, kind in struct.leaves("") if kind in SIZES]
        if fields and self.chance(0.5):
            either = f"({self.leaf(scope)} & 1 ? {target} : {other})"
            return self.element(f"{either}{self.rng.choice(fields)} = "
                                f"{self.constant()}u;")
        return self.element(f"{target} = {other};")

    def loop(self, scope, nesting):
        trips = self.rng.choice([1, 2, 3, 4, 4, 8])
        if scope.times * trips > LOOP_COST:
            return None
        name = self.fresh("n")
        scope.times *= trips
        scope.scalars.append((name, "loop"))
        body = self.statements(scope, self.rng.randint(1, 3), nesting - 1)
        scope.scalars.remove((name, "loop"))
        scope.times //= trips
        bound = f"{trips}"
        if self.chance(0.3):
            bound = f"(i32)({self.leaf(scope)} % {trips + 1}u)"
        unroll = self.rng.choice(["", "", "", "_Pragma(\"unroll\") "])
        return self.element(
            f"{unroll}for (i32 {name} = 0; {name} < {bound}; ++{name}) {{",
            body)

    def condition(self, scope, nesting):
        body = self.statements(scope, self.rng.randint(1, 3), nesting - 1)
        if self.chance(0.4):
            body += ["} else {"] + self.statements(scope, 2, nesting - 1)
        return self.element(f"if ({self.value(scope)} "
                            f"{self.rng.choice(['<', '!=', '&'])} "
                            f"{self.value(scope, 1)}) {{", body)

    def switch(self, scope, nesting):
        body = []
        for case in range(self.rng.randint(2, 4)):
            body += [f"case {case}:"] + self.statements(scope, 1, nesting - 1)
            if self.chance(0.7):
                body.append("break;")
        body += ["default:"] + self.statements(scope, 1, nesting - 1)
        body.append("break;")
        return self.element(f"switch ({self.value(scope)} & 7) {{", body)

    # ---- functions ------------------------------------------------------

    def enter(self, scope, parameters):
        """Makes parameters and some locals known to the body."""
        for p in parameters:
            if p.kind == "scalar":
                scope.scalars.append((p.name, p.type))
                if p.type not in GEOMETRY and self.chance(0.3):
                    scope.assignable.append((p.name, p.type))
            elif p.kind == "memory":
                begin = f"({p.name} - {p.count})" if p.isEnd else p.name
                scope.memory.append(Memory(begin, p.type, p.count,
                                           p.isWritable))
            elif p.kind == "function":
                scope.binaries += [p.name] * 3
            elif p.kind in ("struct", "constant", "mutable"):
                scope.structs.append((p.name, p.type, p.kind != "constant"))
        for _ in range(self.rng.randint(1, 3)):
            kind = self.rng.choice(list(SIZES))
            name = self.fresh("v")
            scope.declarations.append(
                f"{kind} {name} = {self.constant() & 127};")
            scope.scalars.append((name, kind))
            scope.assignable.append((name, kind))

    def function(self, function, scope, count, maker=None):
        """Writes the body of a function that returns a number, or a struct of
        type `maker`."""
        self.enter(scope, function.parameters)
        if maker:
            self.structOf(scope, maker, True)
        recursion = None
        if (function.parameters and function.parameters[-1].name == "depth"):
            arguments = [self.recurring(p) for p in function.parameters[:-1]]
            call = f"{function.name}({', '.join(arguments + ['depth - 1'])})"
            target, kind = self.rng.choice(scope.assignable)
            recursion = (f"if (depth > 0 && depth < {MOST_DEPTH}) "
                         f"{target} = ({kind})((u32){target} + (u32){call});")
        body = self.statements(scope, count)
        if recursion:
            body.insert(self.rng.randint(0, len(body)), self.element(recursion))
        if not maker and not scope.results and self.chance(0.2):
            body.insert(self.rng.randint(0, len(body)), self.element(
                f"if ({self.leaf(scope)} == {self.constant()}u) "
                f"return ({function.result}){self.leaf(scope)};"))
        sums = " ^ ".join(f"(u32){text}" for text, _ in scope.assignable)
        result = f"({function.result})({sums})"
        if maker:
            result = self.structOf(scope, maker, False)
        function.body = (scope.declarations + body + scope.results
                         + [f"return {result};"])
        function.cost = min(scope.cost + 2, FUNCTION_COST)
        function.launches = scope.launches
        if recursion:
            function.cost *= MOST_DEPTH
            function.launches *= MOST_DEPTH
        return function

    def recurring(self, parameter):
        """What a function passes itself."""
        if (parameter.kind == "scalar" and parameter.type in SIZES
                and self.chance(0.4)):
            return f"({parameter.type})({parameter.name} + 1)"
        return parameter.name
