; Attributes and facts of bodies that gate inlining, cloning and folding.
; RUN: llvm-as %s -o %t.bc
; RUN: %gpulto dump --summary %t.bc | FileCheck %s

target triple = "x86_64-pc-linux-gnu"

; CHECK: function attributes:
; CHECK-NEXT: flags noinline optnone cold nounwind noreturn strictfp
define void @attributes() noinline optnone cold nounwind noreturn strictfp {
  unreachable
}
; CHECK: function plain_asm:
; CHECK-NEXT: flags inline_asm{{$}}
define void @plain_asm() {
  call void asm sideeffect "nop", ""()
  ret void
}
; CHECK: function asm_with_label:
; CHECK-NEXT: flags inline_asm asm_labels
define void @asm_with_label() {
  call void asm sideeffect "jmp skip\0Askip: nop", ""()
  ret void
}
; CHECK: function asm_local_label:
; CHECK-NEXT: flags inline_asm{{$}}
define void @asm_local_label() {
  call void asm sideeffect "jmp 1f\0A1: nop # $0", "i"(i32 4)
  ret void
}
; CHECK: function asm_names_symbol:
; CHECK-NEXT: flags inline_asm asm_labels
define void @asm_names_symbol() {
  call void asm sideeffect "call named_by_asm", ""()
  ret void
}
; CHECK: function named_by_asm:
define void @named_by_asm() {
  ret void
}
; CHECK: function blocks:
; CHECK-NEXT: flags indirect_branch block_address_taken
define void @blocks(ptr %p) {
  store ptr blockaddress(@blocks, %b), ptr %p
  %t = load ptr, ptr %p
  indirectbr ptr %t, [label %b]
b:
  ret void
}
; CHECK: function others:
; CHECK-NEXT: flags vararg dynamic_alloca indirect_call atomic volatile
define void @others(ptr %p, i32 %n, ...) {
  %a = alloca i8, i32 %n
  call void %p(ptr %a)
  %v = load volatile i32, ptr %p
  %w = atomicrmw add ptr %p, i32 1 seq_cst
  ret void
}
