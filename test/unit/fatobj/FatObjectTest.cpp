//===- FatObjectTest.cpp - Writing and reading fat objects ----------------===//
//
// Part of gpulto.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fatobj/ElfObject.h"
#include "fatobj/Format.h"
#include "support/BinaryStream.h"
#include "test/unit/fatobj/Fixture.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <cstring>
#include <set>

using namespace gpulto;
using namespace gpulto::test;

namespace {

llvm::MemoryBufferRef refTo(const std::string &bytes) {
  return llvm::MemoryBufferRef(bytes, "test.o");
}

llvm::Expected<std::string> makeFat(const std::string &object,
                                    FatObjectOptions options = {}) {
  SampleContents sample;
  return addToObject(refTo(object), sample.contents, InputLocation("a.o"),
                     options);
}

void expectSample(const std::string &object, const FatRecord &record) {
  SampleContents sample;
  EXPECT_EQ(record.llvmMajor, 22u);
  EXPECT_EQ(record.optionDigest, (Digest{0x1111, 0x2222}));
  EXPECT_EQ(record.hostSummary, sample.hostSummary);
  EXPECT_FALSE(record.hostBitcodeLost);
  EXPECT_EQ(record.hostBitcodeDigest, digestOf(record.hostBitcode));
  EXPECT_EQ(object.substr(record.hostBitcodeOffset, 4), "BC\xc0\xde");
  ASSERT_EQ(record.devices.size(), 2u);
  EXPECT_EQ(record.devices[0].arch, "sm_100");
  EXPECT_EQ(record.devices[0].summary, "");
  EXPECT_FALSE(record.devices[0].bitcode.compressed);
  const DeviceRecord *device = record.findDevice("sm_90");
  ASSERT_NE(device, nullptr);
  EXPECT_EQ(device->summary, sample.deviceSummary);
  EXPECT_TRUE(device->bitcode.compressed);
  EXPECT_LT(device->bitcode.storedSize, device->bitcode.rawSize / 4);
  ASSERT_VALUE(raw, decompressBitcode(refTo(object), device->bitcode,
                                      InputLocation("a.o")));
  EXPECT_EQ(raw->getBuffer(), sample.bitcode90);
  EXPECT_EQ(record.findDevice("sm_89"), nullptr);
}

using FatObjectTest = HostObjects;

} // namespace

TEST_F(FatObjectTest, RoundTrips) {
  ASSERT_VALUE(fat, makeFat(readFile(path("a.o"))));
  EXPECT_TRUE(hasFatObjectSection(refTo(fat)));
  ReadOptions verify;
  verify.verifyDigests = true;
  for (const ReadOptions &options : {ReadOptions(), verify}) {
    ASSERT_VALUE(object,
                 readFatObject(refTo(fat), InputLocation("a.o"), options));
    ASSERT_EQ(object.records.size(), 1u);
    expectSample(fat, object.records[0]);
    EXPECT_EQ(object.records[0].location.str(), "a.o:(.gpulto+0x0)");
    EXPECT_FALSE(object.records[0].slim);
    // Symbol names stand in the bitcode's string table.
    EXPECT_TRUE(object.records[0].hostNames.contains("twice"));
    EXPECT_TRUE(object.records[0].hostNames.contains("elsewhere"));
    EXPECT_LE(object.records[0].hostNames.size(),
              object.records[0].hostBitcode.size());
  }
}

TEST_F(FatObjectTest, WritesFilesAtomically) {
  SampleContents sample;
  ASSERT_OK(writeFatObject(path("a.o"), sample.contents, path("out.o")));
  std::string fat = readFile(path("out.o"));
  ASSERT_VALUE(object, readFatObject(refTo(fat), InputLocation("out.o")));
  EXPECT_EQ(object.records.size(), 1u);
  EXPECT_NE(messageOf(writeFatObject(path("none.o"), sample.contents,
                                     path("out2.o"))),
            "success");
  EXPECT_NE(
      messageOf(writeFatObject(path("a.o"), sample.contents, path("no/dir.o"))),
      "success");
}

TEST_F(FatObjectTest, BytesDependOnTheContentsOnly) {
  std::string plain = readFile(path("a.o"));
  ASSERT_VALUE(one, makeFat(plain));
  ASSERT_VALUE(two, makeFat(plain));
  EXPECT_EQ(one, two);
  SampleContents sample;
  std::reverse(sample.contents.devices.begin(), sample.contents.devices.end());
  ASSERT_VALUE(three, addToObject(refTo(plain), sample.contents,
                                  InputLocation("elsewhere/x.o")));
  EXPECT_EQ(one, three);
}

