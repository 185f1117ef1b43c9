#include "shared.h"
// Its two constructors are one.
struct AnyTwice { virtual int id() = 0; };
struct Twice : AnyTwice {
  int value;
  Twice(int n);
  int id() override { return 4; }
};
Twice::Twice(int n) : value(n) {}
int more(int n) {
  Twice twice(n);
  n += twice.value * (twice.id() - 4);
  unsigned long array[4] = {};
  return outer(array, n) * 3 + int(array[1]);
}
