#include "shared.h"
#include <cstdio>
static NOINLINE int twinOne(int n) { return n * n * 7 / 3; }
int main(int argc, char **) {
  long array[] = {1, 2, 3, 4, 5};
  long long further[] = {5, 4, 3, 2, 1};
  Node<long> leaf{nullptr, nullptr, 3}, root{&leaf, nullptr, 4};
  Shape<long> shape(3, 4);
  const AnyShape *volatile any = &shape;
  printf("%ld %ld\n", sum(array, 5), sum(further, 5));
  printf("%ld %d %d\n", count(&root), even(&root), odd(&root));
  printf("%d %d\n", total<1>(2, 5, argc), pol(argc + 1, 7));
  printf("%ld %d\n", any->area(argc), twinOne(argc));
  printf("%d %d\n", isZeroed(*reinterpret_cast<Small *>(array), 4), isZeroed(Small{0}, 4));
  printf("more: %d\n", more(argc));
}
