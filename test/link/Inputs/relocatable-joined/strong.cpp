#include "shared.h"
int pick() { return 2; }
int other() { return counter(); }
static int hidden = 6;
int localOfStrong() { return hidden; }
