//===- ExplainInlining.h - gpulto explain --inlining ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_TOOLS_COMMANDS_EXPLAININLINING_H
#define GPULTO_TOOLS_COMMANDS_EXPLAININLINING_H

#include "llvm/ADT/ArrayRef.h"

namespace gpulto {

/// `gpulto explain --inlining [--function=NAME]... [--json] PROGRAM...`: says
/// which calls between host modules were inlined, and why or why not, as
/// whole-program analysis decided. \p arguments: those after `explain`. Returns
/// the exit status, 1 if some file has no table; messages go to stderr.
int explainInliningCommand(llvm::ArrayRef<const char *> arguments);

} // namespace gpulto

#endif // GPULTO_TOOLS_COMMANDS_EXPLAININLINING_H
