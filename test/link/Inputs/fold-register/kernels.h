template <class T> __global__ void scale(T *data, T by) {
  data[threadIdx.x] = T(threadIdx.x + 1) * by;
}
using Any = const void *;
extern Any volatile handles[3];
