#include "shared.h"
int main() {
  printf("pick %d shared %d %d common %d local %d %d\n", pick(), counter(),
         other(), fromWeak(), local(), localOfStrong());
  return runKernel();
}
