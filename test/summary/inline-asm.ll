; Symbols of inline assembly: what it may name in other modules, what it defines,
; and whether it makes names of parts.
; RUN: llvm-as %s -o %t.bc
; RUN: %gpulto dump --header --symbols %t.bc | FileCheck %s

; CHECK: flags makes_asm_names
target triple = "x86_64-pc-linux-gnu"

; CHECK: symbol names: function external default atom 0{{$}}
define void @names() {
  call void asm sideeffect "addl $$37, total(%rip)\0Acall called@PLT", ""()
  ret void
}
; CHECK: symbol defines: function external default atom 1{{$}}
define void @defines() {
  call void asm sideeffect "Again: loop Again\0A.weak weakly", ""()
  ret void
}
; Goes with the label.
; CHECK: symbol jumps: function external default atom 1{{$}}
define void @jumps() {
  call void asm sideeffect "jmp Again", ""()
  ret void
}
; CHECK: symbol parts: function external default atom 2{{$}}
define void @parts() {
  call void asm sideeffect "incl part_${0:c}(%rip)", "i"(i32 1)
  ret void
}
; CHECK-NOT: symbol part_
; CHECK: symbol Again: assembly internal default address_taken with_asm
; CHECK-DAG: symbol total: assembly external default declaration address_taken asm_referenced
; CHECK-DAG: symbol called: assembly external default declaration address_taken asm_referenced
; CHECK-DAG: symbol weakly: assembly extern_weak default declaration address_taken asm_referenced
; CHECK-NOT: symbol rip
; CHECK-NOT: symbol loop
