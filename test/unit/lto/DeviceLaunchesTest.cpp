//===- DeviceLaunchesTest.cpp - Kernels that launch kernels ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "lto/device/DeviceLaunches.h"

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

/// What becomes of a launch as clang makes it, in which \p filled is done with
/// the buffer %b, and \p launch launches.
std::string rewritten(
    const std::string &filled,
    const std::string &launch =
        "%e = call i32 @__cudaCDP2LaunchDevice(ptr @child, ptr %b, ptr "
        "byval(%dim3) align 4 %g, ptr byval(%dim3) align 4 %g, i32 48, ptr "
        "%stream)\n") {
  LLVMContext context;
  SMDiagnostic diagnostic;
  std::unique_ptr<Module> module = parseAssemblyString(
      "target triple = \"nvptx64-nvidia-cuda\"\n"
      "%dim3 = type { i32, i32, i32 }\n"
      "declare ptr @__cudaCDP2GetParameterBuffer(i64, i64)\n"
      "declare i32 @__cudaCDP2LaunchDevice(ptr, ptr, ptr byval(%dim3), ptr "
      "byval(%dim3), i32, ptr)\n"
      "declare i32 @__cudaCDP2LaunchDevice_ptsz(ptr, ptr, ptr byval(%dim3), "
      "ptr "
      "byval(%dim3), i32, ptr)\n"
      "declare ptx_kernel void @child(ptr, i32)\n"
      "declare void @use(ptr, i32)\n"
      "define ptx_kernel void @f(ptr %p, ptr %stream, ptr %g, i64 %size) {\n"
      "  br label %loop\nloop:\n"
      "  %b = call ptr @__cudaCDP2GetParameterBuffer(i64 64, i64 12)\n"
      "  %is = icmp ne ptr %b, null\n"
      "  br i1 %is, label %then, label %out\nthen:\n" +
          filled + launch + "br label %out\nout:\n  ret void\n}\n",
      diagnostic, context);
  if (!module) {
    ADD_FAILURE() << diagnostic.getMessage().str();
    return "";
  }
  gpulto::launchInSecondForm(*module);
  EXPECT_FALSE(verifyModule(*module, &errs()));
  std::string text;
  raw_string_ostream(text) << *module->getFunction("f");
  return text;
}

const std::string kFilled = "store ptr %p, ptr %b\n"
                            "%c = getelementptr i8, ptr %b, i64 8\n"
                            "store i32 7, ptr %c\n";

TEST(DeviceLaunches, TakeTheSecondForm) {
  std::string text = rewritten(kFilled);
  EXPECT_THAT(text, HasSubstr("%1 = alloca [12 x i8], align 64\n  br label"));
  EXPECT_THAT(text, HasSubstr("store ptr %p, ptr %1"));
  EXPECT_THAT(
      text,
      HasSubstr(
          "%2 = call ptr @__cudaCDP2GetParameterBufferV2(ptr @child, ptr "
          "byval(%dim3) align 4 %g, ptr byval(%dim3) align 4 %g, i32 48)"));
  EXPECT_THAT(text, HasSubstr("call void @llvm.memcpy.p0.p0.i64(ptr align 16 "
                              "%2, ptr align 64 %1, i64 12, i1 false)\n  %5 = "
                              "call i32 @__cudaCDP2LaunchDeviceV2(ptr %2, ptr "
                              "%stream)"));
  EXPECT_THAT(text, Not(HasSubstr("GetParameterBuffer(")));
  EXPECT_THAT(
      rewritten(
          kFilled,
          "%e = call i32 @__cudaCDP2LaunchDevice_ptsz(ptr @child, ptr %b, "
          "ptr byval(%dim3) %g, ptr byval(%dim3) %g, i32 0, ptr null)\n"),
      HasSubstr("call i32 @__cudaCDP2LaunchDeviceV2_ptsz(ptr %2, ptr null)"));
}

TEST(DeviceLaunches, LeaveOtherUsesAlone) {
  for (const char *other :
       {"call void @use(ptr %b, i32 0)\n", // it may keep the buffer
        "store ptr %b, ptr %p\n", "%r = load i32, ptr %b\n"})
    EXPECT_THAT(rewritten(kFilled + other),
                HasSubstr("@__cudaCDP2LaunchDevice("))
        << other;
  // Whoever looks at the result would see another one.
  const std::string launch =
      "%e = call i32 @__cudaCDP2LaunchDevice(ptr @child, ptr %b, ptr "
      "byval(%dim3) %g, ptr byval(%dim3) %g, i32 48, ptr %stream)\n";
  EXPECT_THAT(rewritten(kFilled, launch + "call void @use(ptr null, i32 %e)\n"),
              HasSubstr("@__cudaCDP2LaunchDevice("));
  // Two launches share the buffer.
  EXPECT_THAT(
      rewritten(kFilled, launch + "%e2 = call i32 "
                                  "@__cudaCDP2LaunchDevice(ptr @child, ptr "
                                  "%b, ptr byval(%dim3) %g, ptr byval(%dim3) "
                                  "%g, i32 48, ptr %stream)\n"),
      HasSubstr("@__cudaCDP2LaunchDevice("));
}

} // namespace
