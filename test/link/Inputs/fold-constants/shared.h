#pragma once
#define NOINLINE __attribute__((noinline))
struct Base {
  virtual int get(int n) = 0;
  virtual int set(int n) = 0;
};
// T only says who it is; Other does something else.
template <class T> struct Derived : Base {
  int get(int n) override { return n * 3 + 1; }
  int set(int n) override { return n * 5 - 1; }
};
struct Other {};
template <> inline int Derived<Other>::set(int n) { return n * 7 - 5; }
template <class T> NOINLINE Base *make() { return new Derived<T>; }
template <class T> struct Table {
  static const long values[16];
};
template <class T>
const long Table<T>::values[16] = {3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, long(sizeof(T))};
template <class T> NOINLINE long sum(int n) {
  long result = 0;
  for (int i = 0; i < n; ++i)
    result += Table<T>::values[i * n & 15];
  return result;
}
template <class T> __device__ NOINLINE int deviceValue(int i) {
  static const int deviceTable[37] = {1, 3, 5, 7, 9, 0, 4, 1, 9, 2, 6, 5, 3};
  return deviceTable[i];
}
template <class T> __global__ void add(T *p, int n) {
  T result = 0;
  for (int i = 0; i < n; ++i)
    result += deviceValue<T>((i + threadIdx.x) % 37);
  *p = result;
}
template <class T> int run() {
  T *device, result = 0;
  cudaMalloc(&device, sizeof(T));
  add<<<1, 1>>>(device, 5);
  cudaMemcpy(&result, device, sizeof(T), cudaMemcpyDeviceToHost);
  return int(result);
}
NOINLINE const int *hidden(const int *p);
extern const int comparedA[4], comparedB[4];
Base *more();
long moreSum(int n);
int moreRun();
