//===- WrappedSymbols.h - The linker's --wrap on bitcode --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// `--wrap=f` makes an object that uses but does not define `f` use `__wrap_f`,
// and makes `__real_f` mean `f`. The linker does so object by object, so it
// must be done to bitcode before objects are merged, and undone for what the
// merged objects leave to the linker:
//
//   reading a unit        undefined f -> __wrap_f, undefined __real_f -> f,
//                         in assembly the former alone
//   finishing a partition f, defined elsewhere -> __real_f
//
// Limit: in objects that `ld -r` joined, each unit counts as an object.
//
//===----------------------------------------------------------------------===//
#ifndef GPULTO_LTO_PARTITION_WRAPPEDSYMBOLS_H
#define GPULTO_LTO_PARTITION_WRAPPEDSYMBOLS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <string>

namespace llvm {
class GlobalValue;
class Module;
} // namespace llvm

namespace gpulto {

/// Returns the name that \p name, undefined in some unit, means under --wrap of
/// \p wrapped; empty if itself.
std::string nameUnderWrap(llvm::StringRef name,
                          llvm::ArrayRef<std::string> wrapped);

/// Renames undefined symbols of \p module, one unit, according to
/// nameUnderWrap.
void wrapSymbols(llvm::Module &module, llvm::ArrayRef<std::string> wrapped);

/// Makes the assembly of \p module, one unit, at module level and in \p bodies
/// name `__wrap_f` for `f`, unless the unit defines `f`: no linker would see a
/// use next to a definition.
void wrapAssembly(llvm::Module &module,
                  llvm::ArrayRef<llvm::GlobalValue *> bodies,
                  llvm::ArrayRef<std::string> wrapped);

/// Renames uses of \p wrapped that \p partition leaves to the linker so that
/// the linker does not wrap them (again).
void leaveToLinker(llvm::Module &partition,
                   llvm::ArrayRef<std::string> wrapped);

} // namespace gpulto

#endif
