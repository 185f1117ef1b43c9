// What all files of a generated program share: types, templates that many files
// instantiate, classes with virtual functions. bench/gen/program.py copies it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
#include <stdint.h>

using u32 = uint32_t;
using u64 = uint64_t;

#ifdef __CUDACC__
#define BOTH __host__ __device__
#else
#define BOTH
#endif

BOTH inline u32 mix(u32 a, u32 b) {
  a ^= b + 0x9e3779b9u + (a << 6) + (a >> 2);
  return a * 0x85ebca6bu;
}

/// Keeps numbers small enough for every operation on them to be exact.
BOTH inline float small(u32 value) { return (float)(value & 1023u); }

struct Record {
  u32 key, size;
  float weight;
  u32 links[4];
};

struct Parameters {
  u32 count, scale, offset;
  float factor;
};

template <u32 Steps> BOTH inline u32 fold(u32 a, u32 b) {
  for (u32 i = 0; i < Steps; ++i)
    a = mix(a, b + i * Steps);
  return a;
}

template <class T, u32 Size> class Ring {
public:
  void push(T value) {
    items[next % Size] = value;
    ++next;
  }
  u32 digest() const {
    u32 sum = next;
    for (u32 i = 0; i < Size; ++i)
      sum = mix(sum, (u32)items[i]);
    return sum;
  }

private:
  T items[Size] = {};
  u32 next = 0;
};

template <class T, u32 Size> void sortAll(T (&items)[Size]) {
  for (u32 i = 1; i < Size; ++i)
    for (u32 j = i; j > 0 && items[j] < items[j - 1]; --j) {
      T kept = items[j];
      items[j] = items[j - 1];
      items[j - 1] = kept;
    }
}

template <class Key, u32 Buckets> struct Table {
  Key keys[Buckets] = {};
  u32 values[Buckets] = {};
  u32 &at(Key key) {
    u32 slot = (u32)(key % Buckets);
    for (u32 tries = 0; tries < Buckets; ++tries, slot = (slot + 1) % Buckets) {
      if (keys[slot] == key || keys[slot] == 0) {
        keys[slot] = key;
        return values[slot];
      }
    }
    return values[0];
  }
};

class Shape {
public:
  virtual ~Shape() = default;
  virtual u32 measure(u32 scale) const = 0;
  virtual u32 sides() const { return 4; }
};

inline u32 digestText(u32 sum, const char *text) {
  for (; *text; ++text)
    sum = mix(sum, (u32)*text);
  return sum;
}
