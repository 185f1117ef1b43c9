; What loops leave, as jump functions: the number of rounds times the step. What
; is not such a loop stays unknown.
; RUN: llvm-as %s -o %t.bc
; RUN: %gpulto dump --summary %t.bc | FileCheck %s

target triple = "x86_64-pc-linux-gnu"
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"

declare void @sink(i32)
declare void @sink64(i64)
declare void @sink8(i8)
declare i1 @stop()

; do ++i; while (i < n), entered if n > 0: n rounds, or none.
; CHECK-LABEL: function guarded:
define void @guarded(i32 %n, i32 %v) {
entry:
  %enters = icmp sgt i32 %n, 0
  br i1 %enters, label %loop, label %exit
loop:
  %i = phi i32 [ 0, %entry ], [ %i.next, %loop ]
  %w = phi i32 [ %v, %entry ], [ %w.next, %loop ]
  %i.next = add nuw nsw i32 %i, 1
  %w.next = shl i32 %w, 2
  %again = icmp slt i32 %i.next, %n
  br i1 %again, label %loop, label %exit
exit:
  %left = phi i32 [ %v, %entry ], [ %w.next, %loop ]
; CHECK: call sink freq 1{{[a-z_ ]*}} args=(((arg1:i32):i32 shl ((((((arg0:i32 add 4294967295):i64 zext 32):i64 add 1):i64 mul ((arg0:i32 smax 0):i32 umin 1):i64 zext 32):i64 mul 2):i64 umin 31):i32 trunc):i32 shl (((((((arg0:i32 add 4294967295):i64 zext 32):i64 add 1):i64 mul ((arg0:i32 smax 0):i32 umin 1):i64 zext 32):i64 mul 2):i64 sub (((((arg0:i32 add 4294967295):i64 zext 32):i64 add 1):i64 mul ((arg0:i32 smax 0):i32 umin 1):i64 zext 32):i64 mul 2):i64 umin 31):i64 umin 1):i32 trunc)
  call void @sink(i32 %left)
  ret void
}

; A loop that is entered, the number before its last step, and a conversion of
; what is left.
; CHECK-LABEL: function entered:
define void @entered(i8 %n) {
entry:
  br label %loop
loop:
  %i = phi i8 [ 0, %entry ], [ %i.next, %loop ]
  %w = phi i32 [ 5, %entry ], [ %w.next, %loop ]
  %i.next = add i8 %i, 1
  %w.next = add i32 %w, -3
  %done = icmp eq i8 %i, %n
  br i1 %done, label %exit, label %loop
exit:
  %last = phi i32 [ %w, %loop ]
  %after = phi i32 [ %w.next, %loop ]
; CHECK: call sink freq 1{{[a-z_ ]*}} args=((i32 5):i32 add ((arg0:i64 zext 8):i64 mul 4294967293):i32 trunc)
  call void @sink(i32 %last)
; CHECK: call sink freq 1{{[a-z_ ]*}} args=((i32 5):i32 add (((arg0:i64 zext 8):i64 add 1):i64 mul 4294967293):i32 trunc)
  call void @sink(i32 %after)
  ret void
}

; CHECK-LABEL: function converted:
define void @converted(i32 %n, i32 %v) {
entry:
  %wide = zext i32 %v to i64
  %skips = icmp eq i32 %n, 0
  br i1 %skips, label %exit, label %loop
loop:
  %i = phi i32 [ %n, %entry ], [ %i.next, %loop ]
  %w = phi i32 [ %v, %entry ], [ %w.next, %loop ]
  %i.next = add i32 %i, -1
  %w.next = lshr i32 %w, 1
  %done = icmp eq i32 %i.next, 0
  br i1 %done, label %leave, label %loop
leave:
  %wide.next = zext i32 %w.next to i64
  br label %exit
exit:
  %left = phi i64 [ %wide, %entry ], [ %wide.next, %leave ]
; CHECK: call sink64 freq 1{{[a-z_ ]*}} args=((((arg1:i32):i32 lshr (((((arg0:i32 add 4294967295):i64 zext 32):i64 add 1):i64 mul (arg0:i32 umin 1):i64 zext 32):i64 umin 31):i32 trunc):i32 lshr ((((((arg0:i32 add 4294967295):i64 zext 32):i64 add 1):i64 mul (arg0:i32 umin 1):i64 zext 32):i64 sub ((((arg0:i32 add 4294967295):i64 zext 32):i64 add 1):i64 mul (arg0:i32 umin 1):i64 zext 32):i64 umin 31):i64 umin 1):i32 trunc):i64 zext 32(in 0..4294967295))
  call void @sink64(i64 %left)
  ret void
}

