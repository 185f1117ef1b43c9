#include "shared.h"
int open(int n) { return n; }
