#include "shared.h"
void thrower(int what) {
  if (what == 1)
    throw std::runtime_error("x");
  if (what == 2)
    throw 7;
}
int more(int argument) {
  unsigned long array[] = {1, 2, 3, 4, 5};
  int result = catches<2>(1, 1) + catches<2>(0, 1) * 2 + caught<int>(2) * 5;
  try {
    catches<2>(2, 1);
  } catch (int i) {
    result += i;
  }
  result += countLocal<2>() * 100 + threadLocal<2>() * 10 + message<2>(0)[1];
  return result + target2<2>(reinterpret_cast<int *>(array));
}
