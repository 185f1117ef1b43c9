static unsigned count;
__attribute__((noinline)) static unsigned next(unsigned x) { return count += x; }
unsigned a(unsigned x) { return next(x * 3) + next(7); }
