; What one partition must hold together shares an atom: a COMDAT group, alias
; and aliasee, ifunc and resolver, a variable with block addresses and their
; function. Everything else has its own; declarations and copyable constants
; have none.
; RUN: llvm-as %s -o %t.bc
; RUN: %gpulto dump --symbols %t.bc | FileCheck %s

target triple = "x86_64-pc-linux-gnu"

$group = comdat any
$big = comdat largest

; CHECK: symbol table: variable internal default dso_local constant atom [[JUMP:[0-9]+]]
@table = internal constant [1 x ptr] [ptr blockaddress(@jumper, %there)]
; CHECK: symbol guard: variable linkonce_odr default atom [[GROUP:[0-9]+]] comdat group
@guard = linkonce_odr global i64 0, comdat($group)
; CHECK: symbol big: variable linkonce default atom [[BIG:[0-9]+]] comdat big
@big = linkonce global i64 0, comdat
; CHECK: symbol alone: variable external default atom [[ALONE:[0-9]+]]{{$}}
@alone = global i32 0
; CHECK: symbol .str: variable private default unnamed_addr local_unnamed_addr dso_local address_taken copyable constant
@.str = private unnamed_addr constant [2 x i8] c"a\00"

; CHECK: symbol jumper: function external default atom [[JUMP]]
define void @jumper(i32 %n) {
  %p = getelementptr ptr, ptr @table, i32 %n
  %t = load ptr, ptr %p
  indirectbr ptr %t, [label %there]
there:
  ret void
}
; CHECK: symbol group: function linkonce_odr default atom [[GROUP]] comdat group
define linkonce_odr void @group() comdat {
  ret void
}
; CHECK: symbol impl: function internal default dso_local address_taken atom [[IMPL:[0-9]+]]
define internal void @impl() {
  ret void
}
; CHECK: symbol resolve: function internal default dso_local atom [[RES:[0-9]+]]
define internal ptr @resolve() {
  ret ptr @impl
}
; CHECK: symbol user: function external default atom
define ptr @user() {
  ret ptr @.str
}
; CHECK: symbol name: alias external default atom [[IMPL]]
@name = alias void (), ptr @impl
; CHECK: symbol middle: alias external default atom [[ALONE]]
@middle = alias i8, getelementptr (i8, ptr @alone, i64 2)
; CHECK: symbol pick: ifunc external default atom [[RES]]
@pick = ifunc void (), ptr @resolve

; CHECK: comdat group any
; CHECK: comdat big largest
; CHECK: alias name of impl{{$}}
; CHECK: alias middle of alone at 2
; CHECK: alias pick of resolve
