#include "kernels.h"
#include <cstring>
#define NOINLINE static __attribute__((noinline))
NOINLINE void init(State *s) {
  cudaMalloc(&s->out, 2 * sizeof(int));
  cudaMalloc(&s->in, 2 * sizeof(int));
  s->n = 64;
}
NOINLINE void launchZeroed(const State &s) {
  zeroed<<<1, 1>>>(s.out, s.in, s.n + 1);
  print("zeroed", s.out);
}
class Solver {
public:
  __attribute__((noinline)) Solver() {
    cudaMalloc(&out, 2 * sizeof(int));
    cudaMalloc(&in, 2 * sizeof(int));
  }
  __attribute__((noinline)) void run(int n) const {
    member<<<1, 1>>>(out, in, n);
    print("member", out);
  }
private:
  int *out = nullptr, *in = nullptr;
};
int main(int argc, char **argv) {
  {
    State state;
    init(&state);
    for (int i = 0; i < argc; ++i)
      launchField(&state);
  }
  {
    State state;
    memset(&state, 0, sizeof(state));
    init(&state);
    launchZeroed(state);
  }
  {
    Solver solver;
    solver.run(65 + argc);
  }
  {
    State state;
    init(&state);
    replace(&state, state.out);
    launchReplaced(&state);
  }
}
