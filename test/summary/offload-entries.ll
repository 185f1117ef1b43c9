; clang's offload entries: every kind and flag; entries and their name strings
; are marked, and do not take the address of what they register.
; RUN: split-file %s %t
; RUN: llvm-as %t/good.ll -o %t/good.bc
; RUN: %gpulto dump --symbols %t/good.bc | FileCheck %s
; RUN: llvm-as %t/bad.ll -o %t/bad.bc
; RUN: not %gpulto dump --symbols %t/bad.bc 2>&1 | FileCheck %s --check-prefix=BAD

; CHECK: symbol var: variable external default atom {{[0-9]+$}}
; CHECK: symbol man.managed: variable external default managed atom {{[0-9]+}}
; CHECK: symbol n.k: {{.*}} constant registration
; CHECK: symbol e.k: {{.*}} section constant registration
; CHECK: symbol stub: function external default kernel_stub signature_fixed atom {{[0-9]+}}{{$}}
; CHECK: offload kernel kernel_k host stub{{$}}
; CHECK: offload variable v host var size 4 extern constant
; CHECK: offload managed m host man.managed size 8
; CHECK: offload surface s host surf size 8 type 2
; CHECK: offload texture t host tex size 8 normalized type 3

; BAD: offload entry e has not the fields that clang gives it
; From LLVM 21 on entries have another layout and section.
; RUN: llvm-as %t/later.ll -o %t/later.bc
; RUN: %gpulto dump --symbols %t/later.bc | FileCheck %s --check-prefix=LATER
; LATER: symbol e.k: {{.*}} section constant registration
; LATER: symbol stub: function external default kernel_stub signature_fixed atom {{[0-9]+}}{{$}}
; LATER: offload kernel kernel_k host stub{{$}}
; LATER: offload variable v host var size 4 extern constant
; LATER: offload texture t host tex size 8 normalized type 3

;--- good.ll
target triple = "x86_64-pc-linux-gnu"
%entry = type { ptr, ptr, i64, i32, i32 }
@var = global i32 undef
@man.managed = global i64 3
@man = global ptr null
@surf = global ptr undef
@tex = global ptr undef
@n.k = internal unnamed_addr constant [9 x i8] c"kernel_k\00"
@n.v = internal unnamed_addr constant [2 x i8] c"v\00"
@n.m = internal unnamed_addr constant [2 x i8] c"m\00"
@n.s = internal unnamed_addr constant [2 x i8] c"s\00"
@n.t = internal unnamed_addr constant [2 x i8] c"t\00"
@e.k = weak constant %entry { ptr @stub, ptr @n.k, i64 0, i32 0, i32 0 }, section "cuda_offloading_entries", align 1
@e.v = weak constant %entry { ptr @var, ptr @n.v, i64 4, i32 24, i32 0 }, section "cuda_offloading_entries", align 1
@e.m = weak constant %entry { ptr @man.managed, ptr @n.m, i64 8, i32 1, i32 0 }, section "cuda_offloading_entries", align 1
@e.s = weak constant %entry { ptr @surf, ptr @n.s, i64 8, i32 2, i32 2 }, section "cuda_offloading_entries", align 1
@e.t = weak constant %entry { ptr @tex, ptr @n.t, i64 8, i32 35, i32 3 }, section "cuda_offloading_entries", align 1
define void @stub() {
  ret void
}

;--- bad.ll
target triple = "x86_64-pc-linux-gnu"
@e = weak constant { ptr, ptr } { ptr @f, ptr null }, section "cuda_offloading_entries", align 1
define void @f() {
  ret void
}
;--- later.ll
target triple = "x86_64-pc-linux-gnu"
%entry = type { i64, i16, i16, i32, ptr, ptr, i64, i64, ptr }
@var = global i32 undef
@tex = global ptr undef
@n.k = internal unnamed_addr constant [9 x i8] c"kernel_k\00"
@n.v = internal unnamed_addr constant [2 x i8] c"v\00"
@n.t = internal unnamed_addr constant [2 x i8] c"t\00"
@e.k = weak constant %entry { i64 0, i16 1, i16 2, i32 0, ptr @stub, ptr @n.k, i64 0, i64 0, ptr null }, section "llvm_offload_entries", align 8
@e.v = weak constant %entry { i64 0, i16 1, i16 2, i32 24, ptr @var, ptr @n.v, i64 4, i64 0, ptr null }, section "llvm_offload_entries", align 8
@e.t = weak constant %entry { i64 0, i16 1, i16 2, i32 35, ptr @tex, ptr @n.t, i64 8, i64 3, ptr null }, section "llvm_offload_entries", align 8
define void @stub() {
  ret void
}
