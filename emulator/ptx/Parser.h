//===- Parser.h - From PTX text to declarations and statements ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GPULTO_EMULATOR_PTX_PARSER_H
#define GPULTO_EMULATOR_PTX_PARSER_H

#include "emulator/ptx/Ast.h"

#include <string>

namespace gpulto::emu {

/// The first error in a source; line 0 means there is none.
struct ParseError {
  uint32_t line = 0;
  std::string text;
  bool failed() const { return line != 0; }
};

/// Parses the module level of \p text; function bodies are only delimited.
ParseError parseSource(std::string_view text, SourceDecl &source);

/// Parses the body of \p function.
ParseError parseBody(const FunctionDecl &function, FunctionBody &body);

} // namespace gpulto::emu

#endif // GPULTO_EMULATOR_PTX_PARSER_H
