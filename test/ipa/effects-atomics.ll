; What another thread may change between two calls is more than read, and what
; others may wait for is more than written, as LLVM has it of ordered atomics and
; of volatile accesses.
; RUN: llvm-as %s -o %t.bc
; RUN: %gpulto dump --summary %t.bc | FileCheck %s

target triple = "x86_64-pc-linux-gnu"

; CHECK: function relaxed:
; CHECK: effects{{.*}} reads_arguments {{.*}}writes_arguments
; CHECK: function acquires:
; CHECK: effects{{.*}} reads_arguments {{.*}}writes_arguments
; CHECK: function releases:
; CHECK: effects{{.*}} reads_arguments {{.*}}writes_arguments
; CHECK: function polls:
; CHECK: effects{{.*}} reads_globals {{.*}}writes_globals
; CHECK: function unordered:
; CHECK-NOT: writes_arguments
; CHECK: function plain:
; CHECK-NOT: writes_arguments
@flag = global i32 0
define i32 @relaxed(ptr %p) {
  %x = load atomic i32, ptr %p monotonic, align 4
  ret i32 %x
}
define i32 @acquires(ptr %p) {
  %x = load atomic i32, ptr %p acquire, align 4
  ret i32 %x
}
define void @releases(ptr %p) {
  store atomic i32 1, ptr %p release, align 4
  ret void
}
define i32 @polls() {
  %x = load atomic i32, ptr @flag seq_cst, align 4
  ret i32 %x
}
define i32 @unordered(ptr %p) {
  %x = load atomic i32, ptr %p unordered, align 4
  ret i32 %x
}
define i32 @plain(ptr %p) {
  %x = load i32, ptr %p
  ret i32 %x
}
