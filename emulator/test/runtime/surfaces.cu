// Surface objects: loads and stores of all widths, what lies outside, layers,
// and a surface and a texture of one array.
// EXPECT: 2d 8 16 32 64 128 bits: 0 wrong
// EXPECT: zero: 0 0, clamp: 4 27
// EXPECT: stored outside: 7 of 7 dropped, 1 clamped
// EXPECT: 1d 0, 3d 0, 1d layers 0, 2d layers 0 wrong
// EXPECT: texture of what was stored: 0 wrong
// EXPECT: array without the flag: invalid argument
// EXPECT: linear memory: invalid argument
// EXPECT: described: same array
// EXPECT: trap: an illegal memory access was encountered
// EXPECT-ERR: byte 32, row 1, slice 0 is outside of the surface
// EXPECT-ERR: 32 bytes, 4 rows and 1 slices: suld.b.2d.b32.trap
//
// clang has neither surfaces nor managed variables.
// ONLY: nvcc nvcc-rdc
#include <cstdio>
#include <cstring>
#include <cuda_runtime.h>

using Surface = cudaSurfaceObject_t;

__managed__ int wrong, seen[4];

template <class T> __device__ T make(int n) {
  T value;
  for (unsigned k = 0; k < sizeof(T); ++k)
    reinterpret_cast<unsigned char *>(&value)[k] = n * 17 + k * 3 + 1;
  return value;
}
template <class T> __device__ bool isMade(T value, int n) {
  T want = make<T>(n);
  for (unsigned k = 0; k < sizeof(T); ++k)
    if (reinterpret_cast<unsigned char *>(&value)[k] !=
        reinterpret_cast<unsigned char *>(&want)[k])
      return false;
  return true;
}

template <class T> __global__ void write2D(Surface s) {
  surf2Dwrite(make<T>(threadIdx.y * 8 + threadIdx.x), s,
              threadIdx.x * int(sizeof(T)), threadIdx.y);
}
template <class T> __global__ void check2D(Surface s) {
  T v = surf2Dread<T>(s, threadIdx.x * int(sizeof(T)), threadIdx.y);
  if (!isMade(v, threadIdx.y * 8 + threadIdx.x))
    atomicAdd(&wrong, 1);
}

__global__ void outside(Surface s) {
  seen[0] = surf2Dread<int>(s, -4, 1, cudaBoundaryModeZero);
  seen[1] = surf2Dread<int>(s, 8, 4, cudaBoundaryModeZero);
  seen[2] = surf2Dread<int>(s, 16, -7, cudaBoundaryModeClamp);
  seen[3] = surf2Dread<int>(s, 12, 100, cudaBoundaryModeClamp);
  int x = threadIdx.x;
  if (x < 7)
    surf2Dwrite(-1, s, x < 3 ? -4 - 4 * x : 32 + 4 * x, x % 4,
                cudaBoundaryModeZero);
  else if (x == 7)
    surf2Dwrite(1000, s, 1000, 1000, cudaBoundaryModeClamp);
}
__global__ void trap(Surface s) { seen[0] = surf2Dread<int>(s, 32, 1); }

__global__ void writeOthers(Surface s1, Surface s3, Surface l1, Surface l2) {
  int x = threadIdx.x, y = threadIdx.y, z = threadIdx.z;
  int n = (z * 4 + y) * 4 + x;
  if (y == 0 && z == 0)
    surf1Dwrite(make<float>(n), s1, x * 4);
  surf3Dwrite(make<float2>(n), s3, x * 8, y, z);
  if (y == 0)
    surf1DLayeredwrite(make<short>(n), l1, x * 2, z);
  surf2DLayeredwrite(make<uchar4>(n), l2, x * 4, y, z);
}
__global__ void checkOthers(Surface s1, Surface s3, Surface l1, Surface l2) {
  int x = threadIdx.x, y = threadIdx.y, z = threadIdx.z;
  int n = (z * 4 + y) * 4 + x;
  if (y == 0 && z == 0 && !isMade(surf1Dread<float>(s1, x * 4), n))
    atomicAdd(&seen[0], 1);
  if (!isMade(surf3Dread<float2>(s3, x * 8, y, z), n))
    atomicAdd(&seen[1], 1);
  if (y == 0 && !isMade(surf1DLayeredread<short>(l1, x * 2, z), n))
    atomicAdd(&seen[2], 1);
  if (!isMade(surf2DLayeredread<uchar4>(l2, x * 4, y, z), n))
    atomicAdd(&seen[3], 1);
}
__global__ void checkTexture(cudaTextureObject_t t) {
  int x = threadIdx.x, y = threadIdx.y;
  if (!isMade(tex2D<uchar4>(t, x, y), y * 8 + x))
    atomicAdd(&wrong, 1);
}

