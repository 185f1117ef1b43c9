#include "kernels.h"
#define NOINLINE __attribute__((noinline))
NOINLINE void print(const char *what, int *from) {
  int value;
  cudaMemcpy(&value, from, sizeof(value), cudaMemcpyDeviceToHost);
  printf("%s %d\n", what, value);
}
NOINLINE void launchField(const State *s) {
  field<<<1, 1>>>(s->out, s->in, s->n);
  print("field", s->out);
}
NOINLINE void launchReplaced(const State *s) {
  NoReplaced<<<1, 1>>>(s->out, s->in, 12);
  print("NoReplaced", s->out);
}
NOINLINE void replace(State *s, int *with) { s->in = with; }
