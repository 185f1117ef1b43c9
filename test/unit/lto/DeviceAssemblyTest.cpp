//===- DeviceAssemblyTest.cpp - Inline assembly of one thread -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "lto/lgen/ModuleRepair.h"

#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/SourceMgr.h"

#include <gtest/gtest.h>

using namespace llvm;
using namespace gpulto;

namespace {

/// Whether a call of inline assembly \p text is convergent after the repair.
bool staysConvergent(StringRef text) {
  LLVMContext context;
  SMDiagnostic diagnostic;
  std::unique_ptr<Module> module = parseAssemblyString(
      ("define i32 @f(i32 %x) {\n  %y = call i32 asm \"" + text +
       "\", \"=r,r\"(i32 %x) #0\n  ret i32 %y\n}\n"
       "attributes #0 = { convergent nounwind memory(none) }\n")
          .str(),
      diagnostic, context);
  EXPECT_NE(module, nullptr) << text.str();
  if (!module)
    return false;
  bool changed = dropNeedlessConvergence(*module);
  for (Instruction &instruction : instructions(*module->getFunction("f")))
    if (auto *call = dyn_cast<CallBase>(&instruction)) {
      EXPECT_NE(call->isConvergent(), changed) << text.str();
      return call->isConvergent();
    }
  return false;
}

TEST(DeviceAssembly, ArithmeticIsOfOneThread) {
  for (StringRef text :
       {"{  cvt.rn.f16.f32 $0, $1;}\\0A", "mul.f16x2 $0, $1, $1;",
        "{ .reg .f16 a, b; mov.b32 {a, b}, $1; mov.b32 $0, {b, a}; }",
        "{.reg .pred p;\\0A setp.ne.b32 p, $1, 0; @p add.u32 $0, $1, 1;\\0A"
        "@!p mov.u32 $0, 0;}",
        "// a comment\\0A lop3.b32 $0, $1, $1, $1, 0x1e;", ""})
    EXPECT_FALSE(staysConvergent(text)) << text.str();
}

TEST(DeviceAssembly, WhatCommunicatesStays) {
  for (StringRef text :
       {"shfl.sync.down.b32 $0, $1, 1, 31, -1;", "bar.sync 0; mov.b32 $0, $1;",
        "mov.b32 $0, $1; vote.sync.any.pred p, q, -1;",
        "redux.sync.add.s32 $0, $1, -1;", "activemask.b32 $0;",
        "@p bar.sync 0;", "{ { mov.b32 $0, $1; } elect.sync _|p, -1; }"})
    EXPECT_TRUE(staysConvergent(text)) << text.str();
}

TEST(DeviceAssembly, WhatReliesOnItsPlaceStays) {
  for (StringRef text :
       {"ld.global.nc.u32 $0, [$1];", "st.shared.u32 [$1], 0; mov.b32 $0, 0;",
        "mov.u32 $0, %laneid;", "add.cc.u32 $0, $1, $1;",
        "mad.lo.cc.u32 $0, $1, $1, $1;", "addc.u32 $0, $1, 0;",
        "add: mov.b32 $0, $1;", "again: mov.b32 $0, $1;",
        ".reg .b32 t; mov.b32 $0, $1;", "bra again;", "$1.b32 $0, 1;",
        "call f;", "}", "exit;"})
    EXPECT_TRUE(staysConvergent(text)) << text.str();
}

} // namespace
