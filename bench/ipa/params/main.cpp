// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../common.h"
#include "model.h"

#include <utility>

int main() {
  Params params;
  params.width = 128;
  params.height = 96;
  params.diffusionU = 1.0f;
  params.diffusionV = 0.5f;
  params.feed = 0.055f;
  params.kill = 0.062f;
  params.timeStep = 0.9f;
  params.boundary = Boundary::Periodic;
  params.clampToUnit = true;
  size_t cells = size_t(params.width) * params.height;
  DeviceArray<float> u0(randomFloats(cells, 3)), v0(randomFloats(cells, 4));
  DeviceArray<float> u1(cells), v1(cells);
  Fields from = {u0.get(), v0.get()}, to = {u1.get(), v1.get()};
  for (int step = 0; step < 6; ++step) {
    advance(params, to, from);
    std::swap(to, from);
  }
  printChecksum("u", u0.read());
  printChecksum("v", v0.read());
}
