//===- SymbolMarks.h - The symbols that a compiler wrote --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Tools that edit symbols (objcopy --redefine-sym, --weaken, ...) change only
// the native half of a fat object. So the record keeps a mark of each symbol
// that other objects can see, undefined ones too, as the compiler wrote it:
//
//   bits 0-1   visibility (STV_*)
//   bits 2-5   binding (STB_*)
//   bit  6     it is defined, or common
//   bits 8-63  of the xxh3 of its name
//
// After strip and `ld -r`, each symbol is still what some unit says: they drop
// unused symbols, and a linker joins what several units say about a name.
//
//===----------------------------------------------------------------------===//
#ifndef GPULTO_FATOBJ_SYMBOLMARKS_H
#define GPULTO_FATOBJ_SYMBOLMARKS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace gpulto {

class ElfObject;

inline constexpr size_t kSymbolMarkSize = sizeof(uint64_t);

/// A symbol that other objects can see.
struct MarkedSymbol {
  llvm::StringRef name;
  uint64_t mark = 0;
};

/// Returns the mark of \p name, given binding and visibility as ELF has them.
uint64_t symbolMark(llvm::StringRef name, unsigned binding, unsigned visibility,
                    bool isDefined);

/// Returns the symbols of \p object that are not local, in the order of its
/// table. Errors: malformed.
llvm::Expected<std::vector<MarkedSymbol>> markSymbols(const ElfObject &object);

/// Returns the marks of \p symbols as a record stores them, in their order.
std::string encodeMarks(llvm::ArrayRef<MarkedSymbol> symbols);

/// Returns whether \p symbols match \p marks, stored by encodeMarks, in the
/// same order.
bool areMarked(llvm::ArrayRef<MarkedSymbol> symbols, llvm::StringRef marks);

/// Returns a change to one of \p symbols, those of an object, that neither
/// strip nor `ld -r` makes, for a message: `renamed or added 'f'`; empty if
/// there is none. \p units are the marks of each unit in the object, \p names
/// the names that a missing symbol may have had. An object without any symbol
/// has been stripped.
std::string findSymbolChange(llvm::ArrayRef<MarkedSymbol> symbols,
                             llvm::ArrayRef<llvm::StringRef> units,
                             llvm::ArrayRef<llvm::StringRef> names);

} // namespace gpulto

#endif // GPULTO_FATOBJ_SYMBOLMARKS_H
