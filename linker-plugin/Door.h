//===- Door.h - The common part of all doors --------------------*- C++ -*-===//
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
/// what the linker decided about each symbol in it, and \p joined the bitcode
/// files behind the table if there are several, otherwise null.
void addInput(LinkInputs &inputs, LinkObject object,
              const llvm::lto::InputFile &input,
              llvm::ArrayRef<llvm::lto::SymbolResolution> resolutions,
              const JoinedBitcode *joined);

/// What a door hands to its linker; nothing if a build file was made.
struct DoorOutputs {
  LinkOutputs link;
  /// Further objects for the program, linked after the others: the stamp and
  /// FarDeviceCode's marks.
  std::vector<NativeObject> behind;
};

/// Warns about \p natives, as \p options ask. Then runs the pipeline on the now
/// complete \p inputs, if there are any, writes the file of remarks that \p
/// options ask for, and makes the stamp. Applies \p settings for symbols to the
/// objects. After errors in \p diagnostics nothing is made. First marks every
/// symbol that module assembly of some input defines or refers to as visible to
/// native code: linkers take all of an input for bitcode, so their resolutions
/// do not say that assembly, which is not analyzed, uses a name. Errors: those
/// of runLink, and files that cannot be written.
llvm::Expected<DoorOutputs> runPipeline(LinkInputs &inputs,
                                        const NativeInputs &natives,
                                        const LinkerSettings &settings,
                                        const ParsedLinkOptions &options,
                                        Diagnostics &diagnostics);

} // namespace gpulto

#endif // GPULTO_LINKER_PLUGIN_DOOR_H
