//===- PtxNames.cpp - Names in PTX ----------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "lto/ptx/PtxNames.h"

#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace gpulto {

std::string ptxName(StringRef name) {
  std::string result;
  for (char c : name) {
    if (isAlnum(c) || c == '_' || c == '$')
      result += c;
    else if (c == '.' || c == '@')
      result += "_$_";
    else
      result += "_$" + toHex(StringRef(&c, 1), /*LowerCase=*/true);
  }
  return result;
}

} // namespace gpulto
