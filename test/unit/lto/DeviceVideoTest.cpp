//===- DeviceVideoTest.cpp - Arithmetic on the bytes of a word ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "lto/lgen/ModuleRepair.h"

#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/SourceMgr.h"

#include <gtest/gtest.h>

using namespace llvm;
using namespace gpulto;

namespace {

/// Whether the assembly of \p call, with %x of 32 bits and %h of 16, is
/// replaced.
bool isReplaced(const std::string &call) {
  LLVMContext context;
  SMDiagnostic diagnostic;
  std::unique_ptr<Module> module = parseAssemblyString(
      "define i32 @f(i32 %x, i16 %h) {\n  %y = call i32 asm " + call +
          " memory(none)\n  ret i32 %y\n}\n",
      diagnostic, context);
  EXPECT_NE(module, nullptr) << call;
  return module && replaceVideoInstructions(*module);
}

TEST(DeviceVideo, ReplacesAllLanesOfOneType) {
  const std::string operands =
      " $0,$1,$2,$3;\", \"=r,r,r,r\"(i32 %x, i32 %x, i32 0)";
  for (const char *opcode :
       {"vadd4.u32.u32.u32", "vsub2.s32.s32.s32.sat", "vset4.s32.s32.lt",
        "vset2.u32.u32.eq", "vmax4.u32.u32.u32", "vavrg2.s32.s32.s32",
        "vabsdiff4.s32.s32.s32.sat"})
    EXPECT_TRUE(isReplaced(std::string("\"") + opcode + operands)) << opcode;
  for (const char *opcode :
       {"vadd4.u32.s32.u32", "vabsdiff4.u32.u32.u32",
        "vabsdiff4.s32.s32.s32.add", "vavrg4.u32.u32.u32.sat",
        "vset4.u32.u32.of", "vadd.u32.u32.u32", "vadd4.u32.u32", "vmin4"})
    EXPECT_FALSE(isReplaced(std::string("\"") + opcode + operands)) << opcode;
}

TEST(DeviceVideo, LeavesOtherOperands) {
  const std::string add = "\"vadd4.u32.u32.u32 $0,$1,$2,$3;\", \"=r,r,r,r\"";
  EXPECT_FALSE(isReplaced(add + "(i32 %x, i32 %x, i32 1)"));
  EXPECT_FALSE(isReplaced(add + "(i32 %x, i32 %x, i32 %x)"));
  EXPECT_FALSE(isReplaced(add + "(i32 %x, i16 %h, i32 0)"));
  EXPECT_FALSE(isReplaced("sideeffect " + add + "(i32 %x, i32 %x, i32 0)"));
  EXPECT_FALSE(isReplaced("\"vadd4.u32.u32.u32 $0.b0,$1,$2,$3;\", "
                          "\"=r,r,r,r\"(i32 %x, i32 %x, i32 0)"));
}

} // namespace
