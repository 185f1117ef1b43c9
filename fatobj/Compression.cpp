//===- Compression.cpp - zstd and LZ4 payloads ----------------------------===//
//
// Part of gpulto.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fatobj/Compression.h"

#include <climits>
#include <initializer_list>
#include <lz4.h>
#include <utility>
#include <zstd.h>

using namespace gpulto;

/// No zstd frame expands by more: a block of 4 bytes may stand for 128 KiB.
static constexpr uint64_t kMaxZstdExpansion = 32768;
/// A match length byte of LZ4 stands for at most 255 bytes.
static constexpr uint64_t kMaxLz4Expansion = 256;

static llvm::Expected<std::string>
compressWith(std::initializer_list<std::pair<ZSTD_cParameter, int>> parameters,
             llvm::StringRef bytes) {
  std::unique_ptr<ZSTD_CCtx, decltype(&ZSTD_freeCCtx)> context(
      ZSTD_createCCtx(), &ZSTD_freeCCtx);
  if (!context)
    return makeError("zstd: not enough memory");
  std::string result(ZSTD_compressBound(bytes.size()), '\0');
  size_t size = 0;
  for (auto [parameter, value] : parameters)
    if (!ZSTD_isError(size))
      size = ZSTD_CCtx_setParameter(context.get(), parameter, value);
  if (!ZSTD_isError(size))
    size = ZSTD_compress2(context.get(), result.data(), result.size(),
                          bytes.data(), bytes.size());
  if (ZSTD_isError(size))
    return makeError(llvm::Twine("zstd: ") + ZSTD_getErrorName(size));
  result.resize(size);
  return result;
}

llvm::Expected<std::string> gpulto::compressZstd(llvm::StringRef bytes,
                                                 int level) {
  return compressWith({{ZSTD_c_compressionLevel, level}}, bytes);
}

llvm::Expected<std::string> gpulto::compressZstdSmall(llvm::StringRef bytes) {
  return compressWith({{ZSTD_c_compressionLevel, 19},
                       {ZSTD_c_strategy, ZSTD_btopt},
                       {ZSTD_c_searchLog, 3}},
                      bytes);
}

llvm::Expected<std::string> gpulto::compressLz4(llvm::StringRef bytes) {
  if (bytes.size() > LZ4_MAX_INPUT_SIZE)
    return makeError("LZ4: more than 2 GB");
  int bound = LZ4_compressBound(static_cast<int>(bytes.size()));
  std::string result(static_cast<size_t>(bound), '\0');
  int size = LZ4_compress_default(bytes.data(), result.data(),
                                  static_cast<int>(bytes.size()), bound);
  if (size <= 0)
    return makeError("LZ4: compression failed");
  result.resize(static_cast<size_t>(size));
  return result;
}

static llvm::Expected<std::unique_ptr<llvm::WritableMemoryBuffer>>
reserve(llvm::StringRef stored, uint64_t rawSize, uint64_t maxExpansion,
        const InputLocation &where) {
  if (rawSize / maxExpansion > stored.size())
    return inputError(where, llvm::Twine(stored.size()) +
                                 " compressed bytes cannot hold " +
                                 llvm::Twine(rawSize));
  auto buffer = llvm::WritableMemoryBuffer::getNewUninitMemBuffer(
      static_cast<size_t>(rawSize), where.str());
  if (!buffer)
    return inputError(where, "not enough memory for " + llvm::Twine(rawSize) +
                                 " bytes");
  return buffer;
}

llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>>
gpulto::decompressZstd(llvm::StringRef stored, uint64_t rawSize,
                       const InputLocation &where) {
  if (ZSTD_getFrameContentSize(stored.data(), stored.size()) != rawSize)
    return inputError(where,
                      "no zstd frame of " + llvm::Twine(rawSize) + " bytes");
  auto buffer = reserve(stored, rawSize, kMaxZstdExpansion, where);
  if (!buffer)
    return buffer.takeError();
  size_t size = ZSTD_decompress((*buffer)->getBufferStart(), rawSize,
                                stored.data(), stored.size());
  if (ZSTD_isError(size))
    return inputError(where, llvm::Twine("damaged zstd frame: ") +
                                 ZSTD_getErrorName(size));
  if (size != rawSize)
    return inputError(where, "zstd frame of another size");
  return std::move(*buffer);
}

llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>>
gpulto::decompressLz4(llvm::StringRef stored, uint64_t rawSize,
                      const InputLocation &where) {
  if (stored.size() > INT_MAX || rawSize > INT_MAX)
    return inputError(where, "LZ4 block of more than 2 GB");
  auto buffer = reserve(stored, rawSize, kMaxLz4Expansion, where);
  if (!buffer)
    return buffer.takeError();
  int size = LZ4_decompress_safe(stored.data(), (*buffer)->getBufferStart(),
                                 static_cast<int>(stored.size()),
                                 static_cast<int>(rawSize));
  if (size < 0 || static_cast<uint64_t>(size) != rawSize)
    return inputError(where, "damaged LZ4 block");
  return std::move(*buffer);
}
