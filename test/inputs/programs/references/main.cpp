#include "params.h"
#include <cstdio>
#include <cuda_runtime.h>
int main() {
  int *out;
  cudaMalloc(&out, sizeof(int));
  Params params = {7, 8, 9, 0, 0};
  printf("known %d\n", known(out, params));
  printf("scalar %d\n", scalar(out, params));
  Outer outer = {5, {11, 12, 0, 0, 0}};
  printf("member %d\n", member(out, outer));
  Params a = {30, 0, 0, 0, 0}, b = {31, 0, 0, 0, 0}, c = {32, 0, 0, 0, 0};
  Params d = {33, 0, 0, 0, 0}, e = {34, 0, 0, 0, 0};
  printf("written %d\n", written(out, a));
  printf("deep %d\n", deep(out, c));
}
