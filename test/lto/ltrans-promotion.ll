; Locals that two partitions need are promoted to hidden symbols of one name;
; those that one partition needs are local again, under their old name; copyable
; constants are copied.

; RUN: rm -rf %t && mkdir %t && opt -module-summary -o %t/m.bc %s
; RUN: %split-jobs -n 3 --deal=robin -o %t --keep=f --keep=g --keep=h %t/m.bc
; RUN: for i in 0 1 2; do %gpulto ltrans %t/$i.json -o %t/$i --save-temps=%t/$i || exit 1; done
; RUN: cat %t/0.in.bc | llvm-dis | FileCheck %s --check-prefix=P0
; RUN: cat %t/1.in.bc | llvm-dis | FileCheck %s --check-prefix=P1
; RUN: cat %t/2.in.bc | llvm-dis | FileCheck %s --check-prefix=P2

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

; The functions come first in the module's order of symbols: f is dealt to
; partition 0, g to 1, h to 2, twice to 0, count to 1, own to 2.

; P0-DAG: @count.gpulto.[[TAG:[0-9a-f]+]] = external hidden global i32
; P0-DAG: @{{.*}} = private unnamed_addr constant [3 x i8] c"ab\00"
; P0-DAG: define hidden i32 @twice.gpulto.{{[0-9a-f]+}}(
; P0-DAG: declare ptr @g()
; P1-DAG: @count.gpulto.{{[0-9a-f]+}} = hidden global i32 7
; P1-DAG: @{{.*}} = private unnamed_addr constant [3 x i8] c"ab\00"
; P1-DAG: declare hidden i32 @twice.gpulto.{{[0-9a-f]+}}(
; P2-DAG: @own = internal global i32 1
; P2-NOT: gpulto

@count = internal global i32 7
@own = internal global i32 1
@text = private unnamed_addr constant [3 x i8] c"ab\00"

define ptr @f() {
  %1 = load i32, ptr @count
  %2 = call i32 @twice(i32 %1)
  %3 = call ptr @g()
  store i32 %2, ptr @count
  ret ptr @text
}

define ptr @g() {
  %1 = call i32 @twice(i32 5)
  store i32 %1, ptr @count
  ret ptr @text
}

define i32 @h() {
  %1 = load i32, ptr @own
  store i32 5, ptr @own
  ret i32 %1
}

define internal i32 @twice(i32 %x) noinline {
  %y = shl i32 %x, 1
  ret i32 %y
}