TEST_F(FatObjectTest, LeavesEverythingElseAlone) {
  for (const char *name : {"a.o", "b.o"}) {
    std::string plain = readFile(path(name));
    ASSERT_VALUE(fat, makeFat(plain));
    ASSERT_VALUE(before, ElfObject::open(refTo(plain), InputLocation("a")));
    ASSERT_VALUE(after, ElfObject::open(refTo(fat), InputLocation("b")));
    ASSERT_EQ(before.sections().size() + 1, after.sections().size());
    EXPECT_EQ(before.header().e_machine, after.header().e_machine);
    EXPECT_EQ(before.header().e_flags, after.header().e_flags);
    EXPECT_EQ(before.header().e_ident[EI_OSABI],
              after.header().e_ident[EI_OSABI]);
    for (const ElfSection &section : before.sections()) {
      const ElfSection &copy = after.sections()[section.index];
      EXPECT_EQ(section.name, copy.name);
      Elf64_Shdr a = section.header, b = copy.header;
      EXPECT_EQ(b.sh_offset % std::max<uint64_t>(b.sh_addralign, 1), 0u);
      a.sh_offset = b.sh_offset = 0;
      if (section.index == before.nameTableIndex()) {
        EXPECT_EQ(a.sh_size + kFatObjectSection.size() + 1, b.sh_size);
        a.sh_size = b.sh_size;
      }
      EXPECT_EQ(std::memcmp(&a, &b, sizeof(a)), 0) << section.name.str();
      ASSERT_VALUE(bytesBefore, before.contents(section));
      ASSERT_VALUE(bytesAfter, after.contents(copy));
      EXPECT_TRUE(bytesAfter.starts_with(bytesBefore)) << section.name.str();
    }
    const ElfSection &ours = after.sections().back();
    EXPECT_EQ(ours.name, kFatObjectSection);
    EXPECT_EQ(ours.header.sh_type, uint32_t(SHT_PROGBITS));
    EXPECT_EQ(ours.header.sh_flags, uint64_t(SHF_EXCLUDE));
    EXPECT_EQ(ours.header.sh_addralign, 8u);
  }
}

TEST_F(FatObjectTest, AddsOnceUnlessToldToReplace) {
  ASSERT_VALUE(fat, makeFat(readFile(path("a.o"))));
  EXPECT_EQ(messageOf(makeFat(fat)),
            "a.o: the object has a .gpulto section already");
  FatObjectOptions options;
  options.replace = true;
  ASSERT_VALUE(again, makeFat(fat, options));
  EXPECT_EQ(fat, again);
}

TEST_F(FatObjectTest, RefusesBadContents) {
  std::string plain = readFile(path("a.o"));
  SampleContents sample;
  sample.contents.devices[0].arch = "sm_100";
  EXPECT_EQ(messageOf(addToObject(refTo(plain), sample.contents,
                                  InputLocation("a.o"))),
            "a.o: architecture sm_100 given twice");
  sample.contents.devices[0].arch = "sm_0123456789012";
  EXPECT_NE(messageOf(addToObject(refTo(plain), sample.contents,
                                  InputLocation("a.o"))),
            "success");
  EXPECT_EQ(messageOf(makeFat("no object")), "a.o: no ELF file");
}

TEST_F(FatObjectTest, StaysLinkableAndRunsTheSame) {
  if (!havePrograms({"ld.bfd"}))
    GTEST_SKIP();
  ASSERT_OK(writeFileAtomically(path("e.cpp"),
                                "int elsewhere(int x) { return x + 7; }\n"));
  run("clang++-22", {"-c", path("e.cpp"), "-o", path("e.o")});
  SampleContents sample;
  ASSERT_OK(writeFatObject(path("a.o"), sample.contents, path("fat.o")));
  run("clang++-22",
      {"-fuse-ld=bfd", path("fat.o"), path("e.o"), "-o", path("program")});
  run("clang++-22",
      {"-fuse-ld=bfd", path("a.o"), path("e.o"), "-o", path("plain")});
  EXPECT_EQ(run(path("program"), {}), run(path("plain"), {}));
  // Excluded sections do not reach the program.
  EXPECT_FALSE(
      llvm::StringRef(readFile(path("program"))).contains(kRecordMagic));
}

