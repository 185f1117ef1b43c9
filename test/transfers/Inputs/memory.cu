// Other kinds of memory: mapped and managed memory, pools, textures and surfaces.
#include "cases.h"

CASE(mappedStore, 4) { // a kernel stores to memory of the host that is mapped
  int *h, *sameOnDevice;
  cudaHostAlloc(&h, size, cudaHostAllocMapped);
  cudaHostGetDevicePointer(&sameOnDevice, h, 0);
  fill(h, 1);
  DEVICE(d); ZEROS(e);
  COPY_IN(d, h);
  add<<<1, n>>>(e, d);
  HAZARD(set<<<1, 2>>>(sameOnDevice, 9);)
  COPY_IN(d, h);
  add<<<1, n>>>(e, d);
  show(__func__, e);
}
// CHECK: mappedStore: 10 11 34 128
// MAYGO: mappedStore: 2 4 34 128

CASE(mappedRead, 4) { // only a kernel reads the target, which is mapped
  ZEROS(d); ZEROS(e);
  int *h, *sameOnDevice;
  cudaHostAlloc(&h, size, cudaHostAllocMapped);
  cudaHostGetDevicePointer(&sameOnDevice, h, 0);
  increase<<<1, n>>>(d);
  COPY_OUT(h, d);
  HAZARD(add<<<1, n>>>(e, sameOnDevice);)
  show(__func__, e);
}
// CHECK: mappedRead: 1 1 1 1
// MAYGO: mappedRead: 0 0 0 0

CASE(registered, 4) { // a kernel stores to memory that was registered
  HOST(h, 1);
  cudaHostRegister(h, size, cudaHostRegisterMapped);
  int *sameOnDevice;
  cudaHostGetDevicePointer(&sameOnDevice, h, 0);
  DEVICE(d); ZEROS(e);
  COPY_IN(d, h);
  add<<<1, n>>>(e, d);
  HAZARD(set<<<1, 2>>>(sameOnDevice, 9);)
  COPY_IN(d, h);
  add<<<1, n>>>(e, d);
  show(__func__, e);
  cudaHostUnregister(h);
}
// CHECK: registered: 10 11 34 128
// MAYGO: registered: 2 4 34 128

CASE(managedSource, 6) { // a kernel and the host store to managed memory, then a prefetch
  int *h;
  cudaMallocManaged(&h, size);
  fill(h, 1);
  DEVICE(d); ZEROS(e);
  cudaMemcpy(d, h, size, cudaMemcpyDefault);
  add<<<1, n>>>(e, d);
  HAZARD(increase<<<1, 2>>>(h);)
  cudaMemcpy(d, h, size, cudaMemcpyDefault);
  add<<<1, n>>>(e, d);
  cudaDeviceSynchronize();
  HAZARD(h[1] = 9;)
  cudaMemLocation location = {cudaMemLocationTypeDevice, 0};
#if CUDART_VERSION >= 13000
  cudaMemPrefetchAsync(h, size, location, 0, 0);
#else
  cudaMemPrefetchAsync(h, size, location.id, 0);
#endif
  cudaMemcpy(d, h, size, cudaMemcpyDefault);
  add<<<1, n>>>(e, d);
  cudaDeviceSynchronize();
  HAZARD(++h[n - 1];)
  cudaMemcpy(d, h, size, cudaMemcpyDefault);
  add<<<1, n>>>(e, d);
  show(__func__, e);
}
// CHECK: managedSource: 7 23 68 257
// MAYGO: managedSource: 4 8 68 256

CASE(managedTarget, 4) { // the host stores to what was copied to, as memory of its own
  HOST(h, 1); ZEROS(e);
  int *d;
  cudaMallocManaged(&d, size);
  COPY_IN(d, h);
  add<<<1, n>>>(e, d);
  cudaDeviceSynchronize();
  HAZARD(d[1] = 9; add<<<1, n>>>(e, d);)
  OTHERWISE(add<<<1, n>>>(e, d);)
  cudaDeviceSynchronize();
  AGAIN;
}
// CHECK: managedTarget: 3 13 51 192
// MAYGO: managedTarget: 3 6 51 192

CASE(pool, 4) { // memory of a pool is freed and allocated again
  HOST(h, 1); ZEROS(e);
  int *d;
  cudaMallocAsync(&d, size, 0);
  COPY_IN(d, h);
  add<<<1, n>>>(e, d);
  HAZARD(cudaFreeAsync(d, 0); cudaMallocAsync(&d, size, 0);)
  COPY_IN(d, h);
  add<<<1, n>>>(e, d);
  show(__func__, e);
  cudaFreeAsync(d, 0);
}
// CHECK: pool: 2 4 34 128
// MAYGO: pool: 2 4 34 128

__global__ void addTexture(int *to, cudaTextureObject_t texture) {
  to[threadIdx.x] += tex1Dfetch<int>(texture, threadIdx.x);
}
CASE(texture, 3) { // only a texture object reads what was copied
  HOST(h, 1); DEVICE(d); ZEROS(e);
  cudaResourceDesc memory = {};
  memory.resType = cudaResourceTypeLinear;
  memory.res.linear = {d, cudaCreateChannelDesc<int>(), size};
  cudaTextureDesc description = {};
  description.readMode = cudaReadModeElementType;
  cudaTextureObject_t object;
  cudaCreateTextureObject(&object, &memory, &description, nullptr);
  COPY_IN(d, h);
  HAZARD(addTexture<<<1, n>>>(e, object);)
  show(__func__, e);
}
// CHECK: texture: 1 2 17 64
// MAYGO: texture: 0 0 0 0

__global__ void setSurface(cudaSurfaceObject_t surface) {
  surf2Dwrite(9, surface, threadIdx.x * 4, 0);
}
__global__ void addSurface(int *to, cudaSurfaceObject_t surface) {
  to[threadIdx.x] += surf2Dread<int>(surface, threadIdx.x * 4, 0);
}
CASE(surface, 4) { // a kernel stores to an array through a surface object
  HOST(h, 1); ZEROS(e);
  cudaChannelFormatDesc format = cudaCreateChannelDesc<int>();
  cudaResourceDesc memory = {};
  memory.resType = cudaResourceTypeArray;
  cudaMallocArray(&memory.res.array.array, &format, n, 1, cudaArraySurfaceLoadStore);
  cudaSurfaceObject_t object;
  cudaCreateSurfaceObject(&object, &memory);
  cudaMemcpy2DToArray(memory.res.array.array, 0, 0, h, size, size, 1, cudaMemcpyHostToDevice);
  addSurface<<<1, n>>>(e, object);
  HAZARD(setSurface<<<1, 2>>>(object);)
  addSurface<<<1, n>>>(e, object);
  cudaMemcpy2DToArray(memory.res.array.array, 0, 0, h, size, size, 1, cudaMemcpyHostToDevice);
  addSurface<<<1, n>>>(e, object);
  show(__func__, e);
}
// CHECK: surface: 11 13 51 192
// MAYGO: surface: 3 6 51 192

int main(int argc, char **) {
  one = argc;
  mappedStore();
  mappedRead();
  registered();
  managedSource();
  managedTarget();
  pool();
  texture();
  surface();
}
