// Texture objects over arrays, pitched and linear memory, compared with what
// the formulas of the CUDA C++ Programming Guide ("Texture Fetching") give.
// EXPECT: 2d float: 16 modes, 0 wrong
// EXPECT: fraction: 1.00000 1.00000 1.00391 1.00391
// EXPECT: border: -3.0 2.0 -0.5
// EXPECT: 1d: 0 wrong, 2d array of one row: 0 wrong
// EXPECT: 3d: 0 wrong
// EXPECT: layers: 0 wrong
// EXPECT: linear memory: 0 wrong, outside (0, 0)
// EXPECT: uchar4: 0 wrong, short normalized: 0 wrong, half: 0 wrong
// EXPECT: level, gradient, residency: 0 wrong
// EXPECT: gather: 0 wrong
// EXPECT: described: 8 bytes a row, border -3, no view: invalid argument
// EXPECT: integers filtered: linear filtering not supported for non-float type
// EXPECT: misaligned: invalid argument
// EXPECT: three channels: invalid channel descriptor
// EXPECT: cube map: operation not supported
// EXPECT: destroyed: no error, again: invalid argument
// EXPECT: used after: an illegal memory access was encountered
// EXPECT-ERR: a texture or surface of a cube map is not supported
// EXPECT-ERR: handle [0-9]+ is not one of a texture object
#include <cmath>
#include <cstdio>
#include <cstring>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <vector>

using Texture = cudaTextureObject_t;

/// Coordinates that a kernel reads at, and what it read.
constexpr int kCount = 400;
struct Points {
  float x[kCount], y[kCount], z[kCount];
  float4 result[kCount];
};
static Points *io; // In managed memory.

__device__ float4 widen(float v) { return make_float4(v, 0, 0, 0); }
__device__ float4 widen(int v) { return widen(float(v)); }
__device__ float4 widen(float4 v) { return v; }
__device__ float4 widen(int2 v) { return make_float4(v.x, v.y, 0, 0); }
__device__ float4 widen(uchar4 v) { return make_float4(v.x, v.y, v.z, v.w); }

__device__ int self() { return blockIdx.x * blockDim.x + threadIdx.x; }

template <class T> __global__ void read1D(Points *io, Texture t) {
  int i = self();
  if (i < kCount)
    io->result[i] = widen(tex1D<T>(t, io->x[i]));
}
template <class T> __global__ void read2D(Points *io, Texture t) {
  int i = self();
  if (i < kCount)
    io->result[i] = widen(tex2D<T>(t, io->x[i], io->y[i]));
}
__global__ void read3D(Points *io, Texture t) {
  int i = self();
  if (i < kCount)
    io->result[i] = widen(tex3D<float>(t, io->x[i], io->y[i], io->z[i]));
}
__global__ void readLayers(Points *io, Texture t1, Texture t2) {
  int i = self(), layer = int(io->z[i % kCount]);
  if (i < kCount)
    io->result[i] =
        make_float4(tex1DLayered<float>(t1, io->x[i], layer),
                    tex2DLayered<float>(t2, io->x[i], io->y[i], layer), 0, 0);
}
__global__ void fetch(Points *io, Texture t, int first) {
  int i = self();
  if (i < kCount)
    io->result[i] = widen(tex1Dfetch<int2>(t, i + first));
}
__global__ void readVariants(Points *io, Texture t) {
  int i = self();
  if (i >= kCount)
    return;
  float x = io->x[i], y = io->y[i];
  bool isResident = false;
  float2 d = make_float2(0.25f, 0.5f);
  io->result[i] = make_float4(tex2DLod<float>(t, x, y, 1.5f),
                              tex2DGrad<float>(t, x, y, d, d),
                              tex2D<float>(t, x, y, &isResident), isResident);
}
__global__ void gather(Points *io, Texture t) {
  int i = self();
  if (i < kCount)
    io->result[i] = tex2Dgather<float4>(t, io->x[i], io->y[i], 1);
}

static void start(void (*kernel)(Points *, Texture), Texture t) {
  kernel<<<(kCount + 127) / 128, 128>>>(io, t);
  cudaDeviceSynchronize();
}

