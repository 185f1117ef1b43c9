#include "config.h"
#define NOINLINE __attribute__((noinline))
NOINLINE Pair makePair() { return {11, 12}; }
NOINLINE Trio makeTrio(long a) { return {a, 5}; }
NOINLINE int tile() { return 16; }
NOINLINE int level(int n) { return n > 5 ? 24 : n > 3 ? 16 : 8; }
NOINLINE int hostTile() { return tile() + 1; }
NOINLINE int same(int n) { return n; }
