#pragma once
using Kernel = void (*)(float *, int);
void runtime(const void *kernel, void **arguments, int block);
void twice(Kernel kernel, float *data);
void both(const void *kernel, void **arguments, bool ask);
