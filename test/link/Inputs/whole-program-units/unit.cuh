__constant__ int value;
template <int Kind> __device__ int counter;
__device__ int own(int x);
inline __device__ int both(int x) { return own(x) + value; }
template <int Kind> __global__ void run(int *p) {
  p[0] = both(100);
  p[1] = value;
  p[2] = counter<Kind> += 1000;
}
