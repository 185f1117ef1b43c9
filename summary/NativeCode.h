//===- NativeCode.h - Device code without bitcode ---------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Relocatable device code of another compiler that is linked into an image. WPA
// knows only what a linker knows about it: names.
//
//===----------------------------------------------------------------------===//
#ifndef GPULTO_SUMMARY_NATIVECODE_H
#define GPULTO_SUMMARY_NATIVECODE_H

#include "support/Error.h"

#include <string>
#include <vector>

namespace gpulto {

/// A global symbol of native device code.
struct NativeSymbol {
  enum class Kind : uint8_t { Function, Kernel, Variable };
  std::string name;
  Kind kind = Kind::Function;
  bool isDefined = false;
  bool isWeak = false;
};

/// The device code of one unit for one architecture.
struct NativeCode {
  InputLocation location;
  std::string arch; ///< of the image: `sm_90`
  std::vector<NativeSymbol> symbols;
  /// Whether it also has PTX, so that the image can be PTX.
  bool hasPtx = false;
};

} // namespace gpulto

#endif
