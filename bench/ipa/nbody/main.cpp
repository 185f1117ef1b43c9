// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../common.h"
#include "nbody.h"

#include <utility>

int main() {
  Simulation simulation = {512, 0.1f, 0.01f, 0.995f};
  Random random(23);
  std::vector<float4> start(simulation.bodies);
  for (float4 &body : start)
    body = {random.uniform(), random.uniform(), random.uniform(), 0.01f};
  DeviceArray<float4> a(start), b(start.size()), velocities(start.size());
  float4 *from = a.get(), *to = b.get();
  for (int i = 0; i < 2; ++i) {
    step(simulation, to, from, velocities.get());
    std::swap(from, to);
  }
  std::vector<float> coordinates;
  for (const float4 &body : a.read())
    coordinates.insert(coordinates.end(), {body.x, body.y, body.z});
  printChecksum("positions", coordinates);
}
