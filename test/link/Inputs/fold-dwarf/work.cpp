#include "shared.h"
int work(int n) {
  volatile int result = n;
  return result + 1;
}
