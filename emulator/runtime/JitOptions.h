//===- JitOptions.h - Options for loading device code -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GPULTO_EMULATOR_RUNTIME_JITOPTIONS_H
#define GPULTO_EMULATOR_RUNTIME_JITOPTIONS_H

#include <cuda.h>
#include <string>

namespace gpulto::emu {

/// The arrays of options of a call. Most steer a compiler that the emulator
/// does not have, and change nothing.
struct JitOptions {
  CUjit_option *options = nullptr;
  void **values = nullptr;
  unsigned count = 0;

  /// Returns an error if arrays are missing, or if an option would change what
  /// the code does.
  CUresult check() const;
  /// The slot of the value of an option; null if it is not given.
  void **find(CUjit_option option) const;
};

/// During its lifetime, messages of the calling thread go to the error log of
/// some options, if they have one; they are written there at the end.
class JitLog {
public:
  explicit JitLog(const JitOptions &options);
  ~JitLog();
  JitLog(const JitLog &) = delete;
  JitLog &operator=(const JitLog &) = delete;

private:
  const JitOptions &options;
  std::string text;
  bool isUsed = false;
};

} // namespace gpulto::emu

#endif // GPULTO_EMULATOR_RUNTIME_JITOPTIONS_H
