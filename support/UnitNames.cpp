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

std::string withNamesOfSource(StringRef text) {
  std::string result;
  while (true) {
    auto [before, rest] = text.split("'_Z");
    result += before;
    if (before.size() == text.size())
      return result;
    StringRef name = rest.take_front(rest.find('\''));
    // Two static kernels of one name are told apart by their places.
    StringRef mangled(name.data() - 2, name.size() + 2);
    result += "'" + demangled(mangled);
    text = rest.drop_front(name.size());
  }
}

} // namespace gpulto
