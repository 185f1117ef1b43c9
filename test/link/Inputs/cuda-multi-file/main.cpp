#include "check.h"
void runOne(int *), runTwo(int *), runTemplates(int *), runTemplatesTwo(int *);
int readCounter();
int main() {
  int *p = allocate(64);
  runOne(p);
  runTwo(p);
  runTemplates(p);
  runTemplatesTwo(p);
  printf("counter %d\n", readCounter());
}
