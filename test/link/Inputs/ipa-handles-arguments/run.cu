#include "run.h"
__attribute__((noinline)) void run(Kernel kernel, int value) {
  kernel<<<1, 1>>>(value);
}
