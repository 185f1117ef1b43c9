#pragma once
struct Params {
  int a, b, c, d, e;
};
struct Outer {
  int first;
  Params inner;
};
int known(int *out, const Params &params);
int scalar(int *out, const Params &params);
int member(int *out, const Outer &outer);
int written(int *out, const Params &params);
int deep(int *out, const Params &params);
void change(Params &params);
