#pragma once
#include <cstdint>
#define NOINLINE __attribute__((noinline))
constexpr int kNodes = 12;
void show();
inline uint32_t next(uint32_t &state) {
  state = state * 1664525u + 1013904223u;
  return state >> 16;
}
template <class T, int K> NOINLINE int node(T *p, int depth, uint32_t &state);
// Leaves no frame.
template <class T> NOINLINE int tail(T *p, int depth, uint32_t &state) {
  p[depth] += 5;
  return node<T, 2>(p, depth, state);
}
// Nodes of one remainder do the same, but for whom they call; those do the same.
template <class T, int K> NOINLINE int node(T *p, int depth, uint32_t &state) {
  if (depth == 0) {
    show();
    return int(*p);
  }
  p[depth] += T(K % 3 + 1);
  uint32_t choice = next(state);
  int result = 0;
  if (choice % 1000 == 0)
    result = tail<T>(p, depth - 1, state);
  else if (choice % 3 == 0)
    result = node<T, (K + 1) % kNodes>(p, depth - 1, state);
  else if (choice % 3 == 1)
    result = node<T, (K + 4) % kNodes>(p, depth - 1, state);
  else
    result = node<T, (K + 8) % kNodes>(p, depth - 1, state);
  return result * 3 + int(p[depth]) + K % 3;
}
template <class T> int start(int k, int depth, uint32_t &state) {
  T values[32] = {};
  switch (k % 4) {
  case 0:
    return node<T, 0>(values, depth, state) * 5;
  case 1:
    return node<T, 3>(values, depth, state) * 7;
  case 2:
    return node<T, 7>(values, depth, state) * 11;
  default:
    return node<T, 11>(values, depth, state) * 13;
  }
}
int startUnsigned(int k, int depth, uint32_t &state);
int startLong(int k, int depth, uint32_t &state);
