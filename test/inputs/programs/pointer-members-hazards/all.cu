#include "kernels.cu"
#include "fill.cu"
#include "main.cu"
