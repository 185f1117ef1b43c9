//===- HostBitcode.cpp - The outer structure of bitcode -------------------===//
//
// Part of gpulto.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Bitcode files are walked block by block at the top level only. There each
// block starts on a multiple of 32 bits with a header of two words:
//
//   bits 0-1 abbreviation 1 (enter block), 2-9 block id, 10-13 width, pad
//   length of the block in words
//
// so no bit stream is needed until the wanted block is reached. See "LLVM
// Bitcode File Format", ENTER_SUBBLOCK.
//
//===----------------------------------------------------------------------===//

#include "fatobj/FatObjectReader.h"
#include "support/BinaryStream.h"

#include "llvm/Bitstream/BitstreamReader.h"

#include <optional>

using namespace gpulto;

namespace {

constexpr uint32_t kBitcodeMagic = 0xdec04342; // 'B' 'C' 0xC0DE
constexpr unsigned kStrtabBlockId = 23;        // llvm::bitc::STRTAB_BLOCK_ID
constexpr unsigned kStrtabBlob = 1;            // llvm::bitc::STRTAB_BLOB

/// A block at the top level.
struct TopLevelBlock {
  unsigned id = 0;
  uint64_t start = 0; ///< of its header, bytes
};

/// Reads a block header at the reader's position, skips the block.
std::optional<TopLevelBlock> nextBlock(BinaryReader &reader) {
  TopLevelBlock block;
  block.start = reader.position();
  uint32_t word = reader.u32();
  constexpr uint32_t kEnterBlock = 1, kMoreBits = 0x80;
  block.id = (word >> 2) & 0xff;
  if ((word & 3) != kEnterBlock || (block.id & kMoreBits)) {
    reader.fail("malformed bitcode: no block at the top level");
    return std::nullopt;
  }
  uint64_t words = reader.u32();
  reader.skip(words * sizeof(uint32_t));
  if (reader.failed())
    return std::nullopt;
  return block;
}

/// Finds the blob record inside the STRTAB block at \p start.
llvm::Expected<llvm::StringRef> strtabBlob(llvm::StringRef bitcode,
                                           uint64_t start) {
  llvm::BitstreamCursor cursor(bitcode);
  if (llvm::Error error = cursor.JumpToBit(start * 8))
    return error;
  llvm::Expected<unsigned> enter = cursor.ReadCode();
  if (!enter)
    return enter.takeError();
  if (llvm::Expected<unsigned> id = cursor.ReadSubBlockID(); !id)
    return id.takeError();
  if (llvm::Error error = cursor.EnterSubBlock(kStrtabBlockId))
    return error;
  while (true) {
    llvm::Expected<llvm::BitstreamEntry> entry =
        cursor.advance(llvm::BitstreamCursor::AF_DontPopBlockAtEnd);
    if (!entry)
      return entry.takeError();
    if (entry->Kind != llvm::BitstreamEntry::Record)
      return makeError("malformed bitcode: string table without contents");
    llvm::SmallVector<uint64_t, 1> values;
    llvm::StringRef blob;
    llvm::Expected<unsigned> code = cursor.readRecord(entry->ID, values, &blob);
    if (!code)
      return code.takeError();
    if (*code != kStrtabBlob)
      continue;
    if (!blob.data()) // a record without abbreviation has none
      return makeError("malformed bitcode: string table is no blob");
    return blob;
  }
}

} // namespace

llvm::Expected<std::vector<llvm::StringRef>>
gpulto::splitBitcode(llvm::StringRef section, const InputLocation &where) {
  std::vector<llvm::StringRef> result;
  BinaryReader reader(section, where);
  std::optional<uint64_t> start;
  auto finish = [&](uint64_t end) {
    if (start)
      result.push_back(section.slice(*start, end));
    start.reset();
  };
  while (!reader.atEnd()) {
    uint64_t at = reader.position();
    uint32_t word = reader.u32();
    if (word == kBitcodeMagic) {
      finish(at);
      start = at;
      continue;
    }
    if (word == 0) { // padding
      finish(at);
      continue;
    }
    reader.seek(at);
    if (!start)
      reader.fail("malformed bitcode: no magic");
    nextBlock(reader);
  }
  if (llvm::Error error = reader.takeError())
    return error;
  finish(section.size());
  return result;
}

llvm::Expected<StrtabRange> gpulto::findHostStrtab(llvm::StringRef bitcode,
                                                   const InputLocation &where) {
  BinaryReader reader(bitcode, where);
  if (reader.u32() != kBitcodeMagic)
    return inputError(where, "no bitcode");
  std::optional<TopLevelBlock> strtab;
  while (!reader.atEnd()) {
    std::optional<TopLevelBlock> block = nextBlock(reader);
    if (!block || block->id != kStrtabBlockId)
      continue;
    if (strtab)
      return inputError(where, "bitcode has two string tables");
    strtab = block;
  }
  if (llvm::Error error = reader.takeError())
    return error;
  if (!strtab)
    return inputError(where, "bitcode has no string table");
  llvm::Expected<llvm::StringRef> blob = strtabBlob(bitcode, strtab->start);
  if (!blob)
    return inputError(where.at(strtab->start),
                      llvm::toString(blob.takeError()));
  return StrtabRange{static_cast<uint64_t>(blob->data() - bitcode.data()),
                     blob->size()};
}
