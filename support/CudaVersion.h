//===- CudaVersion.h - The version of a CUDA toolkit ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_SUPPORT_CUDAVERSION_H
#define GPULTO_SUPPORT_CUDAVERSION_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/VersionTuple.h"

#include <optional>
#include <string>

namespace gpulto {

/// Returns the release of the CUDA toolkit in \p root (13.0): from
/// version.json, else from include/cuda.h, else from its ptxas. Nothing if none
/// of them says.
std::optional<llvm::VersionTuple> cudaVersion(llvm::StringRef root);

/// Returns the version of the compilers of the toolkit in \p root in nvcc's
/// form (13.0.88): from its ptxas, else as cudaVersion.
std::optional<llvm::VersionTuple> cudaCompilerVersion(llvm::StringRef root);

/// Returns the release (13.0) that \p program, ptxas or nvlink, reports;
/// nothing if it reports none.
std::optional<llvm::VersionTuple> cudaToolRelease(llvm::StringRef program);

/// Returns a warning if the toolkit in \p root, of release \p version, is newer
/// or older than those gpulto was tested with; otherwise an empty string.
std::string cudaVersionWarning(llvm::StringRef root,
                               const llvm::VersionTuple &version);

} // namespace gpulto

#endif
