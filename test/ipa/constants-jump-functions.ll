; Every kind of jump function of a call, and what must stay unknown.
; RUN: llvm-as %s -o %t.bc
; RUN: %gpulto dump --summary %t.bc | FileCheck %s

target triple = "x86_64-pc-linux-gnu"
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
%pair = type { i32, i64 }
@sym = global [4 x i64] zeroinitializer

declare void @c1(i32)
declare void @c3(i32, double, ptr)
declare void @p1(ptr)
declare void @q1(i64)
declare void @vec(<2 x float>)
declare void @agg(ptr byval(%pair))
declare i32 @opaque()

; CHECK-LABEL: function constants:
define void @constants(i32 %unused) {
; CHECK: call c3 freq 1{{[a-z_ ]*}} args=(i32 4294967295, i64 4607182418800017408, null)
  call void @c3(i32 -1, double 1.0, ptr null)
; CHECK: call p1 freq 1{{[a-z_ ]*}} args=(&sym+16)
  call void @p1(ptr getelementptr (i8, ptr @sym, i64 16))
; CHECK: call p1 freq 1{{[a-z_ ]*}} args=(&constants)
  call void @p1(ptr @constants)
; CHECK: call vec freq 1{{[a-z_ ]*}} args=(i64 4611686019492741120)
  call void @vec(<2 x float> <float 1.0, float 2.0>)
  ret void
}

; CHECK-LABEL: function operations:
define void @operations(i32 %n, i64 %w, ptr %p, double %d) {
; CHECK: call c3 freq 1{{[a-z_ ]*}} args=(arg0:i32, arg3:i64, arg2)
  call void @c3(i32 %n, double %d, ptr %p)
; CHECK: call c1 freq 1{{[a-z_ ]*}} args=(arg0:i32 add 4294967295)
  %dec = add i32 %n, -1
  call void @c1(i32 %dec)
; CHECK: call c1 freq 1{{[a-z_ ]*}} args=(arg0:i32 udiv 3)
  %div = udiv i32 %n, 3
  call void @c1(i32 %div)
; CHECK: call q1 freq 1{{[a-z_ ]*}} args=(arg0:i64 sext 32)
  %wide = sext i32 %n to i64
  call void @q1(i64 %wide)
; CHECK: call c1 freq 1{{[a-z_ ]*}} args=(arg1:i32 trunc)
  %cut = trunc i64 %w to i32
  call void @c1(i32 %cut)
; CHECK: call p1 freq 1{{[a-z_ ]*}} args=(arg2+24)
  %q = getelementptr i8, ptr %p, i64 24
  call void @p1(ptr %q)
; Two operations; a variable distance; what the pointer points to.
; CHECK: call c1 freq 1{{[a-z_ ]*}} args=((arg0:i32 add 4294967295):i32 mul 3)
  %two = mul i32 %dec, 3
  call void @c1(i32 %two)
; CHECK: call p1 freq 1{{[a-z_ ]*}} args=((arg2) at a multiple of 1)
  %r = getelementptr i8, ptr %p, i64 %w
  call void @p1(ptr %r)
; CHECK: call c1 freq 1{{[a-z_ ]*}} args=(arg2[0]:i32)
  %l = load i32, ptr %p
  call void @c1(i32 %l)
; CHECK: call <unknown> freq 1{{[a-z_ ]*}} args=(arg0:i32)
  call void %p(i32 %n)
; A call through another type says nothing of the callee's formals.
; CHECK: call c1 freq 1{{[a-z_ ]*}} args=()
  call void @c1(i64 7)
  ret void
}

