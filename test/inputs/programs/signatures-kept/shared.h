#pragma once
#include <cstdio>
struct Big { long a[4]; };
struct Base { virtual int run(int); virtual ~Base() = default; };
int taken(int);
int byNative(int);
int callNative(int);
int fromOpen(int);
int open();
int copied(Big);
int tail(int n, int *nothing);
int tails(int n, int *nothing);
extern int (*pointer)(int);
extern "C" {
int kandr(int n, int nothing);
int callKandr();
int printAll(const char *format, ...);
}
Base *make();
void fromOther(int n);
