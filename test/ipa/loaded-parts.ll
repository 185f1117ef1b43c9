; What LGEN notes of parameters that are only loaded through: parts that may be
; loaded at the entry and that nothing changes before they are. No parts where
; one use is another, or one load cannot go to the callers.
; RUN: llvm-as %s -o %t.bc
; RUN: %gpulto dump --summary %t.bc | FileCheck %s

target triple = "x86_64-pc-linux-gnu"

; CHECK-LABEL: function always:
; CHECK: param 0 loaded i32 at 0 align 4{{$}}
; CHECK-NEXT: param 0 loaded ptr at 8 align 8{{$}}
; CHECK-NEXT: param 1 loaded f64 at 16 align 8{{$}}
; CHECK-NOT: loaded
define double @always(ptr %p, ptr %q) {
  %n = load i32, ptr %p, align 4
  %a = getelementptr i8, ptr %p, i64 8
  %r = load ptr, ptr %a, align 8
  %b = getelementptr i8, ptr %q, i64 16
  %d = load double, ptr %b, align 8
  store i32 %n, ptr %r
  ret double %d
}

; A reference is dereferenceable; the load says nothing of its alignment there.
; CHECK-LABEL: function reference:
; CHECK: param 0 loaded i32 at 4 align 4{{$}}
; CHECK-NOT: loaded
define i32 @reference(ptr align 8 dereferenceable(8) %p, i1 %c) {
  br i1 %c, label %then, label %end
then:
  %a = getelementptr i8, ptr %p, i64 4
  %n = load i32, ptr %a, align 16
  br label %end
end:
  %m = phi i32 [ 0, %0 ], [ %n, %then ]
  ret i32 %m
}

; CHECK-LABEL: function sometimes:
; CHECK-NOT: loaded
define i32 @sometimes(ptr dereferenceable(4) %p, i1 %c) {
  br i1 %c, label %then, label %end
then:
  %a = getelementptr i8, ptr %p, i64 4
  %n = load i32, ptr %a
  br label %end
end:
  %m = phi i32 [ 0, %0 ], [ %n, %then ]
  ret i32 %m
}

; CHECK-LABEL: function after_exit:
; CHECK-NOT: loaded
declare void @may_exit() memory(none)
define i32 @after_exit(ptr %p) {
  call void @may_exit()
  %n = load i32, ptr %p
  ret i32 %n
}

; CHECK-LABEL: function after_store:
; CHECK-NOT: loaded
define i32 @after_store(ptr %p, ptr %q) {
  store i32 1, ptr %q
  %n = load i32, ptr %p
  ret i32 %n
}

; A store to a variable of its own, and one that comes later, do not matter.
; CHECK-LABEL: function own_store:
; CHECK: param 0 loaded i32 at 0 align 4{{$}}
define i32 @own_store(ptr %p, ptr %q) {
  %own = alloca i32
  store i32 1, ptr %own
  %n = load i32, ptr %p
  store i32 1, ptr %q
  %m = load i32, ptr %own
  %s = add i32 %n, %m
  ret i32 %s
}

; The store comes later in the block, and before in the loop.
; CHECK-LABEL: function loop:
; CHECK-NOT: loaded
define i32 @loop(ptr dereferenceable(4) %p, ptr %q, i32 %k) {
entry:
  br label %body
body:
  %i = phi i32 [ 0, %entry ], [ %j, %body ]
  %n = load i32, ptr %p
  store i32 %n, ptr %q
  %j = add i32 %i, %n
  %c = icmp slt i32 %j, %k
  br i1 %c, label %body, label %end
end:
  ret i32 %j
}

; CHECK-LABEL: function compared:
; CHECK-NOT: loaded
define i32 @compared(ptr %p) {
  %n = load i32, ptr %p
  %c = icmp eq ptr %p, null
  %m = select i1 %c, i32 0, i32 %n
  ret i32 %m
}
; CHECK-LABEL: function is_volatile:
; CHECK-NOT: loaded
define i32 @is_volatile(ptr %p) {
  %n = load volatile i32, ptr %p
  ret i32 %n
}
; CHECK-LABEL: function anywhere:
; CHECK-NOT: loaded
define i32 @anywhere(ptr %p, i64 %i) {
  %a = getelementptr i32, ptr %p, i64 %i
  %n = load i32, ptr %a
  ret i32 %n
}
; CHECK-LABEL: function before:
; CHECK-NOT: loaded
define i32 @before(ptr %p) {
  %a = getelementptr i8, ptr %p, i64 -4
  %n = load i32, ptr %a
  ret i32 %n
}
; CHECK-LABEL: function two_types:
; CHECK-NOT: loaded
define float @two_types(ptr %p) {
  %n = load i32, ptr %p
  %f = load float, ptr %p
  ret float %f
}
; CHECK-LABEL: function overlapping:
; CHECK-NOT: loaded
define i64 @overlapping(ptr %p) {
  %n = load i64, ptr %p
  %a = getelementptr i8, ptr %p, i64 4
  %m = load i64, ptr %a
  %s = add i64 %n, %m
  ret i64 %s
}
; CHECK-LABEL: function other_types:
; CHECK-NOT: loaded
define <4 x float> @other_types(ptr %p, ptr %q, ptr %r) {
  %v = load <4 x float>, ptr %p
  %l = load x86_fp80, ptr %q
  %b = load i1, ptr %r
  ret <4 x float> %v
}
; CHECK-LABEL: function copied:
; CHECK-NOT: loaded
define i32 @copied(ptr byval(i32) %p) {
  %n = load i32, ptr %p
  ret i32 %n
}
