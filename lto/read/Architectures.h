//===- Architectures.h - One device image per architecture ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// The driver takes one image of a program for a GPU and looks for all kernels
// in it, so each image must hold the device code of every translation unit.
// Units compiled for different architectures are combined as the driver does
// with PTX: code for an architecture runs on all later ones.
//
//   a.o  sm_80 sm_90      images  sm_80: a b     sm_90: a b
//   b.o  sm_80                    (b's code for sm_80 is compiled for sm_90)
//
// Architectures with an `a` (sm_90a) do not promise that: such an image can be
// made from code for plain ones, but not the reverse. Code for an architecture
// with an `f` (sm_120f) runs on later ones with a letter in its family
// (sm_121a).
//
//===----------------------------------------------------------------------===//
#ifndef GPULTO_LTO_READ_ARCHITECTURES_H
#define GPULTO_LTO_READ_ARCHITECTURES_H

#include "lto/wpa/Wpa.h"
#include "support/Diagnostics.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <vector>

namespace gpulto {

/// Returns whether code compiled for \p code runs on \p arch.
bool runsOn(llvm::StringRef code, llvm::StringRef arch);

/// Returns the architectures of the non-empty device modules in \p modules,
/// sorted and without duplicates. They point to the same memory as the modules'
/// names.
std::vector<llvm::StringRef> architecturesOf(llvm::ArrayRef<WpaModule> modules);

/// Gives each translation unit of \p modules with device code a module for each
/// of \p architectures: a copy of the module for the latest architecture whose
/// code runs there, with a remark. Drops modules for other architectures. The
/// modules of a unit are adjacent. Errors: a unit has no such module; they name
/// the object.
llvm::Error completeArchitectures(std::vector<WpaModule> &modules,
                                  llvm::ArrayRef<llvm::StringRef> architectures,
                                  Diagnostics &diagnostics);

} // namespace gpulto

#endif
