#include "kernels.cu"
#include "main.cu"
#undef NOINLINE
#include "use.cu"
