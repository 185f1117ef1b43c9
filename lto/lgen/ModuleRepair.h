//===- ModuleRepair.h - What clang leaves wrong in modules ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// LGEN's passes repair modules of our own compiles. Those of stock clang stay
// on disk as they are: each reader (LGEN at link time, LTRANS) repairs its own
// copy, in the same way, before it looks at anything.
//
//===----------------------------------------------------------------------===//
#ifndef GPULTO_LTO_LGEN_MODULEREPAIR_H
#define GPULTO_LTO_LGEN_MODULEREPAIR_H

#include "llvm/ADT/StringRef.h"

#include <cstdint>

namespace llvm {
class Module;
}

namespace gpulto {

/// Puts before each kernel stub a word that is unique to this kernel: the
/// stub's address is the kernel's handle, and two stubs with equal code must
/// stay distinct under a linker's --icf=all. Returns whether \p module was
/// changed.
bool makeStubsUnique(llvm::Module &module);

/// clang names a static device variable that host code uses
/// `x__static__<unit>`, so that the host finds it. A kernel that clang saw
/// before that use still refers to plain `x`, which nobody defines. Joins the
/// two. Returns whether \p module was changed.
bool joinRenamed(llvm::Module &module);

/// clang lists the device symbols that host code uses, on both sides, in the
/// order of a hash of pointers, which differs from run to run, and declares
/// those defined elsewhere in that order. Sorts them by name. Returns whether
/// there is such a list.
bool sortExternallyUsed(llvm::Module &module);

/// Vtables of abstract classes refer to functions of the C++ runtime that
/// report a call of a pure virtual function; the device has no such library.
/// Defines those that \p module refers to, weakly, as a trap. Returns whether
/// \p module was changed.
bool definePureVirtual(llvm::Module &module);

/// Declares the attributes of nvcc that clang does not know, which
/// gpulto-nvcc.h (tools/driver/cuda-shim) writes as annotations of kernels.
/// Returns whether \p module was changed.
bool declareNvccAttributes(llvm::Module &module);

/// Declares \p registers as the most registers of a thread for kernels of \p
/// module that set neither their registers nor their block size: the meaning of
/// ptxas's --maxrregcount, given to the compile of one file. Returns whether \p
/// module was changed.
bool limitRegisters(llvm::Module &module, uint32_t registers);

/// The metadata of an atomic operation that orders nothing on the device,
/// whatever its ordering says: one of CUDA's atomic functions, which clang 22
/// makes sequentially consistent. gpulto-clang++ marks them where clang makes
/// them (tools/driver/DriverRelaxedAtomics.cpp). The optimizer still sees the
/// order; only code generation removes it (lto/device/DeviceAtomics).
inline constexpr char kRelaxedAtomic[] = "gpulto.relaxed";

/// clang marks all inline assembly of device code convergent. Removes that from
/// assembly that only computes in registers of its thread. Returns whether \p
/// module was changed.
bool dropNeedlessConvergence(llvm::Module &module);

/// clang's headers use video instructions for arithmetic on the bytes of a
/// word, which today's GPUs do not have. Replaces those that are faster without
/// them. Returns whether \p module was changed.
bool replaceVideoInstructions(llvm::Module &module);

/// Gives definitions under `#pragma clang section` an explicit section. The
/// pragma leaves attributes that only code generation looks at, so passes that
/// make a variable constant, or create another one, would move it. Returns
/// whether \p module was changed.
bool placeByPragmas(llvm::Module &module);

/// clang declares `extern const int limit;` as a constant, though its
/// definition may have a dynamic initializer. A value read before the
/// initializer ran would then be reused afterwards, and readers would seem to
/// touch no memory. Removes the property, except from what the compiler itself
/// defines (virtual tables, type information). LTRANS restores it where the
/// definition is constant. Returns whether \p module was changed.
bool doubtForeignConstants(llvm::Module &module);

/// For a unit without relocatable device code: other units may have host
/// symbols with the names of its shadow variables, since they may have other
/// device variables with these names. Makes the shadows weak, so that no linker
/// refuses them, and hides them and the stubs of kernel templates, so that
/// those of another program are not used. Returns whether \p module was
/// changed.
bool confineRegistered(llvm::Module &module);

/// Upgrades the output of an older clang to this LLVM's form: kernels and their
/// bounds, which were metadata, module flags, and the layout of device data,
/// which now specifies more. Each reader does it before it compares modules and
/// repairs them. Source: LLVM's BitcodeReader::materializeModule, which does
/// this only for modules that are read completely, and not the last of these.
void upgradeStockModule(llvm::Module &module);

/// Applies to \p module, from stock clang of this or an older release, the
/// repairs of LGEN's passes, except those of instructions, and drops the copies
/// of device code and bitcode embedded in it. Reads no function body: \p module
/// may be loaded lazily, if its metadata has been read. Unnamed values get the
/// names that clang's pre-link pipeline gives.
void repairStockModule(llvm::Module &module);

} // namespace gpulto

#endif
