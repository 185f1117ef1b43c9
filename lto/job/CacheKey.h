//===- CacheKey.h - What a job's results depend on --------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// A job has two keys. Both hold all decisions, the options and the programs
// that run; they differ in what they hold of the inputs:
//
//   keyOfInputs   the modules that the job reads, as wholes. Known before
//                 anything is read.
//   keyOfBodies   what the job has taken out of them: the partition's module
//                 before the first decision is carried out. An edit of what the
//                 job does not read does not change it.
//
// Neither holds locations: paths, offsets, the number of the job.
//
//===----------------------------------------------------------------------===//
#ifndef GPULTO_LTO_JOB_CACHEKEY_H
#define GPULTO_LTO_JOB_CACHEKEY_H

#include "lto/job/LtransJob.h"
#include "support/StableHash.h"

#include "llvm/ADT/StringRef.h"

namespace gpulto {

/// Returns \p job without what may differ between jobs with equal results: its
/// number and estimates, the locations of inputs and tools, and the digests
/// that say which inputs have changed (JobSymbol::contents).
LtransJob canonicalJob(const LtransJob &job);

/// \p optimizer: identityOfOptimizer().
Digest keyOfInputs(const LtransJob &job, const Digest &optimizer);

/// \p bodies: their digest from buildPartition.
Digest keyOfBodies(const LtransJob &job, const Digest &bodies,
                   const Digest &optimizer);

/// \p content: the digest of an intermediate result of a job.
Digest keyOfIntermediate(const Digest &content, const Digest &optimizer);

} // namespace gpulto

#endif // GPULTO_LTO_JOB_CACHEKEY_H
