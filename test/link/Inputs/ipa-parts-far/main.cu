#include "tables.h"
#include <cstdio>
#include <cstring>
static volatile int one = 1;
void show(const char *name, int *p, int count) {
  int values[5];
  cudaMemcpy(values, p, sizeof values, cudaMemcpyDeviceToHost);
  printf("%s", name);
  for (int i = 0; i < count; ++i)
    printf(" %d", values[i]);
  printf("\n");
}
int main() {
  int *p;
  if (cudaMalloc(&p, 5 * sizeof(int)))
    return 1;
  {
    Table *t = new Table;
    t->below = 2, t->middle = 3, t->above = 4, t->last = 65;
    t->first = one;
    runApart(p, *t);
  }
  {
    Row *rows = new Row[5];
    rows[4].value = 8;
    rows[0].value = 6 + one;
    runRow(p, rows);
  }
  {
    Table *t = new Table;
    t->first = 4 + one;
    t->last = 6;
    runCopied(p, *t);
  }
  {
    Table *t = new Table;
    fill(*t, 10 + one, 12);
    runLeft(p, *t);
  }
}
