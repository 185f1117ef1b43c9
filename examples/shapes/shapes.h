extern "C" int plain(void *p);
int areaOf(int width, int height);
int reported(int value);
int tool();
#ifdef __CUDACC__
__device__ int area(int width, int height);
#endif
