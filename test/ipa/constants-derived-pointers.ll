; What pointers at unknown distances are based on, and by which power of two
; their distance can be divided, whatever wraps. Of several bases, and of numbers
; that were made pointers, nothing is said.
; RUN: llvm-as %s -o %t.bc
; RUN: %gpulto dump --summary %t.bc | FileCheck %s

target triple = "x86_64-pc-linux-gnu"
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
@table = global [8 x [33 x float]] zeroinitializer, align 16
@weak = extern_weak global [8 x float]

declare void @p(ptr)
declare ptr @opaque()

; CHECK-LABEL: function distances:
define void @distances(ptr %a, ptr nonnull align 32 %b, i64 %i, i32 %n) {
; CHECK: call p {{.*}} args=((arg0) at a multiple of 4)
  %floats = getelementptr float, ptr %a, i64 %i
  call void @p(ptr %floats)
; CHECK: call p {{.*}} args=((arg0) at a multiple of 64)
  %scaled = mul i64 %i, 48
  %rows = getelementptr float, ptr %a, i64 %scaled
  call void @p(ptr %rows)
; CHECK: call p {{.*}} args=((arg0) at a multiple of 8)
  %odd = getelementptr i8, ptr %rows, i64 24
  call void @p(ptr %odd)
; CHECK: call p {{.*}} args=((arg0) at a multiple of 16)
  %shifted = shl i32 %n, 2
  %wide = sext i32 %shifted to i64
  %wraps = getelementptr float, ptr %a, i64 %wide
  call void @p(ptr %wraps)
; CHECK: call p {{.*}} args=((arg1) at a multiple of 4(align 4))
  %outside = getelementptr float, ptr %b, i64 %i
  call void @p(ptr %outside)
; CHECK: call p {{.*}} args=((arg1) at a multiple of 4(align 4 nonnull))
  %inside = getelementptr inbounds float, ptr %b, i64 %i
  call void @p(ptr %inside)
  ret void
}

; CHECK-LABEL: function bases:
define void @bases(ptr %a, ptr %b, i64 %i, i1 %c) {
; CHECK: call p {{.*}} args=((&table) at a multiple of 4(align 4 nonnull))
  %row = getelementptr inbounds [8 x [33 x float]], ptr @table, i64 0, i64 %i
  call void @p(ptr %row)
; CHECK: call p {{.*}} args=((&weak) at a multiple of 4{{(\(align 4\))?}})
  %none = getelementptr inbounds float, ptr @weak, i64 %i
  call void @p(ptr %none)
; CHECK: call p {{.*}} args=(?(align 4 nonnull))
  %local = alloca [8 x float], align 16
  %mine = getelementptr inbounds float, ptr %local, i64 %i
  call void @p(ptr %mine)
; CHECK: call p {{.*}} args=((arg0) at a multiple of 4)
  %one = getelementptr float, ptr %a, i64 %i
  %same = select i1 %c, ptr %a, ptr %one
  call void @p(ptr %same)
; CHECK: call p {{.*}} args=()
  %other = select i1 %c, ptr %b, ptr %one
  call void @p(ptr %other)
; CHECK: call p {{.*}} args=()
  %number = ptrtoint ptr %a to i64
  %sum = add i64 %number, %i
  %again = inttoptr i64 %sum to ptr
  call void @p(ptr %again)
; CHECK: call p {{.*}} args=((result of call 6[0]) at a multiple of 4)
  %result = call ptr @opaque()
  %behind = getelementptr float, ptr %result, i64 %i
  call void @p(ptr %behind)
; CHECK: call p {{.*}} args=((arg1[0]) at a multiple of 4)
  %loaded = load ptr, ptr %b
  %there = getelementptr float, ptr %loaded, i64 %i
  call void @p(ptr %there)
  ret void
}

; A pointer that a loop moves. What each round loads anew is another one.
; CHECK-LABEL: function rounds:
define void @rounds(ptr %a, ptr %b, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %at = phi ptr [ %a, %entry ], [ %step, %loop ]
  %last = phi ptr [ %a, %entry ], [ %loaded, %loop ]
; CHECK: call p {{.*}} args=((arg0) at a multiple of 32)
  call void @p(ptr %at)
; CHECK: call p {{.*}} args=()
  call void @p(ptr %last)
  %loaded = load ptr, ptr %b
  %step = getelementptr i8, ptr %at, i64 96
  %next = add i64 %i, 1
  %done = icmp eq i64 %next, %n
  br i1 %done, label %exit, label %loop
exit:
  ret void
}
