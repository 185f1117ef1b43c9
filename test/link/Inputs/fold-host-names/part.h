#define NOINLINE __attribute__((noinline))
extern "C" int plugOne(int, int);
extern "C" int plugTwo(int, int);
int native(int);
int weakOne(int, int);
int weakTwo(int, int);
extern "C" int aliased(int, int);
extern "C" int alias(int, int);
int inSectionSum();
extern "C" int asmKnows(int);
int viaAssembly(int);
extern int constructed[2];
template <int N> NOINLINE int sharedByNative(int a, int b) {
  int r = 1;
  for (int i = 0; i < a; ++i)
    r = r * b + i % 3;
  return r;
}
