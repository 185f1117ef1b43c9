#include "kernels.h"
static __attribute__((noinline)) void run(int *p, int n, int size) { twice<<<1, size>>>(p, n); }
int main() {
  int *p = allocate(64);
  known<<<2, 32>>>(p, 3, 10.0f);
  show("known", p, 4);
  run(p, 64, 64);
  show("twice", p, 4);
  twice<<<1, 128>>>(p, 128);
  show("twice", p, 4);
  fields<<<1, 4>>>(Params{p, 10, 0.5f});
  show("fields", p, 4);
  changes<<<1, 4>>>(Params{p, 20, 0.5f});
  show("changes", p, 4);
  bounded<<<1, 64>>>(p);
  show("bounded", p, 4);
}
