// OpenMP regions store to what was copied, and read it.
#include "cases.h"

CASE(loop, 4, 3) { // a parallel loop stores
  FIRST;
#ifndef MAY_GO
#pragma omp parallel for
  for (int i = 0; i < n; ++i) h[i] = 11 + i;
#endif
  AGAIN;
}
// CHECK: loop: 12 14 44 138
// MAYGO: loop: 2 4 34 128

CASE(task, 4, 3) { // a task stores
  FIRST;
#ifndef MAY_GO
#pragma omp parallel
#pragma omp single
  {
#pragma omp task
    h[1] = 9;
#pragma omp taskwait
  }
#endif
  AGAIN;
}
// CHECK: task: 2 11 34 128
// MAYGO: task: 2 4 34 128

CASE(readInRegion, 2, 1) { // a parallel loop reads
  ZEROS(d);
  increase<<<1, n>>>(d);
  int *h = (int *)malloc(size);
  COPY_OUT(h, d);
#ifndef MAY_GO
  int sum = 0;
#pragma omp parallel for reduction(+ : sum)
  for (int i = 0; i < n; ++i) sum += h[i];
  printf("readInRegion: %d\n", sum);
#endif
  free(h);
}
// CHECK: readInRegion: 64

int main(int argc, char **) {
  one = argc;
  loop();
  task();
  readInRegion();
}
