; Parts of objects are told of the first 2 GiB. What is stored behind that is not
; told, and not as what is 4 GiB before; a variable that is stored to there is not
; one of which all stores are known. Memory of 2^32 bytes is not memory of none.
; RUN: llvm-as %s -o %t.bc
; RUN: %gpulto dump --summary %t.bc | FileCheck --implicit-check-not="i32 6" %s

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

declare void @use(ptr nocapture)
declare noalias nonnull ptr @_Znwm(i64) nobuiltin
@variable = internal global [4294967304 x i8] zeroinitializer

; CHECK: function passes:
; CHECK: call use {{.*}}{0: local1 one of{0: i32 1}[0], 4: local1 one of{}[2147483643]}
define void @passes() {
  %p = call noalias nonnull ptr @_Znwm(i64 4294967304) builtin
  %middle = getelementptr i8, ptr %p, i64 2147483648
  store i32 64, ptr %middle
  %last = getelementptr i8, ptr %p, i64 4294967296
  store i32 65, ptr %last
  store i32 1, ptr %p
  call void @use(ptr %p)
  ret void
}
; CHECK: function stores:
; CHECK: ref variable writes writes_unknown
define void @stores() {
  store i32 66, ptr getelementptr (i8, ptr @variable, i64 4294967296)
  ret void
}
; CHECK: function fills:
; CHECK: leaves ({0: local1 one of{0: i32 1}[0],
define void @fills(ptr %p) {
  %last = getelementptr i8, ptr %p, i64 4294967296
  store i32 67, ptr %last
  store i32 1, ptr %p
  ret void
}
