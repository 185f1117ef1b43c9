#include "counted.h"
#include <cooperative_groups.h>
__global__ void pipes(const int *in, int *out) {
  auto block = cooperative_groups::this_thread_block();
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
  __shared__ int buffer[2][64];
  auto pipeline = cuda::make_pipeline(block, &state);
  int sum = 0;
  for (int step = 0; step < 5; ++step) {
    if (step < 4) {
      pipeline.producer_acquire();
      cuda::memcpy_async(block, buffer[step % 2], in + step * 64, sizeof(int) * 64, pipeline);
      pipeline.producer_commit();
    }
    if (step > 0) {
      pipeline.consumer_wait();
      sum += buffer[(step - 1) % 2][63 - threadIdx.x] * step;
      pipeline.consumer_release();
    }
  }
  out[threadIdx.x] = sum;
}
