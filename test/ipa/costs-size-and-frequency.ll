; Sizes and times grow with the body, loops weigh by their frequency, fixed
; stack counts; calls know how often they run.
; RUN: llvm-as %s -o %t.bc
; RUN: %gpulto dump --summary %t.bc | FileCheck %s

target triple = "x86_64-pc-linux-gnu"
declare void @g()

; CHECK: function straight: insts 4 bytes {{[1-9][0-9]*}} time [[T:[1-9][0-9]*]] stack 68{{$}}
; CHECK: call g freq 1 
define void @straight() {
  %a = alloca [8 x i64], align 8
  %b = alloca i32, align 4
  call void @g()
  ret void
}
; CHECK: function loop: {{.*}} loop_depth 2
; CHECK: flags{{.*}} loop
; CHECK: call g freq [[#%u,OUTER:]]
; CHECK: call g freq [[#%u,INNER:]]
; CHECK: call g freq 1{{[a-z_ ]*}} args
define void @loop(i32 %n) {
entry:
  br label %outer
outer:
  %i = phi i32 [ 0, %entry ], [ %i1, %next ]
  call void @g()
  br label %inner
inner:
  %j = phi i32 [ 0, %outer ], [ %j1, %inner ]
  call void @g()
  %j1 = add i32 %j, 1
  %cj = icmp slt i32 %j1, %n
  br i1 %cj, label %inner, label %next
next:
  %i1 = add i32 %i, 1
  %ci = icmp slt i32 %i1, %n
  br i1 %ci, label %outer, label %end
end:
  call void @g()
  ret void
}

; A branch that profile data call unlikely.
; CHECK: function branch:
; CHECK: call g freq 0.00781 cold args
define void @branch(i1 %c) {
  br i1 %c, label %rare, label %end, !prof !0
rare:
  call void @g() cold
  br label %end
end:
  ret void
}
!0 = !{!"branch_weights", i32 1, i32 127}
