#include "shared.h"
static NOINLINE int twinTwo(int n) { return n * n * 7 / 3; }
int more(int argument) {
  unsigned long array[] = {1, 2, 3, 4, 5};
  Node<long long> leaf{nullptr, nullptr, 3}, root{&leaf, nullptr, 4};
  Shape<long long> shape(3, 4);
  const AnyShape *volatile any = &shape;
  Big big{};
  int result = int(sum(array, 5) + count(&root)) + even(&root) * 2 + odd(&root);
  result += total<2>(3, argument, 5, 6) + int(pol(0xfffffff0u, 0xfff0u + argument));
  result += int(any->area(argument)) + twinTwo(argument) + isZeroed(big, argument);
  return result;
}
