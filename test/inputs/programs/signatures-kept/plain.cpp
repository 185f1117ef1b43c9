#include "shared.h"
int open() { return fromOpen(1); }
