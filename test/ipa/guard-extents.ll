; What bounds an index, and what does not: arithmetic that may wrap is a premise,
; nsw none; conditions count where they lead to the access, with their sign; loops
; by what they compare; nothing is known through freeze, of steps over the end, of
; numbers that may be negative and are taken as unsigned.
; RUN: llvm-as %s -o %t.bc
; RUN: %gpulto dump --summary %t.bc | FileCheck %s

target triple = "nvptx64-nvidia-cuda"
target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
declare i32 @llvm.smax.i32(i32, i32)
declare i32 @llvm.smin.i32(i32, i32)

; The index of arg1 is what each kernel is about; arg0 is stored to between two
; loads of it.
; CHECK-LABEL: function wraps:
; CHECK: touches arg1 from 20 to 4*blockx + 20 unless negative: -blockx + 2147483643
; CHECK-LABEL: function doesNotWrap:
; CHECK: touches arg1 from 20 to 4*blockx + 20{{$}}
define void @wraps(ptr %out, ptr %in) {
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = add i32 %tid, 5
  %p = getelementptr float, ptr %in, i32 %i
  %a = load float, ptr %p
  store float %a, ptr %out
  %b = load float, ptr %p
  store float %b, ptr %out
  ret void
}
define void @doesNotWrap(ptr %out, ptr %in) {
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = add nsw i32 %tid, 5
  %p = getelementptr float, ptr %in, i32 %i
  %a = load float, ptr %p
  store float %a, ptr %out
  %b = load float, ptr %p
  store float %b, ptr %out
  ret void
}
; CHECK-LABEL: function frozen:
; CHECK-NOT: touches arg1
define void @frozen(ptr %out, ptr %in) {
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %sum = add nsw i32 %tid, 5
  %i = freeze i32 %sum
  %p = getelementptr float, ptr %in, i32 %i
  %a = load float, ptr %p
  store float %a, ptr %out
  %b = load float, ptr %p
  store float %b, ptr %out
  ret void
}
; CHECK-LABEL: function maybeNegative:
; CHECK-NOT: touches arg1
; CHECK-LABEL: function below:
; CHECK: touches arg1 from -16 to 4*blockx - 16{{$}}
define void @maybeNegative(ptr %out, ptr %in) {
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %less = sub nsw i32 %tid, 4
  %i = zext i32 %less to i64
  %p = getelementptr float, ptr %in, i64 %i
  %a = load float, ptr %p
  store float %a, ptr %out
  %b = load float, ptr %p
  store float %b, ptr %out
  ret void
}
define void @below(ptr %out, ptr %in) {
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %less = sub nsw i32 %tid, 4
  %i = sext i32 %less to i64
  %p = getelementptr float, ptr %in, i64 %i
  %a = load float, ptr %p
  store float %a, ptr %out
  %b = load float, ptr %p
  store float %b, ptr %out
  ret void
}
; A loaded index is bounded where both sides of it were looked at, or as unsigned.
; CHECK-LABEL: function checked:
; CHECK: touches arg1 from 0 to 4*arg3 unless negative: arg3{{$}}
; CHECK-LABEL: function checkedAtOnce:
; CHECK: touches arg1 from 0 to 4*arg3 unless negative: arg3{{$}}
; CHECK-LABEL: function checkedAbove:
; CHECK-NOT: touches arg1
; CHECK-LABEL: function checkedElsewhere:
; CHECK-NOT: touches arg1
; CHECK-LABEL: function checkedRange:
; CHECK: touches arg1 from 4 to 56{{$}}
define void @checked(ptr %out, ptr %in, ptr %index, i32 %n) {
  %i = load i32, ptr %index
  %isNatural = icmp sgt i32 %i, -1
  %isLess = icmp slt i32 %i, %n
  %both = select i1 %isNatural, i1 %isLess, i1 false
  br i1 %both, label %access, label %exit
access:
  %p = getelementptr float, ptr %in, i32 %i
  %a = load float, ptr %p
  store float %a, ptr %out
  %b = load float, ptr %p
  store float %b, ptr %out
  br label %exit
exit:
  ret void
}
define void @checkedAtOnce(ptr %out, ptr %in, ptr %index, i32 %n) {
  %i = load i32, ptr %index
  %isMore = icmp uge i32 %i, %n
  br i1 %isMore, label %exit, label %access
access:
  %p = getelementptr float, ptr %in, i32 %i
  %a = load float, ptr %p
  store float %a, ptr %out
  %b = load float, ptr %p
  store float %b, ptr %out
  br label %exit
exit:
  ret void
}
define void @checkedAbove(ptr %out, ptr %in, ptr %index, i32 %n) {
  %i = load i32, ptr %index
  %isLess = icmp slt i32 %i, %n
  br i1 %isLess, label %access, label %exit
access:
  %p = getelementptr float, ptr %in, i32 %i
  %a = load float, ptr %p
  store float %a, ptr %out
  %b = load float, ptr %p
  store float %b, ptr %out
  br label %exit
exit:
  ret void
}
define void @checkedElsewhere(ptr %out, ptr %in, ptr %index, i32 %n) {
  %i = load i32, ptr %index
  %isLess = icmp ult i32 %i, %n
  br i1 %isLess, label %less, label %access
less:
  store float 1.0, ptr %out
  br label %access
access:
  %p = getelementptr float, ptr %in, i32 %i
  %a = load float, ptr %p
  store float %a, ptr %out
  %b = load float, ptr %p
  store float %b, ptr %out
  ret void
}
define void @checkedRange(ptr %out, ptr %in, ptr %index) {
  %i = load i32, ptr %index
  %less = add i32 %i, -1
  %isIn = icmp ult i32 %less, 13
  br i1 %isIn, label %access, label %exit
access:
  %p = getelementptr float, ptr %in, i32 %i
  %a = load float, ptr %p
  store float %a, ptr %out
  %b = load float, ptr %p
  store float %b, ptr %out
  br label %exit
exit:
  ret void
}
; A counter meets the end it is compared with for equality if it goes by ones; by
; twos it may step over. That the loop has rounds is a premise.
; CHECK-LABEL: function byOnes:
; CHECK: touches arg1 from 0 to 4*arg2 unless negative: arg2 - 1, arg2
; CHECK-LABEL: function byTwos:
; CHECK-NOT: touches arg1
; CHECK-LABEL: function byTwosBelow:
; CHECK: touches arg1 from 0 to 4*arg2 unless negative: {{.*}}-arg2 + 2147483646
define void @byOnes(ptr %out, ptr %in, i32 %n) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %p = getelementptr float, ptr %in, i32 %i
  %a = load float, ptr %p
  store float %a, ptr %out
  %b = load float, ptr %p
  store float %b, ptr %out
  %next = add i32 %i, 1
  %isLast = icmp eq i32 %next, %n
  br i1 %isLast, label %exit, label %loop
