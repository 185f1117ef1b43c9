#define MIX(n) n = n * 31 ^ n >> 3; n = n * 17 ^ n >> 5; n = n * 7 ^ n >> 2;
int fine(int n) { return n + 10; }
[[gnu::noinline]] int never(int n) { return n + 11; }
[[gnu::weak]] int replaceable(int n) { return n + 12; }
int variable(int n, ...) { return n + 13; }
[[clang::optnone]] int slowly(int n) { return n + 14; }
[[gnu::naked]] int naked() { asm("movl $1, %eax; ret"); }
[[gnu::returns_twice]] int twice() { return 2; }
int labels(int n) {
  asm("oneCopyOnly: incl %0" : "+r"(n));
  return n;
}
int gotos(int n) {
  static void *const places[] = {&&even, &&odd};
  goto *places[n & 1];
even:
  return n;
odd:
  return n + 1;
}
[[gnu::cold]] int cold(int n) { MIX(n) MIX(n) MIX(n) return n; }
volatile int sink;
int large(int n) { int m = n; MIX(m) MIX(m) MIX(m) sink = m; return n + 15; }
int (*volatile others)(int) = large;
int useOthers(int n) { return others(n); }
