#pragma once
struct Params {
  int width, height;
  int *data;
  int blocks;
};
void fill(Params *p, int width);
void fillTwoThirds(Params *p, int width);
void fillThird(Params *p, int width);
