__device__ int deepest(int x) { return x + 1; }
