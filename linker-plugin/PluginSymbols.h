//===- PluginSymbols.h - Symbols between a plugin and its linker *- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// The plugin tells bfd and gold the symbols of a file that it claims, and they
// tell it what became of each (plugin-api.h of binutils). LLVM's symbol table
// of an object may list a name several times (module assembly next to IR,
// several files joined by `ld -r`); linkers get each name once, for its best
// entry.
//
//===----------------------------------------------------------------------===//
#ifndef GPULTO_LINKER_PLUGIN_PLUGINSYMBOLS_H
#define GPULTO_LINKER_PLUGIN_PLUGINSYMBOLS_H

#include "linker-plugin/PluginLinker.h"
#include "lto/Pipeline.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/LTO/LTO.h"

#include <deque>
#include <string>
#include <vector>

namespace gpulto {

/// The symbols of one claimed file as the linker gets and returns them. Does
/// not move: the linker's table points into it.
class PluginSymbols {
public:
  /// Lists the names of \p input, except the guard, which our links do not
  /// need.
  explicit PluginSymbols(const llvm::lto::InputFile &input);
  PluginSymbols(const PluginSymbols &) = delete;
  PluginSymbols &operator=(const PluginSymbols &) = delete;

  /// Makes the linker look for \p name, which generated code may use.
  void ask(llvm::StringRef name);

  /// The linker's table, to which it writes resolutions.
  std::vector<ld_plugin_symbol> &table() { return symbols; }

  /// Returns the resolution of \p name, which is in the table.
  ld_plugin_symbol_resolution resolution(llvm::StringRef name) const;

  /// Returns whether the linker knows \p name from this file.
  bool has(llvm::StringRef name) const { return indices.contains(name); }

private:
  std::vector<ld_plugin_symbol> symbols;
  std::deque<std::string> texts; ///< what the table points to
  llvm::StringMap<size_t> indices;
};

/// The combined properties of a name in all claimed files of a link.
struct ProgramSymbol {
  /// It is needed in the dynamic symbol table if it can be there: not all
  /// definitions are inline functions whose address means nothing.
  bool needsDynamic = false;
  bool isHidden = false; ///< by some file
};
using ProgramSymbols = llvm::StringMap<ProgramSymbol>;

/// Adds the properties from \p input to \p program.
void addToProgram(const llvm::lto::InputFile &input, ProgramSymbols &program);

/// Returns the resolution of each symbol of \p input according to \p symbols,
/// which the linker has resolved. \p used has names that the linker itself
/// needs: those that options use.
std::vector<llvm::lto::SymbolResolution>
resolutionsOf(const llvm::lto::InputFile &input, const PluginSymbols &symbols,
              const ProgramSymbols &program, const llvm::StringSet<> &used,
              OutputKind output);

} // namespace gpulto

#endif // GPULTO_LINKER_PLUGIN_PLUGINSYMBOLS_H
