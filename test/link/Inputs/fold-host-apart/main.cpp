#include "shared.h"
#include <cstdio>
int main(int argc, char **) {
  long array[] = {1, 2, 3, 4, 5};
  printf("%d %d %d\n", catches<1>(1, 1), catches<1>(0, 1), caught<std::exception>(1));
  try {
    catches<1>(2, 1);
  } catch (int i) {
    printf("through: %d\n", i);
  }
  printf("%d %d %d %d\n", countLocal<1>(), countLocal<1>(), threadLocal<1>(), threadLocal<1>());
  printf("%s %s %s\n", message<1>(0), message<1>(1), message<2>(0));
  printf("%d\n", target1<1>(reinterpret_cast<int *>(array)));
  printf("more: %d\n", more(argc));
}
