#include "shared.h"
#include <cstdio>
const int comparedA[4] = {1, 2, 3, 4};
int main(int argc, char **) {
  Base *a = argc > 5 ? more() : make<int>(), *b = make<long long>(),
       *c = make<Other>();
  printf("%d %d %ld %ld\n", a->get(2), b->set(2), (long)c->get(2),
         (long)c->set(2));
  printf("different: %d\n", hidden(comparedA) != hidden(comparedB));
  printf("sums: %ld %ld\n", sum<int>(argc + 4), moreSum(argc + 4));
  printf("device: %d %d\n", run<int>(), moreRun());
}
