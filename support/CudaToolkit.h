//===- CudaToolkit.h - Where the CUDA toolkit is ----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_SUPPORT_CUDATOOLKIT_H
#define GPULTO_SUPPORT_CUDATOOLKIT_H

#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/Twine.h"

#include <optional>
#include <string>

namespace gpulto {

/// The file that marks a tree of `gpulto cuda-home`, in its root; it holds the
/// path of the toolkit that the tree leads to.
inline constexpr llvm::StringLiteral kCudaHomeMark = ".gpulto-cuda-home";

/// Whether \p root holds the headers of a CUDA toolkit.
bool isCudaToolkit(const llvm::Twine &root);

/// Returns the toolkit that is used when nobody names one: CUDA_PATH, that of
/// nvcc on PATH, /usr/local/cuda, and \p configured, the one known when gpulto
/// was built; of those that are none the next. Empty: there is none.
std::string defaultCudaToolkit(llvm::StringRef configured);

/// Returns the toolkit that the tree of `gpulto cuda-home` in \p root leads to.
/// Nothing: it is no such tree.
std::optional<std::string> toolkitOfCudaHome(llvm::StringRef root);

/// Returns the tree of `gpulto cuda-home` in which \p program is, or a link
/// that it leads through; links in the result are followed. \p program: a path,
/// or a name to be looked for on PATH. Empty: it is in none.
std::string cudaHomeOf(llvm::StringRef program);

} // namespace gpulto

#endif // GPULTO_SUPPORT_CUDATOOLKIT_H
