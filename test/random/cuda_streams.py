"""Features of random programs: streams, events, graphs, a second device.

Work in several streams is in one order by events and waits, or touches memory
of its own, so that every order that the runtime may choose prints the same.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
from cuda_features import BYTES, ITEMS, Feature

COPIES = {"in": "cudaMemcpyHostToDevice", "on": "cudaMemcpyDeviceToDevice",
          "out": "cudaMemcpyDeviceToHost"}


class Streams(Feature):
    """Lanes of asynchronous work, each with buffers of its own, that go from
    stream to stream by events."""

    def make(self):
        rng = self.rng
        starts = [self.launcher() for _ in range(rng.randint(1, 2))]
        streams, lines = [], []
        for _ in range(rng.randint(2, 3)):
            name = self.fresh("stream")
            streams.append(name)
            flag = rng.choice([0, 1])  # 1: not in order with the NULL stream
            lines += [f"cudaStream_t {name};",
                      f"cudaStreamCreateWithFlags(&{name}, {flag});"]
        lanes = []
        for _ in range(2):
            names, made = self.buffers(2)
            lines += made
            kept = self.fresh("kept")
            lines.append(f"static u32 {kept}[{ITEMS}] = "
                         f"{{{self.host.constant()}u, 2, 3}};")
            lanes.append([rng.choice(streams), names, kept])
        # What filled the buffers went through the NULL stream.
        lines.append("cudaDeviceSynchronize();")
        for _ in range(rng.randint(4, 8)):
            lane = rng.choice(lanes)
            if self.chance(0.4):
                lines += self.move(lane, rng.choice(streams))
            lines.append(self.optional(self.work(starts, lane)))
        for stream in streams:
            lines.append(f"cudaStreamSynchronize({stream});")
        for _, names, kept in lanes:
            lines += self.show(*names)
            lines.append(self.showValue(f"{kept}[1] ^ {kept}[9]"))
        return lines + [f"cudaStreamDestroy({s});" for s in streams]

    def move(self, lane, stream):
        """The lane's work goes on in `stream`, after what was before."""
        before, lane[0] = lane[0], stream
        if self.chance(0.3):
            return [f"cudaStreamSynchronize({before});"]
        event = self.fresh("event")
        return [f"cudaEvent_t {event};",
                f"cudaEventCreateWithFlags(&{event}, 2);",
                f"cudaEventRecord({event}, {before});",
                f"cudaStreamWaitEvent({stream}, {event}, 0);"]

    def work(self, starts, lane):
        stream, names, kept = lane
        a, b = self.rng.sample(names, 2)
        form = self.rng.randrange(6)
        if form < 3:
            start, kernel = self.rng.choice(starts)
            source = a if not kernel.gathers and self.chance(0.5) else b
            return (f"{start}({a}, {source}, {self.scalarArguments()}, "
                    f"{stream});")
        if form == 3:
            return (f"cudaMemsetAsync({a}, {self.rng.choice([0, 1, 255])}, "
                    f"{BYTES // 2}, {stream});")
        copy = self.rng.choice(list(COPIES))
        to, source = {"in": (a, kept), "on": (a, b), "out": (kept, a)}[copy]
        return (f"cudaMemcpyAsync({to}, {source}, "
                f"{self.rng.choice([BYTES, 32])}, {COPIES[copy]}, {stream});")


