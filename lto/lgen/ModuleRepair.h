//===- ModuleRepair.h - What clang leaves wrong in modules ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Modules that our own compiles make are repaired by LGEN's passes. Those of
// stock clang stay on disk as they are: each reader (LGEN at link time, LTRANS)
// repairs its own copy, in the same way, before it looks at anything.
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

/// Puts a word before each kernel stub that only this kernel's stub has: its
/// address is the kernel's handle, and two stubs with equal code must stay two
/// under a linker's --icf=all. Returns whether \p module was changed.
bool makeStubsUnique(llvm::Module &module);

/// clang names a static device variable that host code uses
/// `x__static__<unit>`, so that the host finds it; a kernel that it met before
/// that use still refers to plain `x`, which nobody defines. Joins the two.
/// Returns whether \p module was changed.
bool joinRenamed(llvm::Module &module);

/// clang lists the device symbols that host code uses, on both sides, in the
/// order of a hash of pointers, another one in each run, and declares those
/// that are defined elsewhere in that order. Sorts them by name. Returns
/// whether there is such a list.
bool sortExternallyUsed(llvm::Module &module);

/// Vtables of abstract classes refer to functions of the C++ runtime that
/// report a call of what has no body; the device has no such library. Defines
/// those that \p module refers to, weakly, as a trap. Returns whether \p module
/// was changed.
bool definePureVirtual(llvm::Module &module);

/// Declares what gpulto-nvcc.h (tools/driver/cuda-shim) writes as annotations
/// of kernels: the attributes of nvcc's that clang does not know. Returns
/// whether \p module was changed.
bool declareNvccAttributes(llvm::Module &module);

/// Declares \p registers as the most that a thread of the kernels of \p module
/// has, where a kernel says nothing of its registers and its block size: what
/// ptxas's --maxrregcount means, given to the compile of one file. Returns
/// whether \p module was changed.
bool limitRegisters(llvm::Module &module, uint32_t registers);

/// The metadata of a compare-and-exchange that orders nothing on the device,
/// whatever it says.
inline constexpr char kRelaxedExchange[] = "gpulto.relaxed";

/// CUDA's atomicCAS orders no other accesses; clang 22's header makes a
/// sequentially consistent cmpxchg of it, for which NVPTX adds fences. Marks
/// those with kRelaxedExchange. The optimizer still sees the order that all of
/// CUDA's atomic functions have in clang's IR; only code generation takes it
/// off. Returns whether \p module was changed.
bool markRelaxedExchanges(llvm::Module &module);

/// clang calls all inline assembly of device code convergent. Takes that off
/// assembly that only computes in registers of its thread. Returns whether \p
/// module was changed.
bool dropNeedlessConvergence(llvm::Module &module);

/// clang's headers write arithmetic on the bytes of a word with the video
/// instructions, which today's GPUs do not have. Replaces those that are faster
/// without. Returns whether \p module was changed.
bool replaceVideoInstructions(llvm::Module &module);

/// Gives what `#pragma clang section` speaks of an explicit section. The pragma
/// leaves attributes that nobody but code generation looks at: passes that make
/// a variable constant, or another one, move it. Returns whether \p module was
/// changed.
bool placeByPragmas(llvm::Module &module);

/// clang declares `extern const int limit;` as a constant, though its
/// definition may have an initializer that runs; what was read before it would
/// then be kept for what is read after it, and readers touch no memory. Takes
/// that back but for what the compiler itself defines (virtual tables, type
/// information). LTRANS says it again where the definition is constant. Returns
/// whether \p module was changed.
bool doubtForeignConstants(llvm::Module &module);

/// In a unit without relocatable device code, other units may have host symbols
/// of the names of its shadow variables, as they may have other device
/// variables of these names. Makes the shadows weak, so that no linker refuses
/// that, and hides them and the stubs of kernel templates, so that none of
/// another program is taken. Returns whether \p module was changed.
bool confineRegistered(llvm::Module &module);

/// Brings what an older clang wrote to this LLVM's form: kernels and their
/// bounds, which were metadata, module flags, and the layout of device data,
/// which by now says more of what there was not. Each reader does it before it
/// compares modules and repairs them. Source: LLVM's
/// BitcodeReader::materializeModule, which does this for modules that are read
/// at once alone, and not the last.
void upgradeStockModule(llvm::Module &module);

/// Does what LGEN's passes would have done to \p module, which stock clang
/// made, this release's or an older one's, but for what concerns instructions,
/// and drops the copies of device code and bitcode that are embedded in it.
/// Reads no function body: \p module may be a lazily loaded one, whose metadata
/// has been read. The names of what has none are those that clang's pre-link
/// pipeline gives.
void repairStockModule(llvm::Module &module);

} // namespace gpulto

#endif
