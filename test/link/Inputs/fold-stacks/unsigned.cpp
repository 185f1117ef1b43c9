#include "node.h"
int startUnsigned(int k, int depth, uint32_t &state) {
  return start<unsigned long>(k, depth, state) * 3 +
         start<unsigned long long>(k, depth, state);
}
