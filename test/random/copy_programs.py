"""Random programs about copies between host and device, over several files.

What such a program prints depends on every copy that it needs: buffers of all
sorts are changed by the host and by kernels, in several streams, and copied
whole or in part, often again though nothing has changed, or though nobody reads
the target. There are no races (copy_order), so that it prints the same whenever
asynchronous work runs.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import random
from pathlib import Path

from copy_cuda import CudaSteps, waitText
from copy_kernels import makeKernels
from copy_order import (Call, Effect, Exit, Function, If, Loop, Memory,
                        OnDevice, Op, Order, Sequence, Try)
from copy_steps import Scope
from copy_world import Name, World
from cuda_programs import COMMON_FLAGS, PRELUDE_FLAGS, unitFlags
from programs import Program, Unit

HERE = Path(__file__).resolve().parent
TWO_DEVICES_SHARE, PER_THREAD_SHARE, RESET_SHARE = 0.12, 0.1, 0.1
# Programs without what ends all that a link knows of copies: in the others none goes.
FOLLOWED_SHARE = 0.6
UNFOLLOWED = {"graph", "hostFunction", "setjmp", "onSecond", "thread",
              "busyThread", "signal"}
# Ways to run a program that must not change what it prints.
MODES = [[], ["--poison", "--deferred"],
         ["--poison", "--deferred", "--pageable-sync"]]
EVENTS = ["events[0]", "marks[0]", "marks[1]", "events[1]"]  # 2nd device last
HELPERS = """
void fill(u32 *p, u32 n, u32 seed);
void change(u32 *p, u32 n, u32 by);
void setOne(u32 *p, u32 at, u32 value);
void readZeros(u32 *p, u32 n);
void throughFile(u32 *to, const u32 *from, u32 n);
void throughPipe(u32 *to, const u32 *from, u32 n);
u32 digest(const u32 *p, u32 n);
void show(const char *name, const u32 *p, u32 n);
void printError(const char *name, cudaError_t error);
void jumpTo(jmp_buf buffer, int value);
void showDevice(const char *name, const u32 *device, u32 bytes);
void follow(cudaStream_t stream, cudaStream_t first, int device);
void waitByEvent(cudaStream_t stream, int device);
void waitForDevice(int device);
void poll(cudaStream_t stream);
void checkFails(cudaError_t result);
#define CHECK(call)                                                         \\
  do {                                                                      \\
    cudaError_t result = call;                                              \\
    if (result != cudaSuccess)                                              \\
      checkFails(result);                                                   \\
  } while (0)
