// Uses library.cu.
#include <cstdio>

extern "C" {
extern int exported[64];
int *hiddenBuffer();
}
void start(), fromExported(), fromHidden(), useValueTwice(), setValue();

int main() {
  start();
  useValueTwice();
  setValue();
  useValueTwice();
  fromExported();
  printf("main reads %d\n", exported[1]);
  hiddenBuffer()[1] = 9;
  fromHidden();
  printf("main reads %d\n", hiddenBuffer()[1]);
  hiddenBuffer()[1] = 9;
  fromHidden();
  printf("main reads %d\n", hiddenBuffer()[1]);
}