exit:
  ret void
}
define void @byTwos(ptr %out, ptr %in, i32 %n) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %p = getelementptr float, ptr %in, i32 %i
  %a = load float, ptr %p
  store float %a, ptr %out
  %b = load float, ptr %p
  store float %b, ptr %out
  %next = add i32 %i, 2
  %isLast = icmp eq i32 %next, %n
  br i1 %isLast, label %exit, label %loop
exit:
  ret void
}
define void @byTwosBelow(ptr %out, ptr %in, i32 %n) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %p = getelementptr float, ptr %in, i32 %i
  %a = load float, ptr %p
  store float %a, ptr %out
  %b = load float, ptr %p
  store float %b, ptr %out
  %next = add i32 %i, 2
  %isMore = icmp slt i32 %next, %n
  br i1 %isMore, label %loop, label %exit
exit:
  ret void
}
; Clamped, masked, remainders and quotients.
; CHECK-LABEL: function clamped:
; CHECK: touches arg1 from 0 to 4*arg2 unless negative: arg2 - 1
; CHECK-LABEL: function remainder:
; CHECK: touches arg1 from 0 to 4*arg2 + 12 unless negative: arg2{{$}}
define void @clamped(ptr %out, ptr %in, i32 %n, ptr %index) {
  %i = load i32, ptr %index
  %last = add nsw i32 %n, -1
  %least = call i32 @llvm.smin.i32(i32 %i, i32 %last)
  %most = call i32 @llvm.smax.i32(i32 %least, i32 0)
  %p = getelementptr float, ptr %in, i32 %most
  %a = load float, ptr %p
  store float %a, ptr %out
  %b = load float, ptr %p
  store float %b, ptr %out
  ret void
}
define void @remainder(ptr %out, ptr %in, i32 %n, ptr %index) {
  %i = load i32, ptr %index
  %rest = urem i32 %i, %n
  %few = and i32 %i, 3
  %sum = add nuw nsw i32 %rest, %few
  %p = getelementptr float, ptr %in, i32 %sum
  %a = load float, ptr %p
  store float %a, ptr %out
  %b = load float, ptr %p
  store float %b, ptr %out
  ret void
}
; Products of what may be negative, and of sizes that no memory has, are not known.
; CHECK-LABEL: function product:
; CHECK: touches arg1 from 0 to -4*arg2 + 4*arg2*blockx + 4 unless negative: {{.*}}arg2
; CHECK-LABEL: function negativeProduct:
; CHECK-NOT: touches arg1
; CHECK-LABEL: function tooLarge:
; CHECK-NOT: touches arg1
define void @product(ptr %out, ptr %in, i64 %n) {
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %wide = zext nneg i32 %tid to i64
  %i = mul i64 %wide, %n
  %p = getelementptr float, ptr %in, i64 %i
  %a = load float, ptr %p
  store float %a, ptr %out
  %b = load float, ptr %p
  store float %b, ptr %out
  ret void
}
define void @negativeProduct(ptr %out, ptr %in, i32 %n) {
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %first = sub nsw i32 %tid, 4
  %second = sub nsw i32 %n, %tid
  %i = mul nsw i32 %first, %second
  %p = getelementptr float, ptr %in, i32 %i
  %a = load float, ptr %p
  store float %a, ptr %out
  %b = load float, ptr %p
  store float %b, ptr %out
  ret void
}
define void @tooLarge(ptr %out, ptr %in, i64 %n) {
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %wide = zext nneg i32 %tid to i64
  %i = mul nsw i64 %wide, 4611686018427387904
  %p = getelementptr float, ptr %in, i64 %i
  %a = load float, ptr %p
  store float %a, ptr %out
  %b = load float, ptr %p
  store float %b, ptr %out
  ret void
}
!nvvm.annotations = !{!0, !1, !2, !3, !4, !5, !6, !7, !8, !9, !10, !11, !12, !13, !14, !15, !16, !17}
!0 = !{ptr @wraps, !"kernel", i32 1}
!1 = !{ptr @doesNotWrap, !"kernel", i32 1}
!2 = !{ptr @frozen, !"kernel", i32 1}
!3 = !{ptr @maybeNegative, !"kernel", i32 1}
!4 = !{ptr @below, !"kernel", i32 1}
!5 = !{ptr @checked, !"kernel", i32 1}
!6 = !{ptr @checkedAtOnce, !"kernel", i32 1}
!7 = !{ptr @checkedAbove, !"kernel", i32 1}
!8 = !{ptr @checkedElsewhere, !"kernel", i32 1}
!9 = !{ptr @checkedRange, !"kernel", i32 1}
!10 = !{ptr @byOnes, !"kernel", i32 1}
!11 = !{ptr @byTwos, !"kernel", i32 1}
!12 = !{ptr @byTwosBelow, !"kernel", i32 1}
!13 = !{ptr @clamped, !"kernel", i32 1}
!14 = !{ptr @remainder, !"kernel", i32 1}
!15 = !{ptr @product, !"kernel", i32 1}
!16 = !{ptr @negativeProduct, !"kernel", i32 1}
!17 = !{ptr @tooLarge, !"kernel", i32 1}
