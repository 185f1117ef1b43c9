; What LGEN notes of signatures: who ignores results, which parameters are passed
; in a way of their own, and what needs a signature as it is: calls through
; another type or calling convention, with operand bundles, musttail calls and
; their callers, coroutines that are not split, attributes that name parameters.
; RUN: llvm-as %s -o %t.bc
; RUN: %gpulto dump --symbols --summary %t.bc | FileCheck %s

target triple = "x86_64-pc-linux-gnu"
; CHECK: symbol plain: function external default declaration{{$}}
; CHECK-NEXT: symbol other_type: {{.*}} signature_fixed
; CHECK-NEXT: symbol other_cc: {{.*}} signature_fixed
; CHECK-NEXT: symbol bundled: {{.*}} signature_fixed
; CHECK-NEXT: symbol tailed: {{.*}} signature_fixed
; CHECK-NEXT: symbol nothing: function external default declaration{{$}}
; CHECK-NEXT: symbol sized: {{.*}} signature_fixed
; CHECK-NEXT: symbol calls: function external default atom 0{{$}}
; CHECK-NEXT: symbol tails: {{.*}} signature_fixed
; CHECK-NEXT: symbol coroutine: {{.*}} signature_fixed
declare i32 @plain(i32)
declare i32 @other_type(i32)
declare i32 @other_cc(i32)
declare i32 @bundled(i32)
declare i32 @tailed(i32)
declare void @nothing()
declare ptr @sized(i64) allocsize(0)

; CHECK: function calls:
; CHECK: call plain {{.*}} ignores_result
; CHECK: call plain {{.*}}args=({{[^)]*}}){{$}}
; CHECK: call nothing {{.*}}args=(){{$}}
define i32 @calls(i32 %n) {
  %a = call i32 @plain(i32 1)
  %b = call i32 @plain(i32 2)
  call void @nothing()
  %c = call i32 @other_type(i64 3)
  %d = call fastcc i32 @other_cc(i32 4)
  %e = call i32 @bundled(i32 5) [ "some"(i32 6) ]
  %p = call ptr @sized(i64 8)
  ret i32 %b
}
define i32 @tails(i32 %n) {
  %a = musttail call i32 @tailed(i32 %n)
  ret i32 %a
}
define void @coroutine() presplitcoroutine {
  ret void
}
; CHECK: function passed:
; CHECK: param 0 i32
; CHECK-NOT: special
; CHECK: param 1 unused pointer
; CHECK-NOT: special
; CHECK: param 2 {{.*}}special
; CHECK: param 3 {{.*}}special
; CHECK: param 4 {{.*}}special
define void @passed(i32 %a, ptr %b, ptr byval(i64) %c, ptr inreg %d,
                    <2 x i32> %e) {
  ret void
}
