//===- SourcePlaces.h - Where code stands in the source ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_IPA_BODIES_SOURCEPLACES_H
#define GPULTO_IPA_BODIES_SOURCEPLACES_H

#include "summary/Record.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"

#include <optional>

namespace llvm {
class Argument;
class CallBase;
class DIFile;
class DILocalScope;
class DILocation;
class Function;
class Module;
class StringSaver;
} // namespace llvm

namespace gpulto {

struct ModuleSummary;

/// The places of a module's functions and calls in the source, and the names of
/// parameters there. All is read when it is made, so that debug information may
/// be dropped afterwards.
class SourcePlaces {
public:
  /// Adds files and names to \p summary; \p strings owns them.
  SourcePlaces(const llvm::Module &module, ModuleSummary &summary,
               llvm::StringSaver &strings);

  /// Returns where \p function is defined.
  SourcePlace of(const llvm::Function &function) const {
    return functions.lookup(&function);
  }
  /// Returns the place of \p call. If it was inlined, that is the place of the
  /// innermost call that stands in the file that the unit is named after, or
  /// else of the outermost call.
  SourcePlace of(const llvm::CallBase &call) const {
    return calls.lookup(&call);
  }
  /// Returns ParameterRecord::name of \p argument.
  uint32_t nameOf(const llvm::Argument &argument) const {
    return names.lookup(&argument);
  }

private:
  void addNames(const llvm::Function &function);
  SourcePlace placeOf(const llvm::DILocation *where);
  std::optional<uint16_t> fileNumber(const llvm::DILocalScope &scope);
  uint32_t nameNumber(llvm::StringRef name);

  ModuleSummary &summary;
  llvm::StringSaver &strings;
  // Looked up only, never iterated.
  llvm::DenseMap<const llvm::Function *, SourcePlace> functions;
  llvm::DenseMap<const llvm::CallBase *, SourcePlace> calls;
  llvm::DenseMap<const llvm::Argument *, uint32_t> names;
  llvm::DenseMap<const llvm::DIFile *, uint16_t> fileNumbers;
  llvm::StringMap<uint32_t> nameNumbers;
};

/// Drops the names of all values in \p module that are not symbols: no later
/// stage has a use for them. Returns whether there were any.
bool dropLocalNames(llvm::Module &module);

} // namespace gpulto

#endif
