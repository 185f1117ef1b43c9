; Linkage, visibility and flags of symbols; what is no symbol at all: unused
; declarations, intrinsics, llvm.used and its like.
; RUN: llvm-as %s -o %t.bc
; RUN: %gpulto dump --symbols %t.bc | FileCheck %s --implicit-check-not=unused_decl --implicit-check-not="llvm."

target triple = "x86_64-pc-linux-gnu"

; CHECK-DAG: symbol gvar: variable external default atom {{[0-9]+$}}
@gvar = global i32 0
; CHECK-DAG: symbol hid: variable external hidden dso_local atom {{[0-9]+}}
@hid = hidden global i32 0
; CHECK-DAG: symbol prot: variable external protected
@prot = protected global i32 1
; CHECK-DAG: symbol tls: variable internal default thread_local dso_local atom {{[0-9]+}}
@tls = internal thread_local global i32 0
; CHECK-DAG: symbol com: variable common default
@com = common global i32 0
; CHECK-DAG: symbol ext: variable external default declaration
@ext = external global i32
; CHECK-DAG: symbol weakext: variable extern_weak default declaration
@weakext = extern_weak global i32
; CHECK-DAG: symbol kept: variable internal default dso_local used atom {{[0-9]+}}
@kept = internal global i32 0
; CHECK-DAG: symbol ckept: variable internal default dso_local compiler_used atom {{[0-9]+}}
@ckept = internal global i32 0
; CHECK-DAG: symbol sec: variable external default section atom {{[0-9]+}}
@sec = global i32 0, section "mine"
; CHECK-DAG: symbol _ZTV1A: variable linkonce_odr default unnamed_addr local_unnamed_addr constant insignificant_by_language atom {{[0-9]+}}
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
; CHECK-DAG: symbol _ZN1AC2Ev: function weak_odr default insignificant_by_language atom {{[0-9]+}}
define weak_odr void @_ZN1AC2Ev() {
  ret void
}
; CHECK-DAG: symbol _ZN1A4C2EvEv: function external default atom {{[0-9]+$}}
define void @_ZN1A4C2EvEv() {
  ret void
}
; CHECK-DAG: symbol f: function external default local_unnamed_addr atom {{[0-9]+}}
define i32 @f(i1 %c) local_unnamed_addr {
  call void @llvm.assume(i1 %c)
  %p = call ptr @malloc(i64 4)
  %a = load i32, ptr @ext
  %b = load i32, ptr @weakext
  %d = call i32 @avail()
  ret i32 %d
}
