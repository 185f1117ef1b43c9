//===- KernelCheckTest.cpp - Decisions must not cost a kernel -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "lto/check/KernelCheck.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

#include <regex>

using namespace gpulto;
using namespace llvm;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;

//===----------------------------------------------------------------------===//
// ptxas -v
//===----------------------------------------------------------------------===//

static KernelUsages parsed(StringRef text) {
  Expected<KernelUsages> usages = parsePtxasInfo(text);
  if (usages)
    return *usages;
  ADD_FAILURE() << toString(usages.takeError());
  return {};
}

static std::string parseError(StringRef text) {
  Expected<KernelUsages> usages = parsePtxasInfo(text);
  if (!usages)
    return toString(usages.takeError());
  ADD_FAILURE() << "accepted";
  return "";
}

// CUDA 13.0; functions are compiled into the kernels that call them.
static constexpr StringLiteral kInfo = R"(ptxas info    : 24 bytes gmem
ptxas info    : Compiling entry function '_Z1lPfi' for 'sm_90'
ptxas info    : Function properties for _Z1lPfi
    464 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 32 registers, used 0 barriers, 496 bytes cumulative stack size
ptxas info    : Compile time = 37.070 ms
ptxas info    : Function properties for _Z1gPfi
    0 bytes stack frame, 12 bytes spill stores, 4 bytes spill loads
ptxas info    : Function properties for _Z1hPfi
    0 bytes stack frame, 572 bytes spill stores, 600 bytes spill loads
ptxas info    : Compiling entry function '_Z1kPfi' for 'sm_90'
ptxas info    : (C7510) Potential Performance Loss: 'setmaxnreg' ignored to maintain minimum register requirements.
ptxas info    : Function properties for _Z1kPfi
    368 bytes stack frame, 8 bytes spill stores, 16 bytes spill loads
ptxas info    : Used 40 registers, used 1 barriers, 512 bytes smem, 8 bytes cmem[2]
)";

TEST(PtxasInfo, BelongsToTheKernelItIsCompiledInto) {
  KernelUsages usages = parsed(kInfo);
  ASSERT_EQ(usages.size(), 2u);
  EXPECT_EQ(usages["_Z1lPfi"], (KernelUsage{32, 496, 584, 604, 0, 0}));
  EXPECT_EQ(usages["_Z1kPfi"], (KernelUsage{40, 368, 8, 16, 512, 0}));
}

TEST(PtxasInfo, OlderVersionsNameConstantsAndNoBarriers) {
  KernelUsages usages = parsed(
      "ptxas info    : Compiling entry function 'k' for 'sm_70'\n"
      "ptxas info    : Function properties for k\n"
      "    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"
      "ptxas info    : Used 10 registers, 1024 bytes smem, 360 bytes "
      "cmem[0]\n");
  EXPECT_EQ(usages["k"], (KernelUsage{10, 0, 0, 0, 1024, 0}));
}

TEST(PtxasInfo, MayBeEmpty) { EXPECT_THAT(parsed(""), IsEmpty()); }

TEST(PtxasInfo, KernelWithoutFiguresIsAnError) {
  StringRef text(kInfo);
  EXPECT_THAT(parseError(text.take_front(text.find("ptxas info    : Used 40"))),
              HasSubstr("no figures for '_Z1kPfi'"));
  std::string changed = kInfo.str();
  changed.replace(changed.find(": Used 32"), 9, ": Takes 32");
  EXPECT_THAT(parseError(changed), HasSubstr("no figures for '_Z1lPfi'"));
}

