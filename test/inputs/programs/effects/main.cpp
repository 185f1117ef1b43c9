#include "shared.h"
#include <cstdio>
int main(int argc, char **) {
  int value = 4;
  int first = scale(&value);
  int again = scale(&value);
  value += 3 * argc;
  printf("scale %d %d %d\n", first, again, scale(&value));
  int filled = argc;
  fillOne(&filled);
  printf("fill %d\n", filled);
  printf("ignores %d\n", ignores(argc * 77));
  fflush(stdout);
  if (argc == 1)
    fail("failed");
  printf("not reached\n");
}
