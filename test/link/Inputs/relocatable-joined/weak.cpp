#include "shared.h"
__attribute__((weak)) int pick() { return 1; }
static int hidden = 7;
int fromWeak() { return hidden; }
