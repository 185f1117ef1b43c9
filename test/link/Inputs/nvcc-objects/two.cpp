#include "check.h"
void alone(int *), plain(int *);
int main() {
  int *p = allocate(8);
  alone(p);
  plain(p);
}
