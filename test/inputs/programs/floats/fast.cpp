#include "model.h"
__attribute__((noinline)) float fastRate(float n) { return 1.0f / n; }
