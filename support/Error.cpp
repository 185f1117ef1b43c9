//===- Error.cpp - Errors with an input location --------------------------===//
//
// Part of gpulto.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "support/Error.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <system_error>
#include <tuple>

using namespace gpulto;

char InputError::ID = 0;

InputLocation InputLocation::inSection(llvm::StringRef name) const {
  return InputLocation(path, member, name);
}

InputLocation InputLocation::at(uint64_t bytes) const {
  InputLocation result = *this;
  result.offset = bytes;
  result.hasOffset = true;
  return result;
}

std::string InputLocation::str() const {
  std::string result = path;
  if (!member.empty())
    result += path.empty() ? member : "(" + member + ")";
  if (section.empty() && !hasOffset)
    return result;
  std::string inside = section;
  if (hasOffset)
    inside += "+0x" + llvm::utohexstr(offset, /*LowerCase=*/true);
  return result + (result.empty() ? "(" : ":(") + inside + ")";
}

bool gpulto::operator<(const InputLocation &a, const InputLocation &b) {
  return std::tie(a.path, a.member, a.section, a.hasOffset, a.offset) <
         std::tie(b.path, b.member, b.section, b.hasOffset, b.offset);
}

bool gpulto::operator==(const InputLocation &a, const InputLocation &b) {
  return std::tie(a.path, a.member, a.section, a.hasOffset, a.offset) ==
         std::tie(b.path, b.member, b.section, b.hasOffset, b.offset);
}

llvm::raw_ostream &gpulto::operator<<(llvm::raw_ostream &os,
                                      const InputLocation &loc) {
  return os << loc.str();
}

void InputError::log(llvm::raw_ostream &os) const {
  std::string place = where.str();
  if (!place.empty())
    os << place << ": ";
  os << what;
}

std::error_code InputError::convertToErrorCode() const {
  return std::make_error_code(std::errc::invalid_argument);
}

llvm::Error gpulto::inputError(const InputLocation &loc,
                               const llvm::Twine &msg) {
  return llvm::make_error<InputError>(loc, msg.str());
}

llvm::Error gpulto::makeError(const llvm::Twine &msg) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), msg);
}

llvm::Error gpulto::fileError(llvm::StringRef path, const llvm::Twine &msg,
                              int errnoValue) {
  return makeError(path + ": " + msg + " (" +
                   std::generic_category().message(errnoValue) + ")");
}
