#include "shared.h"
void fromOther(int n) {
  if (n > 100)
    taken(n), byNative(n), fromOpen(n), kandr(n, n);
}
