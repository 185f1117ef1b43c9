//===- CacheKey.h - What a job's results depend on --------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// A job has two keys. Both hold all that was decided, the options and the
// programs that run; what they hold of the inputs differs:
//
//   keyOfInputs   the modules that the job reads, as wholes. Known before
//                 anything is read.
//   keyOfBodies   what the job has taken out of them: the partition's module
//                 before the first decision is carried out. An edit of what the
//                 job does not read leaves it as it is.
//
// Neither holds where things are: paths, offsets, the number of the job.
//
//===----------------------------------------------------------------------===//
#ifndef GPULTO_LTO_JOB_CACHEKEY_H
#define GPULTO_LTO_JOB_CACHEKEY_H

#include "lto/job/LtransJob.h"
#include "support/StableHash.h"

#include "llvm/ADT/StringRef.h"

namespace gpulto {

/// Returns \p job without all that may differ between jobs of equal results:
/// its number and estimates, where inputs and tools lie, what has not changed
/// of them (JobSymbol::contents).
LtransJob canonicalJob(const LtransJob &job);

/// \p optimizer: identityOfOptimizer().
Digest keyOfInputs(const LtransJob &job, const Digest &optimizer);

/// \p bodies: what buildPartition says of them.
Digest keyOfBodies(const LtransJob &job, const Digest &bodies,
                   const Digest &optimizer);

/// \p content: of what a job makes on its way to its results.
Digest keyOfIntermediate(const Digest &content, const Digest &optimizer);

} // namespace gpulto

#endif // GPULTO_LTO_JOB_CACHEKEY_H
