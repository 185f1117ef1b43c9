#pragma once
struct Params {
  int width, height;
  int *data;
  int blocks;
};
void fill(Params *p, int width);
void check(const Params *p);
void fillOrThrow(Params *p, int argc);
void fillAny(Params *p, int i, int width);
void nativeFill(Params *p);
