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

/// The file that marks the root of a tree of `gpulto cuda-home`. It holds the
/// path of the toolkit that the tree links to.
inline constexpr llvm::StringLiteral kCudaHomeMark = ".gpulto-cuda-home";

/// Whether \p root holds the headers of a CUDA toolkit.
bool isCudaToolkit(const llvm::Twine &root);

/// Returns the toolkit used by default: the first that is a toolkit of
/// CUDA_PATH, that of nvcc on PATH, /usr/local/cuda, \p configured, the one
/// known when gpulto was built, and, if gpulto was installed from a wheel, that
/// of NVIDIA's wheels beside it. Empty if there is none.
std::string defaultCudaToolkit(llvm::StringRef configured);

/// Returns the toolkit of NVIDIA's wheels in the environment that \p program,
/// the path of gpulto-toolchain, was installed into as a wheel. Empty if it was
/// not, or there is none.
std::string toolkitOfWheels(llvm::StringRef program);

/// Returns the toolkit that the tree of `gpulto cuda-home` in \p root links to;
/// nothing if it is not such a tree.
std::optional<std::string> toolkitOfCudaHome(llvm::StringRef root);

/// Returns the tree of `gpulto cuda-home` that contains \p program, or a link
/// that \p program leads through; links in the result are resolved. \p program
/// is a path, or a name to look up on PATH. Empty if there is no such tree.
std::string cudaHomeOf(llvm::StringRef program);

} // namespace gpulto

#endif // GPULTO_SUPPORT_CUDATOOLKIT_H