/// An index brought into 0..n-1 by counting; -1: border.
static int inside(int i, int n, cudaTextureAddressMode mode) {
  if (mode == cudaAddressModeWrap) {
    while (i < 0)
      i += n;
    while (i >= n)
      i -= n;
  } else if (mode == cudaAddressModeMirror) {
    while (i < 0 || i >= n)
      i = i < 0 ? -1 - i : 2 * n - 1 - i;
  } else if (mode == cudaAddressModeClamp) {
    i = i < 0 ? 0 : i >= n ? n - 1 : i;
  }
  return i < 0 || i >= n ? -1 : i;
}

/// The texture that expected() is computed for.
struct Model {
  int width = 1, height = 1, depth = 1;
  std::vector<float> data;
  cudaTextureAddressMode mode = cudaAddressModeClamp;
  bool isNormalized = false, isLinear = false;
  float border = 0;

  float at(int x, int y, int z) const {
    x = inside(x, width, mode), y = inside(y, height, mode);
    z = inside(z, depth, mode);
    return x < 0 || y < 0 || z < 0 ? border
                                   : data[(z * height + y) * width + x];
  }
  /// A normalized coordinate folded back at 0 and 1.
  float folded(float x) const {
    while (mode == cudaAddressModeMirror && (x < 0 || x > 1))
      x = x < 0 ? -x : 2 - x;
    return x;
  }
  float expected(float x, float y, float z) const {
    if (isNormalized)
      x = folded(x), y = folded(y), z = folded(z);
    if (height == 1) // An axis that is not there.
      y = 0.5f;
    if (depth == 1)
      z = 0.5f;
    if (isNormalized)
      x *= width, y *= height, z *= depth;
    if (!isLinear)
      return at(int(floorf(x)), int(floorf(y)), int(floorf(z)));
    x -= 0.5f, y -= 0.5f, z -= 0.5f;
    int i = int(floorf(x)), j = int(floorf(y)), k = int(floorf(z));
    double a = x - i, b = y - j, c = z - k, sum = 0;
    for (int n = 0; n < 8; ++n) {
      double w =
          (n & 1 ? a : 1 - a) * (n & 2 ? b : 1 - b) * (n & 4 ? c : 1 - c);
      if (w != 0)
        sum += w * at(i + (n & 1), j + (n >> 1 & 1), k + (n >> 2));
    }
    return float(sum);
  }
  int wrong() const {
    int count = 0;
    for (int i = 0; i < kCount; ++i)
      count += io->result[i].x != expected(io->x[i], io->y[i], io->z[i]);
    return count;
  }
};

/// Coordinates all around an image of that size, in 64ths of an element.
static void spread(float width, float height, float depth) {
  unsigned state = 7;
  auto next = [&](float size) {
    state = state * 1664525u + 1013904223u;
    int steps = int(size * 64) * 4;
    return (int(state >> 8) % steps - steps / 2 + steps / 8) / 64.0f;
  };
  for (int i = 0; i < kCount; ++i) {
    io->x[i] = next(width);
    io->y[i] = next(height);
    io->z[i] = next(depth);
  }
}

static std::vector<float> numbers(int n) {
  std::vector<float> v(n);
  for (int i = 0; i < n; ++i)
    v[i] = float(i * 37 % 101 - 40);
  return v;
}

static cudaResourceDesc ofArray(cudaArray_t array) {
  cudaResourceDesc r = {};
  r.resType = cudaResourceTypeArray;
  r.res.array.array = array;
  return r;
}
static cudaTextureDesc sampling(const Model &m) {
  cudaTextureDesc t = {};
  for (auto &mode : t.addressMode)
    mode = m.mode;
  t.filterMode = m.isLinear ? cudaFilterModeLinear : cudaFilterModePoint;
  t.normalizedCoords = m.isNormalized;
  t.borderColor[0] = m.border;
  return t;
}
static Texture make(const cudaResourceDesc &r, const cudaTextureDesc &t) {
  Texture texture = 0;
  if (cudaError_t error = cudaCreateTextureObject(&texture, &r, &t, nullptr))
    printf("cudaCreateTextureObject: %s\n", cudaGetErrorString(error));
  return texture;
}

