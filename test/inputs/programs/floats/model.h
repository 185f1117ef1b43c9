#pragma once
extern const float speed, frequency, tiny, ofNative;
struct Model {
  int n;
  float rate;
  long long depth;
  double step;
};
void fill(Model *m, int n);
void coefficients(float dx, float *c);
float slow(int n);
float fastRate(float n);