TEST_F(FatObjectTest, ToolsKeepTheSection) {
  if (!havePrograms({"strip", "objcopy"}))
    GTEST_SKIP();
  SampleContents sample;
  ASSERT_OK(writeFatObject(path("a.o"), sample.contents, path("fat.o")));
  run("strip", {"-g", path("fat.o"), "-o", path("strip.o")});
  run("objcopy", {path("fat.o"), path("copy.o")});
  for (const char *name : {"strip.o", "copy.o"}) {
    std::string bytes = readFile(path(name));
    ASSERT_VALUE(object, readFatObject(refTo(bytes), InputLocation(name)));
    ASSERT_EQ(object.records.size(), 1u) << name;
    expectSample(bytes, object.records[0]);
  }
}

TEST_F(FatObjectTest, EditedSymbolsAreSeen) {
  if (!havePrograms({"objcopy"}))
    GTEST_SKIP();
  SampleContents sample;
  ASSERT_OK(writeFatObject(path("a.o"), sample.contents, path("fat.o")));
  auto isUnchanged = [&](std::vector<std::string> options) {
    options.insert(options.end(), {path("fat.o"), path("edited.o")});
    run("objcopy", options);
    std::string bytes = readFile(path("edited.o"));
    ReadOptions read;
    read.symbols = true;
    auto object = readFatObject(refTo(bytes), InputLocation("e.o"), read);
    EXPECT_TRUE(bool(object));
    return object && isOneUnit(*object) && isAsCompiled(*object);
  };
  EXPECT_TRUE(isUnchanged({}));
  EXPECT_FALSE(isUnchanged({"--weaken"}));
  EXPECT_FALSE(isUnchanged({"--redefine-sym", "_Z9elsewherei=other"}));
}

TEST_F(FatObjectTest, RelocatableLinksKeepAllRecords) {
  if (!havePrograms({"ld.bfd"}))
    GTEST_SKIP();
  SampleContents sample;
  ASSERT_OK(writeFatObject(path("a.o"), sample.contents, path("fa.o")));
  SampleContents other;
  other.contents.hostSummary = "the second";
  ASSERT_OK(writeFatObject(path("b.o"), other.contents, path("fb.o")));
  run("ld.bfd", {"-r", path("fa.o"), path("fb.o"), "-o", path("r.o")});
  std::string bytes = readFile(path("r.o"));
  ASSERT_VALUE(object, readFatObject(refTo(bytes), InputLocation("r.o")));
  ASSERT_EQ(object.records.size(), 2u);
  expectSample(bytes, object.records[0]);
  EXPECT_EQ(object.records[1].hostSummary, "the second");
  EXPECT_EQ(digestOf(object.records[1].hostBitcode),
            object.records[1].hostBitcodeDigest);
  EXPECT_TRUE(object.records[1].hostNames.contains("common"));
  EXPECT_FALSE(object.records[1].hostNames.contains("twice"));
}

TEST_F(FatObjectTest, BitcodeOfStockObjectsInBetweenIsSkipped) {
  if (!havePrograms({"ld.bfd"}))
    GTEST_SKIP();
  SampleContents sample;
  ASSERT_OK(writeFatObject(path("a.o"), sample.contents, path("fa.o")));
  run("ld.bfd", {"-r", path("b.o"), path("fa.o"), "-o", path("r2.o")});
  std::string bytes = readFile(path("r2.o"));
  ASSERT_VALUE(object, readFatObject(refTo(bytes), InputLocation("r2.o")));
  ASSERT_EQ(object.records.size(), 1u);
  expectSample(bytes, object.records[0]);
}

TEST_F(FatObjectTest, LostBitcodeIsSaid) {
  if (!havePrograms({"objcopy"}))
    GTEST_SKIP();
  SampleContents sample;
  ASSERT_OK(writeFatObject(path("a.o"), sample.contents, path("fat.o")));
  run("objcopy", {"-R", ".llvm.lto", path("fat.o"), path("lost.o")});
  std::string bytes = readFile(path("lost.o"));
  ASSERT_VALUE(object, readFatObject(refTo(bytes), InputLocation("l.o")));
  ASSERT_EQ(object.records.size(), 1u);
  EXPECT_TRUE(object.records[0].hostBitcodeLost);
  EXPECT_EQ(object.records[0].hostBitcode, "");
}

