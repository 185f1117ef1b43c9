//===- UnseenCode.h - Code in the program that is not seen ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_IPA_RUNTIME_UNSEENCODE_H
#define GPULTO_IPA_RUNTIME_UNSEENCODE_H

#include "summary/WpaContext.h"

#include <string>

namespace gpulto {

/// Names, in a clause, code without a summary that may run in the process and
/// does not belong to the system or to CUDA: native inputs, programs that load
/// this one or are linked to it, code loaded later, assembly. Empty if there is
/// none.
std::string findUnseenCode(const WpaContext &context);

} // namespace gpulto

#endif