/// An ELF file with a section .nv.info of \p records.
static std::string cubinWith(StringRef records) {
  using namespace ELF;
  const StringRef kNames("\0.names\0.nv.info", 17);
  std::string file(sizeof(Elf64_Ehdr), 0);
  Elf64_Shdr sections[3] = {};
  auto add = [&](Elf64_Shdr &section, unsigned type, unsigned name,
                 StringRef bytes) {
    section.sh_name = name;
    section.sh_type = type;
    section.sh_offset = file.size();
    section.sh_size = bytes.size();
    section.sh_addralign = 1;
    file += bytes;
  };
  add(sections[1], SHT_STRTAB, 1, kNames);
  add(sections[2], SHT_PROGBITS, 8, records);
  file.resize(alignTo(file.size(), 8));
  Elf64_Ehdr head = {};
  memcpy(head.e_ident, ElfMagic, 4);
  head.e_ident[EI_CLASS] = ELFCLASS64;
  head.e_ident[EI_DATA] = ELFDATA2LSB;
  head.e_ident[EI_VERSION] = head.e_version = EV_CURRENT;
  head.e_type = ET_REL;
  head.e_machine = EM_CUDA;
  head.e_ehsize = sizeof(Elf64_Ehdr);
  head.e_shentsize = sizeof(Elf64_Shdr);
  head.e_shoff = file.size();
  head.e_shnum = 3;
  head.e_shstrndx = 1;
  memcpy(file.data(), &head, sizeof(head));
  file.append(reinterpret_cast<char *>(sections), sizeof(sections));
  return file;
}

TEST(KernelUsage, FunctionsByThemselvesCountForAllKernels) {
  // CUDA 13.0 with -c; functions come before the kernels or behind them.
  static constexpr StringLiteral kText = R"(ptxas info    : 0 bytes gmem
ptxas info    : Function properties for before
    8 bytes stack frame, 4 bytes spill stores, 12 bytes spill loads
ptxas info    : Compiling entry function 'k' for 'sm_90'
ptxas info    : Function properties for k
    240 bytes stack frame, 280 bytes spill stores, 312 bytes spill loads
ptxas info    : Used 54 registers, used 0 barriers
ptxas info    : Function properties for behind
    16 bytes stack frame, 1 bytes spill stores, 2 bytes spill loads
)";
  constexpr char kRecords[] = "\x04\x2f\x08\0\x17\0\0\0\x36\0\0\0" // 54
                              "\x03\x2f\x08\0" // a value, no bytes
                              "\x04\x2f\x08\0\x12\0\0\0\x40\0\0\0"; // 64
  StringRef records(kRecords, sizeof(kRecords) - 1);
  Expected<KernelUsages> usages = parseSeparateInfo(kText, cubinWith(records));
  ASSERT_TRUE(bool(usages)) << toString(usages.takeError());
  ASSERT_EQ(usages->size(), 1u);
  const KernelUsage &k = usages->at("k");
  EXPECT_EQ(k.registers, 64u);
  EXPECT_EQ(k.stackBytes, 264u);
  EXPECT_EQ(k.spillStoreBytes, 285u);
  EXPECT_EQ(k.spillLoadBytes, 326u);
  for (size_t cut : {1, 5, 13}) {
    usages = parseSeparateInfo(kText, cubinWith(records.drop_back(cut)));
    EXPECT_THAT(toString(usages.takeError()),
                HasSubstr("the cubin's .nv.info ends within a record, at "));
  }
  EXPECT_NE(toString(parseSeparateInfo(kText, "no ELF").takeError()), "");
}

TEST(PtxasInfo, CodeSizesNeedAnElfFile) {
  KernelUsages usages;
  Error error = addCodeSizes("no ELF", usages);
  EXPECT_TRUE(static_cast<bool>(error));
  consumeError(std::move(error));
}

//===----------------------------------------------------------------------===//
// Occupancy
//===----------------------------------------------------------------------===//

static unsigned blocks(StringRef arch, unsigned threads, unsigned registers,
                       uint64_t sharedBytes = 0) {
  return residentBlocks(*multiprocessorLimits(arch), threads, registers,
                        sharedBytes);
}

// The expected numbers are those of cuda_occupancy.h of CUDA 13.0.
TEST(Occupancy, IsLimitedByRegisters) {
  EXPECT_EQ(blocks("sm_90", 256, 32), 8u);
  EXPECT_EQ(blocks("sm_90", 256, 33), 6u);
  EXPECT_EQ(blocks("sm_90", 256, 40), 6u);
  EXPECT_EQ(blocks("sm_90", 256, 41), 5u);
  EXPECT_EQ(blocks("sm_90", 256, 255), 1u);
  EXPECT_EQ(blocks("sm_90", 1024, 64), 1u);
  EXPECT_EQ(blocks("sm_90", 1024, 65), 0u) << "the launch fails";
  // A scheduler holds 16384 / (104 * 32) = 4 warps, not 4.9.
  EXPECT_EQ(blocks("sm_90", 32, 104), 16u);
}

