#include "shared.h"
int main(int argc, char **) {
  fromOther(argc);
  Big big = {{argc, 2, 3, 4}};
  printf("taken %d native %d open %d kandr %d copied %d tail %d virtual %d\n",
         taken(argc) + (pointer(argc) - 2), callNative(argc), open(), callKandr(),
         copied(big), tails(argc + 6, &argc), make()->run(argc));
  printAll("all %d\n", 9);
  return 0;
}