; Two exits, a step that is not constant, one that has no closed form.
; CHECK-LABEL: function exits:
define void @exits(i32 %n, i32 %v) {
entry:
  %enters = icmp sgt i32 %n, 0
  br i1 %enters, label %loop, label %exit
loop:
  %i = phi i32 [ 0, %entry ], [ %i.next, %next ]
  %w = phi i32 [ %v, %entry ], [ %w.next, %next ]
  %breaks = call i1 @stop()
  br i1 %breaks, label %broken, label %next
next:
  %i.next = add nuw nsw i32 %i, 1
  %w.next = shl i32 %w, 2
  %again = icmp slt i32 %i.next, %n
  br i1 %again, label %loop, label %exit
exit:
  %left = phi i32 [ %v, %entry ], [ %w.next, %next ]
; CHECK: call sink freq 0.625{{[a-z_ ]*}} args=()
  call void @sink(i32 %left)
  ret void
broken:
  ret void
}

; CHECK-LABEL: function steps:
define void @steps(i32 %n, i32 %v, i32 %by) {
entry:
  %enters = icmp sgt i32 %n, 0
  br i1 %enters, label %loop, label %exit
loop:
  %i = phi i32 [ 0, %entry ], [ %i.next, %loop ]
  %w = phi i32 [ %v, %entry ], [ %w.next, %loop ]
  %x = phi i32 [ %v, %entry ], [ %x.next, %loop ]
  %i.next = add nuw nsw i32 %i, 1
  %w.next = add i32 %w, %by
  %x.next = mul i32 %x, 3
  %again = icmp slt i32 %i.next, %n
  br i1 %again, label %loop, label %exit
exit:
  %left = phi i32 [ %v, %entry ], [ %w.next, %loop ]
  %right = phi i32 [ %v, %entry ], [ %x.next, %loop ]
; CHECK: call sink freq 1{{[a-z_ ]*}} args=()
  call void @sink(i32 %left)
; CHECK: call sink freq 1{{[a-z_ ]*}} args=()
  call void @sink(i32 %right)
  ret void
}

; Something else where the loop is not entered, and an entrance that is not told
; by one number and a constant.
; CHECK-LABEL: function entrances:
define void @entrances(i32 %n, i32 %v, i1 %enters) {
entry:
  br i1 %enters, label %loop, label %exit
loop:
  %i = phi i32 [ 0, %entry ], [ %i.next, %loop ]
  %w = phi i32 [ %v, %entry ], [ %w.next, %loop ]
  %i.next = add nuw nsw i32 %i, 1
  %w.next = add i32 %w, 2
  %again = icmp slt i32 %i.next, %n
  br i1 %again, label %loop, label %exit
exit:
  %left = phi i32 [ %v, %entry ], [ %w.next, %loop ]
  %right = phi i32 [ %n, %entry ], [ %w.next, %loop ]
; CHECK: call sink freq 1{{[a-z_ ]*}} args=()
  call void @sink(i32 %left)
; CHECK: call sink freq 1{{[a-z_ ]*}} args=()
  call void @sink(i32 %right)
  ret void
}

; Shifted so often that the product of rounds and step might wrap around.
; CHECK-LABEL: function many:
define void @many(i64 %n, i8 %v) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %i.next, %loop ]
  %w = phi i8 [ %v, %entry ], [ %w.next, %loop ]
  %i.next = add i64 %i, 1
  %w.next = shl i8 %w, 1
  %done = icmp eq i64 %i, %n
  br i1 %done, label %exit, label %loop
