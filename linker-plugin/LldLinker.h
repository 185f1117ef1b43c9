//===- LldLinker.h - The door for lld: take over its LTO step ---*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef GPULTO_LINKER_PLUGIN_LLDLINKER_H
#define GPULTO_LINKER_PLUGIN_LLDLINKER_H

#include "llvm/ADT/ArrayRef.h"

namespace gpulto {

/// Links as `ld.lld` does, with gpulto in place of LLVM's LTO: \p argv is lld's
/// command line, with the program's name first, in which gpulto's own options
/// may be anywhere (also in response files). lld does all linking; without
/// bitcode among the inputs nothing else happens. Messages go to standard
/// output and error. Returns the exit status; may also leave the process with
/// it, as lld does. Not reentrant.
int linkWithLld(llvm::ArrayRef<const char *> argv);

} // namespace gpulto

#endif // GPULTO_LINKER_PLUGIN_LLDLINKER_H
