// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

enum class Boundary { Periodic, Mirror };

/// The Gray-Scott model of two reacting substances.
struct Params {
  int width;
  int height;
  float diffusionU;
  float diffusionV;
  float feed;
  float kill;
  float timeStep;
  Boundary boundary;
  bool clampToUnit;
};

struct Fields {
  float *u;
  float *v;
};

void advance(const Params &params, Fields to, Fields from);

#ifdef __CUDACC__
__global__ void react(Params params, Fields to, Fields from);
#endif
