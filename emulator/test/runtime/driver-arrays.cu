// Arrays of the driver API with all kinds of copies, a texture and a surface.
// BUILD: -lcuda
// ONLY: nvcc clang
// EXPECT: 4 x 2, 1 channels, format 0x20
// EXPECT: copied 1 2 3 4 5 6 7 8
// EXPECT: part 6 7
// EXPECT: row 5 6
// EXPECT: texture 3 6.5
// EXPECT: normalized 1
// EXPECT: surface 42
// EXPECT: planar CUDA_ERROR_NOT_SUPPORTED
// EXPECT: outside CUDA_ERROR_INVALID_VALUE
// EXPECT: destroyed CUDA_ERROR_INVALID_HANDLE
// EXPECT-ERR: an array of another format is not supported
#include "driver-common.h"

#include <cuda_runtime.h>

__global__ void sample(cudaTextureObject_t texture, float *p) {
  p[0] = tex2D<float>(texture, 2.5f, 0.5f);
  p[1] = tex2D<float>(texture, 2.0f, 1.5f);
}

__global__ void first(cudaTextureObject_t texture, float *p) {
  p[0] = tex1Dfetch<float>(texture, 0);
}

__global__ void draw(cudaSurfaceObject_t surface) {
  surf2Dwrite(42.0f, surface, 4, 1);
}

static float *p;
static float from[8] = {1, 2, 3, 4, 5, 6, 7, 8}, to[8];
static CUarray array;
static CUDA_ARRAY3D_DESCRIPTOR shape;
static CUDA_MEMCPY3D part;
static CUDA_TEXTURE_DESC sampling;

static void makeArray() {
  CHECK(cudaMalloc(&p, 4096));
  shape.Width = 4;
  shape.Height = 2;
  shape.Format = CU_AD_FORMAT_FLOAT;
  shape.NumChannels = 1;
  shape.Flags = CUDA_ARRAY3D_SURFACE_LDST;
  CHECK(cuArray3DCreate(&array, &shape));
  CUDA_ARRAY_DESCRIPTOR known{};
  CHECK(cuArrayGetDescriptor(&known, array));
  printf("%zu x %zu, %u channels, format 0x%x\n", known.Width, known.Height,
         known.NumChannels, known.Format);
}

static void copyAll() {
  CUDA_MEMCPY2D copy{};
  copy.srcMemoryType = CU_MEMORYTYPE_HOST;
  copy.srcHost = from;
  copy.srcPitch = 16;
  copy.dstMemoryType = CU_MEMORYTYPE_ARRAY;
  copy.dstArray = array;
  copy.WidthInBytes = 16;
  copy.Height = 2;
  CHECK(cuMemcpy2D(&copy));
  copy = {};
  copy.srcMemoryType = CU_MEMORYTYPE_ARRAY;
  copy.srcArray = array;
  copy.dstMemoryType = CU_MEMORYTYPE_UNIFIED;
  copy.dstDevice = (CUdeviceptr)p;
  copy.dstPitch = 16;
  copy.WidthInBytes = 16;
  copy.Height = 2;
  CHECK(cuMemcpy2D(&copy));
  CHECK(cuMemcpyDtoH(to, (CUdeviceptr)p, sizeof(to)));
  printf("copied");
  for (float value : to)
    printf(" %g", value);
  printf("\n");
}

static void copyParts() {
  part.srcMemoryType = CU_MEMORYTYPE_ARRAY;
  part.srcArray = array;
  part.srcXInBytes = 4;
  part.srcY = 1;
  part.dstMemoryType = CU_MEMORYTYPE_HOST;
  part.dstHost = to;
  part.WidthInBytes = 8;
  part.Height = part.Depth = 1;
  CHECK(cuMemcpy3D(&part));
  printf("part %g %g\n", to[0], to[1]);
  float row[2] = {5, 6};
  CHECK(cuMemcpyHtoA(array, 8, row, sizeof(row)));
  CHECK(cuMemcpyAtoH(to, array, 8, sizeof(row)));
  printf("row %g %g\n", to[0], to[1]);
  CHECK(cuMemcpyHtoA(array, 8, from + 2, sizeof(row)));
}

static void sampleArray() {
  CUDA_RESOURCE_DESC resource{};
  resource.resType = CU_RESOURCE_TYPE_ARRAY;
  resource.res.array.hArray = array;
  sampling.addressMode[0] = sampling.addressMode[1] = CU_TR_ADDRESS_MODE_CLAMP;
  sampling.filterMode = CU_TR_FILTER_MODE_LINEAR;
  CUtexObject texture;
  CHECK(cuTexObjectCreate(&texture, &resource, &sampling, nullptr));
  sample<<<1, 1>>>(texture, p);
  CHECK(cudaMemcpy(to, p, 8, cudaMemcpyDefault));
  printf("texture %g %g\n", to[0], to[1]);
  CHECK(cuTexObjectDestroy(texture));
}

static void sampleBytes() {
  // Without CU_TRSF_READ_AS_INTEGER bytes become fractions.
  CUtexObject texture;
  CUDA_RESOURCE_DESC resource{};
  CHECK(cuMemsetD8((CUdeviceptr)p, 255, 16));
  resource.resType = CU_RESOURCE_TYPE_LINEAR;
  resource.res.linear.devPtr = (CUdeviceptr)p;
  resource.res.linear.format = CU_AD_FORMAT_UNSIGNED_INT8;
  resource.res.linear.numChannels = 1;
  resource.res.linear.sizeInBytes = 16;
  sampling.filterMode = CU_TR_FILTER_MODE_POINT;
  CHECK(cuTexObjectCreate(&texture, &resource, &sampling, nullptr));
  first<<<1, 1>>>(texture, p + 8);
  CHECK(cudaMemcpy(to, p + 8, 4, cudaMemcpyDefault));
  printf("normalized %g\n", to[0]);
}

static void drawSurface() {
  CUDA_RESOURCE_DESC resource{};
  resource.resType = CU_RESOURCE_TYPE_ARRAY;
  resource.res.array.hArray = array;
  CUsurfObject surface;
  CHECK(cuSurfObjectCreate(&surface, &resource));
  draw<<<1, 1>>>(surface);
  part.srcXInBytes = 4;
  part.WidthInBytes = 4;
  CHECK(cuMemcpy3D(&part));
  printf("surface %g\n", to[0]);
  CHECK(cuSurfObjectDestroy(surface));
}

static void refuse() {
  CUDA_ARRAY_DESCRIPTOR known{};
  shape.Format = CU_AD_FORMAT_NV12;
  CUarray planar;
  printf("planar %s\n", name(cuArray3DCreate(&planar, &shape)));
  part.srcY = 2;
  printf("outside %s\n", name(cuMemcpy3D(&part)));
  CHECK(cuArrayDestroy(array));
  printf("destroyed %s\n", name(cuArrayGetDescriptor(&known, array)));
}

int main() {
  makeArray();
  copyAll();
  copyParts();
  sampleArray();
  sampleBytes();
  drawSurface();
  refuse();
}
