//===- Error.h - Errors with an input location ------------------*- C++ -*-===//
//
// Part of gpulto.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// docs/design.md distinguishes three kinds of errors: bad input is an
// llvm::Error (built here) up to the outermost layer, then a diagnostic.
//
//===----------------------------------------------------------------------===//

#ifndef GPULTO_SUPPORT_ERROR_H
#define GPULTO_SUPPORT_ERROR_H

#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/Error.h"

#include <cstdint>
#include <string>

namespace llvm {
class raw_ostream;
}

namespace gpulto {

/// A place in an input: file, archive member, section and byte offset; all but
/// the file may be missing. Printed as `libx.a(b.o):(.gpulto+0x1c)`.
struct InputLocation {
  std::string path;       ///< the file as the user named it
  std::string member;     ///< the archive member, or empty
  std::string section;    ///< the section, or empty
  uint64_t offset = 0;    ///< bytes from the start of the section (or member)
  bool hasOffset = false; ///< whether \ref offset means anything

  InputLocation() = default;
  explicit InputLocation(llvm::StringRef path, llvm::StringRef member = "",
                         llvm::StringRef section = "")
      : path(path), member(member), section(section) {}

  /// Returns the same place with another section and no offset.
  InputLocation inSection(llvm::StringRef name) const;
  /// Returns the same place with the offset set to \p bytes.
  InputLocation at(uint64_t bytes) const;
  /// Returns whether nothing is known about the place.
  bool empty() const { return path.empty() && member.empty(); }
  /// Returns the printed form; empty for an empty location.
  std::string str() const;

  /// Orders by path, member, section, then offset: the order of reports.
  friend bool operator<(const InputLocation &a, const InputLocation &b);
  friend bool operator==(const InputLocation &a, const InputLocation &b);
};

bool operator<(const InputLocation &a, const InputLocation &b);
bool operator==(const InputLocation &a, const InputLocation &b);
llvm::raw_ostream &operator<<(llvm::raw_ostream &os, const InputLocation &loc);

/// An error about an input file: `location: message`. The message is lower
/// case, has no final period, and says what was found, what was expected and,
/// when known, what to do.
class InputError : public llvm::ErrorInfo<InputError> {
public:
  static char ID;

  InputError(InputLocation location, std::string message)
      : where(std::move(location)), what(std::move(message)) {}

  void log(llvm::raw_ostream &os) const override;
  std::error_code convertToErrorCode() const override;

  const InputLocation &location() const { return where; }
  /// Returns the text without the location.
  const std::string &text() const { return what; }

private:
  InputLocation where;
  std::string what;
};

/// Makes an InputError.
llvm::Error inputError(const InputLocation &loc, const llvm::Twine &msg);

/// Makes an error without an input location.
llvm::Error makeError(const llvm::Twine &msg);

/// Makes an error `path: message (strerror)` from \p errnoValue.
llvm::Error fileError(llvm::StringRef path, const llvm::Twine &msg,
                      int errnoValue);

} // namespace gpulto

#endif // GPULTO_SUPPORT_ERROR_H
