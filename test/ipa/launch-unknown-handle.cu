// A launch through a handle that is a choice knows the choice; through one that
// comes out of memory, at byte 8 behind parameter 1, it is one of an unknown kernel,
// with what is known of its geometry.
// REQUIRES: cuda
// RUN: %gpulto-clang++ -flto=gpu -O2 --offload-arch=sm_90 %light -c %s -o %t.o
// RUN: %gpulto dump --symbols --summary %t.o | FileCheck %s
__global__ void chosen(int *p) { *p = 1; }
__global__ void other(int *p) { *p = 2; }
__global__ void known(int *p) { *p = 3; }
__global__ void queried(int *p) { *p = 4; }

// CHECK: host symbol {{.*}}chosenPi: {{.*}} address_taken
// CHECK: host symbol {{.*}}otherPi: {{.*}} address_taken
// CHECK: host symbol [[KNOWN:.*]]knownPi: function external default dso_local kernel_stub signature_fixed atom {{[0-9]+}}
// CHECK: host symbol {{.*}}queriedPi: {{.*}} address_taken
// CHECK: host function _Z6selectPib
// CHECK: launch <unknown> chevron {{.*}} handles=(&{{.*}}chosenPi, &{{.*}}otherPi) {{.*}}block.x=i32 64 {{.*}} by_stub args=(arg0)
// CHECK: ref {{.*}}chosenPi passes
void select(int *p, bool c) {
  void (*kernel)(int *) = c ? chosen : other;
  kernel<<<1, 64>>>(p);
  known<<<1, 64>>>(p);
}
void query(int *p) {
  cudaFuncSetAttribute(queried, cudaFuncAttributeMaxDynamicSharedMemorySize, 4);
  queried<<<1, 1>>>(p);
}
// CHECK: host function _Z6memoryPiPPFvS_E
// CHECK: launch <unknown> chevron freq 1 call 1 handles=(memory1[8]) grid{{.*}}block.x=i32 64 {{.*}} by_stub args=(arg0)
void memory(int *p, void (**kernels)(int *)) { kernels[1]<<<1, 64>>>(p); }
