; What linkage and visibility definitions get: COMDATs go, linkonce stays as weak
; where others may need it, imports are available_externally, constructors are
; listed by the glue alone.

; RUN: rm -rf %t && mkdir %t && opt -module-summary -o %t/m.bc %s
; RUN: %split-jobs -n 1 -o %t/keep --internalize=0 %t/m.bc
; RUN: %gpulto ltrans %t/keep/0.json -o %t/k --save-temps=%t/k
; RUN: llvm-dis < %t/k.in.bc | FileCheck %s --check-prefix=KEEP
; RUN: %split-jobs -n 1 -o %t/int --keep=main %t/m.bc
; RUN: %gpulto ltrans %t/int/0.json -o %t/i --save-temps=%t/i
; RUN: llvm-dis < %t/i.in.bc | FileCheck %s --check-prefix=INT
; RUN: %split-jobs -n 8 --deal=robin --import -o %t/cut --keep=main %t/m.bc
; RUN: %gpulto ltrans %t/cut/0.json -o %t/c --save-temps=%t/c
; RUN: llvm-dis < %t/c.in.bc | FileCheck %s --check-prefix=CUT
; RUN: sed 's/"linkage": "internal"/"linkage": "redefined"/' %t/int/0.json > %t/wrap.json
; RUN: %gpulto ltrans %t/wrap.json -o %t/w --save-temps=%t/w
; RUN: llvm-dis < %t/w.in.bc | FileCheck %s --check-prefix=WRAP

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

$odr = comdat any

; KEEP-NOT: comdat
; KEEP: @common = common global i32 0
; KEEP: @llvm.global_ctors = {{.*}} @init
; KEEP: define weak_odr i32 @odr()
; KEEP: define weak i32 @any()
; KEEP: define protected i32 @protected()
; INT: @common = internal global i32 0
; INT: define internal i32 @odr()
; INT: define internal i32 @any()
; INT: define internal i32 @protected()
; CUT-DAG: @llvm.global_ctors = appending global [1 x {{.*}} { i32 300, ptr @init.gpulto.
; CUT-DAG: define i32 @main()
; CUT-DAG: define available_externally i32 @odr()
; CUT-DAG: declare {{.*}}i32 @any()
; CUT-DAG: declare hidden void @init.gpulto
; WRAP: define weak i32 @odr()

@common = common global i32 0
@llvm.global_ctors = appending global [1 x { i32, ptr, ptr }] [{ i32, ptr, ptr } { i32 300, ptr @init, ptr null }]

define i32 @main() {
  %a = call i32 @odr()
  %b = call i32 @any()
  %c = call i32 @protected()
  %d = load i32, ptr @common
  %e = add i32 %a, %b
  %f = add i32 %c, %d
  %g = add i32 %e, %f
  ret i32 %g
}
define linkonce_odr i32 @odr() comdat {
  ret i32 1
}
define linkonce i32 @any() {
  ret i32 2
}
define protected i32 @protected() {
  ret i32 3
}
define internal void @init() {
  store i32 5, ptr @common
  ret void
}
