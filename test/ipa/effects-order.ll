; What lets other threads' accesses be seen is, for callers, a read and a write of
; other memory. Relaxed atomic accesses are none, and in a kernel, which nobody
; calls, LLVM sees the ordered ones itself.
; RUN: llvm-as %s -o %t.bc
; RUN: %gpulto dump --summary %t.bc | FileCheck %s

target triple = "nvptx64-nvidia-cuda"

; CHECK: function acquires:
; CHECK: effects{{.*}} reads_other writes_other
; CHECK-NOT: stores_other
; CHECK: function fences:
define i32 @acquires(ptr %p) #0 {
  %x = load atomic i32, ptr %p acquire, align 4
  ret i32 %x
}
; CHECK: effects{{.*}} reads_other writes_other
; CHECK-NOT: stores_other
; CHECK: function polls:
define void @fences() #0 {
  fence acq_rel
  ret void
}
; CHECK: effects{{.*}} reads_other writes_other
; CHECK: function assembles:
define i32 @polls(ptr %p) #0 {
  %x = load volatile i32, ptr %p
  ret i32 %x
}
; CHECK: effects{{.*}} reads_other writes_other
; CHECK: function counts:
define void @assembles() #0 {
  call void asm sideeffect "bar.sync 0;", ""()
  ret void
}
; CHECK-NOT: writes_other
; CHECK: function kernel:
define void @counts(ptr %p) #0 {
  %x = atomicrmw add ptr %p, i32 1 monotonic
  ret void
}
; CHECK-NOT: writes_other
; CHECK: function waiting:
define void @kernel(ptr %p) #0 {
  %x = atomicrmw add ptr %p, i32 1 acq_rel
  ret void
}
; CHECK: effects{{.*}} reads_other writes_other
define void @waiting(ptr %p) #0 {
  %x = load volatile i32, ptr %p
  ret void
}
attributes #0 = { "target-cpu"="sm_90" }
!nvvm.annotations = !{!0, !1}
!0 = !{ptr @kernel, !"kernel", i32 1}
!1 = !{ptr @waiting, !"kernel", i32 1}
