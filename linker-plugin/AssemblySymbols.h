//===- AssemblySymbols.h - What module assembly refers to -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef GPULTO_LINKER_PLUGIN_ASSEMBLYSYMBOLS_H
#define GPULTO_LINKER_PLUGIN_ASSEMBLYSYMBOLS_H

#include "lto/Pipeline.h"

namespace gpulto {

/// Marks as visible to native code every symbol of \p inputs that the module
/// assembly of some input defines or refers to. Linkers see all of an input as
/// bitcode, so their resolutions do not say that assembly, which nobody
/// analyses, uses the name. Called by each door once its inputs are complete.
void markAssemblySymbols(LinkInputs &inputs);

} // namespace gpulto

#endif // GPULTO_LINKER_PLUGIN_ASSEMBLYSYMBOLS_H
