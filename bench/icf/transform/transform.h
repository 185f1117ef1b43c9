// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Element-wise operations of Thrust.
#ifndef GPULTO_BENCH_ICF_TRANSFORM_H
#define GPULTO_BENCH_ICF_TRANSFORM_H

#include "../common.h"

#include <thrust/device_ptr.h>
#include <thrust/execution_policy.h>
#include <thrust/fill.h>
#include <thrust/for_each.h>
#include <thrust/functional.h>
#include <thrust/transform.h>

template <class T> struct Scaled {
  T factor, shift;
  __host__ __device__ T operator()(T x) const { return x * factor + shift; }
};
template <class T> struct Increment {
  __host__ __device__ void operator()(T &x) const { x += 3; }
};

template <class T> void transformAll(int count) {
  Array<T> a(someValues<T>(count)), b(count), c(count);
  thrust::fill(thrust::device, b.data(), b.data() + count, T(7));
  thrust::transform(thrust::device, a.data(), a.data() + count, b.data(),
                    c.data(), thrust::plus<T>());
  print("added", c.read());
  thrust::transform(thrust::device, a.data(), a.data() + count, c.data(),
                    Scaled<T>{T(3), T(1)});
  print("scaled", c.read());
  thrust::transform(thrust::device, c.data(), c.data() + count, a.data(),
                    b.data(), thrust::bit_xor<T>());
  thrust::for_each(thrust::device, b.data(), b.data() + count, Increment<T>());
  print("incremented", b.read());
}

#endif
