#include "part.h"
#include <cassert>
#include <cstdio>
#include <cstring>
#include <dlfcn.h>
int main(int argc, char **argv) {
  assert(plugOne != plugTwo);
  if (argc > 1) {
    auto one = (int (*)(int, int))dlsym(RTLD_DEFAULT, "plugOne");
    auto two = (int (*)(int, int))dlsym(RTLD_DEFAULT, "plugTwo");
    if (!one || !two || one == two || one(30, 4) != two(30, 4))
      return 1;
  }
  try {
    plugTwo(0, argc);
  } catch (int i) {
    printf("caught %d\n", i);
  }
  printf("%d\n", native(argc > 5));
  printf("%d %d\n", weakOne(3, 4), weakTwo(3, 4));
  printf("%d %d\n", aliased(3, 4), alias(3, 4));
  printf("%d\n", inSectionSum());
  printf("%d %d\n", asmKnows(2), viaAssembly(2));
  printf("%d %d\n", constructed[0], constructed[1]);
  printf("%d\n", sharedByNative<1>(4, 5) + sharedByNative<2>(4, 5));
}
