//===- LinkInputs.h - Inputs of a link, from its linker ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_LTO_LINK_LINKINPUTS_H
#define GPULTO_LTO_LINK_LINKINPUTS_H

#include "lto/link/CodegenOptions.h"
#include "lto/link/OutputKind.h"
#include "summary/NativeCode.h"

#include <cstdint>
#include <string>
#include <vector>

namespace gpulto {

/// What the linker decided about one symbol of one input; the flags are those
/// of llvm::lto::SymbolResolution, without ExportDynamic: a symbol for the
/// dynamic symbol table is visible to regular objects; other symbols may be
/// left out of it (GlobalValue::canBeOmittedFromSymbolTable).
struct LinkSymbol {
  std::string irName; // empty for symbols of module assembly
  std::string name;
  /// Which of the input's bitcode files has it; above 0 only after `ld -r`.
  uint32_t unit = 0;
  bool prevailing = false;
  bool finalDefinition = false;
  bool visibleToRegularObject = false;
  bool linkerRedefined = false;
};

/// One input with host bitcode that the linker took into the program.
struct LinkObject {
  /// File, and for an archive member its name and the offset of the member's
  /// contents in the archive.
  std::string path;
  std::string member;
  uint64_t memberOffset = 0;
  /// The archive, possibly thin, in which the linker found it; empty: none.
  std::string archive;
  std::vector<LinkSymbol> symbols;
};

struct LinkInputs {
  std::vector<LinkObject> objects; // in the linker's order
  /// Native objects that nvcc made, without symbols, in the linker's order.
  std::vector<LinkObject> nvccObjects;
  /// Archives on the command line, in order. Members that the host did not need
  /// are searched for device symbols that are still undefined.
  std::vector<std::string> archives;
  OutputKind output = OutputKind::Executable;
  HostCodegenOptions codegen;
  std::vector<std::string> llvmOptions; ///< as in LtransJob
  /// Set by code that knows all inputs of the link.
  NativeHostCode native = {
      "it is not known which native code is linked", {}, {}};
};

} // namespace gpulto

#endif // GPULTO_LTO_LINK_LINKINPUTS_H
