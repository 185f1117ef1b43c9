//===- ApartPointersTest.cpp - What accesses say of their pointers --------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "gtest/gtest.h"
#include "ipa/plans/ConstantsTransform.h"
#include "ipa/pointers/ApartPointersTransform.h"

#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/SourceMgr.h"

#include <memory>

using namespace gpulto;

namespace {

/// A kernel whose aggregate has pointers at bytes 0 and 8, with \p body behind
/// loads of them.
std::unique_ptr<llvm::Module> kernelWith(llvm::LLVMContext &context,
                                         const std::string &body) {
  llvm::SMDiagnostic problem;
  auto module = llvm::parseAssemblyString(
      "define void @kernel(ptr byval({ptr, ptr}) %p, ptr %q, i1 %c) {\n"
      "  %a = load ptr, ptr %p\n"
      "  %second = getelementptr i8, ptr %p, i64 8\n"
      "  %b = load ptr, ptr %second\n" +
          body + "  ret void\n}\n",
      problem, context);
  EXPECT_TRUE(module) << problem.getMessage().str();
  return module;
}

const ApartPair kPair{{0, true, 0}, {0, true, 8}};
const PointerSource kSecond{0, true, 8};

/// Returns the names of instructions of \p module with metadata of \p kind; of
/// stores, which have none, what they store.
std::string markedIn(const llvm::Module &module, unsigned kind) {
  std::string names;
  for (const llvm::Instruction &each :
       llvm::instructions(*module.getFunction("kernel")))
    if (each.hasMetadata(kind)) {
      bool isStore = llvm::isa<llvm::StoreInst>(each);
      names += (isStore ? "store of " + each.getOperand(0)->getName().str()
                        : each.getName().str()) +
               "; ";
    }
  return names;
}

constexpr const char *kAccesses =
    "  %next = getelementptr float, ptr %b, i64 1\n"
    "  %x = load float, ptr %next\n"
    "  store float %x, ptr %a\n"
    "  %choice = select i1 %c, ptr %a, ptr %b\n"
    "  %y = load float, ptr %choice\n"
    "  %z = load float, ptr %q\n"
    "  %v = load volatile float, ptr %b\n";

TEST(ApartPointers, AccessesAreMarkedOnce) {
  llvm::LLVMContext context;
  auto module = kernelWith(context, kAccesses);
  llvm::Function &kernel = *module->getFunction("kernel");
  EXPECT_TRUE(noteApart(kernel, kPair));
  EXPECT_TRUE(noteUnwritten(kernel, kSecond));
  EXPECT_TRUE(markPointerAccesses(kernel));
  EXPECT_FALSE(llvm::verifyModule(*module, &llvm::errs()));
  // Not what goes through one of two pointers, or a third, nor what waits for
  // other threads.
  for (unsigned kind :
       {llvm::LLVMContext::MD_alias_scope, llvm::LLVMContext::MD_noalias})
    EXPECT_EQ(markedIn(*module, kind), "x; store of x; ");
  EXPECT_EQ(markedIn(*module, llvm::LLVMContext::MD_invariant_load), "x; ");
  EXPECT_FALSE(markPointerAccesses(kernel)) << "all has been said";
}

TEST(ApartPointers, NothingIsSaidOfCopiesThatChange) {
  llvm::LLVMContext context;
  auto module = kernelWith(context, "  store ptr %q, ptr %second\n" +
                                        std::string(kAccesses));
  llvm::Function &kernel = *module->getFunction("kernel");
  EXPECT_TRUE(noteApart(kernel, kPair));
  EXPECT_TRUE(noteUnwritten(kernel, kSecond));
  EXPECT_FALSE(markPointerAccesses(kernel));
}

TEST(ApartPointers, WithoutFactsNothingIsNoted) {
  llvm::LLVMContext context;
  auto module = kernelWith(context, kAccesses);
  llvm::Function &kernel = *module->getFunction("kernel");
  EXPECT_FALSE(noteApart(kernel, {}));
  EXPECT_FALSE(noteUnwritten(kernel, {}));
  EXPECT_FALSE(markPointerAccesses(kernel));
}

TEST(ApartPointers, LoadedPointersGetFacts) {
  llvm::LLVMContext context;
  auto module = kernelWith(context, "  store float 1.0, ptr %a\n");
  module->setTargetTriple(llvm::Triple("nvptx64-nvidia-cuda"));
  ValueFact fact;
  fact.isPart = true;
  fact.alignLog2 = 8;
  fact.isNonNull = true;
  fact.dereferenceableBytes = 64;
  FunctionFacts facts;
  facts.values = {fact};
  EXPECT_TRUE(applyValueFacts(*module->getFunction("kernel"), facts,
                              [](const ValueFact &) { return nullptr; }));
  EXPECT_FALSE(llvm::verifyModule(*module, &llvm::errs()));
  for (unsigned kind :
       {llvm::LLVMContext::MD_align, llvm::LLVMContext::MD_nonnull,
        llvm::LLVMContext::MD_dereferenceable})
    EXPECT_EQ(markedIn(*module, kind), "a; ");
}

} // namespace
