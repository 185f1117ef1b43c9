#pragma once
struct Params {
  int width, height;
  int *data;
  int blocks;
};
void fill(Params *p, int width);