; CHECK-LABEL: function aggregates:
define void @aggregates(i32 %n, ptr byval(%pair) %in, ptr byval(%pair) %changed, ptr %out) {
  %a = alloca %pair, align 8
  %b = alloca %pair, align 8
  %e = alloca %pair, align 8
  %m = alloca %pair, align 8
; CHECK: call agg freq 1{{[a-z_ ]*}} args=({0: arg0:i32, 8: i64 9})
  %a1 = getelementptr i8, ptr %a, i64 8
  store i32 %n, ptr %a
  store i64 9, ptr %a1
  call void @agg(ptr byval(%pair) %a)
; CHECK: call agg freq 1{{[a-z_ ]*}} args=(arg1)
  call void @agg(ptr byval(%pair) %in)
; CHECK: call q1 freq 1{{[a-z_ ]*}} args=(arg1[8]:i64)
  %f = getelementptr i8, ptr %in, i64 8
  %g = load i64, ptr %f
  call void @q1(i64 %g)
; Of a formal that the body changes, the rest is passed through; the change is known.
; CHECK: call agg freq 1{{[a-z_ ]*}} args=({0: i32 5, 4: arg2[4..16 at entry]})
  store i32 5, ptr %changed
  call void @agg(ptr byval(%pair) %changed)
; A copy of a local.
; CHECK: call agg freq 1{{[a-z_ ]*}} args=({0: arg0:i32, 8: i64 9})
  call void @llvm.memcpy.p0.p0.i64(ptr %b, ptr %a, i64 16, i1 false)
  call void @agg(ptr byval(%pair) %b)
; The second store on the straight line counts.
; CHECK: call agg freq 1{{[a-z_ ]*}} args=({0: i32 2})
  store i32 1, ptr %m
  store i32 2, ptr %m
  call void @agg(ptr byval(%pair) %m)
; The address escapes: anybody may write.
; CHECK: call agg freq 1{{[a-z_ ]*}} args=()
  store i32 %n, ptr %e
  store ptr %e, ptr %out
  call void @agg(ptr byval(%pair) %e)
  ret void
}

; CHECK-LABEL: function paths:
define void @paths(i1 %c) {
  %a = alloca %pair, align 8
  %b = alloca %pair, align 8
  br i1 %c, label %left, label %join
left:
  store i32 1, ptr %a
  br label %join
join:
; The store does not dominate the call.
; CHECK: call agg freq 1{{[a-z_ ]*}} args=()
  call void @agg(ptr byval(%pair) %a)
  store i32 1, ptr %b
  br i1 %c, label %again, label %end
again:
; CHECK: call opaque
; CHECK: call agg freq {{.*}} args=({0: i32 1})
  %o = call i32 @opaque()
  call void @agg(ptr byval(%pair) %b)
  br label %end
end:
  ret void
}

; CHECK-LABEL: function loop:
define void @loop(i32 %n) {
entry:
  %a = alloca %pair, align 8
  store i32 1, ptr %a
  br label %body
body:
; The second store is on the way to the next iteration.
; CHECK: call agg freq {{.*}} args=()
  call void @agg(ptr byval(%pair) %a)
  store i32 2, ptr %a
  %o = call i32 @opaque()
  %more = icmp ne i32 %o, 0
  br i1 %more, label %body, label %end
end:
  ret void
}

; CHECK-LABEL: function facts:
define void @facts(ptr align 64 %p) {
  %a = alloca [4 x i32], align 16
; CHECK: call p1 freq 1{{[a-z_ ]*}} args=(&local[[M:[0-9]+]]{0: local[[M]] one of{}[{{[0-9]+}}]}(align 16 nonnull))
  call void @p1(ptr %a)
; CHECK: call p1 freq 1{{[a-z_ ]*}} args=(&local[[N:[0-9]+]]{0: local[[N]] one of{0: argument 0 of call 0[4..16]}[0]}(align 4 nonnull))
  %b = getelementptr inbounds i8, ptr %a, i64 4
  call void @p1(ptr %b)
  ret void
}

; CHECK-LABEL: function returns_argument:
; CHECK: returns arg0:i32 add 1
define i32 @returns_argument(i32 %n, i1 %c) {
  %m = add i32 %n, 1
  br i1 %c, label %a, label %b
a:
  ret i32 %m
b:
  ret i32 %m
}
; CHECK-LABEL: function returns_either:
; CHECK: returns ?(in 1..2)
define i32 @returns_either(i32 %n, i1 %c) {
  br i1 %c, label %a, label %b
a:
  ret i32 1
b:
  ret i32 2
}
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
; CHECK-LABEL: variable sym
