#include "kernels.h"
typedef void (*Writer)(float *);
static __device__ __noinline__ void write(float *p) { *p = 2; }
static __device__ __noinline__ void writeMore(float *p) { *p = 2; p[1] = 3; }
static __device__ Writer writers[] = {write, writeMore};
static __device__ float *kept;
#define BODY(store)                                                            \
  {                                                                            \
    out[0] = in[0];                                                            \
    store;                                                                     \
    out[1] = in[0];                                                            \
  }
__global__ void fine(float *out, const float *in) BODY()
__global__ void byStruct(float *out, const float *in, Wrapped w) BODY(*w.pointer = 2)
__global__ void byInteger(float *out, const float *in, size_t address) BODY(*(float *)address = 2)
__global__ void byTable(float *out, const float *in, float **table) BODY(*table[0] = 2)
__global__ void bySelect(float *out, const float *in, float *other, int which) BODY(*(which ? other : out + 2) = 2)
__global__ void byHelper(float *out, const float *in, float *other) BODY(write(other))
__global__ void byAssembly(float *out, const float *in, float *other) BODY(asm volatile("st.f32 [%0], 0f40000000;" ::"l"(other) : "memory"))
__global__ void byAtomic(float *out, const float *in, float *other) BODY(atomicAdd(other, 1.0f))
__global__ void byPointer(float *out, const float *in, int which, float *other) BODY(writers[which](other))
__global__ void byKept(float *out, float *in) BODY(kept = in; __threadfence(); *kept = 2)
__global__ void byBase(float *out, float *in, Wrapped w) {
  out[0] = w.pointer[0];
  in[0] = 2;
  out[1] = w.pointer[0];
}
__global__ void changed(float *out, float *in, Two two, int which) {
  out[0] = in[0];
  in[0] = 2;
  two.pointers[which] = in;
  out[1] = two.pointers[0][0];
}