/// An array with the model's data; height, depth 0: of fewer dimensions.
template <class T>
static cudaArray_t fill(int width, int height, int depth, const T *data,
                        unsigned flags = 0) {
  cudaChannelFormatDesc format = cudaCreateChannelDesc<T>();
  cudaArray_t array;
  cudaMalloc3DArray(&array, &format, make_cudaExtent(width, height, depth),
                    flags);
  cudaMemcpy3DParms p = {};
  p.srcPtr = make_cudaPitchedPtr(const_cast<T *>(data), width * sizeof(T),
                                 width, height ? height : 1);
  p.dstArray = array;
  p.extent = make_cudaExtent(width, height ? height : 1, depth ? depth : 1);
  p.kind = cudaMemcpyHostToDevice;
  cudaMemcpy3D(&p);
  return array;
}

static void twoDimensions() {
  Model m;
  m.width = 8, m.height = 4;
  m.data = numbers(32);
  m.border = -3;
  cudaArray_t array = fill(8, 4, 0, m.data.data());
  int wrong = 0, modes = 0;
  for (int mode = 0; mode < 4; ++mode)
    for (int bits = 0; bits < 4; ++bits, ++modes) {
      m.mode = cudaTextureAddressMode(mode);
      m.isNormalized = bits & 1;
      m.isLinear = bits & 2;
      Texture t = make(ofArray(array), sampling(m));
      if (!m.isNormalized && mode != cudaAddressModeBorder)
        m.mode = cudaAddressModeClamp; // What wrap and mirror then are.
      spread(8, 4, 1);
      for (int i = 0; i < kCount && m.isNormalized; ++i)
        io->x[i] /= 8, io->y[i] /= 4;
      start(read2D<float>, t);
      wrong += m.wrong();
      cudaDestroyTextureObject(t);
    }
  printf("2d float: %d modes, %d wrong\n", modes, wrong);
  m.mode = cudaAddressModeBorder;
  m.isNormalized = false, m.isLinear = true;
  m.data = {1, 2};
  array = fill(2, 1, 0, m.data.data());
  Texture t = make(ofArray(array), sampling(m));
  const float xs[] = {0.5f, 0.501f, 0.503f, 0.505f};
  for (int i = 0; i < 4; ++i)
    io->x[i] = xs[i], io->y[i] = 0.5f;
  io->x[4] = -1, io->x[5] = 1.5f, io->x[6] = 2;
  io->y[4] = io->y[5] = io->y[6] = 0.5f;
  start(read2D<float>, t);
  printf("fraction: %.5f %.5f %.5f %.5f\n", io->result[0].x, io->result[1].x,
         io->result[2].x, io->result[3].x);
  printf("border: %.1f %.1f %.1f\n", io->result[4].x, io->result[5].x,
         io->result[6].x);
}

static void otherDimensions() {
  Model m;
  m.width = 16;
  m.data = numbers(16);
  m.isLinear = true;
  spread(16, 1, 1);
  int wrong[2];
  for (int height = 0; height < 2; ++height) {
    cudaArray_t array = fill(16, height, 0, m.data.data());
    start(read1D<float>, make(ofArray(array), sampling(m)));
    wrong[height] = m.wrong();
  }
  printf("1d: %d wrong, 2d array of one row: %d wrong\n", wrong[0], wrong[1]);
  m.width = m.height = m.depth = 4;
  m.data = numbers(64);
  m.mode = cudaAddressModeMirror;
  m.isNormalized = true;
  spread(1, 1, 1);
  start(read3D, make(ofArray(fill(4, 4, 4, m.data.data())), sampling(m)));
  printf("3d: %d wrong\n", m.wrong());
}

