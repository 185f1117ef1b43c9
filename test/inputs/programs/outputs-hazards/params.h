#pragma once
struct Params {
  int width, height;
  int *data;
  int blocks;
};
void fill(Params *p, int width);
void maybeFill(Params *p, int argc);
void change(Params *p, int width);
void keep(Params *p);
void changeKept(int width);
void both(Params *a, Params *b, int width);
