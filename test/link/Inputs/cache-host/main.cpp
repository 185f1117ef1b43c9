#include <cstdio>
unsigned a(unsigned), b(unsigned), c(unsigned);
int main(int n, char **) {
  std::printf("%u %u %u\n", a(n), b(n), c(n));
  return 0;
}
