//===- SourceName.h - Functions as their source calls them ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_LTO_JOB_SOURCENAME_H
#define GPULTO_LTO_JOB_SOURCENAME_H

#include "llvm/ADT/StringRef.h"

#include <string>

namespace gpulto {

/// Returns the qualified name of the function \p symbol, demangled, without its
/// parameters and without template arguments: one name for all instances of a
/// template, `ns::Table<...>::find`. A symbol that is not mangled, or not that
/// of a function, is returned unchanged.
std::string sourceName(llvm::StringRef symbol);

} // namespace gpulto

#endif // GPULTO_LTO_JOB_SOURCENAME_H
