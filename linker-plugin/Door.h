//===- Door.h - What every door does around the pipeline --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef GPULTO_LINKER_PLUGIN_DOOR_H
#define GPULTO_LINKER_PLUGIN_DOOR_H

#include "linker-plugin/HostHalf.h"
#include "linker-plugin/LinkOptionsReader.h"
#include "linker-plugin/LinkerSettings.h"
#include "linker-plugin/NativeInputs.h"
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

/// What a link is given by its door; nothing, if a build file was made.
struct DoorOutputs {
  LinkOutputs link;
  /// What else goes into the program, to be linked behind the others: the stamp
  /// and FarDeviceCode's marks.
  std::vector<NativeObject> behind;
};

/// Speaks of \p natives, as \p options want; then runs the pipeline on
/// \p inputs, complete now, if there are any, writes the file of remarks that
/// \p options ask for, and makes the stamp. What \p settings say of symbols is
/// done to the objects. After errors in \p diagnostics nothing is made. First
/// marks as
/// visible to native code every symbol that the module assembly of some input
/// defines or refers to: linkers take all of an input for bitcode, so their
/// resolutions do not say that assembly, which nobody analyses, uses a name.
/// Errors: those of runLink, and files that cannot be written.
llvm::Expected<DoorOutputs> runPipeline(LinkInputs &inputs,
                                        const NativeInputs &natives,
                                        const LinkerSettings &settings,
                                        const ParsedLinkOptions &options,
                                        Diagnostics &diagnostics);

} // namespace gpulto

#endif // GPULTO_LINKER_PLUGIN_DOOR_H
