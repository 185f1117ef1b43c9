// A program whose kernels access no memory is told from one without kernels, and
// from one that says nothing.
// REQUIRES: lld, cuda
// RUN: rm -rf %t && mkdir %t && cd %t
// RUN: %gpulto-clang++ -flto=gpu %light --offload-arch=sm_90 -O2 -L%cuda_path/lib64 %s -lcudart -o app
// RUN: %gpulto explain --memory app | FileCheck --match-full-lines %s
// RUN: %gpulto explain --memory --json app | FileCheck --check-prefix=JSON %s
// RUN: %gpulto explain idle app | FileCheck --check-prefix=STORY --implicit-check-not=accesses %s
// RUN: echo 'int main() {}' > host.cpp && %gpulto-clang++ -flto=gpu host.cpp -o host
// RUN: not %gpulto explain --memory host 2>&1 | FileCheck --check-prefix=HOST %s
// CHECK: app: 0 accesses, 0 waste bandwidth, 0 depend on data, of 0 nothing is known
// JSON: "app": []
// STORY: idle()
// HOST: host: no section .gpulto.memory: it has no kernels that gpulto compiled, or it was stripped, or linked without gpulto
__global__ void idle() { __syncthreads(); }
int main() { idle<<<1, 32>>>(); }