static void layers() {
  Model m;
  std::vector<float> data = numbers(3 * 32);
  Texture t1 =
      make(ofArray(fill(8, 0, 3, data.data(), cudaArrayLayered)), sampling(m));
  Texture t2 =
      make(ofArray(fill(8, 4, 3, data.data(), cudaArrayLayered)), sampling(m));
  spread(8, 4, 1);
  for (int i = 0; i < kCount; ++i)
    io->z[i] = float(i % 4); // The fourth is clamped.
  readLayers<<<4, 128>>>(io, t1, t2);
  cudaDeviceSynchronize();
  int wrong = 0;
  for (int i = 0; i < kCount; ++i) {
    int layer = i % 4 < 3 ? i % 4 : 2;
    int x = inside(int(floorf(io->x[i])), 8, m.mode);
    int y = inside(int(floorf(io->y[i])), 4, m.mode);
    wrong += io->result[i].x != data[layer * 8 + x] ||
             io->result[i].y != data[(layer * 4 + y) * 8 + x];
  }
  printf("layers: %d wrong\n", wrong);
}

static void linearMemory() {
  int2 host[kCount], *device;
  for (int i = 0; i < kCount; ++i)
    host[i] = make_int2(-i, 3 * i);
  cudaMalloc(&device, sizeof(host));
  cudaMemcpy(device, host, sizeof(host), cudaMemcpyHostToDevice);
  cudaResourceDesc r = {};
  r.resType = cudaResourceTypeLinear;
  r.res.linear.devPtr = device;
  r.res.linear.desc = cudaCreateChannelDesc<int2>();
  r.res.linear.sizeInBytes = sizeof(host);
  Texture t = make(r, cudaTextureDesc{});
  fetch<<<4, 128>>>(io, t, 10);
  cudaDeviceSynchronize();
  int wrong = 0;
  for (int i = 0; i + 10 < kCount; ++i)
    wrong +=
        io->result[i].x != host[i + 10].x || io->result[i].y != host[i + 10].y;
  printf("linear memory: %d wrong, outside (%g, %g)\n", wrong,
         io->result[kCount - 10].x, io->result[kCount - 1].y);
}

static void formats() {
  uchar4 *device, host[3][8];
  size_t pitch;
  for (int i = 0; i < 24; ++i)
    host[0][i] = make_uchar4(i, 255 - i, 7 * i, 128);
  cudaMallocPitch(&device, &pitch, sizeof(host[0]), 3);
  cudaMemcpy2D(device, pitch, host, sizeof(host[0]), sizeof(host[0]), 3,
               cudaMemcpyHostToDevice);
  cudaResourceDesc r = {};
  r.resType = cudaResourceTypePitch2D;
  r.res.pitch2D.devPtr = device;
  r.res.pitch2D.desc = cudaCreateChannelDesc<uchar4>();
  r.res.pitch2D.width = 8;
  r.res.pitch2D.height = 3;
  r.res.pitch2D.pitchInBytes = pitch;
  cudaTextureDesc d = sampling(Model());
  spread(8, 3, 1);
  start(read2D<uchar4>, make(r, d));
  int wrong[3] = {};
  auto texel = [&](int i, int n, float x) {
    return inside(int(floorf(x)), n, cudaAddressModeClamp);
  };
  for (int i = 0; i < kCount; ++i) {
    uchar4 want = host[texel(i, 3, io->y[i])][texel(i, 8, io->x[i])];
    float4 got = io->result[i];
    wrong[0] += got.x != want.x || got.y != want.y || got.z != want.z ||
                got.w != want.w;
  }
  short shorts[8] = {-32768, -32767, -1, 0, 1, 16384, 32766, 32767};
  d.readMode = cudaReadModeNormalizedFloat;
  start(read1D<float>, make(ofArray(fill(8, 0, 0, shorts)), d));
  for (int i = 0; i < kCount; ++i) {
    float want = shorts[texel(i, 8, io->x[i])] / 32767.0f;
    wrong[1] += io->result[i].x != (want < -1 ? -1 : want);
  }
  unsigned short halves[8]; // Powers of two from 1 down, as bits.
  for (int i = 0; i < 8; ++i)
    halves[i] = 0x3c00 - i * 0x400;
  cudaChannelFormatDesc format = cudaCreateChannelDescHalf();
  cudaArray_t array;
  cudaMallocArray(&array, &format, 8);
  cudaMemcpy2DToArray(array, 0, 0, halves, 16, 16, 1, cudaMemcpyHostToDevice);
  start(read1D<float>, make(ofArray(array), sampling(Model())));
  for (int i = 0; i < kCount; ++i)
    wrong[2] += io->result[i].x != std::ldexp(1.0f, -texel(i, 8, io->x[i]));
  printf("uchar4: %d wrong, short normalized: %d wrong, half: %d wrong\n",
         wrong[0], wrong[1], wrong[2]);
}

