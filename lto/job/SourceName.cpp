//===- SourceName.cpp - Functions as their source calls them --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "lto/job/SourceName.h"

#include "support/UnitNames.h"

#include "llvm/Demangle/Demangle.h"

#include <algorithm>
#include <cstdlib>
#include <memory>

using namespace llvm;

namespace gpulto {

using DemangledText = std::unique_ptr<char, decltype(&std::free)>;

/// Returns how many characters of \p text, which begins with '<', are the list
/// of template arguments. An arrow, and what is in parentheses, ends none.
static size_t argumentListSize(StringRef text) {
  unsigned depth = 0, parentheses = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (c == '(')
      ++parentheses;
    else if (c == ')' && parentheses)
      --parentheses;
    else if (parentheses)
      continue;
    else if (c == '<')
      ++depth;
    else if (c == '>' && text[i - 1] != '-' && --depth == 0)
      return i + 1;
  }
  return text.size();
}

static std::string withoutTemplateArguments(StringRef name) {
  std::string result;
  while (!name.empty()) {
    size_t begin = name.find('<');
    result += name.take_front(begin);
    name = name.drop_front(std::min(begin, name.size()));
    if (name.empty())
      break;
    if (StringRef(result).ends_with("operator")) { // <, <<, <=, <=>
      size_t size = std::min(name.find_first_not_of("<=>"), name.size());
      result += name.take_front(size);
      name = name.drop_front(size);
      continue;
    }
    result += "<...>";
    name = name.drop_front(argumentListSize(name));
  }
  return result;
}

std::string sourceName(StringRef symbol) {
  ItaniumPartialDemangler demangler;
  // It points into this. Suffixes after a dot are those of clones.
  std::string mangled = withoutUnitSuffix(symbol.split('.').first).str();
  if (demangler.partialDemangle(mangled.c_str()) || !demangler.isFunction())
    return symbol.str();
  DemangledText context(demangler.getFunctionDeclContextName(nullptr, nullptr),
                        &std::free);
  DemangledText base(demangler.getFunctionBaseName(nullptr, nullptr),
                     &std::free);
  if (!base)
    return symbol.str();
  std::string name = context ? withoutTemplateArguments(context.get()) : "";
  return name.empty() ? base.get() : name + "::" + base.get();
}

} // namespace gpulto
