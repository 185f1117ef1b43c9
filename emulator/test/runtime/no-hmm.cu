// Without --hmm, as on most systems, a kernel must not touch what is not
// registered; the message says what the address is.
// EXPECT: attribute 0
// EXPECT: registered 2
// EXPECT: heap 700
// EXPECT-ERR: write of 4 bytes at .*in memory of the program that is not registered
#include <cstdio>
#include <cstdlib>

static int global = 1;

__global__ void set(int *p) { *p = 2; }

int main() {
  int attribute = -1;
  cudaDeviceGetAttribute(&attribute, cudaDevAttrPageableMemoryAccess, 0);
  printf("attribute %d\n", attribute);
  cudaHostRegister(&global, sizeof(int), cudaHostRegisterDefault);
  set<<<1, 1>>>(&global);
  cudaDeviceSynchronize();
  printf("registered %d\n", global);
  int local = 0;
  set<<<1, 1>>>(&local);
  printf("heap %d\n", cudaDeviceSynchronize());
}