static void variants() {
  Model m;
  m.width = 8, m.height = 4;
  m.data = numbers(32);
  m.isLinear = true;
  spread(8, 4, 1);
  start(readVariants, make(ofArray(fill(8, 4, 0, m.data.data())), sampling(m)));
  int wrong = m.wrong();
  for (int i = 0; i < kCount; ++i)
    wrong += io->result[i].y != io->result[i].x ||
             io->result[i].z != io->result[i].x || io->result[i].w != 1;
  printf("level, gradient, residency: %d wrong\n", wrong);
  std::vector<float4> wide(32);
  for (int i = 0; i < 32; ++i)
    wide[i] = make_float4(-1, m.data[i], -1, -1);
  start(gather,
        make(ofArray(fill(8, 4, 0, wide.data(), cudaArrayTextureGather)),
             sampling(m)));
  wrong = 0;
  for (int i = 0; i < kCount; ++i) {
    int x = int(floorf(io->x[i] - 0.5f));
    int y = int(floorf(io->y[i] - 0.5f));
    wrong += io->result[i].x != m.at(x, y + 1, 0) ||
             io->result[i].y != m.at(x + 1, y + 1, 0) ||
             io->result[i].z != m.at(x + 1, y, 0) ||
             io->result[i].w != m.at(x, y, 0);
  }
  printf("gather: %d wrong\n", wrong);
}

static void objects() {
  Model m;
  m.border = -3;
  m.data = {1, 2};
  cudaArray_t array = fill(2, 1, 0, m.data.data());
  Texture t = make(ofArray(array), sampling(m));
  cudaResourceDesc r;
  cudaTextureDesc d;
  cudaResourceViewDesc view;
  cudaGetTextureObjectResourceDesc(&r, t);
  cudaGetTextureObjectTextureDesc(&d, t);
  cudaExtent extent;
  cudaArrayGetInfo(nullptr, &extent, nullptr, r.res.array.array);
  printf("described: %zu bytes a row, border %g, no view: %s\n",
         extent.width * sizeof(float), d.borderColor[0],
         cudaGetErrorString(cudaGetTextureObjectResourceViewDesc(&view, t)));
  Texture none;
  int ints[2] = {};
  m.isLinear = true;
  d = sampling(m);
  r = ofArray(fill(2, 1, 0, ints));
  auto attempt = [&] {
    return cudaGetErrorString(cudaCreateTextureObject(&none, &r, &d, nullptr));
  };
  printf("integers filtered: %s\n", attempt());
  char *memory;
  cudaMalloc(&memory, 4096);
  r.resType = cudaResourceTypeLinear;
  r.res.linear.devPtr = memory + 64;
  r.res.linear.desc = cudaCreateChannelDesc<float>();
  r.res.linear.sizeInBytes = 1024;
  const char *misaligned = attempt();
  r.res.linear.desc =
      cudaCreateChannelDesc(8, 8, 8, 0, cudaChannelFormatKindUnsigned);
  printf("misaligned: %s\nthree channels: %s\n", misaligned, attempt());
  cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  cudaMalloc3DArray(&array, &format, make_cudaExtent(4, 4, 6),
                    cudaArrayCubemap);
  r = ofArray(array);
  printf("cube map: %s\n", attempt());
  const char *first = cudaGetErrorString(cudaDestroyTextureObject(t));
  printf("destroyed: %s, again: %s\n", first,
         cudaGetErrorString(cudaDestroyTextureObject(t)));
  read1D<float><<<1, 32>>>(io, t);
  printf("used after: %s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}

int main() {
  cudaMallocManaged(&io, sizeof(Points));
  twoDimensions();
  otherDimensions();
  layers();
  linearMemory();
  formats();
  variants();
  objects();
}
