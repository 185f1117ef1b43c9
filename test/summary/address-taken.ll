; A function's address is taken by any use but a direct call, an offload entry,
; and being the handle of a launch.
; RUN: llvm-as %s -o %t.bc
; RUN: %gpulto dump --symbols %t.bc | FileCheck %s

target triple = "x86_64-pc-linux-gnu"
@table = global [1 x ptr] [ptr @in_table]

; CHECK: symbol called: function external default atom {{[0-9]+$}}
define void @called() {
  ret void
}
; CHECK: symbol in_table: {{.*}} address_taken
define void @in_table() {
  ret void
}
; CHECK: symbol stored: {{.*}} address_taken
define void @stored() {
  ret void
}
; CHECK: symbol passed: {{.*}} address_taken
define void @passed() {
  ret void
}
; CHECK: symbol compared: {{.*}} atom {{[0-9]+$}}
define void @compared() {
  ret void
}
; CHECK: symbol handle: {{.*}} atom {{[0-9]+$}}
define void @handle() {
  ret void
}
; CHECK: symbol queried: {{.*}} address_taken
define void @queried() {
  ret void
}
; CHECK: symbol returned: {{.*}} address_taken
define void @returned() {
  ret void
}
declare void @take(ptr)
declare i32 @cudaLaunchKernel(ptr, i64, i32, i64, i32, ptr, i64, ptr)
declare i32 @cudaFuncSetAttribute(ptr, i32, i32)

define ptr @user(ptr %p) {
  call void @called()
  store ptr @stored, ptr %p
  call void @take(ptr @passed)
  %c = icmp eq ptr %p, @compared
  %a = call i32 @cudaLaunchKernel(ptr @handle, i64 1, i32 1, i64 1, i32 1, ptr null, i64 0, ptr null)
  %b = call i32 @cudaFuncSetAttribute(ptr @queried, i32 8, i32 1)
  ret ptr @returned
}
