//===- FatObjectFuzzer.cpp - Hostile objects and records ------------------===//
//
// Part of gpulto.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The first byte of an input says how the rest is read: as an ELF object, as
// the contents of .gpulto, as bitcode, or as .llvm.offloading. In a record the
// digest of the entry table is set right first, else no mutation would get past
// it.
//
//===----------------------------------------------------------------------===//

#include "fatobj/FatObjectReader.h"
#include "fatobj/FatObjectWriter.h"
#include "fatobj/Format.h"
#include "fatobj/OffloadImages.h"

#include "llvm/Support/Endian.h"

#include <cstdlib>
#include <string>

using namespace gpulto;

/// Sets the entry table's digest of the record that starts at \p start.
static void repairDigest(std::string &bytes, size_t start) {
  using llvm::support::endian::read32le;
  using llvm::support::endian::write64le;
  if (bytes.size() < start + kRecordHeaderSize)
    return;
  char *record = bytes.data() + start;
  uint64_t size = uint64_t(read32le(record + 56)) * kRecordEntrySize;
  if (size > bytes.size() - start - kRecordHeaderSize)
    return;
  Digest digest = digestOf(
      llvm::StringRef(record + kRecordHeaderSize, static_cast<size_t>(size)));
  write64le(record + 64, digest.lo);
  write64le(record + 72, digest.hi);
}

/// Uses all that a reader was given: every slice must lie in the input.
static void useRecords(llvm::ArrayRef<FatRecord> records,
                       llvm::MemoryBufferRef file) {
  for (const FatRecord &record : records) {
    for (llvm::StringRef slice :
         {record.hostSummary, record.hostBitcode, record.hostNames})
      if (!slice.empty() && (slice.begin() < file.getBufferStart() ||
                             slice.end() > file.getBufferEnd()))
        std::abort();
    for (const DeviceRecord &device : record.devices) {
      auto raw = decompressBitcode(file, device.bitcode, InputLocation("fuzz"));
      if (raw && (*raw)->getBufferSize() != device.bitcode.rawSize)
        std::abort();
      llvm::consumeError(raw.takeError());
    }
  }
}

static void readObject(llvm::StringRef bytes) {
  llvm::MemoryBufferRef file(bytes, "fuzz.o");
  hasFatObjectSection(file);
  for (bool verify : {false, true}) {
    ReadOptions options;
    options.verifyDigests = verify;
    auto object = readFatObject(file, InputLocation("fuzz.o"), options);
    if (object)
      useRecords(object->records, file);
    llvm::consumeError(object.takeError());
  }
  FatObjectContents contents;
  contents.hostSummary = "summary";
  for (bool slim : {false, true}) {
    FatObjectOptions options;
    options.slim = slim;
    options.replace = true;
    auto written =
        addToObject(file, contents, InputLocation("fuzz.o"), options);
    llvm::consumeError(written.takeError());
  }
}

static void readRecords(llvm::StringRef bytes) {
  std::string copy = bytes.str();
  repairDigest(copy, 0);
  auto records = readFatRecords(copy, "", copy.data(), InputLocation("fuzz.o"));
  if (records)
    useRecords(*records, llvm::MemoryBufferRef(copy, "fuzz.o"));
  llvm::consumeError(records.takeError());
}

static void readBitcode(llvm::StringRef bytes) {
  auto range = findHostStrtab(bytes, InputLocation("fuzz.bc"));
  if (range && (range->offset > bytes.size() ||
                range->size > bytes.size() - range->offset))
    std::abort();
  llvm::consumeError(range.takeError());
  llvm::consumeError(splitBitcode(bytes, InputLocation("fuzz.bc")).takeError());
}

static void readImages(llvm::StringRef bytes) {
  auto images = readOffloadImages(bytes, InputLocation("fuzz.o"));
  if (images)
    for (const OffloadImage &image : *images)
      for (llvm::StringRef part : {image.arch, image.triple, image.bytes})
        if (!part.empty() &&
            (part.begin() < bytes.begin() || part.end() > bytes.end()))
          std::abort();
  llvm::consumeError(images.takeError());
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size == 0)
    return 0;
  llvm::StringRef rest(reinterpret_cast<const char *>(data) + 1, size - 1);
  switch (data[0] % 4) {
  case 0:
    readObject(rest);
    break;
  case 1:
    readRecords(rest);
    break;
  case 2:
    readBitcode(rest);
    break;
  case 3:
    readImages(rest);
    break;
  }
  return 0;
}
