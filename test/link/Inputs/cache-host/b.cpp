unsigned c(unsigned);
__attribute__((noinline)) unsigned b(unsigned x) {
  unsigned sum = 5;
  for (unsigned i = 0; i < x; ++i)
    sum = (sum ^ i) * 31;
  return sum + c(x);
}
