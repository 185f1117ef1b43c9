//===- NvccObject.h - Objects that nvcc compiled ----------------*- C++ -*-===//
//
// Part of gpulto.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What nvcc (13.0) puts into a host object, by option:
//
//   (none)      a linked fat binary in .nv_fatbin, which a constructor
//               registers: nothing is left to a linker
//   -rdc=true   relocatable code in __nv_relfatbin; a constructor calls
//               __cudaRegisterLinkedBinary_<id>, which a device link defines
//   -dlink      the linked fat binary in .nv_fatbin, and these functions
//
// The section __nv_module_id is in all of them.
//
//===----------------------------------------------------------------------===//

#ifndef GPULTO_FATOBJ_NVCCOBJECT_H
#define GPULTO_FATOBJ_NVCCOBJECT_H

#include "fatobj/DeviceImage.h"
#include "support/Error.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBufferRef.h"

#include <string>
#include <vector>

namespace gpulto {

/// The function that a unit's host code calls to register its device code,
/// without the unit's id.
inline constexpr llvm::StringLiteral kNvccRegister =
    "__cudaRegisterLinkedBinary";
/// The variable that describes a unit's relocatable code, without the id.
inline constexpr llvm::StringLiteral kNvccWrapper = "__fatbinwrap";

/// Nvcc's data in an object.
struct NvccObject {
  /// Ids (`_6305618c_4_a_cu_4b8d1af2`) of units that wait for a device link.
  std::vector<std::string> waiting;
  /// Ids of units whose device code this object, made by a device link, has.
  std::vector<std::string> linked;
  /// Relocatable device code, one for each unit.
  std::vector<Fatbinary> code;
};

/// Returns whether \p file is an ELF object from nvcc, or one that a linker
/// made from such objects. False for anything malformed. Reads headers only.
bool isNvccObject(llvm::MemoryBufferRef file);

/// Reads nvcc's data in the ELF object \p file; nothing, without error, if nvcc
/// did not make it. Errors: malformed.
llvm::Expected<NvccObject> readNvccObject(llvm::MemoryBufferRef file,
                                          const InputLocation &where);

} // namespace gpulto

#endif // GPULTO_FATOBJ_NVCCOBJECT_H