class Graphs(Feature):
    """Graphs that are captured or made by hand, and whose nodes change."""

    def make(self):
        rng = self.rng
        names, lines = self.buffers(3)
        stream, graph, run = (self.fresh(stem) for stem in
                              ("stream", "graph", "run"))
        lines += [f"cudaStream_t {stream};",
                  f"cudaStreamCreateWithFlags(&{stream}, "
                  f"{rng.choice([0, 1])});",
                  f"cudaGraph_t {graph}; cudaGraphExec_t {run};",
                  "cudaDeviceSynchronize();"]
        isCaptured = self.chance(0.5)
        if isCaptured:
            lines += self.capture(names, stream, graph)
        else:
            lines += self.byHand(names, graph)
        lines += [f"cudaGraphInstantiate(&{run}, {graph}, 0);",
                  f"cudaGraphLaunch({run}, {stream});"]
        if self.chance(0.6):
            lines.append(self.optional("{", self.update(names, graph, run)))
        for _ in range(rng.randint(1, 2)):
            lines.append(self.optional(f"cudaGraphLaunch({run}, {stream});"))
        lines += [f"cudaStreamSynchronize({stream});",
                  f"cudaGraphExecDestroy({run});"]
        return lines + self.show(*names)

    def capture(self, names, stream, graph):
        lines = [f"cudaStreamBeginCapture({stream}, (cudaStreamCaptureMode)"
                 f"{self.rng.randrange(3)});"]
        for number in range(self.rng.randint(1, 3)):
            start, kernel = self.launcher()
            out, source = self.rng.sample(names, 2)
            launch = (f"{start}({out}, {source}, {self.scalarArguments()}, "
                      f"{stream});")
            lines.append(self.optional(launch) if number else launch)
        if self.chance(0.3):
            a, b = self.rng.sample(names, 2)
            lines.append(self.optional(
                f"cudaMemcpyAsync({a}, {b}, 64, cudaMemcpyDeviceToDevice, "
                f"{stream});"))
        return lines + [f"cudaStreamEndCapture({stream}, &{graph});"]

    def byHand(self, names, graph):
        lines = [f"cudaGraphCreate(&{graph}, 0);"]
        before = None
        for _ in range(self.rng.randint(1, 3)):
            kernel = self.mapKernel(file=0)
            node = self.fresh("node")
            after = f"&{before}, 1" if before else "nullptr, 0"
            lines += [f"cudaGraphNode_t {node};"]
            lines += self.parameters(node, f"(void *){kernel.name}", names)
            lines += [f"cudaGraphAddKernelNode(&{node}, {graph}, {after}, "
                      f"&{node}_p);"]
            before = node
        return lines

    def parameters(self, node, kernel, names):
        """Declares what a kernel node gets."""
        out, source = self.rng.sample(names, 2)
        a, b, n = (f"{node}_{x}" for x in "abn")
        values = self.scalarArguments()
        return [f"u32 *{node}_out = {out}; const u32 *{node}_in = {source};",
                f"struct {{ u32 a; i64 b; i32 n; }} {node}_s = {{{values}}};",
                f"void *{node}_args[] = {{&{node}_out, &{node}_in, "
                f"&{node}_s.a, &{node}_s.b, &{node}_s.n}};",
                f"cudaKernelNodeParams {node}_p = {{}};",
                f"{node}_p.func = {kernel};",
                f"{node}_p.gridDim = dim3({self.rng.choice([1, 2])});",
                f"{node}_p.blockDim = dim3(32);",
                f"{node}_p.kernelParams = {node}_args;"]

    def update(self, names, graph, run):
        """Gives the first node other arguments."""
        node = self.fresh("node")
        lines = [f"cudaGraphNode_t {node}; size_t {node}_count = 1;",
                 f"cudaKernelNodeParams {node}_was;",
                 f"cudaGraphGetNodes({graph}, &{node}, &{node}_count);",
                 f"cudaGraphKernelNodeGetParams({node}, &{node}_was);"]
        lines += self.parameters(node, f"{node}_was.func", names)
        if self.chance(0.3):
            lines.append(f"{node}_p.gridDim = {node}_was.gridDim;")
        for slot in range(5):
            if self.chance(0.25):
                # Unless that makes the kernel read what it writes.
                if slot > 1:
                    lines.append(f"{node}_args[{slot}] = "
                                 f"{node}_was.kernelParams[{slot}];")
        return lines + [f"cudaGraphExecKernelNodeSetParams({run}, {node}, "
                        f"&{node}_p);"]


class Devices(Feature):
    """A second device, where the run has one."""
    share = 0.1

    def make(self):
        self.environment = {"GPULTO_EMU_DEVICES": "2"}
        start, kernel = self.launcher()
        (first, second), lines = self.buffers(2)
        count, other, third = (self.fresh(s) for s in ("count", "buf", "buf"))
        launch = f"{start}({{}}, {{}}, {self.scalarArguments()}, nullptr);"
        onSecond = [
            "cudaSetDevice(1);",
            f"u32 *{other}, *{third};",
            f"cudaMalloc((void **)&{other}, {BYTES});",
            f"cudaMalloc((void **)&{third}, {BYTES});",
            f"fill({other}, {BYTES}, {self.host.constant()}u);",
            f"fill({third}, {BYTES}, 9);",
            self.optional(launch.format(other, third)),
            "cudaDeviceSynchronize();",
            self.optional(f"cudaMemcpyPeer({second}, 0, {other}, 1, "
                          f"{self.rng.choice([BYTES, 64])});"),
            *self.show(other), "cudaSetDevice(0);"]
        lines += [f"int {count} = 0;", f"cudaGetDeviceCount(&{count});",
                  self.optional(launch.format(first, second)),
                  "cudaDeviceSynchronize();", f"if ({count} == 2) {{"]
        lines += onSecond + ["}"]
        lines.append(self.optional(launch.format(first, second)))
        return lines + self.show(first, second)