exit:
; CHECK: call sink8 freq 1{{[a-z_ ]*}} args=(?(
  %left = phi i8 [ %w.next, %loop ]
  call void @sink8(i8 %left)
  ret void
}

; while (shift < 32 && 1u << shift < d) ++shift: nothing else is done there, so
; there need be no phi behind it.
; CHECK-LABEL: function shifts:
define void @shifts(i32 %d) {
entry:
  br label %loop
loop:
  %shift = phi i32 [ 0, %entry ], [ %shift.next, %loop ]
  %isShort = icmp samesign ult i32 %shift, 32
  %power = shl nuw i32 1, %shift
  %isLess = icmp ult i32 %power, %d
  %again = select i1 %isShort, i1 %isLess, i1 false
  %shift.next = add nuw nsw i32 %shift, 1
  br i1 %again, label %loop, label %exit
exit:
; CHECK: call sink freq 1{{[a-z_ ]*}} args=((i32 0):i32 add (((arg0:i64 zext 32):i64 ceillog2 64):i64 umin 32):i32 trunc(in 0..32))
  call void @sink(i32 %shift)
  ret void
}

; int threads = 32; while (threads < n && threads < 1024) threads *= 2;
; CHECK-LABEL: function threads:
define void @threads(i32 %n) {
entry:
  %enters = icmp sgt i32 %n, 32
  br i1 %enters, label %loop, label %exit
loop:
  %t = phi i32 [ 32, %entry ], [ %t.next, %loop ]
  %t.next = shl nuw nsw i32 %t, 1
  %isLess = icmp sgt i32 %n, %t.next
  %isFew = icmp samesign ult i32 %t, 512
  %again = select i1 %isLess, i1 %isFew, i1 false
  br i1 %again, label %loop, label %exit
exit:
  %left = phi i32 [ 32, %entry ], [ %t.next, %loop ]
; CHECK: call sink freq 1{{[a-z_ ]*}} args=(((i32 32):i32 shl (((((((((arg0:i32 smax 0):i64 zext 32):i64 ceillog2 64):i64 umax 6):i64 sub 6):i64 umin 4):i64 add 1):i64 mul (((arg0:i32 smax 32):i32 sub 32):i32 umin 1):i64 zext 32)
  call void @sink(i32 %left)
  ret void
}

; What wraps around before the other test ends the loop: 2 ** 31 of an unsigned
; number, and of a signed one.
; CHECK-LABEL: function wraps:
define void @wraps(i32 %n) {
entry:
  br label %loop
loop:
  %t = phi i32 [ 1, %entry ], [ %t.next, %loop ]
  %i = phi i32 [ 0, %entry ], [ %i.next, %loop ]
  %isLess = icmp ult i32 %t, %n
  %isFew = icmp ult i32 %i, 32
  %again = and i1 %isLess, %isFew
  %t.next = shl i32 %t, 1
  %i.next = add i32 %i, 1
  br i1 %again, label %loop, label %exit
exit:
; CHECK: call sink freq 1{{[a-z_ ]*}} args=(?(
  call void @sink(i32 %i)
  ret void
}

; CHECK-LABEL: function turns:
define void @turns(i32 %n) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %i.next, %loop ]
  %t = shl nuw i32 1, %i
  %isLess = icmp slt i32 %t, %n
  %isFew = icmp ult i32 %i, 31
  %again = select i1 %isFew, i1 %isLess, i1 false
  %i.next = add i32 %i, 1
  br i1 %again, label %loop, label %exit
exit:
; CHECK: call sink freq 1{{[a-z_ ]*}} args=(?(
  call void @sink(i32 %i)
  ret void
}

; One that is exact as long as it is tested.
; CHECK-LABEL: function stays:
define void @stays(i32 %n) {
entry:
  br label %loop
loop:
  %t = phi i32 [ 1, %entry ], [ %t.next, %loop ]
  %i = phi i32 [ 0, %entry ], [ %i.next, %loop ]
  %isLess = icmp ule i32 %t, %n
  %isFew = icmp ult i32 %i, 31
  %again = and i1 %isLess, %isFew
  %t.next = shl i32 %t, 1
  %i.next = add i32 %i, 1
  br i1 %again, label %loop, label %exit
exit:
; CHECK: call sink freq 1{{[a-z_ ]*}} args=((i32 0):i32 add ((((arg0:i64 zext 32):i64 add 1):i64 ceillog2 64):i64 umin 31):i32 trunc(in 0..31))
  call void @sink(i32 %i)
  ret void
}

; Somebody asks within the loop.
; CHECK-LABEL: function asks:
define void @asks(i32 %d) {
entry:
  br label %loop
loop:
  %shift = phi i32 [ 0, %entry ], [ %shift.next, %loop ]
; CHECK: call sink {{.*}} args=(?
  call void @sink(i32 %shift)
  %power = shl nuw i32 1, %shift
  %again = icmp ult i32 %power, %d
  %shift.next = add nuw nsw i32 %shift, 1
  br i1 %again, label %loop, label %exit
exit:
  ret void
}

; Not every round tests, and some test more than once.
; CHECK-LABEL: function seldom:
define void @seldom(i32 %d, i32 %m) {
entry:
  br label %loop
loop:
  %shift = phi i32 [ 0, %entry ], [ %shift.next, %latch ]
  %bit = and i32 %m, %shift
  %tests = icmp eq i32 %bit, 0
  br i1 %tests, label %test, label %latch
test:
  %power = shl nuw i32 1, %shift
  %again = icmp ult i32 %power, %d
  br i1 %again, label %latch, label %exit
latch:
  %shift.next = add nuw nsw i32 %shift, 1
  br label %loop
exit:
; CHECK: call sink freq 1{{[a-z_ ]*}} args=(?(
  call void @sink(i32 %shift)
  ret void
}

; CHECK-LABEL: function often:
define void @often(i32 %d, i32 %m) {
entry:
  br label %loop
loop:
  %shift = phi i32 [ 0, %entry ], [ %shift.next, %latch ]
  %power = shl nuw i32 1, %shift
  br label %inner
inner:
  %limit = phi i32 [ %d, %loop ], [ %limit.next, %back ]
  %again = icmp ult i32 %power, %d
  br i1 %again, label %back, label %exit
back:
  %limit.next = sub i32 %limit, %m
  %more = icmp ugt i32 %limit.next, %m
  br i1 %more, label %inner, label %latch
latch:
  %shift.next = add nuw nsw i32 %shift, 1
  br label %loop
exit:
; CHECK: call sink freq 1{{[a-z_ ]*}} args=(?(
  call void @sink(i32 %shift)
  ret void
}
