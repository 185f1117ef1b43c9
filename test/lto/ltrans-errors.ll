; Every job that does not fit its inputs gives an error that names the input, and
; writes nothing.

; RUN: rm -rf %t && mkdir %t && opt -module-summary -o %t/m.bc %s
; RUN: %split-jobs -n 1 -o %t --internalize=0 %t/m.bc

; DEFINE: %{edit} =
; DEFINE: %{prefix} =
; DEFINE: %{check} = sed '%{edit}' %t/0.json > %t/bad.json && \
; DEFINE:   (not %gpulto ltrans %t/bad.json -o %t/bad 2>&1) | FileCheck %s --check-prefix=%{prefix} && \
; DEFINE:   not test -e %t/bad.o

; REDEFINE: %{edit} = s,m\.bc,gone.bc,
; REDEFINE: %{prefix} = GONE
; RUN: %{check}
; GONE: error: {{.*}}gone.bc: No such file

; REDEFINE: %{edit} = s/Bytes": [0-9]*/&000/
; REDEFINE: %{prefix} = SHORT
; RUN: %{check}
; SHORT: error: {{.*}}m.bc:(+0x{{[0-9a-f]+}}): the file ends here, but the job reads {{[0-9]+}} bytes more

; REDEFINE: %{edit} = s/Bytes": [0-9]*/&0000000000000/
; REDEFINE: %{prefix} = ABSURD
; RUN: %{check}
; ABSURD: absurd size

; REDEFINE: %{edit} = s/"digest": "[0-9a-f]*"/"digest": "00112233445566778899aabbccddeeff"/
; REDEFINE: %{prefix} = CHANGED
; RUN: %{check}
; CHANGED: m.bc:(+0x0): the bitcode is damaged or has changed: its digest is {{[0-9a-f]+}}, the job expects 00112233445566778899aabbccddeeff

; REDEFINE: %{edit} = s/"name": "f"/"name": "nowhere"/
; REDEFINE: %{prefix} = NOWHERE
; RUN: %{check}
; NOWHERE: m.bc: the job names 'nowhere', which the bitcode does not have

; REDEFINE: %{edit} = s/"name": "f"/"name": "external"/
; REDEFINE: %{prefix} = BODY
; RUN: %{check}
; BODY: m.bc: the job wants the body of 'external', which is not defined in the bitcode

; REDEFINE: %{edit} = s/"name": "f"/"name": "a"/
; REDEFINE: %{prefix} = ALIAS
; RUN: %{check}
; ALIAS: m.bc: the job defines 'a' without what it stands for

; REDEFINE: %{edit} = s/"name": "a"/"name": "main"/
; REDEFINE: %{prefix} = TWICE
; RUN: %{check}
; TWICE: m.bc: the job defines 'main' twice

; REDEFINE: %{edit} = s/"name": "f"/"name": "llvm.global_ctors"/
; REDEFINE: %{prefix} = LIST
; RUN: %{check}
; LIST: m.bc: the job names 'llvm.global_ctors', which is no symbol

; REDEFINE: %{edit} = s/"side": "host"/"side": "device"/; s/"arch": ""/"arch": "sm_90"/
; REDEFINE: %{prefix} = SIDE
; RUN: %{check}
; SIDE: m.bc: bitcode for x86_64-pc-linux-gnu in a job for the device

; REDEFINE: %{edit} = s/"relocationModel": ""/"relocationModel": "moving"/
; REDEFINE: %{prefix} = RELOC
; RUN: %{check}
; RELOC: unknown relocation model 'moving'

; REDEFINE: %{edit} = s/"cpu": ""/"cpu": "z80"/
; REDEFINE: %{prefix} = CPU
; RUN: %{check}
; CPU: unknown CPU 'z80'

; REDEFINE: %{edit} = s/"weight": [0-9]*/"weight": -1/
; REDEFINE: %{prefix} = WEIGHT
; RUN: %{check}
; WEIGHT: bad.json: expected unsigned integer{{.*}}weight

; RUN: not %gpulto ltrans %t/none.json -o %t/bad 2>&1 | FileCheck %s --check-prefix=NOJOB
; RUN: not %gpulto ltrans 2>&1 | FileCheck %s --check-prefix=USAGE
; RUN: %gpulto ltrans --help | FileCheck %s --check-prefix=HELP
; NOJOB: none.json: No such file
; USAGE: error: no job file
; USAGE: usage: gpulto ltrans
; HELP: usage: gpulto ltrans

; A result that cannot be written.
; RUN: not %gpulto ltrans %t/0.json -o %t/nodir/x 2>&1 | FileCheck %s --check-prefix=NODIR
; NODIR: nodir

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"
@a = alias i32 (), ptr @f
@llvm.global_ctors = appending global [0 x { i32, ptr, ptr }] zeroinitializer
declare i32 @external()
define i32 @f() {
  %x = call i32 @external()
  ret i32 %x
}
define i32 @main() {
  ret i32 0
}
