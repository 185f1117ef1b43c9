//===- LinkStamp.h - The stamp's entries for the pipeline -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_LTO_READ_LINKSTAMP_H
#define GPULTO_LTO_READ_LINKSTAMP_H

#include "fatobj/FatObjectReader.h"
#include "lto/link/LinkInputs.h"
#include "lto/link/LinkOptions.h"
#include "lto/tables/Stamp.h"
#include "lto/wpa/Wpa.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"

#include <string>
#include <utility>
#include <vector>

namespace gpulto {

/// Returns the kind of bitcode in \p object; an object without units and
/// records is bitcode itself.
StampForm formOf(const FatObject &object);

/// Returns the entry for the input at \p where, whose bitcode is used. \p
/// object: as for formOf.
StampInput describeInput(const InputLocation &where, const FatObject &object);

/// Returns the stamps that the object \p file carries, which are in the output
/// of `ld -r` for \p object. Errors: damaged.
llvm::Expected<std::vector<Stamp>> stampsOfInput(const FatObject &object,
                                                 llvm::MemoryBufferRef file,
                                                 const InputLocation &where);

/// Adds to \p input the architectures of the device code among \p modules.
void addDevices(llvm::ArrayRef<WpaModule> modules, StampInput &input);

/// Returns what ran, and how, in the form of Stamp.
std::vector<std::pair<std::string, std::string>>
describeStages(const LinkPlan &plan, const LinkInputs &inputs,
               const LinkOptions &options);

} // namespace gpulto

#endif // GPULTO_LTO_READ_LINKSTAMP_H
