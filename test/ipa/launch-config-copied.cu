// A launch by a configuration that is copied out of an object, which is passed by
// its address: as CCCL's launchers do. Not when the object may have changed before.
// REQUIRES: cuda
// RUN: %gpulto-clang++ -flto=gpu -O2 --offload-arch=sm_90 %light --cuda-path=%cuda_path -c %s -o %t.o
// RUN: %gpulto dump --summary %t.o | FileCheck %s
#include <cuda_runtime.h>

struct Launcher {
  dim3 grid, block;
  size_t shared;
  cudaStream_t stream;
};
__global__ void kernel(int *out) { *out = 1; }

// CHECK: host function _Z6launchRK8LauncherPi:
// CHECK: launch {{.*}}kernel{{.*}} runtime_exc {{.*}} grid.x=arg0[0..4 at entry]:i32 grid.y=arg0[4..8 at entry]:i32 grid.z=arg0[8..12 at entry]:i32 block.x=arg0[12..16 at entry]:i32 block.y=arg0[16..20 at entry]:i32 block.z=arg0[20..24 at entry]:i32
void launch(const Launcher &launcher, int *out) {
  cudaLaunchConfig_t config{};
  config.gridDim = launcher.grid;
  config.blockDim = launcher.block;
  config.dynamicSmemBytes = launcher.shared;
  config.stream = launcher.stream;
  cudaLaunchKernelEx(&config, kernel, out);
}

// CHECK: host function _Z7changedR8LauncherPi:
// CHECK: launch {{.*}}kernel{{.*}} runtime_exc
// CHECK-NOT: block.x=arg0[12..16 at entry]
// CHECK: host function
void changed(Launcher &launcher, int *out) {
  launcher.block.x *= 2;
  cudaLaunchConfig_t config{};
  config.gridDim = launcher.grid;
  config.blockDim = launcher.block;
  cudaLaunchKernelEx(&config, kernel, out);
}
void last() {}