TEST_F(FatObjectTest, StockObjectsHaveNoRecords) {
  std::string plain = readFile(path("a.o"));
  EXPECT_FALSE(hasFatObjectSection(refTo(plain)));
  ASSERT_VALUE(object, readFatObject(refTo(plain), InputLocation("a.o")));
  EXPECT_TRUE(object.records.empty());
  EXPECT_TRUE(object.bitcodeSection.starts_with("BC\xc0\xde"));
  ASSERT_VALUE(bitcode, hostBitcodeOf(refTo(plain), InputLocation("a.o")));
  EXPECT_EQ(bitcode, object.bitcodeSection);
}

// Object members of archives lie at even addresses only.
TEST_F(FatObjectTest, AlignmentOfTheBufferDoesNotMatter) {
  ASSERT_VALUE(fat, makeFat(readFile(path("a.o"))));
  for (size_t shift : {1u, 2u, 4u, 7u}) {
    std::string moved = std::string(shift, 'x') + fat;
    llvm::MemoryBufferRef ref(llvm::StringRef(moved).drop_front(shift), "m");
    ASSERT_VALUE(object, readFatObject(ref, InputLocation("m")));
    ASSERT_EQ(object.records.size(), 1u);
    expectSample(fat, object.records[0]);
  }
}

//===----------------------------------------------------------------------===//
// Damage
//===----------------------------------------------------------------------===//

namespace {

/// A record without host bitcode, small enough to damage every byte of it.
std::string smallRecord() {
  FatObjectContents contents;
  contents.hostSummary = "host";
  std::string bitcode(300, 'z');
  contents.devices.push_back({"sm_90", "device", bitcode});
  auto record = buildRecord(contents, "", InputLocation("t.o"));
  return record ? *record : messageOf(record.takeError());
}

llvm::Expected<std::vector<FatRecord>> readSmall(llvm::StringRef bytes,
                                                 bool verify = true) {
  ReadOptions options;
  options.verifyDigests = verify;
  return readFatRecords(bytes, "", bytes.begin(), InputLocation("t.o"),
                        options);
}

} // namespace

TEST(FatRecordTest, TruncationIsAnErrorAtEveryLength) {
  std::string record = smallRecord();
  ASSERT_VALUE(whole, readSmall(record));
  ASSERT_EQ(whole.size(), 1u);
  for (size_t size = 1; size < record.size(); ++size) {
    // An exact copy, so that a sanitizer sees reads past the end.
    std::unique_ptr<char[]> copy(new char[size]);
    std::copy_n(record.begin(), size, copy.get());
    EXPECT_NE(messageOf(readSmall(llvm::StringRef(copy.get(), size))),
              "success")
        << size;
  }
  ASSERT_VALUE(none, readSmall(""));
  EXPECT_TRUE(none.empty());
}

TEST(FatRecordTest, EveryDamagedByteIsNoticed) {
  std::string record = smallRecord();
  ASSERT_VALUE(whole, readSmall(record));
  BitcodeRef bitcode = whole[0].devices[0].bitcode;
  llvm::MemoryBufferRef file(record, "t.o");
  // Payloads are covered by digests; header fields that only inform are not.
  std::set<size_t> informative;
  for (size_t i = 24; i < 36; ++i) // LLVM version
    informative.insert(i);
  for (size_t i = 40; i < 56; ++i) // option digest
    informative.insert(i);
  size_t missed = 0;
  for (size_t i = 0; i < record.size(); ++i) {
    char saved = record[i];
    for (char flip : {'\x01', '\x80', '\xff'}) {
      record[i] = saved ^ flip;
      auto read = readSmall(record);
      if (!read) {
        llvm::consumeError(read.takeError());
        continue;
      }
      if (informative.count(i))
        continue;
      auto raw = decompressBitcode(file, bitcode, InputLocation("t.o"));
      if (raw)
        ++missed; // only padding may change unnoticed
      else
        llvm::consumeError(raw.takeError());
    }
    record[i] = saved;
  }
  // The pieces of padding before multiples of 8, at most 7 bytes each.
  EXPECT_LE(missed, 3u * 3 * 7);
}

