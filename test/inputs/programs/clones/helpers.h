#ifdef __CUDA__
__device__ float sum(const float *p, int n);
#endif
int fold(int (*f)(int, int), const int *p, int n);
int viaFold(const int *p, int n);
