//===- NativeCode.h - Code without bitcode ----------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Of native code that is linked with ours, WPA knows only what a linker knows:
// names. NativeCode is relocatable device code of another compiler that is
// linked into an image.
//
//===----------------------------------------------------------------------===//
#ifndef GPULTO_SUMMARY_NATIVECODE_H
#define GPULTO_SUMMARY_NATIVECODE_H

#include "support/Error.h"

#include <set>
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

/// What is known of a link's native host code, which has no summary.
struct NativeHostCode {
  /// What is linked that may use the device and is no library of the system, as
  /// a clause; empty: there is none.
  std::string foreignCode{};
  /// Names of CUDA's runtime that it defines.
  std::set<std::string> runtime{};
  /// Names like those of CUDA that it uses.
  std::set<std::string> uses{};
};

} // namespace gpulto

#endif
