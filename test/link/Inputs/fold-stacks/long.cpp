#include "node.h"
int startLong(int k, int depth, uint32_t &state) {
  return start<long>(k, depth, state) + start<long long>(k, depth, state);
}
