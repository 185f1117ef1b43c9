//===- DeviceAtomicsTest.cpp - Orderings and scopes of atomics ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "lto/device/DeviceAtomics.h"

#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

#include <gmock/gmock.h>

using namespace llvm;
using testing::HasSubstr;
using testing::Not;

namespace {

/// The function of \p operation, lowered for sm_\p smVersion. It may use %p, %g
/// and %s, a generic pointer, one to global and one to shared memory.
std::string lowered(const std::string &operation, unsigned smVersion = 90) {
  LLVMContext context;
  SMDiagnostic diagnostic;
  std::unique_ptr<Module> module = parseAssemblyString(
      "target triple = \"nvptx64-nvidia-cuda\"\n"
      "define void @f(ptr %p, ptr addrspace(1) %g, ptr addrspace(3) %s, "
      "ptr addrspace(5) %l, i32 %i, i64 %j, float %x, double %y) {\n  %old = " +
          operation + "\n  ret void\n}\n!0 = !{}\n",
      diagnostic, context);
  if (!module) {
    ADD_FAILURE() << operation << ": " << diagnostic.getMessage().str();
    return "";
  }
  gpulto::lowerAtomics(*module, smVersion);
  EXPECT_FALSE(verifyModule(*module, &errs())) << operation;
  std::string text;
  raw_string_ostream(text) << *module->getFunction("f");
  return text;
}

TEST(DeviceAtomics, KeepOrderingAndScope) {
  struct {
    const char *operation, *written;
  } cases[] = {
      {"atomicrmw add ptr addrspace(1) %g, i32 %i release",
       "atom.release.sys.global.add.u32"},
      {"atomicrmw sub ptr %p, i64 %j acquire", "atom.acquire.sys.add.u64"},
      {"atomicrmw xchg ptr addrspace(3) %s, i32 %i syncscope(\"block\") "
       "acq_rel",
       "atom.acq_rel.cta.shared.exch.b32"},
      {"atomicrmw xchg ptr %p, ptr %p acq_rel", "atom.acq_rel.sys.exch.b64"},
      {"atomicrmw umin ptr %p, i32 %i syncscope(\"device\") seq_cst",
       "fence.sc.gpu; atom.acquire.gpu.min.u32"},
      {"atomicrmw max ptr %p, i32 %i syncscope(\"cluster\") acquire",
       "atom.acquire.cluster.max.s32"},
      {"atomicrmw fadd ptr %p, float %x acq_rel", "atom.acq_rel.sys.add.f32"},
      {"atomicrmw fadd ptr %p, double %y monotonic",
       "atom.relaxed.sys.add.f64"},
      {"atomicrmw uinc_wrap ptr %p, i32 %i release",
       "atom.release.sys.inc.u32"},
      {"atomicrmw xor ptr %p, i64 %j syncscope(\"singlethread\") acq_rel",
       "atom.acq_rel.cta.xor.b64"},
  };
  for (const auto &[operation, written] : cases)
    EXPECT_THAT(lowered(operation),
                HasSubstr("\"" + std::string(written) + " "))
        << operation;
  EXPECT_THAT(lowered("atomicrmw max ptr %p, i32 %i syncscope(\"cluster\") "
                      "acquire",
                      80),
              HasSubstr("atom.acquire.gpu.max.s32"));
}

TEST(DeviceAtomics, MarkedOnesOrderNothing) {
  std::string text =
      lowered("atomicrmw add ptr %p, i32 %i seq_cst, !gpulto.relaxed !0");
  EXPECT_THAT(text, HasSubstr("syncscope(\"device\") monotonic"));
  EXPECT_THAT(text, Not(HasSubstr("asm")));
  text = lowered("cmpxchg ptr %p, i32 %i, i32 1 seq_cst seq_cst, "
                 "!gpulto.relaxed !0");
  EXPECT_THAT(text, HasSubstr("monotonic monotonic"));
}

TEST(DeviceAtomics, LeaveWhatLlvmGetsRight) {
  for (const char *operation :
       {"atomicrmw add ptr %p, i32 %i syncscope(\"device\") monotonic",
        "atomicrmw nand ptr %p, i32 %i acq_rel",            // a loop of cmpxchg
        "atomicrmw uinc_wrap ptr %p, i64 %j acq_rel",       // likewise
        "atomicrmw add ptr %p, i16 1 acq_rel",              // likewise
        "atomicrmw add ptr addrspace(5) %l, i32 1 acq_rel", // no atomic at all
        "cmpxchg ptr %p, i32 %i, i32 1 acq_rel acquire"})
    EXPECT_THAT(lowered(operation), HasSubstr(operation));
}

TEST(DeviceAtomics, OldGpusHaveFences) {
  std::string text = lowered("atomicrmw add ptr %p, i32 %i acq_rel", 60);
  EXPECT_THAT(text, HasSubstr("fence acq_rel\n  %old = atomicrmw add ptr %p, "
                              "i32 %i monotonic"));
  EXPECT_THAT(text, HasSubstr("\n  fence acquire\n"));
  text = lowered("atomicrmw add ptr %p, i32 %i release", 60);
  EXPECT_THAT(text, HasSubstr("fence release\n"));
  EXPECT_THAT(text, Not(HasSubstr("fence acquire")));
}

} // namespace
