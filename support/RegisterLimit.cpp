//===- RegisterLimit.cpp - ptxas's --maxrregcount -------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "support/RegisterLimit.h"

#include "llvm/ADT/StringRef.h"

using namespace llvm;

namespace gpulto {

uint32_t registerLimit(ArrayRef<std::string> arguments) {
  // What ptxas says these are, from sm_75 on.
  constexpr uint32_t kLeast = 32, kMost = 255;
  uint32_t limit = 0;
  for (size_t i = 0; i < arguments.size(); ++i) {
    StringRef value = StringRef(arguments[i]).ltrim('-');
    if (!value.consume_front("maxrregcount"))
      continue;
    if (value.empty() && i + 1 < arguments.size())
      value = arguments[++i];
    value.consume_front("=");
    if (value == "archmin")
      limit = kLeast;
    else if (value == "archmax" || value.getAsInteger(0, limit))
      limit = kMost;
  }
  return limit;
}

} // namespace gpulto
