//===- CombinedModule.h - One module of a link ------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_SUMMARY_COMBINEDMODULE_H
#define GPULTO_SUMMARY_COMBINEDMODULE_H

#include "summary/ModuleSummary.h"
#include "support/Error.h"

#include <cstdint>
#include <string>
#include <vector>

namespace gpulto {

/// What the linker decided about a host symbol; see lto/link/LinkInputs.h.
enum ResolutionFlag : uint8_t {
  kPrevailing = 1u << 0,
  kFinalDefinition = 1u << 1,
  kVisibleToRegular = 1u << 2,
  kLinkerRedefined = 1u << 3,
  /// The linker has resolved this symbol.
  kResolved = 1u << 4,
};

/// One module in the program.
struct CombinedModule {
  ModuleSummary summary;
  ImageIndex image = kHostImage;
  /// Number of the input object that holds the module: the same for the host
  /// module and the device modules of one translation unit.
  uint32_t object = 0;
  GlobalId firstSymbol = 0;
  /// For messages.
  InputLocation location;
  /// Host only: resolution of each symbol.
  std::vector<uint8_t> resolution;
  /// Unique in the link; see JobInput::tag.
  std::string tag;
};

} // namespace gpulto

#endif
