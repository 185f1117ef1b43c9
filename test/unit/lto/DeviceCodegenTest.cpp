//===- DeviceCodegenTest.cpp - How ptxas is called ------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "lto/device/DeviceCodegen.h"

#include "support/Subprocess.h"

#include "llvm/Object/ELFObjectFile.h"

#include <gmock/gmock.h>

using namespace gpulto;
using namespace llvm;
using testing::Contains;

namespace {

/// Returns the names of what the code in \p cubin is relocated to.
std::vector<std::string> relocatedTo(StringRef cubin) {
  std::vector<std::string> names;
  auto file = cantFail(object::ELF64LEFile::create(cubin));
  for (const auto &section : cantFail(file.sections())) {
    if (section.sh_type != ELF::SHT_RELA ||
        !cantFail(file.getSectionName(section)).starts_with(".rela.text."))
      continue;
    const auto *table = cantFail(file.getSection(section.sh_link));
    StringRef strings = cantFail(file.getStringTableForSymtab(*table));
    for (const auto &entry : cantFail(file.relas(section)))
      if (const auto *symbol = cantFail(file.getRelocationSymbol(entry, table)))
        names.push_back(cantFail(symbol->getName(strings)).str());
  }
  return names;
}

/// The cubin of a kernel that reads what \p declaration declares as `c`, to be
/// joined with others.
std::string assembled(StringRef ptxas, const std::string &declaration,
                      const std::string &load) {
  DeviceCodegenOptions options;
  options.ptxas = ptxas.str();
  options.wantCubin = options.relocatable = true;
  auto made = assemblePtx(
      ".version 8.0\n.target sm_90\n.address_size 64\n" + declaration +
          "\n.visible .entry f(.param .u64 p)\n{\n.reg .b64 %rd<2>;\n"
          ".reg .b32 %r<2>;\nld.param.b64 %rd1, [p];\n" +
          load + " %r1, [c+4];\nst.global.b32 [%rd1], %r1;\nret;\n}\n",
      "sm_90", options, 3);
  if (!made) {
    ADD_FAILURE() << toString(made.takeError());
    return "";
  }
  return made->cubin;
}

// ptxas -ewp leaves out where constants are; see linkingOption.
TEST(DeviceCodegen, ConstantsAreRelocatedWhereCubinsAreJoined) {
  Expected<std::string> ptxas =
      findProgram("ptxas", {GPULTO_TEST_CUDA_PATH "/bin"});
  if (!ptxas) {
    consumeError(ptxas.takeError());
    GTEST_SKIP() << "no ptxas";
  }
  for (const char *declaration :
       {".extern .const .align 4 .b8 c[64];",
        ".visible .const .align 4 .b8 c[64] = {1, 2};"})
    EXPECT_THAT(relocatedTo(assembled(*ptxas, declaration, "ld.const.b32")),
                Contains("c"))
        << declaration;
  EXPECT_THAT(
      relocatedTo(assembled(*ptxas, ".extern .global .align 4 .b8 c[64];",
                            "ld.global.b32")),
      Contains("c"));
}

TEST(DeviceCodegen, ToolsAskForLargePages) {
  auto environmentOfTool = [] {
    return cantFail(runTool("/usr/bin/env", {}, "/", {})).output;
  };
  unsetenv("GLIBC_TUNABLES");
  EXPECT_THAT(environmentOfTool(),
              testing::HasSubstr("GLIBC_TUNABLES=glibc.malloc.hugetlb=1:"));
  setenv("GLIBC_TUNABLES", "glibc.malloc.check=0", /*overwrite=*/1);
  EXPECT_THAT(environmentOfTool(),
              testing::HasSubstr("GLIBC_TUNABLES=glibc.malloc.check=0\n"));
  unsetenv("GLIBC_TUNABLES");
}

} // namespace
