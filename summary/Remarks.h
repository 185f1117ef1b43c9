//===- Remarks.h - What remarks call functions and places -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// All passes of whole-program analysis name functions, parameters and places of
// the source by these functions. Names are linkage names between quotes, which
// Diagnostics demangles.
//
//===----------------------------------------------------------------------===//
#ifndef GPULTO_SUMMARY_REMARKS_H
#define GPULTO_SUMMARY_REMARKS_H

#include "summary/WpaContext.h"

#include <string>

namespace gpulto {

/// Returns the name of the symbol \p id between quotes.
std::string quotedName(const CombinedSummary &program, GlobalId id);

/// Returns the name of \p clone of the definition \p id, or of the definition
/// itself if \p clone is 0: "clone 2 of 'f(int)'".
std::string bodyName(const CombinedSummary &program, GlobalId id,
                     uint32_t clone);

/// Returns what the source calls a parameter of the definition \p id:
/// "parameter 'n'", or its position where that is not known: "parameter 2".
/// The position follows the name of several: "parameter 'p' (1)".
std::string parameterName(const CombinedSummary &program, GlobalId id,
                          uint32_t parameter);
/// As above, for a part of a parameter: "parameter 'box' at byte 8".
std::string parameterName(const CombinedSummary &program, GlobalId id,
                          const PointerSource &source);

/// Returns \p place, which is in the module of the definition \p id. A file
/// without a line is the module's own.
SourceLocation locationOf(const CombinedSummary &program, GlobalId id,
                          const SourcePlace &place);

/// Returns \p place as part of a sentence: "a.cu:7:3", or only the file if the
/// line is not known.
std::string placeText(const CombinedSummary &program, GlobalId id,
                      const SourcePlace &place);

/// Returns a remark without a text about the definition \p id, at the place
/// where that is defined.
Remark remarkOn(const CombinedSummary &program, GlobalId id);

/// Says \p text about the definition \p id.
void addRemark(const WpaContext &context, RemarkKind kind, llvm::StringRef pass,
               llvm::StringRef name, GlobalId id, std::string text);

} // namespace gpulto

#endif
