//===- ElfProbe.h - What a program needs from its runtime ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GPULTO_EMULATOR_RUNTIME_ELFPROBE_H
#define GPULTO_EMULATOR_RUNTIME_ELFPROBE_H

#include <string>

namespace gpulto::emu {

/// What gpulto-run needs to know about a program before it starts it.
struct ElfProbe {
  /// A 64-bit little-endian ELF file; the other fields are known only then.
  bool isElf = false;
  /// Has a section with device code.
  bool hasDeviceCode = false;
  /// Names libcudart among the libraries it needs.
  bool needsCudart = false;
  /// Which one, e.g. "libcudart.so.12"; empty when none.
  std::string cudartName;
  /// Names libcuda.so.1, the driver, among the libraries it needs.
  bool needsDriver = false;
  /// Has the static runtime linked in, too; known only if it needs libcudart or
  /// the driver.
  bool hasStaticRuntime = false;
  /// Imports the functions that register device code.
  bool importsRegistration = false;
  /// Has DT_RPATH, which the loader searches before LD_LIBRARY_PATH.
  bool hasRpath = false;
};

/// Reads the headers of \p path. Damaged files are not ELF files.
ElfProbe probeElf(const std::string &path);

} // namespace gpulto::emu

#endif // GPULTO_EMULATOR_RUNTIME_ELFPROBE_H