TEST(Occupancy, IsLimitedByWarpsAndBlocks) {
  EXPECT_EQ(blocks("sm_90", 32, 16), 32u);
  EXPECT_EQ(blocks("sm_86", 32, 16), 16u);
  EXPECT_EQ(blocks("sm_89", 32, 16), 24u);
  EXPECT_EQ(blocks("sm_75", 1024, 16), 1u);
  EXPECT_EQ(blocks("sm_86", 1024, 16), 1u);
  EXPECT_EQ(blocks("sm_80", 1024, 16), 2u);
  EXPECT_EQ(blocks("sm_90", 33, 16), blocks("sm_90", 64, 16));
}

TEST(Occupancy, IsLimitedBySharedMemory) {
  EXPECT_EQ(blocks("sm_90a", 64, 16, 48 * 1024), 4u); // 1 KiB is the system's
  EXPECT_EQ(blocks("sm_70", 64, 16, 48 * 1024), 2u);
  EXPECT_EQ(blocks("sm_70", 64, 16, 48 * 1024 + 1), 1u);
  EXPECT_EQ(blocks("sm_86", 64, 16, 100 * 1024), 0u);
}

TEST(Occupancy, UnknownArchitecturesHaveNoLimits) {
  for (StringRef arch : {"", "sm_", "sm_13", "sm_90x", "gfx90a", "sm_999"})
    EXPECT_FALSE(multiprocessorLimits(arch)) << arch.str();
}

//===----------------------------------------------------------------------===//
// Comparing
//===----------------------------------------------------------------------===//

static std::string verdict(const KernelUsage &plain,
                           const KernelUsage &optimized,
                           BlockRange block = {}) {
  return whyWorse(plain, optimized, *multiprocessorLimits("sm_90"), block)
      .value_or("");
}

TEST(KernelCheck, ComparesSpillsAndResidentBlocks) {
  KernelUsage plain{40, 0, 8, 8, 0, 512};
  EXPECT_EQ(verdict(plain, plain), "");
  EXPECT_EQ(verdict(plain, {24, 0, 0, 0, 0, 256}), "");
  EXPECT_EQ(verdict(plain, {24, 0, 8, 12, 0, 256}),
            "20 bytes are spilled instead of 16");
  EXPECT_EQ(verdict(plain, {41, 0, 0, 0, 0, 256}, {256, 256}),
            "5 blocks of 256 threads are resident instead of 6");
}

TEST(KernelCheck, StackAndSizeAloneAreNoReason) {
  EXPECT_EQ(verdict({40, 0, 0, 0, 0, 512}, {40, 256, 0, 0, 0, 9000}), "");
}

TEST(KernelCheck, OneRegisterMoreMattersAtSomeBlockSizesOnly) {
  // 33 to 40 registers take as much.
  EXPECT_EQ(verdict({33, 0, 0, 0, 0, 0}, {40, 0, 0, 0, 0, 0}), "");
  KernelUsage plain{40, 0, 0, 0, 0, 0}, optimized{48, 0, 0, 0, 0, 0};
  EXPECT_EQ(verdict(plain, optimized, {512, 512}),
            "2 blocks of 512 threads are resident instead of 3");
  EXPECT_EQ(verdict(plain, optimized, {32, 32}), "");
  EXPECT_EQ(verdict(plain, optimized, {640, 640}), "");
  EXPECT_NE(verdict(plain, optimized, {1, 1024}), "") << "the size is unknown";
}

TEST(KernelCheck, SharedMemoryMayBeTheLimitAnyhow) {
  KernelUsage plain{32, 0, 0, 0, 48 * 1024, 0};
  EXPECT_EQ(verdict(plain, {96, 0, 0, 0, 48 * 1024, 0}, {64, 64}), "");
}

TEST(KernelCheck, APlainKernelThatCannotBeLaunchedIsNoBetter) {
  KernelUsage plain{80, 0, 0, 0, 0, 0};
  // .reqntid 1024 made ptxas spill to fit.
  EXPECT_EQ(verdict(plain, {64, 32, 16, 16, 0, 0}, {1024, 1024}), "");
  EXPECT_NE(verdict(plain, {64, 32, 16, 16, 0, 0}, {512, 512}), "");
}

