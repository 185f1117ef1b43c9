; What LGEN tells of host code around copies: calls in their order, memory that copies
; get, sizes, success, what is kept; nothing of other memory, of the library where it
; touches nothing else, and of functions that cannot reach the runtime.
; RUN: llvm-as %s -o %t.bc
; RUN: %gpulto dump --summary %t.bc | grep -E "function|value |event " | FileCheck %s

target triple = "x86_64-pc-linux-gnu"

; CHECK-LABEL: function copies:
; CHECK-NEXT: value 0 plain i64 i64 400
; CHECK-NEXT: value 1 plain allocated by call 0 block 0
; CHECK-NEXT: value 2 allocated allocated by call 1(align 256)
; CHECK-NEXT: event 0 block goes_on to 9 to 6
; CHECK-NEXT: event 1 call 0{{$}}
; CHECK-NEXT: event 2 access value 1 begins
; CHECK-NEXT: event 3 call 1{{$}}
; CHECK-NEXT: event 4 access value 1 writes
; CHECK-NEXT: event 5 call 3 value 2 value 1 on_host value 0{{$}}
; CHECK-NEXT: event 6 block returns
; CHECK-NEXT: event 7 succeeded 3
; CHECK-NEXT: event 8 access value 1 reads first 4{{$}}
; CHECK-NEXT: event 9 block returns
define i32 @copies() {
  %slot = alloca ptr
  %other = alloca [8 x i32]
  %h = call noalias ptr @malloc(i64 400)
  %a = call i32 @cudaMalloc(ptr %slot, i64 400)
  store i32 1, ptr %h
  store i32 1, ptr %other
  %p = call i32 @puts(ptr @text)
  %d = load ptr, ptr %slot
  %r = call i32 @cudaMemcpy(ptr %d, ptr %h, i64 400, i32 1)
  %failed = icmp ne i32 %r, 0
  br i1 %failed, label %bad, label %good
good:
  %x = load i32, ptr %h
  ret i32 %x
bad:
  ret i32 1
}

; A pointer that is stored is kept, and so is what it may be.
; CHECK-LABEL: function keeps:
; CHECK: value 3 plain arg0
; CHECK-NEXT: value 4 plain allocated by call 0
; CHECK-NEXT: event 0 block returns
; CHECK-NEXT: event 1 keeps value 3 keeps value 4 keeps
define void @keeps(ptr %h) {
  %slot = alloca ptr
  %a = call i32 @cudaMalloc(ptr %slot, i64 8)
  %d = load ptr, ptr %slot
  store ptr %d, ptr @global
  store ptr %h, ptr @global
  %r = call i32 @cudaMemcpy(ptr %d, ptr %h, i64 8, i32 1)
  ret void
}

; A product that may wrap is told from one that may not.
; CHECK-LABEL: function sizes:
; CHECK: mul of {{[0-9]+}} by 7
; CHECK: mul exact of {{[0-9]+}} by 9
define void @sizes(ptr %d, i32 %n) {
  %wraps = mul i32 %n, 7
  %marked = mul nsw i32 %n, 9
  %a = sext i32 %wraps to i64
  %b = sext i32 %marked to i64
  call i32 @cudaMemset(ptr %d, i32 0, i64 %a)
  call i32 @cudaMemset(ptr %d, i32 0, i64 %b)
  ret void
}

; A product whose flag is gone does not wrap where a larger one of the same factor,
; which may not, has been used: not before, not where that is in a branch or is not
; used, and not if it is smaller.
; CHECK-LABEL: function bounds:
; CHECK: call 0 {{.*}}value [[SIZE:[0-9]+]]{{$}}
; CHECK: call 2 {{.*}}value [[SIZE]] exact{{$}}
; CHECK: call 3 {{.*}}value {{[0-9]+}} exact{{$}}
; CHECK: call 4 {{.*}}value {{[0-9]+}}{{$}}
; CHECK: call 6 {{.*}}value {{[0-9]+}}{{$}}
; CHECK: call 7 {{.*}}value {{[0-9]+}}{{$}}
define void @bounds(ptr %d, i32 %n, i32 %k, i1 %c) {
  %bound = mul i32 %n, 192
  %size = sext i32 %bound to i64
  call i32 @cudaMemset(ptr %d, i32 0, i64 %size)
  %more = mul nsw i32 %n, 960
  %used = sext i32 %more to i64
  call i32 @cudaMalloc(ptr @global, i64 noundef %used)
  call i32 @cudaMemset(ptr %d, i32 0, i64 %size)
  %shifted = shl i32 %n, 9
  %other = sext i32 %shifted to i64
  call i32 @cudaMemset(ptr %d, i32 0, i64 %other)
  %larger = mul i32 %n, 961
  %largest = sext i32 %larger to i64
  call i32 @cudaMemset(ptr %d, i32 0, i64 %largest)
  %k8 = mul i32 %k, 8
  %k9 = mul nsw i32 %k, 9
  %eight = sext i32 %k8 to i64
  %nine = sext i32 %k9 to i64
  br i1 %c, label %then, label %join
then:
  call i32 @cudaMalloc(ptr @global, i64 noundef %nine)
  br label %join
join:
  call i32 @cudaMemset(ptr %d, i32 0, i64 %eight)
  %k7 = mul i32 %k, 7
  %seven = sext i32 %k7 to i64
  call i32 @cudaMemset(ptr %d, i32 0, i64 %seven)
  ret void
}

; A call through another type, as in C without prototypes, is one of the same function.
; CHECK-LABEL: function old:
; CHECK: event {{[0-9]+}} call 0
; CHECK: event {{[0-9]+}} call 1 value
; CHECK: event {{[0-9]+}} call 2 value
define void @old(ptr %d, ptr %h) {
  %r = call i32 (ptr, ptr, i64, i32) @oldCopy(ptr %d, ptr %h, i64 4, i32 1)
  %c = call i32 @cudaMemcpy(ptr %d, ptr %h, i64 4, i32 1)
  %p = call i32 (ptr, i32) @puts(ptr %h, i32 1)
  ret void
}

; The body of an extern template is another module's: it is as if there were none.
; CHECK-LABEL: function extern:
; CHECK-NEXT: value 0 plain arg0
; CHECK-NEXT: value 1 plain i64 arg1
; CHECK-NEXT: event 0 block returns
; CHECK-NEXT: event 1 call 0 value 0 reads writes keeps value 1 exact
define void @extern(ptr %h, i64 %n) {
  call void @elsewhere(ptr %h, i64 %n)
  ret void
}
define available_externally void @elsewhere(ptr %h, i64 %n) {
  %r = call i32 @cudaMemset(ptr %h, i32 0, i64 %n)
  ret void
}

; CHECK-LABEL: function plain:
; CHECK-NOT: event
define i32 @plain(ptr %h) {
  %x = load i32, ptr %h
  %r = call i32 @puts(ptr %h)
  ret i32 %x
}

@text = private constant [2 x i8] c"x\00"
@global = global ptr null
declare noalias ptr @malloc(i64)
declare i32 @cudaMalloc(ptr, i64)
declare i32 @cudaMemcpy(ptr, ptr, i64, i32)
declare i32 @oldCopy(...)
declare i32 @puts(ptr nocapture readonly) nounwind
declare i32 @cudaMemset(ptr, i32, i64)
