//===- ManagedVariables.h - __managed__ variables ---------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// clang does not know managed variables in CUDA sources. gpulto-nvcc.h puts
// them into a named section; here they take the form that nvcc gives them, so
// that objects of both link together:
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

/// The section of managed variables: it holds the variables in clang's output,
/// and the host's pointers here and in nvcc's objects.
inline constexpr llvm::StringLiteral kManagedSection = "__nv_managed_data__";

/// The function that fills the pointers to managed variables.
inline constexpr llvm::StringLiteral kInitManaged = "__gpulto_init_managed";

/// Gives the managed variables of the device module \p module
/// kManagedAttribute. Returns whether there are any.
bool markManaged(llvm::Module &module);

/// Marks the managed variables of \p module for NVPTX, just before code
/// generation: nvlink requires their declarations and definitions to agree.
void declareManaged(llvm::Module &module);

/// Turns the managed variables of the host module \p module into pointers, and
/// makes all uses go through these. Reports uses that cannot: their address in
/// a thread-local variable, an alias of one. Returns whether there are any.
bool pointToManaged(llvm::Module &module);

} // namespace gpulto

#endif
