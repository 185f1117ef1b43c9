//===- DeviceReductionsTest.cpp - Where strength is reduced ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "lto/device/DeviceReductions.h"

#include "lto/device/DeviceCodegen.h"
#include "lto/host/HostCodegen.h"

#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/SourceMgr.h"

#include <gtest/gtest.h>

using namespace llvm;
using namespace gpulto;

namespace {

/// A function with \p count sums.
std::unique_ptr<Module> makeSums(LLVMContext &context, unsigned count) {
  auto module = std::make_unique<Module>("sums", context);
  Type *word = Type::getInt32Ty(context);
  Function *function =
      Function::Create(FunctionType::get(word, {word}, /*isVarArg=*/false),
                       GlobalValue::ExternalLinkage, "f", *module);
  IRBuilder<> builder(BasicBlock::Create(context, "", function));
  Value *sum = function->getArg(0);
  for (unsigned i = 0; i < count; ++i)
    sum = builder.CreateAdd(sum, function->getArg(0));
  builder.CreateRet(sum);
  return module;
}

TEST(DeviceReductions, LargeFunctionsAreNotReduced) {
  LLVMContext context;
  OptPassGate &before = context.getOptPassGate();
  std::unique_ptr<Module> few = makeSums(context, 100);
  std::unique_ptr<Module> many = makeSums(context, 5000);
  {
    ReductionGate gate(context);
    EXPECT_EQ(&context.getOptPassGate(), &gate);
    gate.enter(*many->getFunction("f"));
    EXPECT_FALSE(gate.shouldRunPass("slsr", "function (f)"));
    EXPECT_TRUE(gate.shouldRunPass("early-cse", "function (f)"));
    gate.enter(*few->getFunction("f"));
    EXPECT_TRUE(gate.shouldRunPass("slsr", "function (f)"));
  }
  EXPECT_EQ(&context.getOptPassGate(), &before);
}

TEST(DeviceReductions, OtherGatesStayClosed) {
  struct Closed : OptPassGate {
    bool isEnabled() const override { return true; }
    bool shouldRunPass(StringRef, StringRef) const override { return false; }
  } closed;
  LLVMContext context;
  context.setOptPassGate(closed);
  ReductionGate gate(context);
  EXPECT_FALSE(gate.shouldRunPass("early-cse", "function (f)"));
}

/// Returns how often a loop of \p sums and some other instructions multiplies
/// its counter by the size of what it reads.
size_t countProducts(unsigned sums) {
  std::string text = R"(
target triple = "nvptx64-nvidia-cuda"
define ptx_kernel void @f(ptr addrspace(1) %p, ptr addrspace(1) %q, i64 %stride) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %a = getelementptr inbounds i32, ptr addrspace(1) %p, i64 %i
  %s0 = load i32, ptr addrspace(1) %a
)";
  for (unsigned i = 0; i < sums; ++i)
    text += formatv("  %x{0} = xor i32 %s{1}, {0}\n"
                    "  %s{0} = mul i32 %s{1}, %x{0}\n",
                    i + 1, i);
  text += formatv("  store i32 %s{0}, ptr addrspace(1) %a\n", sums);
  text += R"(
  %b = getelementptr inbounds i32, ptr addrspace(1) %q, i64 %i
  store i32 0, ptr addrspace(1) %b
  %next = add nuw nsw i64 %i, %stride
  %c = icmp ult i64 %next, 100000
  br i1 %c, label %loop, label %exit
exit:
  ret void
}
)";
  static bool isReady = (initializeTargets(), true);
  (void)isReady;
  LLVMContext context;
  SMDiagnostic diagnostic;
  std::unique_ptr<Module> module =
      parseAssemblyString(text, diagnostic, context);
  EXPECT_NE(module, nullptr) << diagnostic.getMessage().str();
  if (!module)
    return 0;
  auto machine = cantFail(createDeviceMachine(*module, "sm_90", 2));
  module->setDataLayout(machine->createDataLayout());
  std::string ptx = cantFail(emitPtx(*module, *machine, /*accesses=*/nullptr));
  // Before the loop the stride may be multiplied, too.
  return StringRef(ptx).split("$L__BB0_1:").second.count("shl.b64");
}

// A change of LLVM's names for its passes shows here.
TEST(DeviceReductions, AddressesOfLargeLoopsAreComputed) {
  EXPECT_EQ(countProducts(2), 0U);
  EXPECT_EQ(countProducts(150), 1U);
}

} // namespace
