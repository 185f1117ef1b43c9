// Streams that do not block, with what else they run: host functions, graphs.
#include "cases.h"

#define COPY_IN_ASYNC(d, h, s) cudaMemcpyAsync(d, h, size, cudaMemcpyHostToDevice, s)
#define COPY_OUT_ASYNC(h, d, s) cudaMemcpyAsync(h, d, size, cudaMemcpyDeviceToHost, s)
#define PINNED(h, first) int *h; cudaMallocHost(&h, size); fill(h, first)
#define FIRST_ASYNC(s) PINNED(h, 1); DEVICE(d); ZEROS(e); cudaDeviceSynchronize(); \
  COPY_IN_ASYNC(d, h, s); add<<<1, n, 0, s>>>(e, d)
#define AGAIN_ASYNC(s) COPY_IN_ASYNC(d, h, s); add<<<1, n, 0, s>>>(e, d); \
  cudaStreamSynchronize(s); show(__func__, e); cudaFreeHost(h); cudaFree(d); cudaFree(e)
cudaStream_t s, t, streams[2];

CASE(afterWait, 4) { // the host stores after it has waited
  FIRST_ASYNC(s);
  cudaStreamSynchronize(s);
  HAZARD(h[1] = 9;)
  AGAIN_ASYNC(s);
}
// CHECK: afterWait: 2 11 34 128
// MAYGO: afterWait: 2 4 34 128

CASE(otherStream, 4) { // a kernel of another stream stores to the target
  FIRST_ASYNC(s);
  cudaStreamSynchronize(s);
  HAZARD(set<<<1, 2, 0, t>>>(d, 9); cudaStreamSynchronize(t);)
  add<<<1, n, 0, s>>>(e, d);
  AGAIN_ASYNC(s);
}
// CHECK: otherStream: 11 13 51 192
// MAYGO: otherStream: 3 6 51 192

CASE(byEvents, 4) { // the same, ordered by events, without a wait of the host
  cudaEvent_t copied, stored;
  cudaEventCreate(&copied);
  cudaEventCreate(&stored);
  FIRST_ASYNC(s);
  cudaEventRecord(copied, s);
  cudaStreamWaitEvent(t, copied, 0);
  HAZARD(set<<<1, 2, 0, t>>>(d, 9);)
  cudaEventRecord(stored, t);
  cudaStreamWaitEvent(s, stored, 0);
  add<<<1, n, 0, s>>>(e, d);
  AGAIN_ASYNC(s);
}
// CHECK: byEvents: 11 13 51 192
// MAYGO: byEvents: 3 6 51 192

CASE(inArray, 4) { // streams of an array, by an index
  FIRST_ASYNC(streams[one]);
  cudaStreamSynchronize(streams[one]);
  HAZARD(set<<<1, 2, 0, streams[1 - one]>>>(d, 9); cudaStreamSynchronize(streams[1 - one]);)
  add<<<1, n, 0, streams[one]>>>(e, d);
  AGAIN_ASYNC(streams[one]);
}
// CHECK: inArray: 11 13 51 192
// MAYGO: inArray: 3 6 51 192

CASE(madeAnew, 5) { // in each round a new stream, perhaps with the same handle
  PINNED(h, 1); DEVICE(d); ZEROS(e);
  cudaDeviceSynchronize();
  for (int i = 0; i < 3; ++i) {
    cudaStream_t mine = s;
    HAZARD(cudaStreamCreateWithFlags(&mine, cudaStreamNonBlocking);)
    COPY_IN_ASYNC(d, h, mine);
    add<<<1, n, 0, mine>>>(e, d);
    HAZARD(set<<<1, 2, 0, mine>>>(d, 9); cudaStreamDestroy(mine); cudaDeviceSynchronize();)
  }
  cudaDeviceSynchronize();
  HAZARD(add<<<1, n>>>(e, d);)
  show(__func__, e);
}
// CHECK: madeAnew: 12 15 68 256
// MAYGO: madeAnew: 3 6 51 192

CASE(hostFunction, 4) { // a host function in the stream stores to the source
  FIRST_ASYNC(s);
  HAZARD(cudaLaunchHostFunc(s, [](void *to) { *(int *)to = 9; }, h + 1);)
  AGAIN_ASYNC(s);
}
// CHECK: hostFunction: 2 11 34 128
// MAYGO: hostFunction: 2 4 34 128

