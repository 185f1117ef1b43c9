; Symbols of module-level assembly: those it defines, those it needs, and IR
; symbols that it mentions.
; RUN: llvm-as %s -o %t.bc
; RUN: %gpulto dump --header --symbols %t.bc | FileCheck %s

; CHECK: flags module_asm
target triple = "x86_64-pc-linux-gnu"
module asm ".globl asm_global"
module asm "asm_global: call mentioned"
module asm "asm_local: jmp outside"
module asm ".weak asm_weak"
module asm "asm_weak: ret"

; CHECK: symbol mentioned: function external default asm_referenced with_asm atom 0
define void @mentioned() {
  ret void
}
; CHECK: symbol other: function external default atom 1{{$}}
define void @other() {
  ret void
}
; CHECK-DAG: symbol asm_global: assembly external default asm_referenced
; CHECK-DAG: symbol asm_local: assembly internal default asm_referenced
; CHECK-DAG: symbol outside: assembly external default declaration asm_referenced
; CHECK-DAG: symbol asm_weak: assembly weak default asm_referenced
