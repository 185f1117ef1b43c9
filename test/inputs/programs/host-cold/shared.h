#pragma once
#include <cstdio>
void fail(const char *why);
void report(const char *why);
void often(const char *what);
void tiniest(const char *what);
void thrower(int n);
int taken(int n);
int byNative(int n);
int callNative(int n);
int open(int n);
int table();
extern int first;
extern int (*pointer)(int);
