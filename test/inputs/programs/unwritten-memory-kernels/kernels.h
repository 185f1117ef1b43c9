#pragma once
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#define CHECK(call)                                                            \
  do {                                                                         \
    cudaError_t status = call;                                                 \
    if (status != cudaSuccess) {                                               \
      printf("%s: %s\n", #call, cudaGetErrorString(status));                  \
      exit(1);                                                                 \
    }                                                                          \
  } while (0)
struct Wrapped { float *pointer; };
struct Two { float *pointers[2]; };
__global__ void fine(float *out, const float *in);
__global__ void byStruct(float *out, const float *in, Wrapped w);
__global__ void byInteger(float *out, const float *in, size_t address);
__global__ void byTable(float *out, const float *in, float **table);
__global__ void bySelect(float *out, const float *in, float *other, int which);
__global__ void byHelper(float *out, const float *in, float *other);
__global__ void byAssembly(float *out, const float *in, float *other);
__global__ void byAtomic(float *out, const float *in, float *other);
__global__ void byPointer(float *out, const float *in, int which, float *other);
__global__ void byKept(float *out, float *in);
__global__ void byBase(float *out, float *in, Wrapped w);
__global__ void changed(float *out, float *in, Two two, int which);
