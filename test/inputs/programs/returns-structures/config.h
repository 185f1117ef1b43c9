#pragma once
struct Config {
  int width, height;
  float weights[8];
};
Config makeConfig(int width);
Config makeCentred(int radius);