void printFromStream(void *h) { print("hostFunctionReads", (int *)h); }
CASE(hostFunctionReads, 2) { // only a host function reads the target
  ZEROS(d);
  increase<<<1, n>>>(d);
  cudaDeviceSynchronize();
  int *h;
  cudaMallocHost(&h, size);
  COPY_OUT_ASYNC(h, d, s);
  HAZARD(cudaLaunchHostFunc(s, printFromStream, h);)
  cudaStreamSynchronize(s);
  cudaFreeHost(h);
}
// CHECK: hostFunctionReads: 1 1 1 1

CASE(callback, 4) { // a callback stores to the source
  FIRST_ASYNC(s);
  HAZARD(cudaStreamAddCallback(
      s, [](cudaStream_t, cudaError_t, void *to) { *(int *)to = 9; }, h + 1, 0);)
  AGAIN_ASYNC(s);
}
// CHECK: callback: 2 11 34 128
// MAYGO: callback: 2 4 34 128

void printFromCallback(cudaStream_t, cudaError_t, void *h) { print("callbackReads", (int *)h); }
CASE(callbackReads, 1) { // only a callback reads the target
  DEVICE(d);
  set<<<1, n>>>(d, 3);
  cudaDeviceSynchronize();
  int *h;
  cudaMallocHost(&h, size);
  COPY_OUT_ASYNC(h, d, s);
  HAZARD(cudaStreamAddCallback(s, printFromCallback, h, 0);)
  cudaStreamSynchronize(s);
  cudaFreeHost(h);
}
// CHECK: callbackReads: 3 3 3 3

cudaGraphExec_t launchable(cudaStream_t captured) {
  cudaGraph_t graph;
  cudaGraphExec_t executable;
  cudaStreamEndCapture(captured, &graph);
  cudaGraphInstantiate(&executable, graph, 0);
  return executable;
}
CASE(captured, 5) { // a copy that was captured runs in each launch of its graph
  PINNED(h, 1); DEVICE(d); ZEROS(e);
  cudaDeviceSynchronize();
  HAZARD(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);)
  COPY_IN_ASYNC(d, h, s); // nothing is copied here
  add<<<1, n, 0, s>>>(e, d);
  HAZARD(cudaGraphExec_t graph = launchable(s);)
  COPY_IN_ASYNC(d, h, s);
  add<<<1, n, 0, s>>>(e, d);
  cudaStreamSynchronize(s);
  HAZARD(h[1] = 9; cudaGraphLaunch(graph, s); cudaStreamSynchronize(s);
         h[1] = 14; cudaGraphLaunch(graph, s); cudaStreamSynchronize(s);)
  show(__func__, e);
}
// CHECK: captured: 3 25 51 192
// MAYGO: captured: 2 4 34 128

CASE(capturedInRounds, 3) { // two graphs, of which only the second is launched
  PINNED(h, 1); DEVICE(d); ZEROS(e);
  cudaDeviceSynchronize();
  HAZARD(cudaGraphExec_t graph;)
  for (int i = 0; i < 2; ++i) {
    HAZARD(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);)
    COPY_IN_ASYNC(d, h, s);
    add<<<1, n, 0, s>>>(e, d);
    HAZARD(graph = launchable(s);)
  }
  HAZARD(cudaGraphLaunch(graph, s);)
  cudaStreamSynchronize(s);
  show(__func__, e);
}
// CHECK: capturedInRounds: 1 2 17 64
// MAYGO: capturedInRounds: 2 4 34 128

CASE(graphStores, 4) { // a graph's kernel stores to the target
  FIRST_ASYNC(s);
  HAZARD(cudaStreamBeginCapture(t, cudaStreamCaptureModeGlobal);
         set<<<1, 2, 0, t>>>(d, 9);
         cudaGraphLaunch(launchable(t), s);)
  add<<<1, n, 0, s>>>(e, d);
  AGAIN_ASYNC(s);
}
// CHECK: graphStores: 11 13 51 192
// MAYGO: graphStores: 3 6 51 192

int main(int argc, char **) {
  one = argc;
  for (cudaStream_t *stream : {&s, &t, streams, streams + 1})
    cudaStreamCreateWithFlags(stream, cudaStreamNonBlocking);
  afterWait();
  otherStream();
  byEvents();
  inArray();
  madeAnew();
  hostFunction();
  hostFunctionReads();
  callback();
  callbackReads();
  captured();
  capturedInRounds();
  graphStores();
}
