; What LGEN tells of the memory that copies to symbols come from, and how symbols are used.
; RUN: llvm-as %s -o %t.bc
; RUN: %gpulto dump --summary %t.bc | grep -E "function|source |ref symbol" | FileCheck %s

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

@symbol = internal global [16 x i8] undef
@bytes = internal constant [9 x i8] c"\01\02\03\04\05\06\07\08\09"
@mixed = internal constant { ptr, i32, i16 } { ptr @symbol, i32 1, i16 2 }
@floats = external global [2 x float]

; A constant, from its middle on; all of one if the size is not known here.
; CHECK-LABEL: function constants:
; CHECK: ref symbol names
; CHECK: source 0 {0: i64 {{[0-9]+}}}
; CHECK: source 1 {0: i64 {{[0-9]+}}, 8: i8 9}
; Of an address nothing is known, and of a gap anything goes.
; CHECK: source 2 {8: i64 8589934593}
define void @constants(i64 %n) {
  %1 = call i32 @cudaMemcpyToSymbol(ptr @symbol, ptr getelementptr (i8, ptr @bytes, i64 1), i64 8, i64 0, i32 1)
  %2 = call i32 @cudaMemcpyToSymbol(ptr @symbol, ptr @bytes, i64 %n, i64 0, i32 1)
  %3 = call i32 @cudaMemcpyToSymbol(ptr @symbol, ptr @mixed, i64 16, i64 0, i32 1)
  ret void
}

; Local variables: a copy of a constant, of which some is written; a fill; what is left out;
; a parameter; a vector.
; CHECK-LABEL: function locals:
; CHECK: source 0 {0: i32 67305985, 4: arg0:i32, 8: i8 9}
; CHECK: source 1 {0: i32 16843009, 4: i16 1, 6: i16 0}
; CHECK: source 2 {0: i64 8589934593}
define void @locals(i32 %x) {
  %a = alloca [9 x i8]
  %b = alloca [8 x i8]
  %c = alloca <2 x i32>
  call void @llvm.memcpy.p0.p0.i64(ptr %a, ptr @bytes, i64 9, i1 false)
  %a4 = getelementptr i8, ptr %a, i64 4
  store i32 %x, ptr %a4
  %1 = call i32 @cudaMemcpyToSymbol(ptr @symbol, ptr %a, i64 9, i64 0, i32 1)
  call void @llvm.memset.p0.i64(ptr %b, i8 1, i64 4, i1 false)
  %b4 = getelementptr i8, ptr %b, i64 4
  store i16 1, ptr %b4
  %2 = call i32 @cudaMemcpyToSymbol(ptr @symbol, ptr %b, i64 8, i64 0, i32 1)
  store <2 x i32> <i32 1, i32 2>, ptr %c
  %3 = call i32 @cudaMemcpyToSymbol(ptr @symbol, ptr %c, i64 8, i64 0, i32 1)
  ret void
}

; One of two values, memory that another function has, memory of a caller.
; CHECK-LABEL: function unknown:
; CHECK-NEXT: ref symbol names
; CHECK-NEXT: source 2 {0: local{{[0-9]}} one of{0: argument 0 of call 1[0..4]}[0]}
; CHECK-NEXT: source 3 {0: arg1[0..4 at entry]}
define void @unknown(i1 %c, ptr %p) {
  %a = alloca i32
  %b = alloca i32
  store i32 1, ptr %a
  br i1 %c, label %then, label %end
then:
  store i32 2, ptr %a
  br label %end
end:
  %1 = call i32 @cudaMemcpyToSymbol(ptr @symbol, ptr %a, i64 4, i64 0, i32 1)
  store i32 1, ptr %b
  call void @keep(ptr %b)
  %2 = call i32 @cudaMemcpyToSymbol(ptr @symbol, ptr %b, i64 4, i64 0, i32 1)
  %3 = call i32 @cudaMemcpyToSymbol(ptr @symbol, ptr %p, i64 4, i64 0, i32 1)
  ret void
}

; Its address is more than a name here.
; CHECK-LABEL: function others:
; CHECK: ref symbol {{.*}}address
define void @others(ptr %p) {
  %1 = call i32 @cudaMemcpyFromSymbol(ptr %p, ptr @symbol, i64 4, i64 0, i32 2)
  %2 = call i32 @cudaGetSymbolAddress(ptr %p, ptr @symbol)
  ret void
}

declare i32 @cudaMemcpyToSymbol(ptr, ptr, i64, i64, i32)
declare i32 @cudaMemcpyFromSymbol(ptr, ptr, i64, i64, i32)
declare i32 @cudaGetSymbolAddress(ptr, ptr)
declare void @keep(ptr)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
