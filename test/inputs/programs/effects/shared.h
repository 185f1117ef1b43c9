#pragma once
int weight();
int scale(const int *p);
void fillOne(int *p);
void fail(const char *why);
void die(const char *why);
int ignores(int n);
