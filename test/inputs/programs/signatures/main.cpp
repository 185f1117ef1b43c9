#include "shared.h"
int value;
int main(int argc, char **) {
  report(stdout, 7, argc);
  fromOther(argc);
  value = argc;
  int first = get(&value);
  value = 2 * argc;
  printf("get %d %d\n", first, get(&value));
  printf("unused %d %d\n", unused(argc + 4, &argc, 0), unused(argc, nullptr, 6));
  printf("many %d %d\n", many(1, 2, argc, 4, 5, 6, 7, 8, argc * 10),
         many(2, 3, argc + 1, 4, 5, 6, 7, 8, argc * 15));
  try {
    thrower(argc + 3, argc);
  } catch (int n) {
    printf("caught %d\n", n);
  }
  printf("again %d\n", again(argc + 2, &argc));
  return 0;
}
