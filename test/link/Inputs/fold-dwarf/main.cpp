#include "shared.h"
int main(int argc, char **) {
  long array[4] = {};
  long long longer[4] = {};
  Box<long> box;
  int result = inner(array, argc) * 3 + 1;
  result += inner(longer, argc) * 5 + 1;
  result += box.get(argc) * 3 + 2;
  result += other(argc) * 3;
  return result == 1000;
}
