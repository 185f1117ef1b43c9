; llvm.global_ctors and llvm.global_dtors, in module order.
; RUN: llvm-as %s -o %t.bc
; RUN: %gpulto dump --symbols %t.bc | FileCheck %s

target triple = "x86_64-pc-linux-gnu"
@data = internal global i32 0
@llvm.global_ctors = appending global [2 x { i32, ptr, ptr }] [
  { i32, ptr, ptr } { i32 65535, ptr @second, ptr null },
  { i32, ptr, ptr } { i32 101, ptr @first, ptr @data }]
@llvm.global_dtors = appending global [1 x { i32, ptr, ptr }] [
  { i32, ptr, ptr } { i32 200, ptr @last, ptr null }]
define internal void @first() {
  ret void
}
define internal void @second() {
  ret void
}
define internal void @last() {
  ret void
}
; CHECK: structor second priority 65535{{$}}
; CHECK: structor first priority 101 associated data
; CHECK: structor last priority 200 destructor
