__attribute__((noinline)) int spins(int n) {
  while (n)
    ;
  return n;
}
int other(int n);
__attribute__((noinline)) int recursive(int n) { return n ? other(n - 1) + n : 0; }
__attribute__((noinline)) int other(int n) { return n ? recursive(n - 1) + n : 0; }
