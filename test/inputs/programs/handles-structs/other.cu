#include "all.h"
const Op ops[2] = {{left, 8}, {right, 4}};
const Word words[1] = {{.kernel = asBits}};
const Named names[1] = {{named, "named"}};
Op registry[4];
__attribute__((noinline)) void enter(int at, Kernel kernel, int block) { registry[at] = {kernel, block}; }
Word slots[2];
__attribute__((noinline)) void fill(int at, Kernel kernel) { slots[at].kernel = kernel; }
