; What LGEN notes of parameters that are only loaded through: parts that may be
; loaded at the entry and that nothing changes before they are. No parts where
; one use is another, or one load cannot go to the callers: then, why, if nothing
; but reading is done with what is a reference, or only loaded.
; RUN: llvm-as %s -o %t.bc
; RUN: %gpulto dump --summary %t.bc | FileCheck %s

target triple = "x86_64-pc-linux-gnu"

; CHECK-LABEL: function always:
; CHECK: loaded arg0 integer i32 align 4{{$}}
; CHECK-NEXT: loaded arg0 pointer at 8 align 8{{$}}
; CHECK-NEXT: loaded arg1 float i64 at 16 align 8{{$}}
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
; CHECK: loaded arg0 integer i32 at 4 align 4{{$}}
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
; CHECK: param 0{{.*}} needs_pointer condition{{ |$}}
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
; CHECK: param 0{{.*}} needs_pointer condition{{ |$}}
; CHECK-NOT: loaded
declare void @may_exit() memory(none)
define i32 @after_exit(ptr %p) {
  call void @may_exit()
  %n = load i32, ptr %p
  ret i32 %n
}

; CHECK-LABEL: function after_store:
; CHECK: param 0{{.*}} needs_pointer changed{{ |$}}
; CHECK-NOT: loaded
define i32 @after_store(ptr %p, ptr %q) {
  store i32 1, ptr %q
  %n = load i32, ptr %p
  ret i32 %n
}

; A store to a variable of its own, and one that comes later, do not matter.
; CHECK-LABEL: function own_store:
; CHECK: loaded arg0 integer i32 align 4{{$}}
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
; CHECK: param 0{{.*}} needs_pointer changed{{ |$}}
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
; CHECK: param 0{{.*}} needs_pointer overlaps{{ |$}}
; CHECK-NOT: loaded
define float @two_types(ptr %p) {
  %n = load i32, ptr %p
  %f = load float, ptr %p
  ret float %f
}
; CHECK-LABEL: function overlapping:
; CHECK: param 0{{.*}} needs_pointer overlaps{{ |$}}
; CHECK-NOT: loaded
define i64 @overlapping(ptr %p) {
  %n = load i64, ptr %p
  %a = getelementptr i8, ptr %p, i64 4
  %m = load i64, ptr %a
  %s = add i64 %n, %m
  ret i64 %s
}
; CHECK-LABEL: function other_types:
; CHECK: param 0{{.*}} needs_pointer other{{ |$}}
; CHECK: param 1{{.*}} needs_pointer other{{ |$}}
; CHECK: param 2{{.*}} needs_pointer other{{ |$}}
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

; CHECK-LABEL: function references:
; CHECK: param 0{{.*}} needs_pointer volatile{{ |$}}
; CHECK: param 1{{.*}} needs_pointer compared{{ |$}}
; CHECK: param 2{{.*}} needs_pointer handed_on{{ |$}}
; CHECK: param 3{{.*}} needs_pointer copied{{ |$}}
; CHECK: param 4{{.*}} needs_pointer any_place{{ |$}}
; CHECK-NOT: needs_pointer
; CHECK-NOT: loaded
declare void @reads(ptr readonly)
declare void @may_write(ptr)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
define void @references(ptr dereferenceable(4) %a, ptr dereferenceable(4) %b,
                        ptr dereferenceable(4) %c, ptr dereferenceable(4) %d,
                        ptr dereferenceable(8) %e, ptr dereferenceable(4) %f,
                        ptr dereferenceable(4) %g, ptr dereferenceable(4) %h,
                        ptr dereferenceable(65) %large, ptr %to, i64 %i) {
  %n = load volatile i32, ptr %a
  %m = load i32, ptr %b
  %same = icmp eq ptr %b, %to
  call void @reads(ptr %c)
  call void @llvm.memcpy.p0.p0.i64(ptr %to, ptr %d, i64 4, i1 false)
  %at = getelementptr i32, ptr %e, i64 %i
  %k = load i32, ptr %at
  call void @may_write(ptr %f)
  store i32 1, ptr %g
  store ptr %h, ptr %to
  call void @reads(ptr %large)
  ret void
}

; CHECK-LABEL: function places:
; CHECK: param 0{{.*}} needs_pointer too_many{{ |$}}
; CHECK-NOT: loaded
define void @places(ptr dereferenceable(36) %p) {
  %a0 = getelementptr i32, ptr %p, i64 0
  %n0 = load i32, ptr %a0
  %a1 = getelementptr i32, ptr %p, i64 1
  %n1 = load i32, ptr %a1
  %a2 = getelementptr i32, ptr %p, i64 2
  %n2 = load i32, ptr %a2
  %a3 = getelementptr i32, ptr %p, i64 3
  %n3 = load i32, ptr %a3
  %a4 = getelementptr i32, ptr %p, i64 4
  %n4 = load i32, ptr %a4
  %a5 = getelementptr i32, ptr %p, i64 5
  %n5 = load i32, ptr %a5
  %a6 = getelementptr i32, ptr %p, i64 6
  %n6 = load i32, ptr %a6
  %a7 = getelementptr i32, ptr %p, i64 7
  %n7 = load i32, ptr %a7
  %a8 = getelementptr i32, ptr %p, i64 8
  %n8 = load i32, ptr %a8
  ret void
}
