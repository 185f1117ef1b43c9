; How bodies use symbols, which memory they touch, and what they do with what
; their pointer parameters point to. Callees are left to whole-program analysis
; where an edge says what they get.
; RUN: llvm-as %s -o %t.bc
; RUN: %gpulto dump --summary %t.bc | FileCheck %s

target triple = "x86_64-pc-linux-gnu"
@a = global [8 x i32] zeroinitializer
@b = global i32 0
@c = constant i32 7
declare void @g(ptr)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)

; CHECK: function direct:
; CHECK: effects reads_globals writes_globals{{$}}
; CHECK: ref a reads value{{$}}
; CHECK: ref b writes{{$}}
; CHECK: ref c reads value{{$}}
define void @direct(i64 %i) {
  %p = getelementptr [8 x i32], ptr @a, i64 0, i64 %i
  %x = load i32, ptr %p
  %y = load i32, ptr @c
  %z = add i32 %x, %y
  store i32 %z, ptr @b
  ret void
}
; CHECK: function copies:
; CHECK: effects writes_arguments reads_globals{{$}}
; CHECK: param 0 may_write pointer
; CHECK: ref a reads value{{$}}
define void @copies(ptr %to) {
  call void @llvm.memcpy.p0.p0.i64(ptr %to, ptr @a, i64 32, i1 false)
  ret void
}
; CHECK: function escapes:
; CHECK: effects writes_other stores_other{{$}}
; CHECK: ref a address
; CHECK: ref b address
define ptr @escapes(ptr %p) {
  %q = load ptr, ptr @c
  store ptr @b, ptr %q
  %d = getelementptr i8, ptr @a, i64 4
  ret ptr %d
}
; The callee gets %p as it is and one word on: edges tell. %i words on: not.
; CHECK: function passes:
; CHECK: param 0 pointer gain 1
; CHECK: param 1 may_read may_write may_escape pointer
define void @passes(ptr %p, ptr %q, i64 %i) {
  call void @g(ptr %p)
  %n = getelementptr i8, ptr %p, i64 8
  call void @g(ptr %n)
  %v = getelementptr i8, ptr %q, i64 %i
  call void @g(ptr %v)
  ret void
}
; CHECK: function keeps:
; CHECK: param 0 may_read pointer
; CHECK: param 1 may_escape pointer
; CHECK: param 2 may_write pointer
define i32 @keeps(ptr %r, ptr %k, ptr %w) {
  store ptr %k, ptr %w
  %x = load i32, ptr %r
  ret i32 %x
}
; CHECK: function local_only:
; CHECK: effects{{$}}
define i32 @local_only() {
  %l = alloca i32
  store i32 1, ptr %l
  %x = load i32, ptr %l
  ret i32 %x
}
; CHECK: function orders:
; CHECK: effects reads_arguments writes_arguments reads_other writes_other reads_inaccessible writes_inaccessible synchronizes
define void @orders(ptr %p) {
  %x = atomicrmw add ptr %p, i32 1 seq_cst
  fence seq_cst
  call void asm sideeffect "mfence", "~{memory}"()
  ret void
}
; Other memory may be an argument's.
; CHECK: function walks:
; CHECK: effects reads_other
define i32 @walks(ptr %p, ptr %e) {
  br label %loop
loop:
  %q = phi ptr [ %p, %0 ], [ %n, %loop ]
  %s = phi i32 [ 0, %0 ], [ %t, %loop ]
  %x = load i32, ptr %q
  %t = add i32 %s, %x
  %n = getelementptr i8, ptr %q, i64 4
  %c = icmp eq ptr %n, %e
  br i1 %c, label %end, label %loop
end:
  ret i32 %t
}
; CHECK: function computes:
; CHECK: effects writes_other
define void @computes(i64 %a) {
  %p = inttoptr i64 %a to ptr
  store i32 1, ptr %p
  ret void
}
; CHECK: function loads:
; CHECK: effects reads_globals writes_other
define void @loads() {
  %p = load ptr, ptr @b
  store i32 1, ptr %p
  ret void
}
; CHECK: function errors:
; CHECK: effects writes_other
define void @errors() {
  call void @sets()
  ret void
}
declare void @sets() memory(errnomem: write) nosync nofree nounwind willreturn
; CHECK: variable a
