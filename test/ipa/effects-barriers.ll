; A barrier lets stores of other threads be seen, which counts as a write anywhere,
; but it stores nothing itself. Anything else without known memory may.
; RUN: llvm-as %s -o %t.bc
; RUN: %gpulto dump --summary %t.bc | FileCheck %s

target triple = "nvptx64-nvidia-cuda"
declare void @llvm.nvvm.barrier0()
declare void @llvm.nvvm.membar.gl()
declare void @llvm.nvvm.cp.async.wait.all()
declare void @llvm.nvvm.cp.async.mbarrier.arrive(ptr)

; CHECK: function waits:
; CHECK: effects{{.*}} writes_other
; CHECK-NOT: stores_other
; CHECK: function arrives:
define ptx_kernel void @waits(ptr %p) #0 {
  store i32 1, ptr %p
  call void @llvm.nvvm.barrier0()
  call void @llvm.nvvm.membar.gl()
  call void @llvm.nvvm.cp.async.wait.all()
  %x = load i32, ptr %p
  ret void
}
; CHECK: effects{{.*}} writes_other {{.*}}stores_other
; CHECK: function assembles:
define ptx_kernel void @arrives(ptr %p) #0 {
  call void @llvm.nvvm.cp.async.mbarrier.arrive(ptr %p)
  ret void
}
; CHECK: effects{{.*}} writes_other {{.*}}stores_other
; CHECK: function loaded:
define ptx_kernel void @assembles(i64 %p) #0 {
  call void asm sideeffect "st.global.u32 [$0], 0;", "l,~{memory}"(i64 %p)
  ret void
}
; CHECK: effects{{.*}} writes_other stores_other
define ptx_kernel void @loaded(ptr %p) #0 {
  %q = load ptr, ptr %p
  store i32 1, ptr %q
  ret void
}
attributes #0 = { "target-cpu"="sm_90" }
