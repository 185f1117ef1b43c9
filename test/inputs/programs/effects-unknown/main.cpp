#include "shared.h"
#include <cstdio>
int main(int argc, char **) {
  int value = 4;
  try {
    throughThrower(argc + 2);
  } catch (int n) {
    printf("caught %d\n", n);
  }
  printf("native %d\n", callsNative(5));
  printf("volatile %d\n", readsVolatile());
  int counted = countsUp(&value);
  printf("count %d %d\n", counted, countsUp(&value));
  printf("assembly %d\n", withAssembly(9));
  if (argc > 7)
    spins(argc);
  printf("recursive %d\n", recursive(4));
}
