// What is missing says so once, and the program goes on.
// EXPECT: operation not supported
// EXPECT: operation not supported
// EXPECT: done
// EXPECT-ERR: cudaIpcGetMemHandle is not supported
#include <cstdio>
#include <cuda_runtime.h>

int main() {
  cudaIpcMemHandle_t handle;
  for (int i = 0; i < 2; ++i)
    printf("%s\n",
           cudaGetErrorString(cudaIpcGetMemHandle(&handle, nullptr)));
  printf("done\n");
}
