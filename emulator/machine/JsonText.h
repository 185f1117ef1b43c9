//===- JsonText.h - Parts of JSON documents -------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GPULTO_EMULATOR_MACHINE_JSONTEXT_H
#define GPULTO_EMULATOR_MACHINE_JSONTEXT_H

#include <cstdint>
#include <cstdio>
#include <string>

namespace gpulto::emu {

/// \p text as a string of JSON.
inline std::string quoted(const std::string &text) {
  std::string out = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\')
      out += '\\';
    if (static_cast<unsigned char>(c) < 0x20) {
      char code[8];
      snprintf(code, sizeof(code), "\\u%04x", c);
      out += code;
    } else {
      out += c;
    }
  }
  return out + "\"";
}

/// A member that is a number.
inline std::string number(const char *name, uint64_t value) {
  return std::string("\"") + name + "\": " + std::to_string(value);
}

/// An array of the three dimensions \p d.
inline std::string dimensions(const uint32_t *d) {
  return "[" + std::to_string(d[0]) + ", " + std::to_string(d[1]) + ", " +
         std::to_string(d[2]) + "]";
}

} // namespace gpulto::emu

#endif // GPULTO_EMULATOR_MACHINE_JSONTEXT_H
