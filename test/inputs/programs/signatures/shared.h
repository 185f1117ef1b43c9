#pragma once
#include <cstdio>
int report(FILE *to, int what, int n);
int unused(int n, void *nothing, int m);
int get(const int *p);
int many(int, int, int n, int, int, int, int, int, int m);
int thrower(int n, int nothing);
int again(int n, int *nothing);
void fromOther(int n);
