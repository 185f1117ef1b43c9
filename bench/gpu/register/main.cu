// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Two stubs are registered for one kernel (--gpulto-icf-kernels=register), and
// each works as if it were the only one: launches, attributes, occupancy,
// graphs.
#include "../expect.h"
#include "kernels.h"

Handle volatile handles[2];

namespace {
constexpr int kBlock = 64, kGrid = 3, kCount = kBlock * kGrid;

std::vector<unsigned> multiplesOf(unsigned by) {
  std::vector<unsigned> result;
  for (int i = 0; i < kCount; ++i)
    result.push_back((i + 1) * by);
  return result;
}

void launch(Handle handle, unsigned *data, unsigned by, cudaStream_t stream) {
  void *arguments[] = {&data, &by};
  CHECK(cudaLaunchKernel(handle, kGrid, kBlock, arguments, 0, stream));
}

std::vector<unsigned> runInGraph(Handle handle, unsigned by) {
  DeviceArray<unsigned> data(kCount);
  cudaStream_t stream;
  cudaGraph_t graph;
  cudaGraphExec_t executable;
  CHECK(cudaStreamCreate(&stream));
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  launch(handle, data.get(), by, stream);
  CHECK(cudaStreamEndCapture(stream, &graph));
  CHECK(cudaGraphInstantiate(&executable, graph, 0));
  CHECK(cudaGraphLaunch(executable, stream));
  CHECK(cudaStreamSynchronize(stream));
  CHECK(cudaGraphExecDestroy(executable));
  CHECK(cudaGraphDestroy(graph));
  CHECK(cudaStreamDestroy(stream));
  return data.read();
}
} // namespace

int main() {
  Expectations expect;
  handles[0] = (Handle)scale<int>;
  addUnsigned();
  expect.equal("handles differ", handles[0] != handles[1], true);
  DeviceArray<unsigned> first(kCount), second(kCount);
  // In turn, so that nothing is left over from the other's launch.
  for (unsigned by = 1; by <= 4; ++by) {
    launch(handles[0], first.get(), by, nullptr);
    launch(handles[1], second.get(), 10 * by, nullptr);
    expect.equal("first handle", first.read(), multiplesOf(by));
    expect.equal("second handle", second.read(), multiplesOf(10 * by));
  }
  scale<<<kGrid, kBlock>>>(reinterpret_cast<int *>(first.get()), 7);
  scale<<<kGrid, kBlock>>>(second.get(), 9u);
  CHECK(cudaGetLastError());
  expect.equal("launched by name, int", first.read(), multiplesOf(7));
  expect.equal("launched by name, unsigned", second.read(), multiplesOf(9));
  cudaFuncAttributes attributes[2];
  int blocks[2];
  for (int i = 0; i < 2; ++i) {
    CHECK(cudaFuncGetAttributes(&attributes[i], handles[i]));
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks[i], handles[i],
                                                        kBlock, 0));
    expect.equal("in a graph", runInGraph(handles[i], 5 + i),
                 multiplesOf(5 + i));
  }
  expect.equal("registers", attributes[1].numRegs, attributes[0].numRegs);
  expect.equal("resident blocks", blocks[1], blocks[0]);
  return expect.finish();
}
