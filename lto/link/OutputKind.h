//===- OutputKind.h - What a link makes -------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_LTO_LINK_OUTPUTKIND_H
#define GPULTO_LTO_LINK_OUTPUTKIND_H

#include <cstdint>

namespace gpulto {

/// What a link makes. Written as a number: append only.
enum class OutputKind : uint8_t {
  Executable,
  PieExecutable,
  Shared,
  Relocatable,
  Last = Relocatable
};

} // namespace gpulto

#endif // GPULTO_LTO_LINK_OUTPUTKIND_H
