//===- BinaryArchive.h - One description for writing and reading -*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// A function template `transfer(archive, x)` passes each field of x to
// `field`, and each list to `list`, in file order: to write it and to read it.
//
//===----------------------------------------------------------------------===//
#ifndef GPULTO_SUPPORT_BINARYARCHIVE_H
#define GPULTO_SUPPORT_BINARYARCHIVE_H

#include "support/BinaryStream.h"

#include "llvm/ADT/bit.h"

#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

namespace gpulto {

/// Writes; it changes nothing of what it is given.
struct ArchiveWriter {
  BinaryWriter out;

  void field(const std::string &text) { out.string(text); }
  void field(uint64_t number) { out.uleb(number); }
  void field(uint32_t number) { out.uleb(number); }
  void field(bool flag) { out.boolean(flag); }
  /// Bytes of numbers with few digits are zero, and come first.
  void field(double number) {
    out.uleb(llvm::byteswap(llvm::bit_cast<uint64_t>(number)));
  }
  /// \p last is the largest enumerator.
  template <typename T> void enumerator(T value, T) { out.enumerator(value); }
  template <typename T> void list(std::vector<T> &values) {
    out.uleb(values.size());
    for (T &value : values)
      transfer(*this, value);
  }
};

/// Reads what ArchiveWriter wrote. Errors are those of its reader.
struct ArchiveReader {
  BinaryReader in;

  void field(std::string &text) { text = in.string().str(); }
  void field(uint64_t &number) { number = in.uleb(); }
  void field(uint32_t &number) { number = in.uleb32(); }
  void field(bool &flag) { flag = in.boolean(); }
  void field(double &number) {
    number = llvm::bit_cast<double>(llvm::byteswap(in.uleb()));
  }
  template <typename T> void enumerator(T &value, T last) {
    value = in.enumerator(last);
  }
  template <typename T> void list(std::vector<T> &values) {
    values.resize(in.count());
    for (T &value : values)
      transfer(*this, value);
  }
};

} // namespace gpulto

#endif
