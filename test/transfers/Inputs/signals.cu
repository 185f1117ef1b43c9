// Handlers of signals store to what was copied, and read it.
#include "cases.h"
#include <csignal>
#include <sys/time.h>

int *watched;
volatile sig_atomic_t isDone;
void storeToWatched(int) { watched[1] = 9; }
void storeLater(int) {
  watched[1] = 9;
  isDone = 1;
}
void printWatched(int) { print("readByHandler", watched); }

CASE(raised, 4, 3) { // raise runs the handler
  FIRST;
  watched = h;
  HAZARD(signal(SIGUSR1, storeToWatched); raise(SIGUSR1);)
  AGAIN;
}
// CHECK: raised: 2 11 34 128
// MAYGO: raised: 2 4 34 128

CASE(byTimer, 4, 3) { // the handler runs at some time, where the code does nothing
  FIRST;
  watched = h;
  HAZARD(signal(SIGALRM, storeLater); itimerval soon = {{}, {0, 1000}};
         setitimer(ITIMER_REAL, &soon, nullptr); while (!isDone) {})
  AGAIN;
}
// CHECK: byTimer: 2 11 34 128
// MAYGO: byTimer: 2 4 34 128

CASE(readByHandler, 2, 1) { // only the handler reads the target
  ZEROS(d);
  increase<<<1, n>>>(d);
  int *h = (int *)malloc(size);
  watched = h;
  COPY_OUT(h, d);
  HAZARD(signal(SIGUSR2, printWatched); raise(SIGUSR2);)
  watched = nullptr;
  free(h);
}
// CHECK: readByHandler: 1 1 1 1

int main(int argc, char **) {
  one = argc;
  raised();
  byTimer();
  readByHandler();
}
