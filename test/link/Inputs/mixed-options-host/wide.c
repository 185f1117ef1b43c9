__attribute__((noinline)) float wideSum(const float *p, int n) {
  float sum = 0;
  for (int i = 0; i < n; ++i)
    sum += p[i];
  return sum;
}
