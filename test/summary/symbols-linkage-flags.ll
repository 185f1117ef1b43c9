; Linkage, visibility and flags of symbols; what is no symbol at all: unused
; declarations, intrinsics, llvm.used and its like.
; RUN: llvm-as %s -o %t.bc
; RUN: %gpulto dump --symbols %t.bc | FileCheck %s --implicit-check-not=unused_decl --implicit-check-not="llvm."

target triple = "x86_64-pc-linux-gnu"

; CHECK-DAG: symbol gvar: variable external default atom {{[0-9]+$}}
@gvar = global i32 0
; CHECK-DAG: symbol hid: variable external hidden atom {{[0-9]+}} dso_local
@hid = hidden global i32 0
; CHECK-DAG: symbol prot: variable external protected
@prot = protected global i32 1
; CHECK-DAG: symbol tls: variable internal default atom {{[0-9]+}} thread_local
@tls = internal thread_local global i32 0
; CHECK-DAG: symbol com: variable common default
@com = common global i32 0
; CHECK-DAG: symbol ext: variable external default declaration
@ext = external global i32
; CHECK-DAG: symbol weakext: variable extern_weak default declaration
@weakext = extern_weak global i32
; CHECK-DAG: symbol kept: variable internal default atom {{[0-9]+}} dso_local used
@kept = internal global i32 0
; CHECK-DAG: symbol ckept: variable internal default atom {{[0-9]+}} dso_local compiler_used
@ckept = internal global i32 0
; CHECK-DAG: symbol sec: variable external default atom {{[0-9]+}} section
@sec = global i32 0, section "mine"
; CHECK-DAG: symbol _ZTV1A: variable linkonce_odr default atom {{[0-9]+}} unnamed_addr local_unnamed_addr constant insignificant_by_language
@_ZTV1A = linkonce_odr unnamed_addr constant ptr null
@unused_decl_v = external global i32
@llvm.used = appending global [1 x ptr] [ptr @kept], section "llvm.metadata"
@llvm.compiler.used = appending global [1 x ptr] [ptr @ckept], section "llvm.metadata"

declare void @unused_decl()
declare void @llvm.assume(i1)
; CHECK-DAG: symbol malloc: function external default declaration runtime_name
declare ptr @malloc(i64)
; CHECK-DAG: symbol avail: function available_externally default declaration
define available_externally i32 @avail() {
  ret i32 1
}
; CHECK-DAG: symbol _ZN1AC2Ev: function weak_odr default atom {{[0-9]+}} insignificant_by_language
define weak_odr void @_ZN1AC2Ev() {
  ret void
}
; CHECK-DAG: symbol _ZN1A4C2EvEv: function external default atom {{[0-9]+$}}
define void @_ZN1A4C2EvEv() {
  ret void
}
; CHECK-DAG: symbol f: function external default atom {{[0-9]+}} local_unnamed_addr
define i32 @f(i1 %c) local_unnamed_addr {
  call void @llvm.assume(i1 %c)
  %p = call ptr @malloc(i64 4)
  %a = load i32, ptr @ext
  %b = load i32, ptr @weakext
  %d = call i32 @avail()
  ret i32 %d
}
