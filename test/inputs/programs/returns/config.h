#pragma once
struct Pair {
  int a, b;
};
struct Trio {
  long a;
  int b;
};
Pair makePair();
Trio makeTrio(long a);
int tile();
int level(int n);
int hostTile();
int same(int n);
