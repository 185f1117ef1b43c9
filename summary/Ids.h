//===- Ids.h - Numbers of symbols, modules and images -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_SUMMARY_IDS_H
#define GPULTO_SUMMARY_IDS_H

#include <cstdint>

namespace gpulto {

/// Index of a symbol within its module.
using SymbolIndex = uint32_t;
/// Dense number of a symbol in the link: CombinedModule::firstSymbol + index.
using GlobalId = uint32_t;
/// No symbol, in either numbering.
constexpr uint32_t kNone = ~0u;

/// Number of a module in the link, in input order.
using ModuleIndex = uint32_t;
/// Number of an image: see summary/CombinedSummary.h.
using ImageIndex = uint32_t;
constexpr ImageIndex kHostImage = 0;

} // namespace gpulto

#endif
