#include <cstdio>
int fine(int);
int never(int);
int replaceable(int);
int variable(int, ...);
int options(int);
[[gnu::cold]] int cold(int);
int caller(int);
int useOther(int);
int useOthers(int);
int useKept(int);
int main(int argc, char **) {
  if (argc > 5)
    return useOther(argc) + useOthers(argc) + useKept(argc);
  int c = argc > 1 ? cold(argc) + cold(argc + 1) : 1;
  printf("%d %d %d %d %d %d %d\n", fine(argc), never(argc), replaceable(argc),
         variable(argc, 2), options(argc), caller(argc), c);
}
int slowly(int), naked(), labels(int), gotos(int);
[[gnu::returns_twice]] int twice();
int others(int n) {
  return slowly(n) + naked() + labels(n) + gotos(n) + twice();
}
int here(int n) {
  [[clang::noinline]] n = fine(n);
  return n;
}
// So that nothing has one use only.
int again(int n) {
  return fine(n) + caller(n);
}
int (*volatile other[])(int) = {again, others, here};
int useOther(int n) { return other[n % 3](n); }
