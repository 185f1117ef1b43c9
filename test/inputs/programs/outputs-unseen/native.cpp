#include "params.h"
void nativeFill(Params *p) { p->width = 707; }
