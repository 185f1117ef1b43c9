//===- JobArchive.h - What goes through the fields of a job -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Each part of a job names its fields once, in transfer() beside it; see
// lto/job/LtransJob.h. Here is what transfer() may say of a field, and what
// takes digests.
//
//===----------------------------------------------------------------------===//
#ifndef GPULTO_LTO_JOB_JOBARCHIVE_H
#define GPULTO_LTO_JOB_JOBARCHIVE_H

#include "summary/Record.h"
#include "support/StableHash.h"

#include "llvm/ADT/ArrayRef.h"

#include <optional>
#include <string>
#include <type_traits>
#include <vector>

namespace gpulto {

/// What transfer() may say of a field. An archive has field() at least. The
/// name of a field is its key in the file.
template <typename Archive> class JobArchive {
public:
  // template <typename T> void field(const char *name, T &member);
  //   a flag, a number, a text, a digest, a part with a transfer(), or a list
  //   of these.

  /// One of an enumeration; \p names are those of all, from 0 on.
  template <typename E>
  void enumerator(const char *name, E &value, llvm::ArrayRef<const char *>) {
    self().field(name, value);
  }
  /// A number of either sign, as its two's complement.
  void signedNumber(const char *name, int64_t &value) {
    uint64_t bits = static_cast<uint64_t>(value);
    self().field(name, bits);
    value = static_cast<int64_t>(bits);
  }
  /// A part that is there in all jobs.
  template <typename T> void always(const char *name, std::optional<T> &part) {
    self().field(name, part ? *part : part.emplace());
  }
  /// Flags; no others than \p names count.
  template <typename T>
  void flags(const char *name, T &word, llvm::ArrayRef<FlagName> names) {
    word &= maskOf(names);
    self().field(name, word);
  }
  /// What the job knows of functions or variables that it names. \p what tells
  /// it from what else is known of the same name; it may be empty.
  template <typename T>
  void facts(const char *name, std::vector<T> &list, const char * /*what*/) {
    self().field(name, list);
  }

protected:
  static uint64_t maskOf(llvm::ArrayRef<FlagName> names) {
    uint64_t mask = 0;
    for (const FlagName &name : names)
      mask |= name.flag;
    return mask;
  }

private:
  friend Archive;
  JobArchive() = default;
  Archive &self() { return static_cast<Archive &>(*this); }
};

/// Takes a digest. Names of fields are not added: all fields are there, in a
/// fixed order.
class JobDigester : public JobArchive<JobDigester> {
public:
  template <typename T> void field(const char *, T &member) { value(member); }
  template <typename T> void value(std::vector<T> &list) {
    hasher.add(list.size());
    for (T &element : list)
      value(element);
  }
  template <typename T> void value(T &item) {
    if constexpr (std::is_same_v<T, std::string> || std::is_same_v<T, Digest> ||
                  std::is_integral_v<T> || std::is_enum_v<T>)
      hasher.add(item);
    else
      transfer(*this, item);
  }
  Digest finish() const { return hasher.finish(); }

private:
  StableHasher hasher;
};

/// Returns the digest of all that writeJob writes for \p part.
template <typename T> Digest digestOfPart(const T &part) {
  T copy = part; // transfer() serves the reader too, which writes
  JobDigester digester;
  digester.value(copy);
  return digester.finish();
}

} // namespace gpulto

#endif
