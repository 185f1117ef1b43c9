//===- NativeInputsTest.cpp - Inputs that are not optimized ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "linker-plugin/NativeInputs.h"

#include "fatobj/SectionObject.h"
#include "gtest/gtest.h"
#include "test/unit/ErrorChecks.h"

using namespace gpulto;
using namespace llvm;

namespace {

constexpr uint16_t kMachine = 62; // x86-64
constexpr uint32_t kProgbits = 1;
constexpr uint64_t kCode = 6; // allocated, executable

StampInput describe(const DataSection &section, bool isJoined = false,
                    StringRef why = "") {
  std::string object = cantFail(makeSectionObject(section, kMachine));
  return describeNative(MemoryBufferRef(object, "o"), InputLocation("l.a", "o"),
                        isJoined, why);
}

TEST(NativeInputs, SaysWhoMadeAnObject) {
  StampInput input = describe({".comment", kProgbits, 0, 1,
                               StringRef("\0Linker: x\0GCC: 12\0clang\0", 25)});
  EXPECT_EQ(input.path, "l.a");
  EXPECT_EQ(input.member, "o");
  EXPECT_EQ(input.treatment, StampTreatment::Native);
  EXPECT_EQ(input.reason, "compiled without -flto=gpu by 'GCC: 12'");
  EXPECT_EQ(describe({".text", kProgbits, kCode, 1, "code"}).reason,
            "assembly, or compiled with -fno-ident");
  EXPECT_EQ(describe({".text", kProgbits, kCode, 1, ""}).reason,
            "holds no code");
  EXPECT_EQ(describe({".gnu.lto_.main", kProgbits, 0, 1, "x"}).reason,
            "compiled with -flto of GCC, which gpulto cannot read");
  EXPECT_EQ(describe({".text", kProgbits, kCode, 1, "code"}, false, "w").reason,
            "w");
}

TEST(NativeInputs, DamageIsNoError) {
  StampInput input = describeNative(MemoryBufferRef("no object", "o"),
                                    InputLocation("o"), false, "");
  EXPECT_EQ(input.reason, "no ELF object of 64 bits");
  // A fat binary that cannot be read.
  EXPECT_EQ(describe({".nv_fatbin", kProgbits, 0, 1, "damaged"}).reason,
            "compiled by nvcc, or for the device without -flto=gpu");
}

TEST(NativeInputs, KnowsTheSystemsFiles) {
  SystemFiles system("/nonexistent/cuda-13.0", "/nonexistent/root/");
  for (StringRef path :
       {"/usr/lib/x.o", "/lib/a/b/x.o", "/usr/bin/../lib/x.o",
        "/nonexistent/cuda-13.0/lib64/libcudart_static.a",
        "/nonexistent/root/usr/lib/crt1.o", "/opt/t/lib/gcc/x/12/crtbegin.o",
        "/opt/t/lib/clang/19/lib/linux/builtins.a"})
    EXPECT_TRUE(system.contains(path)) << path.str();
  for (StringRef path :
       {"x.o", "/usr/local/lib/x.o", "/usr/libs/x.o",
        "/nonexistent/cuda-13.0x/lib/x.o", "/home/usr/lib/x.o"})
    EXPECT_FALSE(system.contains(path)) << path.str();
}

TEST(NativeInputs, NamesDoNotDependOnTheDirectory) {
  ParsedLinkOptions options;
  options.prefixMaps = {{"/tmp/x/0-a.o", "/src/a.o"}, {"/src", "."}};
  EXPECT_EQ(stampName("/tmp/x/0-a.o", options, "/build"), "./a.o");
  EXPECT_EQ(stampName("/build/sub/a.o", options, "/build"), "sub/a.o");
  EXPECT_EQ(stampName("/builds/a.o", options, "/build"), "/builds/a.o");
  EXPECT_EQ(stampName("../a.o", options, "/build"), "../a.o");
  EXPECT_EQ(stampName("/a.o", options, "/"), "/a.o");
}

TEST(NativeInputs, SystemInputsAreCounted) {
  NativeInputs natives;
  auto add = [&](StringRef path, StringRef member) {
    StampInput input;
    input.path = path;
    input.member = member;
    input.treatment = StampTreatment::Native;
    natives.add(std::move(input), false);
  };
  add("/usr/lib/libc.a", "x.o");
  add("z.o", "");
  add("/usr/lib/libc.a", "y.o");
  add("b.a", "m.o");
  Stamp stamp;
  stamp.inputs.push_back({"y.o", "", {}, StampForm::Fat, "", {}, 1});
  natives.complete(stamp, ParsedLinkOptions(), "");
  ASSERT_EQ(stamp.inputs.size(), 4u);
  EXPECT_EQ(stamp.inputs[0].path, "y.o");
  EXPECT_EQ(stamp.inputs[1].path, "b.a");
  EXPECT_EQ(stamp.inputs[2].path, "z.o");
  EXPECT_EQ(stamp.inputs[3].path, "libc.a");
  EXPECT_EQ(stamp.inputs[3].treatment, StampTreatment::System);
  EXPECT_EQ(stamp.inputs[3].count, 2u);
}

} // namespace
