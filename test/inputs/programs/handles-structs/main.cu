#include "all.h"
#define DEFINE(name, value) __global__ void name(float *p, int n) { *p = value + n; }
NAMES(DEFINE)
static const Op own[2] = {{north, 8}, {south, 4}};
static const Op bytes[2] = {{asBytes, 1}, {asBytes, 2}};
#include "to_driver.h"
static float show(float *data) {
  float host;
  cudaMemcpy(&host, data, 4, cudaMemcpyDeviceToHost);
  return host;
}
int main() {
  float *data, shown[2];
  volatile int zero = 0;
  cudaMalloc(&data, 256);
  int blocks[2], sum = 0;
  for (int i = 0; i < 2; ++i) {
    const Op &op = ops[i + zero];
    op.kernel<<<1, op.block>>>(data, 5);
    shown[i] = show(data);
    blocks[i] = op.block;
  }
  printf("foreign %g %g %d %d\n", shown[0], shown[1], blocks[0], blocks[1]);
  for (int i = 0; i < 2; ++i) {
    const Op &op = own[i + zero];
    op.kernel<<<1, op.block>>>(data, 6);
    shown[i] = show(data);
    sum += op.block;
  }
  printf("own %g %g %d\n", shown[0], shown[1], sum);
  enter(zero, first, 1);
  enter(zero + 1, second, 2);
  sum = 0;
  for (int i = 0; i < 2; ++i) {
    registry[i + zero].kernel<<<1, registry[i + zero].block>>>(data, 7);
    shown[i] = show(data);
    sum += registry[i + zero].block;
  }
  printf("registry %g %g %d\n", shown[0], shown[1], sum);
  Word word;
  word.bits = words[zero].bits ^ zero;
  word.kernel<<<1, 1>>>(data, 8);
  shown[0] = show(data);
  unsigned char copy[8];
  for (int i = 0; i < 8; ++i)
    copy[i] = ((const unsigned char *)bytes)[i + 16 * zero] ^ zero;
  memcpy(&word, copy, 8);
  word.kernel<<<1, 1>>>(data, 8);
  printf("bits %g %g\n", shown[0], show(data));
  fill(zero, written);
  word.bits = slots[zero].bits ^ zero;
  word.kernel<<<1, 1>>>(data, 8);
  printf("written %g\n", show(data));
  names[zero].kernel<<<1, 1>>>(data, 8);
  printf("named %g %s\n", show(data), names[zero].name);
}
