//===- UnitNames.cpp - Names of a unit's own symbols ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "support/UnitNames.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Demangle/Demangle.h"

using namespace llvm;

namespace gpulto {

StringRef withoutUnitSuffix(StringRef name) {
  for (StringRef mark : {"__intern__", "__static__"}) {
    size_t at = name.rfind(mark);
    if (at == StringRef::npos || at == 0)
      continue;
    StringRef id = name.drop_front(at + mark.size());
    if (!id.empty() &&
        all_of(id, [](char c) { return c == '_' || isHexDigit(c); }))
      return name.take_front(at);
  }
  return name;
}

bool hasUnitSuffix(StringRef name) {
  return withoutUnitSuffix(name).size() != name.size();
}

std::string demangled(StringRef name) {
  return demangle(withoutUnitSuffix(name));
}

} // namespace gpulto