TEST(KernelCheck, WhatNothingLimitsCannotBeWorse) {
  auto isBest = [](const KernelUsage &usage, BlockRange block) {
    return cannotBeWorse(usage, *multiprocessorLimits("sm_90"), block);
  };
  EXPECT_TRUE(isBest({32, 64, 0, 0, 4096, 999}, {1, 1024}));
  EXPECT_FALSE(isBest({33, 0, 0, 0, 0, 0}, {1, 1024}));
  EXPECT_FALSE(isBest({32, 0, 4, 0, 0, 0}, {1, 1024}));
  EXPECT_FALSE(isBest({32, 0, 0, 4, 0, 0}, {1, 1024}));
  EXPECT_FALSE(isBest({32, 0, 0, 0, 48 * 1024, 0}, {1, 1024}));
  // 32 blocks of one warp are resident with up to 64 registers.
  EXPECT_TRUE(isBest({64, 0, 0, 0, 0, 0}, {32, 32}));
  EXPECT_FALSE(isBest({65, 0, 0, 0, 0, 0}, {32, 32}));
}

TEST(KernelCheck, WhatCannotBeWorseIsNotWorse) {
  const MultiprocessorLimits limits = *multiprocessorLimits("sm_90");
  for (unsigned registers = 8; registers <= 128; registers += 8)
    for (uint64_t shared : {0, 1000, 8 * 1024, 100 * 1024})
      for (BlockRange block :
           {BlockRange{1, 1024}, BlockRange{33, 64}, BlockRange{256, 256}}) {
        KernelUsage usage{registers, 0, 0, 0, shared, 0};
        if (cannotBeWorse(usage, limits, block)) {
          EXPECT_EQ(verdict({8, 0, 0, 0, 0, 0}, usage, block), "");
        }
      }
}

//===----------------------------------------------------------------------===//
// Taking back
//===----------------------------------------------------------------------===//

namespace {
/// Two touched kernels, each with 256 threads; registers as a test says.
class Exchange : public testing::Test {
protected:
  Exchange() {
    job.side = Side::Device;
    job.arch = "sm_90";
  }
  /// Returns PTX in which the body of each kernel says which build it is of.
  static std::string ptxOf(StringRef build) {
    return formatv(
               ".version 8.5\n.target sm_90\n.address_size 64\n"
               ".visible .entry a()\n{\n\t.pragma \"a of {0}\";\n\tret;\n}\n"
               ".visible .entry b()\n{\n\t.pragma \"b of {0}\";\n\tret;\n}\n",
               build)
        .str();
  }
  static KernelUsages usagesOf(unsigned a, unsigned b) {
    return {{"a", {a, 0, 0, 0, 0, 1}}, {"b", {b, 0, 0, 0, 0, 1}}};
  }
  static DeviceVariant variant(unsigned a, unsigned b, StringRef build) {
    DeviceVariant result;
    result.ptx = ptxOf(build);
    result.usages = usagesOf(a, b);
    for (const char *name : {"a", "b"}) {
      TouchedKernel &kernel = result.touched.emplace_back(
          TouchedKernel{name, name, {256, 256}, {}});
      kernel.remark.function = name;
    }
    result.reaches = {{"a", {}}, {"b", {}}};
    return result;
  }
  /// Runs the check; plain kernels take `plain` registers, those with loops
  /// unrolled less `sparing`, and those of what is put together `mixed`.
  /// Returns which build each kernel is of.
  std::vector<std::string> check(DeviceVariant optimized) {
    auto generate = [&](const VariantRequest &r) -> Expected<DeviceVariant> {
      requests.push_back(r);
      bool isPlain = r.plans == PlanUse::None;
      DeviceVariant result =
          isPlain ? variant(plain, plain, "plain")
          : r.unrolling == Unrolling::Full
              ? variant(limited, limited, "limited")
              : variant(sparingOfA.value_or(sparing), sparing, "sparing");
      result.reaches = plainReaches;
      return result;
    };
    auto measure = [&](DeviceVariant &variant,
                       const std::set<std::string> &kernels,
                       const VariantRequest &) -> Error {
      measured.insert(measured.end(), kernels.begin(), kernels.end());
      std::erase_if(variant.usages,
                    [&](auto &usage) { return !kernels.count(usage.first); });
      return Error::success();
    };
    auto assemble = [&](DeviceVariant &variant) -> Error {
      ++assembled;
      variant.usages = mixed;
      return Error::success();
    };
    auto product = checkKernels(job, std::move(optimized),
                                {generate, measure, assemble}, report);
    if (!product) {
      ADD_FAILURE() << toString(product.takeError());
      return {};
    }
    std::vector<std::string> builds;
    SmallVector<StringRef> lines;
    StringRef(product->ptx).split(lines, '\n');
    for (StringRef line : lines)
      if (line.trim().consume_front(".pragma \""))
        builds.push_back(line.split('"').second.split('"').first.str());
    llvm::sort(builds);
    return builds;
  }

