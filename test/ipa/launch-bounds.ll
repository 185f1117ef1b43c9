; Device: kernels, launch bounds of nvvm.annotations, what a body reads of its
; place in the launch, barriers, registers.
; RUN: llvm-as %s -o %t.bc
; RUN: %gpulto dump --symbols --summary %t.bc | FileCheck %s

target triple = "nvptx64-nvidia-cuda"
target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
@shared = internal addrspace(3) global [32 x float] undef, align 16
@table = addrspace(4) externally_initialized constant [4 x i32] zeroinitializer

; CHECK: symbol shared: variable internal default addrspace 3
; CHECK: symbol table: variable external default addrspace 4 {{.*}}externally_initialized constant
; CHECK: symbol bounded: {{.*}} kernel
; CHECK: symbol helper: {{.*}} atom {{[0-9]+$}}

; CHECK: device(sm_90) function bounded: {{.*}} registers 3
; CHECK-NEXT: flags barrier reads_thread_id reads_block_id reads_geometry
; CHECK: effects{{.*}} synchronizes
; CHECK-NEXT: bounds max_threads 256 2 1 min_blocks 3 max_registers 64
; CHECK-NEXT: bounds required_threads 128 1 1
; CHECK: ref shared writes
define ptx_kernel void @bounded(ptr %p, float %x) #0 {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %n = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %u = mul i32 %b, %n
  %i = add i32 %u, %t
  %s = getelementptr [32 x float], ptr addrspace(3) @shared, i32 0, i32 %i
  store float %x, ptr addrspace(3) %s
  call void @llvm.nvvm.barrier0()
  ret void
}
; CHECK: function helper: {{.*}} registers 4
; CHECK: flags{{$}}
define i64 @helper(i64 %a, i64 %b) #0 {
  %c = add i64 %a, %b
  ret i64 %c
}
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
declare void @llvm.nvvm.barrier0()
attributes #0 = { "target-cpu"="sm_90" }
!nvvm.annotations = !{!0, !1}
!0 = !{ptr @bounded, !"kernel", i32 1}
!1 = !{ptr @bounded, !"maxntidx", i32 256, !"maxntidy", i32 2, !"maxntidz", i32 1, !"minctasm", i32 3, !"maxnreg", i32 64, !"reqntidx", i32 128, !"reqntidy", i32 1, !"reqntidz", i32 1}