TEST(FatRecordTest, RandomDamageNeverCrashes) {
  std::string record = smallRecord() + smallRecord();
  uint64_t state = 12345;
  auto next = [&] {
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    return state >> 33;
  };
  for (int round = 0; round < 20000; ++round) {
    std::string damaged = record;
    for (int i = 0; i < 3; ++i)
      damaged[next() % damaged.size()] = static_cast<char>(next());
    damaged.resize(damaged.size() - next() % 4 * 100);
    auto read = readSmall(damaged, round % 2);
    if (!read) {
      llvm::consumeError(read.takeError());
      continue;
    }
    for (const FatRecord &one : *read)
      for (const DeviceRecord &device : one.devices)
        llvm::consumeError(decompressBitcode(llvm::MemoryBufferRef(damaged, ""),
                                             device.bitcode, InputLocation("t"))
                               .takeError());
  }
}

TEST(FatRecordTest, SeveralRecordsAndPadding) {
  std::string one = smallRecord();
  std::string many = one + std::string(8, '\0') + one + std::string(24, '\0');
  ASSERT_VALUE(read, readSmall(many));
  ASSERT_EQ(read.size(), 2u);
  EXPECT_EQ(read[1].location.offset, one.size() + 8);
  EXPECT_EQ(messageOf(readSmall(one + "abcdefgh")),
            "t.o:(.gpulto+0x" + llvm::utohexstr(one.size(), true) +
                "): no record magic");
}

TEST(FatRecordTest, VersionsAreChecked) {
  std::string record = smallRecord();
  record[8] = 9;
  EXPECT_EQ(messageOf(readSmall(record)),
            "t.o:(.gpulto+0x0): record version 9, this linker reads 1 to 3; "
            "recompile the object");
}

TEST_F(FatObjectTest, DamagedElfHeadersNeverCrash) {
  SampleContents sample;
  ASSERT_VALUE(fat, makeFat(readFile(path("b.o"))));
  ASSERT_VALUE(object, ElfObject::open(refTo(fat), InputLocation("b.o")));
  uint64_t headers = object.header().e_shoff;
  std::vector<size_t> places;
  for (size_t i = 0; i < 64; ++i)
    places.push_back(i);
  for (size_t i = headers; i < fat.size(); ++i)
    places.push_back(i);
  size_t good = 0;
  for (size_t place : places)
    for (char flip : {'\x01', '\x10', '\x80', '\xff'}) {
      std::string damaged = fat;
      damaged[place] ^= flip;
      hasFatObjectSection(refTo(damaged));
      auto read = readFatObject(refTo(damaged), InputLocation("b.o"));
      if (read)
        ++good;
      else
        llvm::consumeError(read.takeError());
      for (bool slim : {false, true}) {
        FatObjectOptions options;
        options.slim = slim;
        options.replace = true;
        auto written = makeFat(damaged, options);
        if (!written)
          llvm::consumeError(written.takeError());
      }
    }
  EXPECT_GT(good, 0u);
}

// A gap before a section is written out: one wrong bit must not fill memory.
TEST_F(FatObjectTest, HugeAlignmentsAreErrors) {
  std::string bytes = readFile(path("b.o"));
  ASSERT_VALUE(object, ElfObject::open(refTo(bytes), InputLocation("b.o")));
  uint64_t second = object.header().e_shoff + 2 * sizeof(Elf64_Shdr) +
                    offsetof(Elf64_Shdr, sh_addralign);
  for (uint64_t alignment : {uint64_t(3), uint64_t(1) << 33, ~uint64_t(0)}) {
    std::string damaged = bytes;
    std::memcpy(damaged.data() + second, &alignment, sizeof(alignment));
    EXPECT_EQ(messageOf(makeFat(damaged)),
              "section alignment " + std::to_string(alignment));
  }
}

TEST_F(FatObjectTest, TruncatedObjectsAreErrors) {
  ASSERT_VALUE(fat, makeFat(readFile(path("b.o"))));
  for (size_t size = 0; size < fat.size(); size += size < 200 ? 1 : 13) {
    std::unique_ptr<char[]> copy(new char[size]);
    std::copy_n(fat.begin(), size, copy.get());
    llvm::MemoryBufferRef cut(llvm::StringRef(copy.get(), size), "cut.o");
    // The section headers stand at the end, so nothing can be read.
    EXPECT_NE(messageOf(readFatObject(cut, InputLocation("cut.o"))), "success")
        << size;
  }
}
