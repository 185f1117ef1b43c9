; The runtime's launch functions of the per-thread default stream are launches
; too; one with other operands is an ordinary call.
; RUN: llvm-as %s -o %t.bc
; RUN: %gpulto dump --symbols --summary %t.bc | FileCheck %s

target triple = "x86_64-pc-linux-gnu"

; CHECK: symbol handle: {{.*}} atom {{[0-9]+$}}
; CHECK: symbol odd: {{.*}} address_taken
define void @handle() {
  ret void
}
define void @odd() {
  ret void
}
declare i32 @cudaLaunchKernel_ptsz(ptr, i64, i32, i64, i32, ptr, i64, ptr)
declare i32 @cudaLaunchCooperativeKernel_ptsz(ptr, i64, i32, i64, i32, ptr, i64, ptr)
declare i32 @cudaLaunchKernel(ptr, i64)

; CHECK: function f:
; CHECK: launch handle runtime freq 1 call {{[0-9]+}} grid.x=i32 3 grid.y=i32 2 grid.z=i32 5 block.x=arg0:i32 block.y=i32 1 block.z=i32 1 shared=arg1:i64 stream=null args=(i64 77)
; CHECK: launch handle cooperative freq 1 call {{[0-9]+}} grid.x=((arg3:i64):i64 mul arg3:i64):i32 trunc grid.y=(((arg3:i64):i64 mul arg3:i64):i64 lshr 32):i32 trunc grid.z=i32 1 {{.*}} args=(){{$}}
; CHECK-NOT: launch
; CHECK: ref handle reads
define void @f(i32 %n, i64 %shared, ptr %unknown, i64 %grid) {
  %value = alloca i64
  %array = alloca [1 x ptr]
  store i64 77, ptr %value
  store ptr %value, ptr %array
  %wide = zext i32 %n to i64
  %block = or disjoint i64 %wide, 4294967296
  %a = call i32 @cudaLaunchKernel_ptsz(ptr @handle, i64 8589934595, i32 5, i64 %block, i32 1, ptr %array, i64 %shared, ptr null)
  %twice = mul i64 %grid, %grid
  %b = call i32 @cudaLaunchCooperativeKernel_ptsz(ptr @handle, i64 %twice, i32 1, i64 1, i32 1, ptr %unknown, i64 0, ptr null)
  %c = call i32 @cudaLaunchKernel(ptr @odd, i64 1)
  ret void
}
