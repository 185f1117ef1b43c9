; A local constant may be copied into each partition only if nothing can tell
; the copies apart.
; RUN: llvm-as %s -o %t.bc
; RUN: %gpulto dump --symbols %t.bc | FileCheck %s

target triple = "x86_64-pc-linux-gnu"

; CHECK: symbol yes: {{.*}} copyable
@yes = private unnamed_addr constant i32 1
; CHECK: symbol yes2: {{.*}} copyable
@yes2 = internal unnamed_addr constant [2 x ptr] [ptr @yes, ptr @f]
; CHECK-NOT: copyable
@address_matters = private constant i32 1
@only_locally = private local_unnamed_addr constant i32 1
@mutable = internal unnamed_addr global i32 1
@visible = unnamed_addr constant i32 1
@in_section = private unnamed_addr constant i32 1, section "x"
@in_used = private unnamed_addr constant i32 1
@aliased = private unnamed_addr constant i32 1
@block = private unnamed_addr constant ptr blockaddress(@f, %b)
@thread = internal thread_local unnamed_addr constant i32 1
@llvm.compiler.used = appending global [1 x ptr] [ptr @in_used], section "llvm.metadata"
@alias = alias i32, ptr @aliased

define void @f() {
  br label %b
b:
  ret void
}
