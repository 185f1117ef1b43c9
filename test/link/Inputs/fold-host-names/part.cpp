#include "part.h"
#define WORK(a, b) \
  int r = 1; \
  for (int i = 0; i < b + 3; ++i) { \
    if (a == i) throw a + i; \
    r = r * (a ^ b) + i % 7 + (r >> 3); \
  } \
  return r;
extern "C" int plugOne(int a, int b) { WORK(a, b) }
extern "C" int plugTwo(int a, int b) { WORK(a, b) }
template <int N> NOINLINE static int local(int a, int b, int c) {
  int r = 1;
  for (int i = 0; i < b + 3; ++i)
    r = r * (a ^ b) + i % 7 + (r >> 3) + c;
  return r;
}
__attribute__((weak)) int weakOne(int a, int b) { return local<1>(a, b, 5); }
__attribute__((weak)) int weakTwo(int a, int b) { return local<2>(a, b, 5); }
extern "C" int aliased(int a, int b) { return local<1>(a, b, 5); }
extern "C" int alias(int a, int b) __attribute__((alias("aliased")));
// Enumerated by the section.
typedef int (*Entry)();
__attribute__((section("entries"), used)) static int inSectionOne() { return 7; }
__attribute__((section("entries"), used)) static int inSectionTwo() { return 7; }
int inSectionSum() { return inSectionOne() + inSectionTwo(); }
extern "C" NOINLINE int asmKnows(int a) { return a * 3; }
extern "C" NOINLINE int asmKnowsToo(int a) { return a * 3; }
int viaAssembly(int a) {
  int result;
  asm volatile("call asmKnowsToo" : "=a"(result), "+D"(a) :: "memory", "cc", "rcx", "rdx", "rsi", "r8", "r9", "r10", "r11");
  return result + asmKnowsToo(a) * 0;
}
int constructed[2];
static int count;
__attribute__((constructor)) static void constructorOne() { constructed[0] = ++count; }
__attribute__((constructor)) static void constructorTwo() { constructed[1] = ++count; }
