; Calls that LGEN finds to be hardly ever reached: in blocks that do not come
; back, that catch, that branch weights call improbable, that call what is cold,
; and what only those lead to. And where it does not say so: before exit(), in
; loops that end so, in functions that always do, in one case of many, where
; weights come from a profile.
; RUN: split-file %s %t
; RUN: llvm-as %t/a.ll -o %t/a.bc && %gpulto dump --summary %t/a.bc | FileCheck %s
; RUN: llvm-as %t/profile.ll -o %t/profile.bc
; RUN: %gpulto dump --summary %t/profile.bc | FileCheck --check-prefix=PROFILE %s

;--- a.ll
target triple = "x86_64-pc-linux-gnu"
declare void @warm()
declare void @rare()
declare void @looped()
declare void @fail() noreturn
declare void @exit(i32) noreturn
declare void @marked() cold
declare i32 @__gxx_personality_v0(...)

; CHECK: function ends:
; CHECK: call warm freq 1 {{.*}}always_reached args
; CHECK: call rare freq {{.*}} cold{{[a-z_ ]*}} args
; CHECK: call fail freq {{.*}} cold{{[a-z_ ]*}} args
define void @ends(i1 %c, i1 %d) {
  call void @warm()
  br i1 %c, label %bad, label %end
bad:
  call void @rare()
  br label %worse
worse:
  call void @fail()
  unreachable
end:
  ret void
}

; What comes before the end of a program is the program.
; CHECK: function leaves:
; CHECK-NOT: cold
; CHECK: function spins:
define void @leaves(i1 %c) {
  br i1 %c, label %end, label %other
end:
  call void @warm()
  call void @exit(i32 0)
  unreachable
other:
  ret void
}

; A loop may run long before it fails; where the entry leads there as well, all
; does.
; CHECK: call looped freq {{[0-9.]*}} loop args
; CHECK: call fail freq {{.*}} cold args
define void @spins(i1 %c) {
  br i1 %c, label %loop, label %end
loop:
  call void @looped()
  %n = load volatile i1, ptr null
  br i1 %n, label %loop, label %bad
bad:
  call void @fail()
  unreachable
end:
  ret void
}
; CHECK: function always:
; CHECK: call warm freq 1 always_reached args
; CHECK: call fail freq 1 {{.*}}always_reached args
define void @always() {
  call void @warm()
  call void @fail()
  unreachable
}

; CHECK: function weighted:
; CHECK: call rare freq {{.*}} cold args
; CHECK: call warm freq {{[0-9.]*}} args
define void @weighted(i1 %c, i1 %d) {
  br i1 %c, label %a, label %b, !prof !0
a:
  call void @rare()
  br label %end
b:
  br i1 %d, label %e, label %end, !prof !1
e:
  call void @warm()
  br label %end
end:
  ret void
}

; CHECK: function marks:
; CHECK: call rare freq {{.*}} cold args
; CHECK: call marked freq {{.*}} cold args
define void @marks(i1 %c) {
  br i1 %c, label %a, label %end
a:
  call void @rare()
  call void @marked()
  br label %end
end:
  ret void
}

; CHECK: function catches:
; CHECK: call warm freq 1 invoke always_reached args
; CHECK: call rare freq {{.*}} cold args
define void @catches() personality ptr @__gxx_personality_v0 {
  invoke void @warm() to label %end unwind label %pad
pad:
  %e = landingpad { ptr, i32 } cleanup
  call void @rare()
  resume { ptr, i32 } %e
end:
  ret void
}

; CHECK: function chooses:
; CHECK-NOT: cold
; CHECK: call warm freq 0{{.*}} args
define void @chooses(i1 %a, i1 %b, i1 %c, i1 %d, i1 %e, i1 %f, i1 %g, i1 %h,
                     i1 %i) {
  br i1 %a, label %1, label %end
1:
  br i1 %b, label %2, label %end
2:
  br i1 %c, label %3, label %end
3:
  br i1 %d, label %4, label %end
4:
  br i1 %e, label %5, label %end
5:
  br i1 %f, label %6, label %end
6:
  br i1 %g, label %7, label %end
7:
  br i1 %h, label %8, label %end
8:
  br i1 %i, label %9, label %end
9:
  call void @warm()
  br label %end
end:
  ret void
}
!0 = !{!"branch_weights", i32 1, i32 2000}
!1 = !{!"branch_weights", i32 1, i32 99}

;--- profile.ll
target triple = "x86_64-pc-linux-gnu"
declare void @rare()
; PROFILE: function measured:
; PROFILE-NOT: cold
; PROFILE: call rare freq {{[0-9.]*}} args
define void @measured(i1 %c) !prof !1 {
  br i1 %c, label %a, label %end, !prof !0
a:
  call void @rare()
  br label %end
end:
  ret void
}
!0 = !{!"branch_weights", i32 1, i32 2000}
!1 = !{!"function_entry_count", i64 2001}
