#include "all.h"
__attribute__((noinline)) Kernel byAddress(int i) { return i ? compared : picked; }
__attribute__((used, noinline)) Kernel forNative(int i) { return i ? native : called; }
