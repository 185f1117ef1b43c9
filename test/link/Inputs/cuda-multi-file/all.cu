#include "one.cu"
#include "two.cu"
#include "deep.cu"
