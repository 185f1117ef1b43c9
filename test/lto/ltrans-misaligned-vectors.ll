; No access is wider than it is aligned: LLVM alone loads the first vector at
; once, and the kernel would trap.

; RUN: rm -rf %t && mkdir %t
; RUN: opt -module-summary -o %t/a.bc %s
; RUN: %split-jobs -n 1 -o %t --arch=sm_90 %t/a.bc
; RUN: %gpulto ltrans %t/0.json -o %t/0
; RUN: FileCheck %s < %t/0.ptx

; CHECK: .entry bytes(
; CHECK-NOT: {{ld.*global.v}}
; CHECK: ld.global.b8
; CHECK: .entry words(
; CHECK-NOT: {{ld.*global.v}}
; CHECK: ld.volatile.global.b32
; CHECK: .entry whole(
; CHECK: ld.volatile.global.v4.b32

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"
define void @bytes(ptr addrspace(1) %p, ptr addrspace(1) %q) {
  %x = load <16 x i8>, ptr addrspace(1) %p, align 1
  store <16 x i8> %x, ptr addrspace(1) %q, align 16
  ret void
}
define void @words(ptr addrspace(1) %p, ptr addrspace(1) %q) {
  %x = load volatile <16 x i8>, ptr addrspace(1) %p, align 4
  store <16 x i8> %x, ptr addrspace(1) %q, align 16
  ret void
}
define void @whole(ptr addrspace(1) %p, ptr addrspace(1) %q) {
  %x = load volatile <16 x i8>, ptr addrspace(1) %p, align 16
  store <16 x i8> %x, ptr addrspace(1) %q, align 16
  ret void
}
!nvvm.annotations = !{!0, !1, !2}
!0 = !{ptr @bytes, !"kernel", i32 1}
!1 = !{ptr @words, !"kernel", i32 1}
!2 = !{ptr @whole, !"kernel", i32 1}
