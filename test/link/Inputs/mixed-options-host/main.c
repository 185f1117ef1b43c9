#include <stdio.h>
int protectedByCet(int), openCode(int), notOptimized(int), guarded(int);
float wideSum(const float *, int), narrowSum(const float *, int);
double fusedAdd(double, double, double), separateAdd(double, double, double);
int throughTable(void), throughPlt(void), shortSize(void), longSize(void);
int strictNan(double), fastNan(double);
int main(void) {
  volatile int one = 1, three = 3, four = 4;
  volatile double nan = __builtin_nan("");
  float data[64];
  for (int i = 0; i < 64; ++i)
    data[i] = i * one;
  printf("protected %d open %d\n", protectedByCet(one), openCode(one));
  printf("sums %g %g\n", wideSum(data, 64), narrowSum(data, 64));
  volatile double x = 1 + 0x1p-30;
  printf("fma %a %a\n", fusedAdd(x, x, -1), separateAdd(x, x, -1));
  printf("calls %d %d\n", throughTable() != -1, throughPlt() != -1);
  printf("levels %d %d\n", notOptimized(three), guarded(four));
  printf("strict %d fast\n", strictNan(nan));
  printf("wchar %d %d\n", shortSize(), longSize());
}
