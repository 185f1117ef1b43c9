// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Graphs: captured launches run many times, nodes that are added by hand, and
// nodes whose arguments and geometry change after the graph was made.
#include "../expect.h"
#include "kernels.h"

namespace {
constexpr int kCount = 300, kBlock = 128,
              kGrid = (kCount + kBlock - 1) / kBlock;

/// What the kernels do, on the host.
struct Model {
  std::vector<int> data = std::vector<int>(kCount, 1);
  int sum = 0;
  void step(int count, int factor, int offset) {
    for (int i = 0; i < count; ++i)
      data[i] = data[i] * factor + offset;
  }
  void add(int count) {
    for (int i = 0; i < count; ++i)
      sum += data[i];
  }
};

/// A graph and what runs it.
struct Graph {
  cudaGraph_t graph;
  cudaGraphExec_t executable;
  cudaStream_t stream;
  void run() {
    CHECK(cudaGraphLaunch(executable, stream));
    CHECK(cudaStreamSynchronize(stream));
  }
};

void testCaptured(Expectations &expect, cudaStream_t stream) {
  Model model;
  DeviceArray<int> data(model.data), sum(1);
  Graph graph{nullptr, nullptr, stream};
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  step<<<kGrid, kBlock, 0, stream>>>(data.get(), kCount, 3, 1);
  add<<<1, kBlock, 0, stream>>>(sum.get(), data.get(), kCount);
  step<<<kGrid, kBlock, 0, stream>>>(data.get(), kCount - 7, -1, 4);
  CHECK(cudaStreamEndCapture(stream, &graph.graph));
  CHECK(cudaGraphInstantiate(&graph.executable, graph.graph, 0));
  for (int i = 0; i < 5; ++i) {
    graph.run();
    model.step(kCount, 3, 1);
    model.add(kCount);
    model.step(kCount - 7, -1, 4);
  }
  expect.equal("captured, data", data.read(), model.data);
  expect.equal("captured, sum", sum.read()[0], model.sum);
  CHECK(cudaGraphExecDestroy(graph.executable));
  CHECK(cudaGraphDestroy(graph.graph));
}

void testChanged(Expectations &expect, cudaStream_t stream) {
  Model model;
  DeviceArray<int> data(model.data), other(model.data);
  Graph graph{nullptr, nullptr, stream};
  CHECK(cudaGraphCreate(&graph.graph, 0));
  int *to = data.get(), count = kCount, factor = 2, offset = 5;
  void *arguments[] = {&to, &count, &factor, &offset};
  cudaKernelNodeParams parameters = {};
  parameters.func = reinterpret_cast<void *>(step);
  parameters.gridDim = kGrid;
  parameters.blockDim = kBlock;
  parameters.kernelParams = arguments;
  cudaGraphNode_t node;
  CHECK(cudaGraphAddKernelNode(&node, graph.graph, nullptr, 0, &parameters));
  CHECK(cudaGraphInstantiate(&graph.executable, graph.graph, 0));
  graph.run();
  model.step(kCount, 2, 5);
  expect.equal("added", data.read(), model.data);
  // Fewer threads, other numbers, another array.
  Model changed;
  to = other.get(), count = 100, factor = -7, offset = 11;
  parameters.gridDim = 2;
  parameters.blockDim = 64;
  CHECK(cudaGraphExecKernelNodeSetParams(graph.executable, node, &parameters));
  graph.run();
  changed.step(100, -7, 11);
  expect.equal("changed", other.read(), changed.data);
  expect.equal("not touched", data.read(), model.data);
  cudaKernelNodeParams asked = {};
  CHECK(cudaGraphKernelNodeGetParams(node, &asked));
  expect.equal("geometry of the node", asked.blockDim.x, unsigned(kBlock));
  expect.equal("handle of the node", asked.func == parameters.func, true);
  CHECK(cudaGraphExecDestroy(graph.executable));
  CHECK(cudaGraphDestroy(graph.graph));
}

/// Launches outside of any graph, with numbers of their own.
void testPlain(Expectations &expect) {
  Model model;
  DeviceArray<int> data(model.data);
  step<<<kGrid, kBlock>>>(data.get(), kCount, 13, 2);
  CHECK(cudaGetLastError());
  model.step(kCount, 13, 2);
  expect.equal("plain", data.read(), model.data);
}
} // namespace

int main() {
  Expectations expect;
  cudaStream_t stream;
  CHECK(cudaStreamCreate(&stream));
  testPlain(expect);
  testCaptured(expect, stream);
  testChanged(expect, stream);
  testPlain(expect);
  CHECK(cudaStreamDestroy(stream));
  return expect.finish();
}
