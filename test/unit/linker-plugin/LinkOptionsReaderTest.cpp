//===- LinkOptionsReaderTest.cpp ------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "linker-plugin/LinkOptionsReader.h"

#include "gtest/gtest.h"
#include "linker-plugin/OptionTable.h"

#include <string>
#include <vector>

using namespace gpulto;

namespace {

llvm::Expected<ParsedLinkOptions> read(std::vector<const char *> argv) {
  llvm::Expected<options::OwnArgs> own = options::takeOwnOptions(
      argv, options::LinkOption | options::LinkerOption);
  if (!own)
    return own.takeError();
  return readLinkOptions(*own->args, "app");
}

/// Returns the options, which must be good.
LinkOptions readGood(std::vector<const char *> argv) {
  llvm::Expected<ParsedLinkOptions> parsed = read(std::move(argv));
  EXPECT_TRUE(bool(parsed));
  if (!parsed) {
    ADD_FAILURE() << llvm::toString(parsed.takeError());
    return {};
  }
  return parsed->link;
}

/// Returns the message for options that must be bad.
std::string readBad(std::vector<const char *> argv) {
  llvm::Expected<ParsedLinkOptions> parsed = read(std::move(argv));
  EXPECT_FALSE(bool(parsed));
  return parsed ? "" : llvm::toString(parsed.takeError());
}

TEST(LinkOptionsReader, Defaults) {
  LinkOptions link = readGood({"main.o", "-o", "x"});
  EXPECT_EQ(link.jobs, 0u);
  EXPECT_EQ(link.jobserver, JobserverMode::Auto);
  EXPECT_EQ(link.embed, EmbedKind::Both);
  EXPECT_FALSE(link.embedGiven);
  EXPECT_EQ(link.partitions.mode, PartitionMode::Balanced);
  EXPECT_EQ(link.partitions.count, 0u);
  EXPECT_TRUE(link.saveTempsDirectory.empty());
  EXPECT_EQ(link.outputFile, "app");
  EXPECT_FALSE(link.verbose);
}

TEST(LinkOptionsReader, LastOneCounts) {
  LinkOptions link =
      readGood({"--gpulto-jobs=3", "--gpulto-partitions=max", "--gpulto-jobs=5",
                "--gpulto-embed=ptx", "--gpulto-partitions=7"});
  EXPECT_EQ(link.jobs, 5u);
  EXPECT_EQ(link.partitions.mode, PartitionMode::Balanced);
  EXPECT_EQ(link.partitions.count, 7u);
  EXPECT_EQ(link.embed, EmbedKind::Ptx);
  EXPECT_TRUE(link.embedGiven);
}

TEST(LinkOptionsReader, ToolTimeout) {
  EXPECT_EQ(readGood({}).toolTimeoutSeconds, 7200u);
  EXPECT_EQ(readGood({"--gpulto-tool-timeout=60"}).toolTimeoutSeconds, 60u);
  EXPECT_EQ(readGood({"--gpulto-tool-timeout=0"}).toolTimeoutSeconds, 0u);
  for (const char *bad :
       {"--gpulto-tool-timeout=", "--gpulto-tool-timeout=-1",
        "--gpulto-tool-timeout=1h", "--gpulto-tool-timeout=99999999999"})
    EXPECT_NE(readBad({bad}).find("expected a number of seconds"),
              std::string::npos);
}

TEST(LinkOptionsReader, Memory) {
  EXPECT_EQ(readGood({}).memory, MemoryLimit());
  EXPECT_EQ(readGood({"--gpulto-memory=1G", "--gpulto-memory=3G"}).memory.bytes,
            uint64_t(3) << 30);
  EXPECT_EQ(readGood({"--gpulto-memory=25%"}).memory.freePercent, 25u);
  EXPECT_EQ(readBad({"--gpulto-memory=much"}),
            "invalid value 'much' in '--gpulto-memory=much', expected a number "
            "of bytes above 0, with K, M, G or T for units of 1024, or a "
            "percentage up to 100%");
}

TEST(LinkOptionsReader, Relocatable) {
  auto isNative = [](std::vector<const char *> argv) {
    llvm::Expected<ParsedLinkOptions> parsed = read(std::move(argv));
    EXPECT_TRUE(bool(parsed));
    return parsed && parsed->nativeRelocatable;
  };
  EXPECT_FALSE(isNative({}));
  EXPECT_TRUE(isNative({"--gpulto-relocatable=native"}));
  EXPECT_FALSE(
      isNative({"--gpulto-relocatable=native", "--gpulto-relocatable=lto"}));
  EXPECT_NE(readBad({"--gpulto-relocatable=both"}).find("lto, native"),
            std::string::npos);
}

TEST(LinkOptionsReader, PartitionModes) {
  EXPECT_EQ(readGood({"--gpulto-partitions=one"}).partitions.mode,
            PartitionMode::One);
  EXPECT_EQ(readGood({"--gpulto-partitions=max"}).partitions.mode,
            PartitionMode::Max);
  EXPECT_EQ(readGood({"--gpulto-partitions=1to1"}).partitions.mode,
            PartitionMode::OneToOne);
  EXPECT_EQ(readGood({"--gpulto-partitions=max", "--gpulto-partitions=auto"})
                .partitions.mode,
            PartitionMode::Balanced);
}

TEST(LinkOptionsReader, PartitionsAreFineWithACache) {
  auto isFine = [](std::vector<const char *> arguments) {
    return readGood(arguments).partitions.isFine;
  };
  EXPECT_FALSE(isFine({}));
  EXPECT_TRUE(isFine({"--gpulto-cache-dir=c"}));
  EXPECT_FALSE(isFine({"--gpulto-cache-dir="}));
  EXPECT_FALSE(isFine({"--gpulto-cache-dir=c", "--gpulto-partitions=coarse"}));
  EXPECT_FALSE(isFine({"--gpulto-cache-dir=c", "--gpulto-partitions=7"}));
  EXPECT_TRUE(isFine({"--gpulto-partitions=fine"}));
}

TEST(LinkOptionsReader, ListsGather) {
  LinkOptions link = readGood({"--gpulto-ptxas-arg=-O1", "x.o",
                               "--gpulto-ptxas-arg=--maxrregcount=32"});
  EXPECT_EQ(link.ptxasArguments,
            (std::vector<std::string>{"-O1", "--maxrregcount=32"}));
}

TEST(LinkOptionsReader, SaveTemps) {
  EXPECT_EQ(readGood({"--gpulto-save-temps"}).saveTempsDirectory,
            "app.gpulto-temps");
  EXPECT_EQ(readGood({"--gpulto-save-temps", "--gpulto-save-temps=here"})
                .saveTempsDirectory,
            "here");
}

TEST(LinkOptionsReader, Remarks) {
  llvm::Expected<ParsedLinkOptions> parsed =
      read({"--gpulto-rpass=inline", "--gpulto-rpass-missed=icf",
            "--gpulto-rpass-analysis=.*", "--gpulto-remarks=r.yaml"});
  ASSERT_TRUE(bool(parsed));
  EXPECT_EQ(parsed->diagnostics.passed, "inline");
  EXPECT_EQ(parsed->diagnostics.missed, "icf");
  EXPECT_EQ(parsed->diagnostics.analysis, ".*");
  EXPECT_TRUE(parsed->diagnostics.keepRemarks);
  EXPECT_EQ(parsed->remarksFile, "r.yaml");
}

TEST(LinkOptionsReader, BadValues) {
  EXPECT_NE(readBad({"--gpulto-jobs=0"}).find("'--gpulto-jobs=0'"),
            std::string::npos);
  EXPECT_NE(readBad({"--gpulto-jobs=-1"}).find("a number from 1"),
            std::string::npos);
  EXPECT_NE(readBad({"--gpulto-jobs="}).find("--gpulto-jobs="),
            std::string::npos);
  EXPECT_NE(readBad({"--gpulto-partitions=many"}).find("'many'"),
            std::string::npos);
  EXPECT_NE(readBad({"--gpulto-param=x=1"}).find('x'), std::string::npos);
  EXPECT_NE(readBad({"--gpulto-jobserver=maybe"}).find("auto, strict, off"),
            std::string::npos);
}

} // namespace