struct View {
  u32 *out;
  const u32 *in, *extra;
  u32 n;
};
class Holder {
public:
  u32 *values = nullptr;
  u32 *data() const { return values; }
};
extern u32 total, turn, size, arguments, failures, heard;
extern cudaEvent_t events[2], marks[2];
void mapTwice(u32 **first, u32 **second);
void unmapTwice(u32 *first, u32 *second);
"""
ON_HOST = """
void fill(u32 *p, u32 n, u32 seed) {
  for (u32 i = 0; i < n; ++i)
    p[i] = seed = seed * 1664525u + 1013904223u;
}
void change(u32 *p, u32 n, u32 by) {
  while (n--)
    *p++ += by;
}
void setOne(u32 *p, u32 at, u32 value) { p[at] = value; }
void readZeros(u32 *p, u32 n) {
  FILE *zeros = fopen("/dev/zero", "rb");
  fread(p, 4, n, zeros);
  fclose(zeros);
}
void throughFile(u32 *to, const u32 *from, u32 n) {
  FILE *file = tmpfile();
  fwrite(from, 4, n, file);
  rewind(file);
  fread(to, 4, n, file);
  fclose(file);
}
void throughPipe(u32 *to, const u32 *from, u32 n) {
  int ends[2];
  pipe(ends);
  write(ends[1], from, 4 * n);
  read(ends[0], to, 4 * n);
  close(ends[0]);
  close(ends[1]);
}
u32 digest(const u32 *p, u32 n) {
  u32 sum = 2166136261u;
  for (u32 i = 0; i < n; ++i)
    sum = (sum ^ p[i]) * 16777619u;
  return sum;
}
void show(const char *name, const u32 *p, u32 n) {
  printf("%s %08x\\n", name, digest(p, n));
}
void printError(const char *name, cudaError_t error) {
  printf("%s: error %d\\n", name, (int)error);
}
void mapTwice(u32 **first, u32 **second) {
  int file = memfd_create("twice", 0);
  ftruncate(file, 4096);
  *first = (u32 *)mmap(nullptr, 4096, 3, MAP_SHARED, file, 0);
  *second = (u32 *)mmap(nullptr, 4096, 3, MAP_SHARED, file, 0);
  close(file);
}
void unmapTwice(u32 *first, u32 *second) {
  munmap(first, 4096);
  munmap(second, 4096);
}
void checkFails(cudaError_t result) {
  printError("CHECK", result);
  exit(1);
}
void jumpTo(jmp_buf buffer, int value) { longjmp(buffer, value); }
"""
WITH_DEVICE = """
void showDevice(const char *name, const u32 *device, u32 bytes) {
  static u32 values[1024];
  cudaMemcpy(values, device, bytes, cudaMemcpyDeviceToHost);
  show(name, values, bytes / 4);
}
void follow(cudaStream_t stream, cudaStream_t first, int device) {
  cudaEventRecord(events[device], first);
  cudaStreamWaitEvent(stream, events[device], 0);
}
void waitByEvent(cudaStream_t stream, int device) {
  cudaEventRecord(events[device], stream);
  cudaEventSynchronize(events[device]);
}
void poll(cudaStream_t stream) {
  while (cudaStreamQuery(stream) == cudaErrorNotReady)
    ;
  cudaGetLastError(); // "not ready" is kept as well
}
void waitForDevice(int device) {
  int current = 0;
  cudaGetDevice(&current);
  cudaSetDevice(device);
  cudaDeviceSynchronize();
  cudaSetDevice(current);
}
"""


def generate(seed, dropped=frozenset(), without=()):
    """Returns the program of `seed` without the statements `dropped` and those
    whose sort is in `without`; element 0 are functions that nothing calls."""
    return Source(seed, without).program(dropped)


class Source:
    """A program before it is text."""

    def __init__(self, seed, without=()):
        rng = self.rng = random.Random(f"copies {seed}")
        self.files = rng.randint(2, 4)
        self.isFollowed = rng.random() < FOLLOWED_SHARE
        if self.isFollowed:
            without = UNFOLLOWED.union(without)
        self.devices = 1 if self.isFollowed or \
            rng.random() >= TWO_DEVICES_SHARE else 2
        self.isPerThread = not self.isFollowed and \
            rng.random() < PER_THREAD_SHARE
        world = self.world = World(rng, self.files, self.devices)
        self.kernels = makeKernels(rng, self.files, world.elements,
                                   world.symbols, world.settings)
        self.steps = CudaSteps(rng, world, set(without), self.kernels)
        world.names["scratch"] = [(Memory("scratch", "pageable"), 0)]
        self.functions = []
        self.lasting = [n for n in world.hosts if n.form in ("array", "member")
                        and rng.random() < 0.3]
        self.atSignalBy = rng.randrange(1, 1000)
        self.defaults = ["0"] * 2
        if rng.random() < 0.15:
            self.defaults.append("cudaStreamPerThread")
        if rng.random() < 0.1:
            self.defaults.append("cudaStreamLegacy")
        for number in range(rng.randint(2, 4)):
            self.functions.append(self.helper(number))
        for number in range(rng.randint(2, 4)):
            self.functions.append(self.driver(number))
        self.makeMain()

    # ---- functions ------------------------------------------------------

    def scope(self, file, callees=()):
        world = self.world
        streams = world.streamsOf(0) * 2 + self.defaults
        hosts = self.favourites([n for n in world.hosts
                                 if n.file in (None, file)])
        devices = self.favourites([n for n in world.devices if not n.device])
        return Scope(file, hosts, devices + [n for n in world.devices
                                             if n.device], streams,
                     constants=world.constants, callees=list(callees))

    def favourites(self, names):
        """All of them, some more often."""
        few = self.rng.sample(names, min(2, len(names)))
        return names + few * self.rng.choice([0, 1, 3])

    def helper(self, number):
        """A function that knows its parameters only."""
        rng, room = self.rng, self.world.elements // 2
        function = Function(f"helper{number}", room=room,
                            home=rng.randrange(self.files))
        kinds = rng.choice([["host", "device"]] * 3
                           + [["host", "device", "device"],
                              ["device", "device"], ["host", "host", "device"]])
        names = {"host": [], "device": []}
        for index, kind in enumerate(kinds):
            text = f"{kind[0]}{index}"
            function.parameters.append((kind, text))
            names[kind].append(Name(
                text, room, "device" if kind == "device" else "pageable",
                frozenset({Memory(text, kind)}), "parameter"))
        function.parameters += [("u32", "n"), ("cudaStream_t", "s")]
        scope = Scope(function.home, names["host"], names["device"],
                      ["s", "s", "s", "0"], count="n", isHelper=True,
                      throws=rng.random() < 0.15)
        self.complete(function, scope, rng.randint(2, 6), 1)
        return function

    def driver(self, number):
        function = Function(f"phase{number}", home=self.rng.randrange(
            self.files))
        scope = self.scope(function.home, self.functions)
        scope.throws = self.rng.random() < 0.2
        self.complete(function, scope, self.rng.randint(5, 12), 3)
        return function

    def complete(self, function, scope, count, nesting):
        rng = self.rng
        function.body = self.steps.sequence(scope, count, nesting)
        function.throws, function.cost = scope.throws, scope.cost + 1
        if rng.random() < 0.15:
            function.file = function.home
        elif rng.random() < 0.3:
            function.pointer = function.name + rng.choice(["Pointer",
                                                           "Object->run"])

    # ---- main -----------------------------------------------------------

    def makeMain(self):
        world, steps = self.world, self.steps
        file = self.rng.randrange(self.files)
        scope = self.scope(file, self.functions)
        scope.isMain = True
        self.setup = Function("setup", home=self.rng.randrange(self.files))
        self.setup.body = self.setUp()
        self.ending = Function("tearDown", home=self.rng.randrange(self.files))
        waits = [OnDevice(device, Op(["cudaDeviceSynchronize();"],
                                     kind="device"))
                 for device in range(self.devices)]
        self.ending.body = Sequence(
            waits + list(reversed(world.teardown))
            + [Op([f"cudaEventDestroy({event});" for event in
                   EVENTS[:3 if self.devices == 1 else 4]])])
        rounds = []
        for number in range(self.rng.choice([1, 1, 2])):
            if number and self.rng.random() < 2 * RESET_SHARE:
                rounds.append(steps.op("cudaDeviceReset();", (), "device"))
            scope.cost, scope.recent = 0, []
            rounds += [Call("setup();", self.setup, {}),
                       self.phases(scope),
                       *self.finish(file),
                       Call("tearDown();", self.ending, {})]
        if self.lasting:
            rounds.append(steps.op("", [Effect(n.text, 0, world.bytes, False)
                                        for n in self.lasting]))
        self.main = Function("main", body=Sequence(rounds), home=file)

    def phases(self, scope):
        """Calls most of the functions, among other statements."""
        steps, nodes = self.steps, []
        callees = scope.callees
        for function in self.functions:
            if not self.rng.random() < 0.85:
                continue
            nodes += steps.sequence(scope, self.rng.randint(1, 3), 3).nodes
            scope.callees, scope.handler = [function], "try"
            call = steps.call(scope)
            scope.callees, scope.handler = callees, ""
            if call and function.throws:
                call = Try("try {", Sequence([call]), "} catch (int thrown) {",
                           steps.sequence(scope, 1, 0))
            nodes += [steps.numbered(call)] if call else []
        return Sequence(nodes)

    def setUp(self):
        """Allocates all memory and gives it contents."""
        world, steps = self.world, self.steps
        scope = self.scope(self.setup.home)
        scope.hosts = [n for n in world.hosts
                       if n.file in (None, self.setup.home)]
        nodes = [Op([f"cudaEventCreateWithFlags(&{event}, 2);" for event in
                     EVENTS[:3]])]
        if steps.signalled:
            nodes.append(Op(["signal(SIGUSR1, onSignal);"]))
        if self.devices > 1:
            nodes.append(Op(["cudaSetDevice(1);",
                             f"cudaEventCreateWithFlags(&{EVENTS[3]}, 2);",
                             "cudaSetDevice(0);"]))
        nodes += world.setup
        ready = [n for n in scope.hosts if n.home != "managed"]
        nodes += [steps.contents(scope, n) for n in scope.hosts]
        scope.hosts = ready
        for name in {n.text: n for n in world.devices}.values():
            if name.home == "managed" or name.form in ("", "symbol"):
                continue
            if name.device:
                inner = Scope(0, ready, [name], world.streamsOf(1) + ["0"])
                nodes.append(OnDevice(1, steps.contents(inner, name)))
            else:
                nodes.append(steps.contents(scope, name))
        return Sequence(nodes)

    def finish(self, file):
        """Prints much of what there is."""
        world, steps = self.world, self.steps
        for name in world.hosts:
            if name.file in (None, file) and self.rng.random() < 0.7:
                yield steps.numbered(steps.op(
                    f'show("{name.text}", {name.text}, size);',
                    [Effect(name.text, 0, world.bytes, False)]))
        for name in world.devices:
            if self.rng.random() < 0.7 and name.home != "managed":
                yield steps.numbered(steps.op(
                    f'showDevice("{name.text}", {name.text}, size * 4);',
                    [Effect(name.text, 0, world.bytes, False),
                     Effect("scratch", 0, world.bytes, True)], "copy"))
        yield steps.op('printf("total %08x\\n", total);')

    # ---- text -----------------------------------------------------------

    def program(self, dropped):
        functions = self.functions + [self.setup, self.ending, self.main]
        for function in functions:
            prune(function.body, dropped)
        Order(self.world.names, self.world.streams, self.isPerThread,
              self.devices).order(self.main)
        if 0 in dropped:
            called = self.called(self.main, {})
            functions = [f for f in functions if f.name in called]
        include = '#include "common.h"'
        texts = {f"f{n}.cu": self.file(n, functions)
                 for n in range(self.files)}
        texts["support.cpp"] = ON_HOST.strip().splitlines()
        files = {name: "\n".join([include] + lines) + "\n"
                 for name, lines in texts.items()}
        files["all.cu"] = "\n".join([include] + [
            line for lines in texts.values() for line in lines]) + "\n"
        files["common.h"] = "\n".join(self.header(functions)) + "\n"
        for name in ("prelude.h", "copy_prelude.h"):
            files[name] = (HERE / name).read_text()
        cuda = ["--offload-arch=sm_90", "--cuda-include-ptx=all",
                *PRELUDE_FLAGS, *COMMON_FLAGS]
        if self.isPerThread:
            cuda += ["-DRANDOM_PER_THREAD", "-Xclang",
                     "-fgpu-default-stream=per-thread"]
        environment = {"GPULTO_EMU_DEVICES": "2"} if self.devices > 1 else {}
        return Program(files, self.units(cuda), ["all.cu"], cuda, isCuda=True,
                       elements=self.steps.count, suitsNvcc=False,
                       environment=environment, modes=MODES)

    def units(self, cuda):
        rng = random.Random(self.rng.random())
        usual, units = unitFlags(rng), []
        if self.isFollowed:
            usual[0] = rng.choice(["-O2", "-O2", "-O3"])
        for number in range(self.files):
            flags = usual if rng.random() < 0.7 else unitFlags(rng)
            units.append(Unit(f"f{number}.cu", cuda + flags))
        isNative = not self.isFollowed and rng.random() < 0.3
        flags = [f for f in usual if f != "-fno-fat-lto-objects"]
        units.append(Unit("support.cpp",
                          COMMON_FLAGS + (flags if isNative else usual),
                          native="clang" if isNative else ""))
        return units

    def called(self, function, found):
        """The functions that `function` reaches, by name."""
        if function.name not in found:
            found[function.name] = function
            for node in everyNode(function.body):
                if isinstance(node, Call):
                    self.called(node.function, found)
        return found

    def header(self, functions):
        world, steps = self.world, self.steps
        members = [f"  {m}" for m in world.members]
        lines = ["#pragma once", '#include "copy_prelude.h"',
                 *HELPERS.strip().splitlines(), "struct State {", *members,
                 "};", "extern State state;", "#ifdef RANDOM_CUDA",
                 *[line for line in world.header if line.startswith(
                     ("extern __device__", "extern __constant__"))],
                 *[k.declaration() for k in self.kernels], "#endif",
                 *[line for line in world.header if not line.startswith(
                     ("extern __device__", "extern __constant__"))]]
        if world.tables:
            lines.append(f"extern u32 *pointers[{world.tables}];")
        lines += [f"extern jmp_buf {name};" for name in steps.buffers]
        lines.append("void onSignal(int);")
        for callback in steps.callbacks:
            lines += [f"void {callback.name}(void *);",
                      f"void *{callback.name}Thread(void *);"]
        for function in functions:
            if function.name != "main" and function.file is None:
                lines.append(signature(function) + ";")
            if function.pointer:
                lines += pointerDeclaration(function)
        return lines

    def file(self, number, functions):
        world, steps = self.world, self.steps
        lines = []
        if number == 0:
            lines += ["State state;", "u32 total, turn, failures, heard, "
                      f"arguments, size = {world.elements};",
                      "cudaEvent_t events[2], marks[2];",
                      *WITH_DEVICE.splitlines()]
            if world.tables:
                lines.append(f"u32 *pointers[{world.tables}];")
            lines += [f"jmp_buf {name};" for name in steps.buffers]
            lines += self.atSignal() + self.atExit()
        lines += world.definitions[number]
        for piece in self.kernels + steps.callbacks:
            if piece.home == number:
                lines += piece.text
        for function in functions:
            if function.home == number:
                lines += self.define(function)
        return lines

    def atSignal(self):
        """A handler, which is called where the signal is raised."""
        name = self.steps.signalled
        if not name:
            return []
        return ["void onSignal(int) {", f"  change({name.text} + 1, "
                f"{self.world.elements - 1}, {self.atSignalBy}u);", "}"]

    def atExit(self):
        """Looks at variables when the program ends."""
        if not self.lasting:
            return []
        return ["struct AtExit {", "  ~AtExit() {",
                *[f'    show("{n.text} at exit", {n.text}, size);'
                  for n in self.lasting], "  }", "} atExit;"]

    def define(self, function):
        lines = list(self.render(function.body))
        if function is self.main:
            return ["int main(int argc, char **) {", "  arguments = argc;",
                    *lines,
                    '  printf("%u failures, heard %08x\\n", failures, heard);',
                    "  printError(\"last\", cudaGetLastError());", "}"]
        prefix = "static " if function.file is not None else ""
        lines = [prefix + signature(function) + " {", *lines, "}"]
        if function.pointer:
            lines += pointerDefinition(function)
        return lines

    def render(self, node, indent="  "):
        """The lines of a node."""
        inner = indent + "  "
        if isinstance(node, Op):
            yield from self.lines(node, indent)
        elif isinstance(node, Exit):
            yield from self.lines(node.op, indent)
        elif isinstance(node, Sequence):
            step = inner if node.isBlock else indent
            if node.isBlock:
                yield indent + "{"
            for each in node.nodes:
                yield from self.render(each, step)
            yield from self.lines(node.end, step)
            if node.isBlock:
                yield indent + "}"
        elif isinstance(node, If):
            yield from self.lines(node.reads, indent)
            yield f"{indent}if ({node.condition}) {{"
            yield from self.render(node.then, inner)
            if node.other:
                yield indent + "} else {"
                yield from self.render(node.other, inner)
            yield indent + "}"
        elif isinstance(node, Loop):
            yield indent + node.head
            yield from self.render(node.body, inner)
            yield indent + "}"
        elif isinstance(node, Try):
            yield indent + node.head
            yield from self.render(node.body, inner)
            yield indent + node.middle
            yield from self.render(node.handler, inner)
            yield indent + "}"
        elif isinstance(node, OnDevice):
            yield f"{indent}cudaSetDevice({node.device});"
            yield from self.render(node.body, indent)
            yield f"{indent}cudaSetDevice(0);"
        else:
            yield indent + node.text

    def lines(self, op, indent):
        for role, stream in op.waits:
            yield indent + waitText(op, role, stream, self.world.streams,
                                    self.devices > 1)
        for line in op.text:
            yield indent + line


def everyNode(node):
    """A node and all in it."""
    yield node
    for name in ("nodes", "then", "other", "body", "handler"):
        inner = getattr(node, name, None)
        for each in inner if isinstance(inner, list) else [inner]:
            if each is not None:
                yield from everyNode(each)


def prune(node, dropped):
    """Takes the nodes away whose numbers are in `dropped`."""
    for each in everyNode(node):
        if isinstance(each, Sequence):
            each.nodes = [n for n in each.nodes
                          if not getattr(n, "number", 0)
                          or n.number not in dropped]


def pointerDeclaration(function):
    """What calls a function otherwise than by its name."""
    if function.pointer.endswith("Pointer"):
        return [f"extern void (*{function.pointer})({types(function)});"]
    return [f"struct {function.name}Base {{",
            f"  virtual void run({types(function)}) = 0;", "};",
            f"extern {function.name}Base *{function.name}Object;"]


def pointerDefinition(function):
    name = function.name
    if function.pointer.endswith("Pointer"):
        return [f"void (*{function.pointer})({types(function)}) = {name};"]
    arguments = ", ".join(parameter for _, parameter in function.parameters)
    return [f"static struct : {name}Base {{",
            f"  {signature(function, 'run')} override {{ {name}({arguments}); "
            "}", f"}} {name}Instance;",
            f"{name}Base *{name}Object = &{name}Instance;"]


def types(function):
    return ", ".join(typeOf(kind) for kind, _ in function.parameters)


def typeOf(kind):
    return {"host": "u32 *", "device": "u32 *"}.get(kind, kind)


def signature(function, name=""):
    parameters = ", ".join(f"{typeOf(kind)} {name}"
                           for kind, name in function.parameters)
    return f"void {name or function.name}({parameters})"
