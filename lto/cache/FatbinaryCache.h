//===- FatbinaryCache.h - Fat binaries, kept --------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_LTO_CACHE_FATBINARYCACHE_H
#define GPULTO_LTO_CACHE_FATBINARYCACHE_H

#include "lto/devicelink/DeviceLink.h"

namespace gpulto {

class Cache;

/// As makeFatbinaryObject, but takes what is slow to make from \p cache, if not
/// null, and keeps it there. Errors: as makeFatbinaryObject.
llvm::Expected<FatbinaryObject> findOrMakeFatbinaryObject(
    std::vector<DeviceProgram> programs, llvm::StringRef targetTriple,
    ImageCompression compression, unsigned threads, const Cache *cache);

} // namespace gpulto

#endif // GPULTO_LTO_CACHE_FATBINARYCACHE_H
