; Functions that copy alike, as instances of a template, have one list of events and one of
; values.
; RUN: llvm-as %s -o %t.bc
; RUN: %gpulto dump --header %t.bc | FileCheck %s
; CHECK: transferValues 3 transferEvents 7 functions 3
; RUN: %gpulto dump --summary %t.bc | grep -E "function|event " | FileCheck --check-prefix=EVENTS %s
; EVENTS: function first:
; EVENTS-NEXT: event 0 block goes_on to 4 to 2
; EVENTS-NEXT: event 1 call 0 value 0 value 1 on_host value 2
; EVENTS-NEXT: event 2 block returns
; EVENTS-NEXT: event 3 succeeded 0
; EVENTS-NEXT: event 4 block returns
; EVENTS: function second:
; EVENTS-NEXT: event 0 block goes_on to 4 to 2
; EVENTS-NEXT: event 1 call 0 value 0 value 1 on_host value 2
; EVENTS-NEXT: event 2 block returns
; EVENTS-NEXT: event 3 succeeded 0
; EVENTS-NEXT: event 4 block returns
; EVENTS: function other:

target triple = "x86_64-pc-linux-gnu"

define i32 @first(ptr %d, ptr %h) {
  %r = call i32 @cudaMemcpy(ptr %d, ptr %h, i64 64, i32 1)
  %failed = icmp ne i32 %r, 0
  br i1 %failed, label %bad, label %good
good:
  ret i32 0
bad:
  ret i32 1
}
define i32 @second(ptr %d, ptr %h) {
  %r = call i32 @cudaMemcpy(ptr %d, ptr %h, i64 64, i32 1)
  %failed = icmp ne i32 %r, 0
  br i1 %failed, label %bad, label %good
good:
  ret i32 0
bad:
  ret i32 2
}
define void @other(ptr %d, ptr %h) {
  %r = call i32 @cudaMemcpy(ptr %d, ptr %h, i64 64, i32 1)
  ret void
}
declare i32 @cudaMemcpy(ptr, ptr, i64, i32)
