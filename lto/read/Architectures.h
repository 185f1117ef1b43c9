//===- Architectures.h - One device image per architecture ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// The driver takes one image of a program for a GPU and looks for all kernels
// in it, so each image must hold the device code of every translation unit.
// Units compiled for different architectures are brought together as the
// driver does it with PTX: code for an architecture runs on all later ones.
//
//   a.o  sm_80 sm_90      images  sm_80: a b     sm_90: a b
//   b.o  sm_80                    (b's code for sm_80 is compiled for sm_90)
//
// Architectures with an `a` (sm_90a) promise no such thing: such an image can
// be made of code for plain ones, but not the other way round. Code for one
// with an `f` (sm_120f) does for later ones with a letter of its family
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

/// Returns the architectures of the device modules in \p modules that hold
/// anything, each once, sorted. They point to where the modules' names do.
std::vector<llvm::StringRef> architecturesOf(llvm::ArrayRef<WpaModule> modules);

/// Gives each translation unit of \p modules that has device code a module for
/// every one of \p architectures: copies of that for the latest architecture
/// whose code runs there, with a remark. Modules for others are dropped. Those
/// of a unit stand together. Errors: a unit has none, with the object's name.
llvm::Error completeArchitectures(std::vector<WpaModule> &modules,
                                  llvm::ArrayRef<llvm::StringRef> architectures,
                                  Diagnostics &diagnostics);

} // namespace gpulto

#endif
