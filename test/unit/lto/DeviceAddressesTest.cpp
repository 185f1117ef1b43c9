// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lto/device/DeviceAddresses.h"

#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

#include <gtest/gtest.h>

using namespace llvm;
using namespace gpulto;

namespace {

/// The text of a function with \p body after its shifts have been distributed.
std::string distributed(StringRef body) {
  LLVMContext context;
  SMDiagnostic diagnostic;
  std::unique_ptr<Module> module = parseAssemblyString(
      ("define void @f(ptr %p, i32 %x, i32 %y) {\n" + body + "  ret void\n}\n")
          .str(),
      diagnostic, context);
  EXPECT_NE(module, nullptr) << diagnostic.getMessage().str();
  Function &function = *module->getFunction("f");
  distributeShifts(function);
  EXPECT_FALSE(verifyFunction(function, &errs()));
  std::string text;
  raw_string_ostream(text) << function;
  return text;
}

const char *const kStore = "  %i = or disjoint i32 %s, %y\n"
                           "  %w = zext nneg i32 %i to i64\n"
                           "  %a = getelementptr float, ptr %p, i64 %w\n"
                           "  store float 0.0, ptr %a\n";

TEST(DeviceAddresses, ConstantsComeOutOfShifts) {
  std::string text =
      distributed(std::string("  %t = shl nuw nsw i32 %x, 1\n"
                              "  %u = or disjoint i32 %t, 1\n"
                              "  %s = shl nuw nsw i32 %u, 10\n") +
                  kStore);
  EXPECT_NE(text.find("shl nuw nsw i32 %x, 11"), std::string::npos) << text;
  EXPECT_NE(text.find("or disjoint i32 %1, 1024"), std::string::npos) << text;
}

TEST(DeviceAddresses, TheSignMayBeThatOfTheConstant) {
  // -1 | x, shifted, keeps its sign; x alone need not.
  std::string text = distributed(std::string("  %u = or disjoint i32 %x, -2\n"
                                             "  %s = shl nsw i32 %u, 3\n") +
                                 kStore);
  EXPECT_NE(text.find("shl i32 %x, 3"), std::string::npos) << text;
  EXPECT_NE(text.find("or disjoint i32 %1, -16"), std::string::npos) << text;
}

TEST(DeviceAddresses, OtherShiftsStay) {
  // With carries; not of an address.
  std::string carries = distributed(std::string("  %u = or i32 %x, 1\n"
                                                "  %s = shl i32 %u, 3\n") +
                                    kStore);
  EXPECT_NE(carries.find("shl i32 %u, 3"), std::string::npos) << carries;
  std::string number = distributed("  %u = or disjoint i32 %x, 1\n"
                                   "  %s = shl i32 %u, 3\n"
                                   "  store i32 %s, ptr %p\n");
  EXPECT_NE(number.find("shl i32 %u, 3"), std::string::npos) << number;
}

} // namespace
