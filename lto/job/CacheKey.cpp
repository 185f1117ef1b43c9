//===- CacheKey.cpp - What a job's results depend on ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "lto/job/CacheKey.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace gpulto {

/// Stands for any existing path.
static constexpr StringLiteral kSomePath = "-";

LtransJob canonicalJob(const LtransJob &job) {
  LtransJob result = job;
  result.index = 0;
  result.weight = 0;
  result.memoryBytes = 0;
  if (!result.device.ptxas.empty())
    result.device.ptxas = kSomePath;
  for (JobInput &input : result.inputs) {
    input.path.clear();
    input.member.clear();
    input.offset = 0;
    input.storedBytes = input.rawBytes = 0;
    input.compressed = false;
    for (JobSymbol &symbol : input.symbols)
      symbol.contents = Digest();
  }
  return result;
}

static Digest makeKey(StringRef kind, const LtransJob &job,
                      const Digest &bodies, const Digest &optimizer) {
  StableHasher hasher;
  hasher.add(kind);
  hasher.add(optimizer);
  hasher.add(digestOf(job));
  hasher.add(bodies);
  return hasher.finish();
}

Digest keyOfInputs(const LtransJob &job, const Digest &optimizer) {
  return makeKey("inputs", canonicalJob(job), Digest(), optimizer);
}

Digest keyOfBodies(const LtransJob &job, const Digest &bodies,
                   const Digest &optimizer) {
  LtransJob canonical = canonicalJob(job);
  for (JobInput &input : canonical.inputs) {
    input.digest = Digest();
    // Others have been carried out in the bodies.
    erase_if(input.folds, [](const JobFold &fold) { return !fold.merge; });
  }
  return makeKey("bodies", canonical, bodies, optimizer);
}

Digest keyOfIntermediate(const Digest &content, const Digest &optimizer) {
  StableHasher hasher;
  hasher.add("intermediate");
  hasher.add(optimizer);
  hasher.add(content);
  return hasher.finish();
}

} // namespace gpulto