  /// What is said of kernels that lose something; all have their costs said.
  std::vector<Remark> missed() const {
    std::vector<Remark> result;
    llvm::copy_if(report.remarks, std::back_inserter(result),
                  [](const Remark &remark) {
                    return remark.kind == RemarkKind::Missed;
                  });
    return result;
  }

  LtransJob job;
  unsigned plain = 32, limited = 48, sparing = 32;
  std::optional<unsigned> sparingOfA;
  KernelUsages mixed;
  KernelReaches plainReaches = {{"a", {}}, {"b", {}}};
  LtransReport report;
  unsigned assembled = 0;
  std::vector<VariantRequest> requests;
  std::vector<std::string> measured;
};
} // namespace

TEST_F(Exchange, NothingIsTakenBackFromKernelsThatAreAsGood) {
  plain = 48;
  EXPECT_THAT(check(variant(40, 48, "optimized")),
              ElementsAre("a of optimized", "b of optimized"));
  ASSERT_EQ(requests.size(), 1u);
  EXPECT_EQ(requests[0].plans, PlanUse::None);
  EXPECT_THAT(requests[0].only, ElementsAre("a", "b"));
  EXPECT_THAT(measured, ElementsAre("a", "b"));
  EXPECT_EQ(assembled, 0u);
  EXPECT_THAT(missed(), IsEmpty());
  ASSERT_EQ(report.remarks.size(), 2u);
  EXPECT_EQ(report.remarks[0].name, "Costs");
  EXPECT_THAT(report.remarks[0].text, HasSubstr("plain: 48 registers"));
  EXPECT_EQ(report.counters["kernels-checked"], 2u);
}

TEST_F(Exchange, KernelsThatNothingLimitsNeedNoPlainBuild) {
  EXPECT_THAT(check(variant(24, 32, "optimized")),
              ElementsAre("a of optimized", "b of optimized"));
  EXPECT_THAT(requests, IsEmpty());
  EXPECT_EQ(report.counters["kernels-checked"], 2u);
}

TEST_F(Exchange, KernelsThatAreTheSameWithoutDecisionsAreNotMeasured) {
  DeviceVariant optimized = variant(48, 48, "optimized");
  optimized.ptx = std::regex_replace(
      optimized.ptx, std::regex("b of optimized"), "b of plain");
  mixed = usagesOf(32, 48);
  EXPECT_THAT(check(std::move(optimized)),
              ElementsAre("a of plain", "b of plain"));
  EXPECT_THAT(measured, Each("a"));
  EXPECT_EQ(report.counters["kernels-unchanged"], 1u);
  EXPECT_EQ(report.counters["kernels-taken-back"], 1u);
}

TEST_F(Exchange, OnlyTheKernelThatIsWorseLosesItsDecisions) {
  mixed = usagesOf(24, 32);
  EXPECT_THAT(check(variant(24, 48, "optimized")),
              ElementsAre("a of optimized", "b of plain"));
  ASSERT_EQ(requests.size(), 2u);
  EXPECT_THAT(requests[0].only, ElementsAre("b"));
  EXPECT_EQ(assembled, 1u);
  ASSERT_EQ(missed().size(), 1u);
  EXPECT_EQ(missed()[0].function, "b");
  EXPECT_EQ(missed()[0].kind, RemarkKind::Missed);
  EXPECT_THAT(missed()[0].text,
              HasSubstr("5 blocks of 256 threads are resident instead of 8; "
                        "optimized: 48 registers"));
  EXPECT_THAT(missed()[0].text, HasSubstr("plain: 32 registers"));
  EXPECT_EQ(report.counters["kernels-taken-back"], 1u);
}