static cudaResourceDesc ofArray(cudaArray_t array) {
  cudaResourceDesc r = {};
  r.resType = cudaResourceTypeArray;
  r.res.array.array = array;
  return r;
}
template <class T>
static cudaArray_t allocate(int x, int y, int z, unsigned flags = 0) {
  cudaChannelFormatDesc format = cudaCreateChannelDesc<T>();
  cudaArray_t array;
  cudaMalloc3DArray(&array, &format, make_cudaExtent(x, y, z),
                    cudaArraySurfaceLoadStore | flags);
  return array;
}
static Surface create(cudaArray_t array) {
  cudaResourceDesc r = ofArray(array);
  Surface s = 0;
  if (cudaError_t error = cudaCreateSurfaceObject(&s, &r))
    printf("cudaCreateSurfaceObject: %s\n", cudaGetErrorString(error));
  return s;
}

template <class T> static Surface roundTrip(cudaArray_t array) {
  Surface s = create(array);
  write2D<T><<<1, dim3(8, 4)>>>(s);
  check2D<T><<<1, dim3(8, 4)>>>(s);
  cudaDeviceSynchronize();
  return s;
}

static void boundaries() {
  int host[4][8];
  for (int i = 0; i < 32; ++i)
    host[0][i] = i;
  cudaArray_t array = allocate<int>(8, 4, 0);
  cudaMemcpy2DToArray(array, 0, 0, host, 32, 32, 4, cudaMemcpyHostToDevice);
  Surface s = create(array);
  outside<<<1, 8>>>(s);
  cudaDeviceSynchronize();
  printf("zero: %d %d, clamp: %d %d\n", seen[0], seen[1], seen[2], seen[3]);
  int back[4][8], same = 0;
  cudaMemcpy2DFromArray(back, 32, array, 0, 0, 32, 4, cudaMemcpyDeviceToHost);
  for (int i = 0; i < 32; ++i)
    same += back[0][i] == host[0][i];
  printf("stored outside: %d of 7 dropped, %d clamped\n", same == 31 ? 7 : 0,
         back[3][7] == 1000);
}

int main() {
  cudaArray_t bytes = allocate<uchar4>(8, 4, 0);
  roundTrip<unsigned char>(allocate<unsigned char>(8, 4, 0));
  roundTrip<short>(allocate<short>(8, 4, 0));
  roundTrip<float>(allocate<float>(8, 4, 0));
  roundTrip<ushort4>(allocate<ushort4>(8, 4, 0));
  roundTrip<float4>(allocate<float4>(8, 4, 0));
  Surface s = roundTrip<uchar4>(bytes);
  printf("2d 8 16 32 64 128 bits: %d wrong\n", wrong);
  boundaries();
  Surface others[4] = {create(allocate<float>(4, 0, 0)),
                       create(allocate<float2>(4, 4, 4)),
                       create(allocate<short>(4, 0, 4, cudaArrayLayered)),
                       create(allocate<uchar4>(4, 4, 4, cudaArrayLayered))};
  memset(seen, 0, sizeof(seen));
  writeOthers<<<1, dim3(4, 4, 4)>>>(others[0], others[1], others[2], others[3]);
  checkOthers<<<1, dim3(4, 4, 4)>>>(others[0], others[1], others[2], others[3]);
  cudaDeviceSynchronize();
  printf("1d %d, 3d %d, 1d layers %d, 2d layers %d wrong\n", seen[0], seen[1],
         seen[2], seen[3]);
  cudaResourceDesc r = ofArray(bytes);
  cudaTextureDesc d = {};
  cudaTextureObject_t t;
  cudaCreateTextureObject(&t, &r, &d, nullptr);
  wrong = 0;
  checkTexture<<<1, dim3(8, 4)>>>(t);
  cudaDeviceSynchronize();
  printf("texture of what was stored: %d wrong\n", wrong);
  cudaChannelFormatDesc format = cudaCreateChannelDesc<int>();
  cudaArray_t plain;
  Surface none;
  cudaMallocArray(&plain, &format, 4, 4);
  r = ofArray(plain);
  printf("array without the flag: %s\n",
         cudaGetErrorString(cudaCreateSurfaceObject(&none, &r)));
  r.resType = cudaResourceTypeLinear;
  printf("linear memory: %s\n",
         cudaGetErrorString(cudaCreateSurfaceObject(&none, &r)));
  cudaGetSurfaceObjectResourceDesc(&r, s);
  printf("described: %s array\n",
         r.res.array.array == bytes ? "same" : "another");
  cudaDestroySurfaceObject(s);
  trap<<<1, 1>>>(create(bytes));
  printf("trap: %s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
