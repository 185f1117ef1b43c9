//===- OffloadEntries.h - What host code registers --------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_IPA_RUNTIME_OFFLOADENTRIES_H
#define GPULTO_IPA_RUNTIME_OFFLOADENTRIES_H

#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <optional>

namespace llvm {
class GlobalValue;
class GlobalVariable;
} // namespace llvm

namespace gpulto {

/// Flags of an offload entry, as in llvm/Frontend/Offloading/Utility.h.
enum EntryFlag : uint32_t {
  kEntryKindMask = 0x7,
  kEntryManaged = 0x1,
  kEntrySurface = 0x2,
  kEntryTexture = 0x3,
  kEntryExtern = 1u << 3,
  kEntryConstant = 1u << 4,
  kEntryNormalized = 1u << 5,
};

/// An entry that clang makes for the offloading runtime of a kernel or a device
/// variable (llvm/Frontend/Offloading/Utility.h).
struct OffloadFields {
  const llvm::GlobalValue *address; ///< the stub, or the host's variable
  llvm::StringRef name;             ///< the device's name; lies in the module
  uint64_t size, flags, data;
};

/// Whether \p variable is such an entry with contents, in the section of clang
/// 19's or of later ones.
bool isOffloadEntry(const llvm::GlobalVariable &variable);

/// Returns the fields of the entry \p variable, as clang 19 or clang 22 lays
/// them out; nothing if it fits neither layout.
std::optional<OffloadFields>
offloadFields(const llvm::GlobalVariable &variable);

/// Whether \p name is what clang calls the stub of a kernel: the function of the
/// host that launches it, and whose address is its handle.
inline bool isStubName(llvm::StringRef name) {
  return name.contains("__device_stub__");
}

/// Marks \p entry, the entry of a variable, as that of a managed variable,
/// whose address is that of the pointer that the runtime fills.
void markManagedEntry(llvm::GlobalVariable &entry);

} // namespace gpulto

#endif
