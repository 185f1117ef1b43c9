#include "run.h"
void other(float *data, float factor) { scale<float><<<1, 32>>>(data, factor, 7); }
