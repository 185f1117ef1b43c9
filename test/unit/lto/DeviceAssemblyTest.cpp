//===- DeviceAssemblyTest.cpp - Inline assembly ---------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "lto/device/DeviceAssembly.h"

#include "lto/lgen/ModuleRepair.h"

#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Instructions.h"
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

/// What the text of an inline assembly and its operand \p number are after
/// constants have been moved, of a function with \p body in which the call is.
struct Moved {
  Moved(StringRef body) {
    SMDiagnostic diagnostic;
    module = parseAssemblyString(
        ("target datalayout = \"e-p3:32:32-i64:64\"\n"
         "@tile = external addrspace(3) global [4096 x i8]\n"
         "define void @f(ptr %p, i64 %i, i32 %n) {\n" +
         body + "\n  ret void\n}\n")
            .str(),
        diagnostic, context);
    EXPECT_NE(module, nullptr) << diagnostic.getMessage().str();
    for (Instruction &instruction : instructions(*module->getFunction("f")))
      if (auto *found = dyn_cast<CallInst>(&instruction))
        call = found;
    changed = moveOffsetsIntoText(*call);
  }
  std::string text() const {
    return cast<InlineAsm>(call->getCalledOperand())->getAsmString().str();
  }
  LLVMContext context;
  std::unique_ptr<Module> module;
  CallInst *call = nullptr;
  bool changed = false;
};

constexpr StringLiteral kSum = "  %q = getelementptr i8, ptr %p, i64 %i\n"
                               "  %r = getelementptr i8, ptr %q, i64 40\n"
                               "  %a = getelementptr i8, ptr %r, i64 -8\n";

TEST(DeviceAssembly, ConstantsOfAddressesAreMovedIntoTheText) {
  Moved f((kSum + "  %v = call i32 asm \"ld.b32 $0, [$1];\", \"=r,l\"(ptr %a)")
              .str());
  EXPECT_TRUE(f.changed);
  EXPECT_EQ(f.text(), "ld.b32 $0, [$1+32];");
  EXPECT_EQ(f.call->getArgOperand(0)->getName(), "q");
}

TEST(DeviceAssembly, NumbersAndWhatIsCastAreAddressesToo) {
  Moved number("  %a = add i32 %n, -16\n"
               "  call void asm sideeffect \"st.shared.b32 [$0], $1; // $$2\", "
               "\"r,r\"(i32 %a, i32 %n)");
  EXPECT_EQ(number.text(), "st.shared.b32 [$0+-16], $1; // $$2");
  EXPECT_EQ(number.call->getArgOperand(0)->getName(), "n");
  Moved generic(
      "  %s = getelementptr i8, ptr addrspace(3) @tile, i32 %n\n"
      "  %t = getelementptr inbounds i8, ptr addrspace(3) %s, i32 96\n"
      "  %g = addrspacecast ptr addrspace(3) %t to ptr\n"
      "  %a = ptrtoint ptr %g to i64\n"
      "  call void asm sideeffect \"prefetch [$0]; prefetch [$0];\", \"l\"(i64 "
      "%a)");
  EXPECT_EQ(generic.text(), "prefetch [$0+96]; prefetch [$0+96];");
  Moved trunc("  %b = getelementptr i8, ptr %p, i64 64\n"
              "  %s = addrspacecast ptr %b to ptr addrspace(3)\n"
              "  %w = ptrtoint ptr addrspace(3) %s to i64\n"
              "  %x = add i64 %w, 128\n"
              "  %a = trunc i64 %x to i32\n"
              "  call void asm sideeffect \"prefetch [$0];\", \"r\"(i32 %a)");
  EXPECT_EQ(trunc.text(), "prefetch [$0+128];");
  Moved pointer(
      "  %s = getelementptr i8, ptr addrspace(3) @tile, i32 %n\n"
      "  %t = getelementptr inbounds i8, ptr addrspace(3) %s, i32 96\n"
      "  %a = addrspacecast ptr addrspace(3) %t to ptr\n"
      "  call void asm sideeffect \"prefetch [$0]; prefetch [$0];\", \"l\"(ptr "
      "%a)");
  EXPECT_EQ(pointer.text(), "prefetch [$0+96]; prefetch [$0+96];");
  auto *cast = dyn_cast<AddrSpaceCastInst>(pointer.call->getArgOperand(0));
  ASSERT_NE(cast, nullptr);
  EXPECT_EQ(cast->getOperand(0)->getName(), "s");
}

TEST(DeviceAssembly, OtherOperandsStay) {
  for (StringRef call :
       {// Also a number; only a number; in another form; with a constant.
        "asm sideeffect \"st.b64 [$0], $0;\", \"l\"(ptr %a)",
        "asm sideeffect \"mov.b64 x, $0;\", \"l\"(ptr %a)",
        "asm sideeffect \"prefetch [${0:x}];\", \"l\"(ptr %a)",
        "asm sideeffect \"prefetch [$0+4];\", \"l\"(ptr %a)",
        // The text writes it; it is in memory; the next has the same number.
        "asm sideeffect \"add.s64 $0, $0, 1; prefetch [$1];\", \"l,l\"(ptr %a, "
        "ptr %p)",
        "asm sideeffect \"prefetch [$0];\", \"*m\"(ptr elementtype(i8) %a)",
        "asm sideeffect \"prefetch [$10];\", \"l\"(ptr %a)"}) {
    Moved f((kSum + "  call void " + call).str());
    EXPECT_FALSE(f.changed) << call.str();
  }
  Moved tied(
      (kSum + "  %v = call ptr asm \"ld.b64 $0, [$1];\", \"=l,0\"(ptr %a)")
          .str());
  EXPECT_FALSE(tied.changed);
  // Beyond 32 bits; of shared memory, where it may wrap.
  Moved far("  %a = getelementptr i8, ptr %p, i64 4294967296\n"
            "  call void asm sideeffect \"prefetch [$0];\", \"l\"(ptr %a)");
  EXPECT_FALSE(far.changed);
  Moved wraps("  %s = getelementptr i8, ptr addrspace(3) @tile, i32 %n\n"
              "  %t = getelementptr i8, ptr addrspace(3) %s, i32 96\n"
              "  %a = addrspacecast ptr addrspace(3) %t to ptr\n"
              "  call void asm sideeffect \"prefetch [$0];\", \"l\"(ptr %a)");
  EXPECT_FALSE(wraps.changed);
}

} // namespace
