#include "check.h"
void ours(int *), theirs(int *), whole(int *), apart(int *), plain(int *);
void counters();
int main() {
  int *p = allocate(8);
  ours(p);
  theirs(p);
  counters();
  whole(p);
  apart(p);
  plain(p);
}
