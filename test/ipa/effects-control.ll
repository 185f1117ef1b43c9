; What a body does to control and to other threads: throwing, loops that may not
; end, freeing, volatile and atomic accesses; and what calls promise by their
; attributes. A call whose attributes say what it touches is part of the body's
; own effects.
; RUN: llvm-as %s -o %t.bc
; RUN: %gpulto dump --summary %t.bc | FileCheck %s
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

declare void @unknown()
declare void @quiet() nounwind willreturn nosync nofree memory(none)
declare i64 @length(ptr nocapture readonly) nounwind willreturn memory(argmem: read)
declare i32 @personality(...)

; CHECK: function resumes:
; CHECK: effects unwinds{{$}}
; CHECK: call unknown freq 1 invoke always_reached
define void @resumes() personality ptr @personality {
  invoke void @unknown() to label %done unwind label %pad
done:
  ret void
pad:
  %e = landingpad { ptr, i32 } cleanup
  resume { ptr, i32 } %e
}
; CHECK: function spins:
; CHECK: effects may_not_return mustprogress{{$}}
define void @spins() mustprogress {
  br label %loop
loop:
  br label %loop
}
; CHECK: function promises:
; CHECK: effects{{ *$}}
; CHECK: call quiet freq 1 nounwind willreturn nosync nofree known_memory always_reached
define void @promises() {
  call void @quiet()
  ret void
}
; CHECK: function reads:
; CHECK: effects reads_arguments{{$}}
; CHECK: call length freq 1 nounwind willreturn known_memory reads_arguments always_reached
define i64 @reads(ptr %p) {
  %n = call i64 @length(ptr %p)
  ret i64 %n
}
; CHECK: function chooses:
; CHECK: call quiet freq {{[0-9.]+}} nounwind willreturn nosync nofree known_memory args
define void @chooses(i1 %c) {
  br i1 %c, label %then, label %done
then:
  call void @quiet()
  br label %done
done:
  ret void
}
; CHECK: function volatile:
; CHECK: effects reads_arguments writes_arguments reads_other writes_other reads_inaccessible writes_inaccessible synchronizes{{$}}
; CHECK: param 0 may_read may_write pointer
define i32 @volatile(ptr %p) {
  %v = load volatile i32, ptr %p
  ret i32 %v
}
; CHECK: function atomic:
; CHECK: effects reads_arguments writes_arguments reads_other writes_other synchronizes{{$}}
define i32 @atomic(ptr %p) {
  %v = atomicrmw add ptr %p, i32 1 seq_cst
  ret i32 %v
}
; CHECK: function assembly:
; CHECK: effects {{.*}}synchronizes{{.*}}frees
define void @assembly() {
  call void asm sideeffect "", "~{memory}"()
  ret void
}
; CHECK: function compares:
; CHECK: param 0 {{.*}}may_compare
define i1 @compares(ptr %p) {
  %c = icmp eq ptr %p, null
  ret i1 %c
}
