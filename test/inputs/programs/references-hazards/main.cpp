#include "params.h"
#include <cstdio>
#include <cuda_runtime.h>
int main() {
  int *out;
  cudaMalloc(&out, sizeof(int));
  Params a = {30, 0, 0, 0, 0}, b = {31, 0, 0, 0, 0};
  Params d = {33, 0, 0, 0, 0}, e = {34, 0, 0, 0, 0};
  printf("kept %d\n", kept(out, b));
  printf("unseen %d\n", unseen(out, d));
  printf("twice %d\n", twice(out, e, e));
  Params f = {36, 0, 0, 0, 0};
  int first = differs(out, f);
  f.a = 37;
  printf("differs %d %d\n", first, differs(out, f));
}
