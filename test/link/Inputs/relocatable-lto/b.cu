__device__ int twice(int x) { return x * 2; }
int answer() { return 42; }
