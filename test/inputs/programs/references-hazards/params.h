#pragma once
struct Params {
  int a, b, c, d, e;
};
int kept(int *out, const Params &params);
int unseen(int *out, const Params &params);
int twice(int *out, const Params &params, Params &same);
int differs(int *out, const Params &params);
void changeKept();
extern "C" void native(const Params *params);
