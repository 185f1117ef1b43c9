#include "part.h"
int native(int n) { return plugOne(n + 9, 1) - plugTwo(n + 9, 1) + sharedByNative<1>(3, 4) - sharedByNative<2>(3, 4) + (&sharedByNative<1> == &sharedByNative<2>); }
