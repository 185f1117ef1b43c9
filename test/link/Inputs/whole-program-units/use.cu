extern __constant__ int value;
__global__ void readValue(int *p) { *p = value; }
void use(int *p) { readValue<<<1, 1>>>(p); }