TEST_F(Exchange, UnrollingLessMayBeEnough) {
  mixed = usagesOf(24, 32);
  DeviceVariant optimized = variant(24, 48, "optimized");
  optimized.unrolling = Unrolling::Full;
  EXPECT_THAT(check(std::move(optimized)),
              ElementsAre("a of optimized", "b of sparing"));
  ASSERT_EQ(requests.size(), 3u);
  EXPECT_EQ(requests[2].plans, PlanUse::All);
  EXPECT_EQ(requests[2].unrolling, Unrolling::Sparing);
  EXPECT_THAT(requests[2].only, ElementsAre("b"));
  EXPECT_EQ(assembled, 1u);
  ASSERT_EQ(missed().size(), 1u);
  EXPECT_EQ(missed()[0].name, "UnrolledLess");
  EXPECT_THAT(missed()[0].text,
              HasSubstr("loops of 'b' are unrolled less: 5 blocks"));
  EXPECT_EQ(report.counters["kernels-unrolled-less"], 1u);
  EXPECT_EQ(report.counters.count("kernels-taken-back"), 0u);
}

TEST_F(Exchange, UnrollingLessMayNotBeEnough) {
  mixed = usagesOf(24, 32);
  sparing = 40;
  DeviceVariant optimized = variant(24, 48, "optimized");
  optimized.unrolling = Unrolling::Full;
  EXPECT_THAT(check(std::move(optimized)),
              ElementsAre("a of optimized", "b of plain"));
  EXPECT_EQ(requests.size(), 3u);
  EXPECT_EQ(report.counters["kernels-taken-back"], 1u);
}

TEST_F(Exchange, FewerRegistersMayBeEnough) {
  limited = 32;
  mixed = usagesOf(24, 32);
  DeviceVariant optimized = variant(24, 48, "optimized");
  optimized.unrolling = Unrolling::Full;
  EXPECT_THAT(check(std::move(optimized)),
              ElementsAre("a of optimized", "b of limited"));
  ASSERT_EQ(requests.size(), 2u);
  EXPECT_EQ(requests[1].plans, PlanUse::All);
  EXPECT_EQ(requests[1].unrolling, Unrolling::Full);
  EXPECT_THAT(requests[1].only, ElementsAre("b"));
  EXPECT_THAT(requests[1].residentBlocks, ElementsAre(Pair("b", 8u)));
  EXPECT_EQ(assembled, 1u);
  ASSERT_EQ(missed().size(), 1u);
  EXPECT_EQ(missed()[0].name, "RegistersLimited");
  EXPECT_THAT(missed()[0].text,
              HasSubstr("registers of 'b' are limited: 5 blocks"));
  EXPECT_THAT(missed()[0].text, HasSubstr("; limited: 32 registers"));
  EXPECT_EQ(report.counters["kernels-registers-limited"], 1u);
  EXPECT_EQ(report.counters.count("kernels-taken-back"), 0u);
}

TEST_F(Exchange, NoNumberOfBlocksIsAskedForWithoutABound) {
  limited = 32;
  mixed = usagesOf(24, 32);
  DeviceVariant optimized = variant(24, 48, "optimized");
  optimized.touched[1].block = {};
  EXPECT_THAT(check(std::move(optimized)),
              ElementsAre("a of optimized", "b of plain"));
  EXPECT_EQ(requests.size(), 1u);
}

TEST_F(Exchange, FewerRegistersDoNotCureSpillsOrSharedMemory) {
  mixed = usagesOf(24, 32);
  DeviceVariant optimized = variant(24, 48, "optimized");
  optimized.usages["b"].spillStoreBytes = 8;
  EXPECT_THAT(check(std::move(optimized)),
              ElementsAre("a of optimized", "b of plain"));
  EXPECT_EQ(requests.size(), 1u);
  optimized = variant(24, 48, "optimized");
  optimized.usages["b"].sharedBytes = 60000;
  EXPECT_THAT(check(std::move(optimized)),
              ElementsAre("a of optimized", "b of plain"));
  EXPECT_EQ(requests.size(), 2u);
}

TEST_F(Exchange, WhatIsUnrolledLessIsComparedAgain) {
  mixed = usagesOf(24, 40); // whatever ptxas made of it
  DeviceVariant optimized = variant(24, 48, "optimized");
  optimized.unrolling = Unrolling::Full;
  EXPECT_THAT(check(std::move(optimized)),
              ElementsAre("a of plain", "b of plain"));
  EXPECT_EQ(report.counters["kernels-taken-back"], 2u);
}

