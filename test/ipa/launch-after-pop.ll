; What was popped belongs to the launch behind it and to no further one: a call of
; the runtime after it in the same block is launched as its operands say.
; RUN: llvm-as %s -o %t.bc
; RUN: %gpulto dump --summary %t.bc | FileCheck %s

target triple = "x86_64-pc-linux-gnu"
define void @first() {
  ret void
}
define void @second() {
  ret void
}
declare i32 @__cudaPushCallConfiguration(i64, i32, i64, i32, i64, ptr)
declare i32 @__cudaPopCallConfiguration(ptr, ptr, ptr, ptr)
declare i32 @cudaLaunchKernel(ptr, i64, i32, i64, i32, ptr, i64, ptr)

; CHECK: function f:
; CHECK: launch first chevron {{.*}} grid.x=i32 3 {{.*}} stream=null
; CHECK: launch second runtime {{.*}} grid.x=i32 5 {{.*}} stream=arg0
define void @f(ptr %stream) {
  %grid = alloca [12 x i8]
  %block = alloca [12 x i8]
  %shared = alloca i64
  %queue = alloca ptr
  %array = alloca [1 x ptr]
  %pushed = call i32 @__cudaPushCallConfiguration(i64 4294967299, i32 1, i64 4294967297, i32 1, i64 0, ptr null)
  %failed = icmp ne i32 %pushed, 0
  br i1 %failed, label %end, label %launch
launch:
  %popped = call i32 @__cudaPopCallConfiguration(ptr %grid, ptr %block, ptr %shared, ptr %queue)
  %xy = load i64, ptr %grid
  %q = load ptr, ptr %queue
  %a = call i32 @cudaLaunchKernel(ptr @first, i64 %xy, i32 1, i64 4294967297, i32 1, ptr %array, i64 0, ptr %q)
  %b = call i32 @cudaLaunchKernel(ptr @second, i64 4294967301, i32 1, i64 4294967297, i32 1, ptr %array, i64 0, ptr %stream)
  br label %end
end:
  ret void
}
