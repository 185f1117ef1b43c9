#pragma once
using Kernel = void (*)(float *, int);
void run(Kernel kernel, float *data, int n);
