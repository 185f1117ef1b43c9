//===- FatbinaryCache.cpp - Fat binaries, kept ----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Compressing cubins for size takes a sixth of a second per megabyte: nearly all
// the time of a link that finds all its jobs in the cache.
//
//===----------------------------------------------------------------------===//

#include "lto/cache/FatbinaryCache.h"

#include "lto/cache/Cache.h"
#include "lto/job/CacheKey.h"
#include "support/BinaryStream.h"
#include "support/StableHash.h"

using namespace llvm;

namespace gpulto {

static Digest keyOf(ArrayRef<DeviceProgram> programs, StringRef targetTriple,
                    ImageCompression compression, const Digest &optimizer) {
  StableHasher hasher;
  hasher.add("fat binary 1");
  hasher.add(targetTriple);
  hasher.add(compression);
  for (const DeviceProgram &program : programs) {
    hasher.add(program.arch);
    hasher.add(program.embed);
    hasher.add(digestOf(program.ptx));
    hasher.add(digestOf(program.cubin));
  }
  return keyOfIntermediate(hasher.finish(), optimizer);
}

static std::optional<FatbinaryObject> decode(StringRef bytes) {
  BinaryReader in(bytes);
  FatbinaryObject result;
  result.symbol = in.string().str();
  result.object = in.string().str();
  if (Error error = in.finish()) {
    consumeError(std::move(error));
    return std::nullopt;
  }
  result.isKept = true;
  return result;
}

Expected<FatbinaryObject>
findOrMakeFatbinaryObject(std::vector<DeviceProgram> programs,
                          StringRef targetTriple, ImageCompression compression,
                          unsigned threads, const Cache *cache) {
  if (!cache || compression != ImageCompression::Smallest)
    return makeFatbinaryObject(std::move(programs), targetTriple, compression,
                               threads);
  Digest key = keyOf(programs, targetTriple, compression, cache->optimizer());
  if (std::optional<std::string> bytes = cache->findBytes(key))
    if (std::optional<FatbinaryObject> kept = decode(*bytes))
      return std::move(*kept);
  Expected<FatbinaryObject> made = makeFatbinaryObject(
      std::move(programs), targetTriple, compression, threads);
  if (!made)
    return made;
  BinaryWriter out;
  out.string(made->symbol);
  out.string(made->object);
  // What hinders this has hindered the link when it kept the results of jobs,
  // and it has said so.
  consumeError(cache->storeBytes(key, out.take()));
  return made;
}

} // namespace gpulto
