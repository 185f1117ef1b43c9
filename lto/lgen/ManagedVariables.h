//===- ManagedVariables.h - __managed__ as nvcc has it ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// clang knows no managed variables in CUDA sources. gpulto-nvcc.h puts them
// into a section of a name; here they become what nvcc makes of them, so that
// objects of both link together:
//
//   __managed__ int x = 5;        device: .global .attribute(.managed) x = 5
//                                 host:   int *x; // in __nv_managed_data__
//   x + 1                         host:   (x ? x : (init(), x))[0] + 1
//   int *p = &x;                  host:   a constructor stores the address
//
// The runtime fills the host's pointer, which __cudaRegisterManagedVar names,
// when __cudaInitModule is called; init() is a function of the link's
// registration object that does so for the fat binaries of the program or
// shared library (lto/devicelink/Registration).
//
// Source: what nvcc 13.0 writes (`nvcc --keep`) and crt/host_runtime.h.
//
//===----------------------------------------------------------------------===//
#ifndef GPULTO_LTO_LGEN_MANAGEDVARIABLES_H
#define GPULTO_LTO_LGEN_MANAGEDVARIABLES_H

#include "llvm/ADT/StringRef.h"

namespace llvm {
class Module;
}

namespace gpulto {

/// The section of managed variables: of themselves in what clang makes, of the
/// host's pointers here and in nvcc's objects.
inline constexpr llvm::StringLiteral kManagedSection = "__nv_managed_data__";

/// The function that fills the pointers to managed variables.
inline constexpr llvm::StringLiteral kInitManaged = "__gpulto_init_managed";

/// Gives the managed variables of the device module \p module
/// kManagedAttribute. Returns whether there are any.
bool markManaged(llvm::Module &module);

/// Tells NVPTX of the managed variables of \p module, just before code
/// generation: nvlink wants their declarations and definitions to agree.
void declareManaged(llvm::Module &module);

/// Makes the managed variables of the host module \p module pointers, and all
/// that uses them go through these. Reports what cannot: their address in a
/// thread's own variable, an alias of one. Returns whether there are any.
bool pointToManaged(llvm::Module &module);

} // namespace gpulto

#endif
