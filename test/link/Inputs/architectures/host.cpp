#include <cstdio>
void say(const int *values) { printf("main %d part %d\n", values[0], values[1]); }
