; What each formal is, and what knowing it would be worth.
; RUN: llvm-as %s -o %t.bc
; RUN: %gpulto dump --summary %t.bc | FileCheck %s

target triple = "x86_64-pc-linux-gnu"

; CHECK: function f:
; CHECK: param 0 i32 in_condition in_loop_bound gain
; CHECK: param 1 i64 in_address
; CHECK: param 2 may_write pointer
; CHECK: param 3 called pointer
; CHECK: param 4 i32 unused
; CHECK: param 5 noalias nonnull in_condition pointer
; CHECK: param 6 bytes 24 align 8 byval in_condition pointer
; CHECK: param 7 i32 float
define void @f(i32 %n, i64 %i, ptr %p, ptr %fn, i32 %dead,
               ptr noalias nonnull readnone %q, ptr byval([3 x i64]) align 8 %s,
               float %x) {
entry:
  %g = getelementptr i32, ptr %p, i64 %i
  %c = icmp eq ptr %q, %s
  %y = fadd float %x, 1.0
  br label %loop
loop:
  %k = phi i32 [ 0, %entry ], [ %k1, %loop ]
  store i32 %k, ptr %g
  call void %fn(i1 %c, float %y)
  %k1 = add i32 %k, 1
  %more = icmp slt i32 %k1, %n
  br i1 %more, label %loop, label %end
end:
  ret void
}

; More folds with %a than with %b.
; CHECK: function gain:
; CHECK: param 0 i32 gain 3 named a
; CHECK: param 1 i32 named b{{$}}
define i32 @gain(i32 %a, i32 %b) {
  %x = mul i32 %a, 7
  %y = add i32 %x, 1
  %z = xor i32 %y, %x
  %r = sub i32 %z, %b
  ret i32 %r
}
