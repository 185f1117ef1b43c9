; The name of an offload entry is the string at its address, whatever
; -fsanitize=address or hwaddress put around it. What ASan's list of globals
; refers to stays in the program; a string that is for the entry alone does not.
; RUN: llvm-as %s -o %t.bc
; RUN: %gpulto dump --symbols %t.bc | FileCheck %s

; CHECK-DAG: symbol listed: {{.*}} address_taken constant
; CHECK-DAG: symbol alone: {{.*}} constant registration
; CHECK-DAG: offload kernel padded host stub{{$}}
; CHECK-DAG: offload variable alone host var size 4
; CHECK-DAG: offload variable tagged host tag size 4

target triple = "x86_64-pc-linux-gnu"
%entry = type { ptr, ptr, i64, i32, i32 }
@var = global { i32, [28 x i8] } zeroinitializer, align 32
@tag.hwasan = private global { i32, [12 x i8] } zeroinitializer, align 16
@tag = alias i32, inttoptr (i64 add (i64 ptrtoint (ptr @tag.hwasan to i64), i64 144115188075855872) to ptr)
@listed = internal constant { [7 x i8], [25 x i8] } { [7 x i8] c"padded\00", [25 x i8] zeroinitializer }, align 32
@alone = internal constant { [6 x i8], [26 x i8] } { [6 x i8] c"alone\00", [26 x i8] zeroinitializer }, align 32
@name.hwasan = private constant { [7 x i8], [9 x i8] } { [7 x i8] c"tagged\00", [9 x i8] zeroinitializer }, align 16
@name = internal alias [7 x i8], inttoptr (i64 add (i64 ptrtoint (ptr @name.hwasan to i64), i64 72057594037927936) to ptr)
@__asan_global_listed = private global { i64, i64 } { i64 ptrtoint (ptr @listed to i64), i64 7 }, section "asan_globals", !associated !0
@e.k = weak constant %entry { ptr @stub, ptr @listed, i64 0, i32 0, i32 0 }, section "cuda_offloading_entries", align 1
@e.v = weak constant %entry { ptr @var, ptr @alone, i64 4, i32 0, i32 0 }, section "cuda_offloading_entries", align 1
@e.t = weak constant %entry { ptr @tag, ptr @name, i64 4, i32 0, i32 0 }, section "cuda_offloading_entries", align 1
define void @stub() {
  ret void
}
!0 = !{ptr @listed}