TEST_F(Exchange, WhatIsUnrolledLessSharesNoVariable) {
  DeviceVariant optimized = variant(24, 48, "optimized");
  optimized.unrolling = Unrolling::Full;
  optimized.reaches["a"].variables = {"counter"};
  plainReaches["b"].variables = {"counter"};
  EXPECT_THAT(check(std::move(optimized)),
              ElementsAre("a of plain", "b of plain"));
  ASSERT_EQ(missed().size(), 3u);
  EXPECT_THAT(missed()[1].text,
              HasSubstr("'b' is worse with any, and it shares"));
}

TEST_F(Exchange, IfThatDoesNotHelpThePartitionIsPlain) {
  mixed = usagesOf(48, 32); // whatever ptxas made of it
  EXPECT_THAT(check(variant(24, 48, "optimized")),
              ElementsAre("a of plain", "b of plain"));
  ASSERT_EQ(requests.size(), 3u);
  EXPECT_EQ(requests[2].plans, PlanUse::None);
  EXPECT_THAT(requests[2].only, IsEmpty());
  ASSERT_EQ(missed().size(), 2u);
  EXPECT_EQ(missed()[1].function, "a");
  EXPECT_THAT(missed()[1].text, HasSubstr("assembled together"));
  EXPECT_EQ(report.counters["kernels-taken-back"], 2u);
}

TEST_F(Exchange, AVariableThatBothWriteKeepsThemInOneBuild) {
  DeviceVariant optimized = variant(24, 48, "optimized");
  optimized.reaches["a"].variables = {"counter"};
  plainReaches["b"].variables = {"counter"};
  EXPECT_THAT(check(std::move(optimized)),
              ElementsAre("a of plain", "b of plain"));
  EXPECT_EQ(assembled, 1u) << "the plain partition";
  ASSERT_EQ(missed().size(), 2u);
  EXPECT_THAT(missed()[1].text,
              HasSubstr("'b' is worse with any, and it shares the variable "
                        "'counter' with 'a'"));
}

TEST_F(Exchange, AVariableOfTheKernelAloneGoesWithIt) {
  DeviceVariant optimized = variant(24, 48, "optimized");
  optimized.reaches["b"].variables = plainReaches["b"].variables = {"counter"};
  mixed = usagesOf(24, 32);
  EXPECT_THAT(check(std::move(optimized)),
              ElementsAre("a of optimized", "b of plain"));
}

TEST_F(Exchange, WhatOtherCubinsCallIsNotDoubled) {
  DeviceVariant optimized = variant(24, 48, "optimized");
  optimized.reaches["b"].isSeparable = false;
  EXPECT_THAT(check(std::move(optimized)),
              ElementsAre("a of plain", "b of plain"));
  EXPECT_THAT(missed()[1].text, HasSubstr("other cubins call"));
}

TEST_F(Exchange, TwoBuildsBringNoFixtureTwice) {
  DeviceVariant optimized = variant(48, 48, "optimized");
  optimized.unrolling = Unrolling::Full;
  for (const char *name : {"a", "b"})
    optimized.reaches[name].fixtures = {"target"};
  sparingOfA = 48; // b is unrolled less, a taken back
  EXPECT_THAT(check(std::move(optimized)),
              ElementsAre("a of plain", "b of plain"));
  EXPECT_THAT(missed().back().text, HasSubstr("shares 'target'"));
}

TEST_F(Exchange, WithoutFiguresThereIsAWarning) {
  DeviceVariant optimized = variant(24, 48, "optimized");
  optimized.problem = "ptxas: no";
  EXPECT_THAT(check(std::move(optimized)),
              ElementsAre("a of optimized", "b of optimized"));
  EXPECT_THAT(report.mishaps,
              ElementsAre("kernels for sm_90 are not compared with their plain "
                          "builds: ptxas: no"));
  EXPECT_THAT(requests, IsEmpty());
}

TEST_F(Exchange, UnknownArchitecturesAreNotCompared) {
  job.arch = "sm_35";
  EXPECT_THAT(check(variant(24, 48, "optimized")),
              ElementsAre("a of optimized", "b of optimized"));
  EXPECT_THAT(report.mishaps, ElementsAre(HasSubstr("sm_35")));
}
