//===- GeometryReads.h - How device code asks for its launch ----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_IPA_RUNTIME_GEOMETRYREADS_H
#define GPULTO_IPA_RUNTIME_GEOMETRYREADS_H

#include <optional>

namespace gpulto {

/// A special register: a size of the geometry, or an index below it.
struct GeometryRead {
  unsigned component = 0; // Geometry
  bool isIndex = false;
};

/// Returns the part of the launch geometry that the intrinsic \p id (an
/// llvm::Intrinsic::ID) reads, if any.
std::optional<GeometryRead> geometryRead(unsigned id);

} // namespace gpulto

#endif
