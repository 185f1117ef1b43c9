// Structs passed by value: in memory, in registers, as vectors of floats; the
// kernel's parameter numbers do not move when one struct takes two registers.
// REQUIRES: cuda
// RUN: %gpulto-clang++ -flto=gpu -O2 --offload-arch=sm_90 %light -c %s -o %t.o
// RUN: %gpulto dump --summary %t.o | FileCheck %s
struct Memory { int n; double scale; int *data; long rest[3]; };
struct TwoRegisters { long a; long b; };
struct Halves { int x; int y; };
struct Floats { float x; float y; };
__global__ void kernel(Memory m, TwoRegisters t, Halves h, Floats f, int last) {
  m.data[h.x + last] = t.a + t.b + f.x + m.n + m.scale;
}
extern __global__ void elsewhere(TwoRegisters t, int last);

// CHECK: host function [[STUB:.*__device_stub__kernel[^ ]*]]: insts
// CHECK: stub_arg 0 from arg0 whole
// CHECK-NEXT: stub_arg 1 from arg1
// CHECK-NEXT: stub_arg 1 byte 8 from arg2
// CHECK-NEXT: stub_arg 2 from arg3
// CHECK-NEXT: stub_arg 3 from arg4
// CHECK-NEXT: stub_arg 4 from arg5

// CHECK: host function _Z5knownPi
// CHECK: launch [[STUB]] {{.*}} args=({0: i32 5, 8: i64 4611686018427387904, 16: arg0}, {0: i64 1, 8: i64 2}, {0: i64 17179869187}, {0: i64 4611686019492741120}, i32 9)
void known(int *p) {
  Memory m;
  m.n = 5;
  m.scale = 2;
  m.data = p;
  kernel<<<1, 1>>>(m, {1, 2}, {3, 4}, {1, 2}, 9);
}

// A formal is passed on whole, one half of a register is known.
// CHECK: host function _Z6partly6Memoryi
// CHECK: launch [[STUB]] {{.*}} args=(arg0, {0: i64 1, 8: arg1:i64 sext 32}, {0: arg1:i32, 4: i32 4}
void partly(Memory m, int x) {
  kernel<<<1, 1>>>(m, {1, x}, {x, 4}, {0, 0}, 9);
}

// The stub's body is in another unit: arguments as the stub gets them.
// CHECK: host function _Z5otherv
// CHECK: launch {{.*}}elsewhere{{.*}} by_stub args=(i64 1, i64 2, i32 3)
void other() { elsewhere<<<1, 1>>>({1, 2}, 3); }
