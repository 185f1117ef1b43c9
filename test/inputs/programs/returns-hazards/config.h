#pragma once
struct Config {
  int width, height;
  float weights[8];
};
Config makeConfig(int width);
Config makeAnywhere(int width, int i);
Config makeKept(int width);
void changeKept();
int nativeTile();
