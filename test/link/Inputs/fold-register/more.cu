#include "kernels.h"
void addUnsigned() { handles[1] = (Any)scale<unsigned>; }
