#include "kernels.h"
__attribute__((constructor)) static void set() {
  for (Any volatile &handle : handles)
    if (Any known = handle)
      cudaFuncSetAttribute(known, cudaFuncAttributeMaxDynamicSharedMemorySize, 64);
}
