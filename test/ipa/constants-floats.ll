; Jump functions of floating-point numbers: operations, conversions, roundings,
; signs, numbers in constants of other modules. Not with liberties that fast-math
; gives, nor sums of products where the target fuses them, nor of other formats,
; nor where the rounding may change.
; RUN: llvm-as %s -o %t.bc
; RUN: %gpulto dump --summary %t.bc | FileCheck %s

target triple = "x86_64-pc-linux-gnu"
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
@rate = external constant float
@handler = external constant ptr
@here = constant float 2.5

declare void @f(float)
declare void @d(double)
declare void @i(i32)
declare void @p(ptr)
declare void @h(half)
declare float @llvm.ceil.f32(float)
declare float @llvm.floor.f32(float)
declare float @llvm.fabs.f32(float)
declare float @llvm.fmuladd.f32(float, float, float)

; CHECK-LABEL: function operations:
define void @operations(float %x, i32 %n, double %y) {
; CHECK: call f freq 1{{[a-z_ ]*}} args=(arg0:i32 fmul 1073741824)
  %mul = fmul float %x, 2.0
  call void @f(float %mul)
; CHECK: call f freq 1{{[a-z_ ]*}} args=((i32 1065353216):i32 fdiv arg0:i32)
  %div = fdiv float 1.0, %x
  call void @f(float %div)
; CHECK: call f freq 1{{[a-z_ ]*}} args=((arg0:i32):i32 fsub arg1:i32 sitofp 32)
  %number = sitofp i32 %n to float
  %sub = fsub float %x, %number
  call void @f(float %sub)
; CHECK: call i freq 1{{[a-z_ ]*}} args=(((arg0:i32 fdiv 1132462080):i32 fceil 32):i32 fptosi 32)
  %ratio = fdiv float %x, 256.0
  %up = call float @llvm.ceil.f32(float %ratio)
  %blocks = fptosi float %up to i32
  call void @i(i32 %blocks)
; CHECK: call f freq 1{{[a-z_ ]*}} args=(arg0:i32 ffloor 32)
  %down = call float @llvm.floor.f32(float %x)
  call void @f(float %down)
; CHECK: call f freq 1{{[a-z_ ]*}} args=(arg0:i32 and 2147483647)
  %abs = call float @llvm.fabs.f32(float %x)
  call void @f(float %abs)
; CHECK: call f freq 1{{[a-z_ ]*}} args=(arg0:i32 xor 2147483648)
  %neg = fneg float %x
  call void @f(float %neg)
; CHECK: call f freq 1{{[a-z_ ]*}} args=(arg2:i32 ftrunc 64)
  %less = fptrunc double %y to float
  call void @f(float %less)
; CHECK: call d freq 1{{[a-z_ ]*}} args=(arg0:i64 fext 32)
  %more = fpext float %x to double
  call void @d(double %more)
; CHECK: call f freq 1{{[a-z_ ]*}} args=(stored in rate[0]:i32)
  %constant = load float, ptr @rate
  call void @f(float %constant)
; CHECK: call f freq 1{{[a-z_ ]*}} args=(arg0:i32 fadd 1073741824)
  %contract = fadd contract float %x, 2.0
  call void @f(float %contract)
  ret void
}

; CHECK-LABEL: function unknown:
define void @unknown(float %x, double %y, half %z) {
; CHECK: call f freq 1{{[a-z_ ]*}} args=()
  %fast = fmul fast float %x, 2.0
  call void @f(float %fast)
; CHECK: call f freq 1{{[a-z_ ]*}} args=()
  %reassoc = fadd reassoc float %x, 2.0
  call void @f(float %reassoc)
; CHECK: call f freq 1{{[a-z_ ]*}} args=()
  %muladd = call float @llvm.fmuladd.f32(float %x, float %x, float 1.0)
  call void @f(float %muladd)
; CHECK: call h freq 1{{[a-z_ ]*}} args=()
  %half = fmul half %z, 2.0
  call void @h(half %half)
; CHECK: call p freq 1{{[a-z_ ]*}} args=(stored in handler[0])
  %pointer = load ptr, ptr @handler
  call void @p(ptr %pointer)
  ret void
}

; CHECK-LABEL: function fusing:
define void @fusing(float %x, float %y) "target-features"="+avx,+fma" {
; CHECK: call f freq 1{{[a-z_ ]*}} args=()
  %mul = fmul contract float %x, %y
  %sum = fadd contract float %mul, 2.0
  call void @f(float %sum)
; CHECK: call f freq 1{{[a-z_ ]*}} args=((arg0:i32):i32 fmul arg1:i32)
  call void @f(float %mul)
  ret void
}

; CHECK-LABEL: function strict:
define void @strict(float %x) strictfp {
; CHECK: call f freq 1{{[a-z_ ]*}} args=()
  %mul = fmul float %x, 2.0
  call void @f(float %mul) strictfp
  ret void
}

; CHECK: initially {0: i32 1075838976}
