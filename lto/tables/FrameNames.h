//===- FrameNames.h - Name the frames of a linked program -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_LTO_TABLES_FRAMENAMES_H
#define GPULTO_LTO_TABLES_FRAMENAMES_H

#include "lto/tables/FoldTable.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBufferRef.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace gpulto {

/// The function of one frame: one name; or several, one of which is right; or
/// none, outside of the program's functions. Mangled names of the source.
using FrameName = std::vector<std::string>;

/// Symbols, folds and call sites of a linked program.
class FrameNames {
public:
  /// Reads \p file, an ELF program; without folds it has only symbols. Errors:
  /// not an ELF file, or damaged tables; they name \p where.
  static llvm::Expected<FrameNames> read(llvm::MemoryBufferRef file,
                                         const InputLocation &where);

  /// Returns the names of the frames of a stack, innermost first. \p addresses
  /// are those of the file: for the first frame its current address, for the
  /// others their return addresses. Nothing is guessed: a shared body entered
  /// by a tail call, a call through a pointer, or an unknown caller has the
  /// names of all its functions.
  std::vector<FrameName> name(llvm::ArrayRef<uint64_t> addresses) const;

  /// Calls \p visit with the address and the name of each function's symbol.
  void forEachSymbol(
      llvm::function_ref<void(uint64_t, const std::string &)> visit) const {
    for (const auto &[address, symbol] : symbols)
      for (const std::string &name : symbol.names)
        visit(address, name);
  }

  /// Returns the source names of the kernel that profilers call \p name, itself
  /// first; only \p name if no other was folded into it. Mangled.
  FrameName kernelsNamed(llvm::StringRef name) const;

  /// Returns the kernels whose handle is at \p address, mangled; none if it is
  /// not a handle. Launches of a folded kernel use its leader's.
  FrameName kernelsOfHandle(uint64_t address) const;

private:
  struct Symbol {
    uint64_t end = 0;
    /// Several if the linker has folded machine code (--icf=), or for aliases.
    std::vector<std::string> names;
  };
  /// A row of the table of folds. Here, rows are identified by position.
  struct Row {
    size_t fold = 0;
    std::string name;
    /// A frame of the leader may belong to it.
    bool isShared = false;
  };
  /// A call, by numbers of rows.
  struct Site {
    uint32_t callee = kNone;
    /// In a shared body: members that call another function, and which.
    std::vector<std::pair<uint32_t, uint32_t>> others;
    /// The linker has folded bodies with different callees here; \c others has
    /// them all.
    bool isSeveral = false;
    bool operator==(const Site &) const = default;
  };
  using Sites = std::map<uint64_t, Site>; // by return address

  llvm::Error readCallSites(llvm::StringRef contents,
                            const InputLocation &where);
  void addSites(const Sites &group);
  llvm::ArrayRef<std::string> symbolsAt(uint64_t address) const;
  using RowNumbers = llvm::SmallVector<uint32_t, 4>;
  const Site *siteAt(uint64_t address) const;
  RowNumbers calleesAt(const Site &site,
                       llvm::ArrayRef<uint32_t> callers) const;
  std::vector<size_t> classesOf(llvm::StringRef symbol) const;
  RowNumbers rowsCalled(llvm::ArrayRef<std::string> symbols,
                        llvm::ArrayRef<uint32_t> called) const;
  RowNumbers rowsShared(llvm::StringRef symbol) const;

  std::map<uint64_t, Symbol> symbols; // by address
  FoldTable folds;
  std::vector<Row> rows;
  /// By the numbers that call sites use.
  std::map<uint32_t, uint32_t> rowOf;
  Sites callSites;
  /// Classes of the host by the names of the symbols that enter their body.
  std::multimap<std::string, size_t> classOf;
};

} // namespace gpulto

#endif
