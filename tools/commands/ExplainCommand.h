//===- ExplainCommand.h - gpulto explain ------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_TOOLS_COMMANDS_EXPLAINCOMMAND_H
#define GPULTO_TOOLS_COMMANDS_EXPLAINCOMMAND_H

#include "llvm/ADT/ArrayRef.h"

namespace gpulto {

/// `gpulto explain [--json] FILE...`: explains, for linked programs, shared
/// libraries and `-r` objects, what gpulto did when it made them: version,
/// stages, and for each input whether it was optimized, or why not. \p
/// arguments: those after `explain`. Returns the exit status, 1 if some file
/// was not linked by gpulto; messages go to stderr.
int explainCommand(llvm::ArrayRef<const char *> arguments);

} // namespace gpulto

#endif // GPULTO_TOOLS_COMMANDS_EXPLAINCOMMAND_H
