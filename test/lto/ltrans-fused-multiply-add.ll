; Units with and without -ffp-contract=fast meet in one partition: in the first,
; everything may be fused, in the second nothing, also not by ptxas.

; RUN: rm -rf %t && split-file %s %t
; RUN: opt -module-summary -o %t/fast.bc %t/fast.ll
; RUN: opt -module-summary -o %t/off.bc %t/off.ll
; RUN: %split-jobs -n 1 -o %t --arch=sm_90 %t/fast.bc %t/off.bc
; RUN: %gpulto ltrans %t/0.json -o %t/0
; RUN: FileCheck %s < %t/0.ptx

; CHECK: .entry fast(
; CHECK: fma.rn.f32
; CHECK: mul.f32
; CHECK: .entry off(
; CHECK-NOT: fma.rn
; CHECK: mul.rn.f32
; CHECK: add.rn.f32
; CHECK: mul.rn.f64

;--- fast.ll
target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"
define void @fast(ptr %p, float %a, float %b) {
  %x = fmul contract float %a, %b
  %y = fadd contract float %x, 3.0
  store float %y, ptr %p
  %library = fmul float %y, %b
  %q = getelementptr float, ptr %p, i64 1
  store float %library, ptr %q
  ret void
}
!nvvm.annotations = !{!0}
!0 = !{ptr @fast, !"kernel", i32 1}
;--- off.ll
target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"
define void @off(ptr %p, float %a, float %b, double %c) {
  %x = fmul float %a, %b
  %y = fadd float %x, 3.0
  store float %y, ptr %p
  %z = fmul double %c, %c
  %q = getelementptr double, ptr %p, i64 1
  store double %z, ptr %q
  ret void
}
!nvvm.annotations = !{!0}
!0 = !{ptr @off, !"kernel", i32 1}
