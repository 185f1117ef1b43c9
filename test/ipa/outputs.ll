; What a function leaves behind a pointer parameter, and stores in variables:
; plain stores of one value, allocations beside what was there before, what
; callees leave; not what is volatile, of unknown place or read only.
; RUN: llvm-as %s -o %t.bc
; RUN: %gpulto dump --summary %t.bc | FileCheck %s

target triple = "x86_64-pc-linux-gnu"

@number = internal global i32 7
@pair = internal global { i32, ptr } { i32 3, ptr null }
@zero = internal global ptr null

declare i32 @cudaMalloc(ptr, i64)
declare void @callee(ptr)

; CHECK-LABEL: function fills:
; CHECK: leaves ({0: local1 one of{0: arg1:i32}[0], 4: local1 one of{0: arg0[4..8 at entry]}[0], 8: local1 one of{0: allocated by call 0(align 256), 0: arg0[8..16 at entry]}[0], 16: {{.*}}})
define void @fills(ptr %p, i32 %n) {
  store i32 %n, ptr %p
  %data = getelementptr i8, ptr %p, i64 8
  %r = call i32 @cudaMalloc(ptr %data, i64 16)
  ret void
}

; CHECK-LABEL: function perhaps:
; CHECK: leaves ({0: local1 one of{0: i32 1, 0: arg0[0..4 at entry]}[0], 4:
define void @perhaps(ptr %p, i1 %c) {
  br i1 %c, label %then, label %end
then:
  store i32 1, ptr %p
  br label %end
end:
  ret void
}

; CHECK-LABEL: function calls:
; CHECK: leaves ({0: local1 one of{0: argument 0 of call 0[0..{{[0-9]+}}]}[0]})
define void @calls(ptr %p) {
  call void @callee(ptr %p)
  ret void
}

; CHECK-LABEL: function anywhere:
; CHECK-NOT: leaves
; CHECK-LABEL: function volatile:
; CHECK-NOT: leaves ({0:
; CHECK-LABEL: function reads:
; CHECK-NOT: leaves
; CHECK: returns arg0[0..4 at entry]:i32
define void @anywhere(ptr %p, i64 %i) {
  %q = getelementptr i32, ptr %p, i64 %i
  store i32 1, ptr %q
  ret void
}
define void @volatile(ptr %p) {
  store volatile i32 1, ptr %p
  ret void
}
define i32 @reads(ptr %p) {
  %v = load i32, ptr %p
  ret i32 %v
}

; CHECK-LABEL: function stores:
; CHECK: stores number bytes 4 value arg0:i32
; CHECK: stores pair at 8 bytes 8 value allocated by call 0(align 256)
; CHECK: ref zero writes{{$}}
define void @stores(i32 %n, ptr %p) {
  store i32 %n, ptr @number
  %r = call i32 @cudaMalloc(ptr getelementptr (i8, ptr @pair, i64 8), i64 16)
  store ptr %p, ptr @zero
  ret void
}

; CHECK-LABEL: function unknown:
; CHECK: ref number writes writes_unknown
; CHECK: ref zero {{.*}}writes_unknown
; CHECK-NOT: stores
; CHECK: returns stored in pair[0]:i32
define i32 @unknown(i64 %i) {
  %q = getelementptr i8, ptr @number, i64 %i
  store i8 1, ptr %q
  store volatile ptr null, ptr @zero
  %v = load i32, ptr @pair
  ret i32 %v
}

; CHECK: variable number:
; CHECK: initially {0: i32 7}
; CHECK: variable pair:
; CHECK: initially {0: i32 3, 8: null}
