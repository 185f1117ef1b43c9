#include "shared.h"
int other(int n) {
  unsigned long array[4] = {};
  Box<unsigned long> box;
  return inner(array, n) * 3 + box.get(n) + int(array[1]);
}
