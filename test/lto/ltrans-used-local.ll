; A local in llvm.used is known to assembly by its name. Where it is promoted, a
; local alias keeps the old name; where two such names meet in one partition and
; assembly names them, LTRANS refuses.

; RUN: rm -rf %t && split-file %s %t
; RUN: opt -module-summary -o %t/a.bc %t/a.ll
; RUN: opt -module-summary -o %t/b.bc %t/b.ll
; RUN: %split-jobs -n 1 -o %t/one %t/a.bc
; RUN: %gpulto ltrans %t/one/0.json -o %t/one/0 --save-temps=%t/one/0
; RUN: llvm-dis < %t/one/0.in.bc | FileCheck %s
; RUN: llvm-nm %t/one/0.o | FileCheck %s --check-prefix=NM
; RUN: %split-jobs -n 1 -o %t/two %t/a.bc %t/b.bc
; RUN: not %gpulto ltrans %t/two/0.json -o %t/two/0 2>&1 | FileCheck %s --check-prefix=ERROR
; RUN: not test -e %t/two/0.o

; CHECK: @llvm.used = appending global [1 x ptr] [ptr @target.gpulto.
; CHECK: @target = internal alias {{.*}} @target.gpulto.
; NM-DAG: t target{{$}}
; NM-DAG: T target.gpulto.
; NM-DAG: T jump
; ERROR: error: assembly names the local symbol 'target', and two symbols of that name are in one partition

;--- a.ll
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"
module asm ".globl jump"
module asm "jump: jmp target"
@llvm.used = appending global [1 x ptr] [ptr @target], section "llvm.metadata"
define internal i32 @target(i32 %x) {
  ret i32 %x
}
define i32 @main() {
  ret i32 0
}
;--- b.ll
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"
module asm "call target@PLT"
@llvm.used = appending global [1 x ptr] [ptr @target], section "llvm.metadata"
define internal i32 @target(i32 %x) {
  ret i32 %x
}
