#include "shared.h"
void fromOther(int n) {
  report(stdout, 7, n + 1);
  report(stdout, 7, n + 2);
}
