//===- Door.h - What every door does around the pipeline --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef GPULTO_LINKER_PLUGIN_DOOR_H
#define GPULTO_LINKER_PLUGIN_DOOR_H

#include "linker-plugin/HostHalf.h"
#include "linker-plugin/LinkOptionsReader.h"
#include "lto/Pipeline.h"
#include "support/Diagnostics.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/LTO/LTO.h"
#include "llvm/Support/Error.h"

namespace gpulto {

/// Appends \p object to \p inputs. \p input is its symbol table, \p resolutions
/// what the linker decided of each symbol in it, and \p joined what stands
/// behind the table when that was several bitcode files, else null.
void addInput(LinkInputs &inputs, LinkObject object,
              const llvm::lto::InputFile &input,
              llvm::ArrayRef<llvm::lto::SymbolResolution> resolutions,
              const JoinedBitcode *joined);

/// Runs the pipeline on \p inputs, complete now, and writes the file of
/// remarks that \p options ask for. First marks as
/// visible to native code every symbol that the module assembly of some input
/// defines or refers to: linkers take all of an input for bitcode, so their
/// resolutions do not say that assembly, which nobody analyses, uses a name.
/// Errors: those of runLink, and files that cannot be written.
llvm::Expected<LinkOutputs> runPipeline(LinkInputs &inputs,
                                        const ParsedLinkOptions &options,
                                        Diagnostics &diagnostics);

} // namespace gpulto

#endif // GPULTO_LINKER_PLUGIN_DOOR_H
