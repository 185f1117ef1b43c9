#include "shared.h"
#include <cstdio>
int main(int argc, char **) {
  Box first = {4 + argc, 2.0 * argc, 3.0, "abc"}, second = {6, 4, 5.0 * argc, ""};
  printf("area %g %g\n", area(first), area(second));
  try {
    throw_(first, argc);
  } catch (int n) {
    printf("caught %d\n", n);
  }
  printf("name %s\n", nameOf(&first));
  int same = argc, other = argc;
  int one = after(same, &same);
  printf("after %d %d\n", one, after(other, &same));
  printf("maybe %d %d\n", maybe(nullptr, 0), maybe(&other, argc));
  printf("large %ld\n", large({argc, 2, 3}));
  printf("taken %d\n", taken(other) + pointer(other) - 1);
  int sums[2] = {argc - 1, argc - 1};
  Context context = {sums, sums + 1};
  count(context, argc + 1);
  count(context, 3 * argc);
  printf("count %d %d\n", sums[0], sums[1]);
  return 0;
}
