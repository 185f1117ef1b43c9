#include "params.h"
extern "C" void native(const Params *params) { const_cast<Params *>(params)->a += 1; }
