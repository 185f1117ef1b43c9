#include "shared.h"
__attribute__((weak)) int pick() { return 3; }
