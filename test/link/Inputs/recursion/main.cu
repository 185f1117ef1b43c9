#include <cstdio>
typedef unsigned u32;
#define BOTH __host__ __device__
#define NOINLINE __attribute__((noinline))
BOTH u32 walk(const u32 *in, u32 at, int depth) {
  u32 value = in[at & 63];
  if (depth == 0)
    return value;
  return value * 31 + walk(in, at * 2 + 1, depth - 1) * (value | 1) +
         walk(in, at * 3 + 2, depth - 1);
}
// Its first argument varies, too; it becomes functions that do not recurse.
BOTH NOINLINE u32 count(const u32 *in, u32 at, u32 n) {
  return n == 0 ? at : count(in, at + in[n], n - 1) * 3 + n;
}
// In a loop.
BOTH u32 round(const u32 *in, u32 at, u32 n) {
  return n == 0 ? in[at & 63] : round(in, at ^ n, n - 1) * (at | 1) + n;
}
// What is constant does not decide.
BOTH u32 poll(const u32 *in, u32 at, u32 step) {
  return in[at & 63] & 1 ? at : poll(in, at + step, step) * 3 + in[at & 63];
}
BOTH u32 frame(const u32 *in, int depth) {
  u32 here[8] = {};
  for (int i = 0; i < 8; ++i)
    here[in[i] & 7] = i + depth;
  return depth == 0 ? here[in[9] & 7]
                    : frame(in, depth - 1) + here[in[depth] & 7] * 5;
}
BOTH u32 odd(const u32 *in, u32 n);
BOTH NOINLINE u32 even(const u32 *in, u32 n) {
  return n == 0 ? 1 : odd(in, n - 1) + in[n];
}
BOTH NOINLINE u32 odd(const u32 *in, u32 n) {
  return n == 0 ? 0 : even(in, n - 1) * in[n];
}
// All threads of the block wait at each level.
__device__ u32 reduce(const u32 *in, int level, u32 value) {
  __shared__ u32 shared[64];
  shared[threadIdx.x] = value;
  __syncthreads();
  value += shared[threadIdx.x ^ (1 << level)];
  __syncthreads();
  return level == 0 ? value : reduce(in, level - 1, value) * 3 + level;
}

// One level.
BOTH NOINLINE u32 only(u32 n, u32 at) {
  return n < 2 ? at : only(n - 1, at + 1) + only(n - 2, at * 2);
}

#define KERNEL(name, call)                                                     \
  __global__ void name(const u32 *in, u32 *out) {                              \
    u32 i = threadIdx.x;                                                       \
    out[i] = call;                                                             \
  }
// The loop is too large to be unrolled for its own sake.
#define MIX(h) h = h * 31 ^ h >> 3, h = h * 17 ^ h >> 5, h = h * 7 ^ h >> 2
#define ROUNDS(pragma, call)                                                   \
  ({                                                                           \
    u32 sum = i;                                                               \
    _Pragma(pragma) for (u32 n = 0; n < 7; ++n) {                              \
      MIX(sum), MIX(sum);                                                      \
      sum += call;                                                             \
    }                                                                          \
    sum;                                                                       \
  })
KERNEL(runTwice, walk(in, i, 3) ^ walk(in, i + 1, 2))
KERNEL(runCount, count(in, 9, 4) + i)
KERNEL(runRound, ROUNDS("clang loop vectorize(disable)", round(in, sum, n)))
KERNEL(runRolled, ROUNDS("nounroll", round(in, sum, n)))
KERNEL(runDeep, walk(in, i, 8))
KERNEL(runPoll, poll(in, i, 3))
KERNEL(runFrame, frame(in, 2) + i)
KERNEL(runEven, even(in, 4) + i)
KERNEL(runUnknown, walk(in, i, in[i] & 3))
KERNEL(runReduce, reduce(in, 3, i))
KERNEL(runOnly, only(2, in[i]))

template <class F, class G> void run(const char *what, F kernel, G expected) {
  u32 host[64], *in, *out, result[64];
  for (u32 i = 0; i < 64; ++i)
    host[i] = i * 2654435761u >> 3;
  cudaMalloc(&in, sizeof host);
  cudaMalloc(&out, sizeof host);
  cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
  kernel(in, out);
  cudaMemcpy(result, out, sizeof result, cudaMemcpyDeviceToHost);
  bool isSame = true;
  for (u32 i = 0; i < 64; ++i)
    isSame &= result[i] == expected(host, i);
  printf("%s %d\n", what, isSame);
}
#define RUN(what, name, call)                                                  \
  run(                                                                         \
      what, [](const u32 *in, u32 *out) { name<<<1, 64>>>(in, out); },         \
      [](const u32 *in, u32 i) -> u32 { return call; })
static u32 reduced(u32 i) {
  u32 value[64], next[64];
  for (u32 t = 0; t < 64; ++t)
    value[t] = t;
  for (int level = 3; level >= 0; --level) {
    for (u32 t = 0; t < 64; ++t)
      next[t] = value[t] + value[t ^ (1 << level)];
    for (u32 t = 0; t < 64; ++t)
      value[t] = next[t];
  }
  return ((value[i] * 3 + 1) * 3 + 2) * 3 + 3;
}
int main() {
  RUN("twice", runTwice, walk(in, i, 3) ^ walk(in, i + 1, 2));
  RUN("count", runCount, count(in, 9, 4) + i);
  RUN("round", runRound, ROUNDS("nounroll", round(in, sum, n)));
  RUN("rolled", runRolled, ROUNDS("nounroll", round(in, sum, n)));
  RUN("deep", runDeep, walk(in, i, 8));
  RUN("poll", runPoll, poll(in, i, 3));
  RUN("frame", runFrame, frame(in, 2) + i);
  RUN("even", runEven, even(in, 4) + i);
  RUN("unknown", runUnknown, walk(in, i, in[i] & 3));
  RUN("reduce", runReduce, reduced(i));
  RUN("only", runOnly, only(2, in[i]));
}
