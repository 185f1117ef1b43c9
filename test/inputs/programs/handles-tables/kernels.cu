extern __shared__ float scratch[];
__global__ void setOne(float *p, const float *q, int n) {
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      p[i] += q[j] * p[0] + 1;
  scratch[20000] = n;
  p[0] += scratch[20000];
}
__global__ void setTwo(float *p, const float *q, int n) {
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      p[i] += q[j] * q[i] + 2;
  scratch[21000] = n;
  p[0] += scratch[21000];
}
__global__ void askedOne(int *p, int n) { p[0] = n + 1; }
__global__ void askedTwo(int *p, int n) { p[0] = n + 3; }
