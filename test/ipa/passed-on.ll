; What a function has left behind a pointer that it passes on, and what it finds
; there after calls. Not of what it writes at places that are not known, of a
; pointer that a callee gets twice, nor on the device.
; RUN: llvm-as %s -o %t.bc
; RUN: %gpulto dump --summary %t.bc | FileCheck %s

target triple = "x86_64-pc-linux-gnu"
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"

declare void @check(ptr)
declare void @two(ptr, ptr)
declare void @number(i32)

; CHECK-LABEL: function stored:
define void @stored(ptr %p, i32 %n) {
; CHECK: call check freq 1{{[a-z_ ]*}} args=(arg0{0: local1 one of{0: arg1:i32}[0], 4: local1 one of{0: arg0[4..1073741824 at entry]}[0]})
  store i32 %n, ptr %p
  call void @check(ptr %p)
  ret void
}

; CHECK-LABEL: function inside:
define void @inside(ptr %p, i32 %n) {
; CHECK: call check freq 1{{[a-z_ ]*}} args=(arg0+8{0: local1 one of{0: i32 7}[0], 4: local1 one of{0: arg0[12..1073741824 at entry]}[0]})
  %field = getelementptr i8, ptr %p, i64 8
  store i32 7, ptr %field
  store i32 %n, ptr %p
  call void @check(ptr %field)
  ret void
}

; CHECK-LABEL: function after:
define void @after(ptr %p) {
; CHECK: call check freq 1{{[a-z_ ]*}} args=(arg0{0: local1 one of{0: arg0[0..1073741824 at entry]}[0]})
  call void @check(ptr %p)
; CHECK: call number freq 1{{[a-z_ ]*}} args=(local1 one of{0: argument 0 of call 0[4..8]}[0]:i32)
  %field = getelementptr i8, ptr %p, i64 4
  %n = load i32, ptr %field
  call void @number(i32 %n)
  ret void
}

; CHECK-LABEL: function reader:
define void @reader(ptr readonly nocapture %p) {
; CHECK: call number freq 1{{[a-z_ ]*}} args=(arg0[4..8 at entry]:i32)
  %field = getelementptr i8, ptr %p, i64 4
  %n = load i32, ptr %field
  call void @number(i32 %n)
  ret void
}

; CHECK-LABEL: function twice:
define void @twice(ptr %p) {
; CHECK: call two freq 1{{[a-z_ ]*}} args=(arg0, arg0+4)
  store i32 7, ptr %p
  %field = getelementptr i8, ptr %p, i64 4
  call void @two(ptr %p, ptr %field)
  ret void
}

; CHECK-LABEL: function kept:
define void @kept(ptr %p, ptr %where) {
; CHECK: call check freq 1{{[a-z_ ]*}} args=(arg0)
  store i32 7, ptr %p
  store ptr %p, ptr %where
  call void @check(ptr %p)
  ret void
}
