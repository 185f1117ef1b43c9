__attribute__((noinline)) unsigned c(unsigned x) {
  for (unsigned i = 0; i < 9; ++i)
    x = x * x + i;
  return x;
}
