#include "state.h"
#include <cstdio>
int readShared();
int main(int argc, char **) {
  int one = argc;
  work(one);
  filled(one);
  printf("results %d %d\n", work(5 + one), filled(6 + one));
  asVolatile(one + 1);
  printf("volatile %d\n", watched);
  asAtomic(one + 2);
  printf("atomic %d\n", published.load());
  forNative(one + 3);
  printf("native %d\n", readShared());
  forAssembly(one + 4);
  printf("assembly %d\n", readNamed());
  int *volatile pointer = &address;
  kept(one + 5);
  printf("kept %d\n", *pointer);
  readToo(one + 6);
  printf("read %d\n", counted);
}
