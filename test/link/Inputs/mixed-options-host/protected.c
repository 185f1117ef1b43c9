__attribute__((noinline)) int protectedByCet(int x) { return x + 2; }
