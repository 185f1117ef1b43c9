//===- StackTrace.h - Read stack traces of every kind -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_TOOLS_COMMANDS_STACKTRACE_H
#define GPULTO_TOOLS_COMMANDS_STACKTRACE_H

#include "lto/tables/FrameNames.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <optional>
#include <string>

namespace gpulto {

/// The frame on a line of a trace. References the line.
struct TraceFrame {
  /// Address in the program's file.
  uint64_t address = 0;
  /// It is in another file.
  bool isForeign = false;
  /// The innermost one: a stack begins here.
  bool isFirst = false;
  /// perf: the name in the line, to be replaced; else null.
  llvm::StringRef name;
};

/// Returns the function \p symbol as perf shows it: demangled, without result
/// and parameters.
std::string shortName(const std::string &symbol);

/// Reads lines of one program's traces.
class TraceReader {
public:
  /// \p program: path of the program; \p base: where it was loaded, 0 if it is
  /// not position-independent or if traces have addresses of the file. Keeps a
  /// reference to \p names.
  TraceReader(llvm::StringRef program, uint64_t base, const FrameNames &names);

  /// Returns the frame on \p line, nothing if there is none. Forms: a plain
  /// address; glibc's backtrace_symbols; sanitizers; gdb; perf script, whose
  /// frames are found by name and offset wherever the program was loaded.
  std::optional<TraceFrame> read(llvm::StringRef line);

private:
  std::optional<TraceFrame> readPerf(llvm::StringRef line);
  std::optional<uint64_t> addressOf(llvm::StringRef name);

  std::string file;
  uint64_t base;
  const FrameNames &names;
  /// perf: by name, mangled and demangled, in full and short; kAmbiguous if
  /// there are several.
  llvm::StringMap<uint64_t> addresses;
  static constexpr uint64_t kAmbiguous = ~uint64_t(0);
};

} // namespace gpulto

#endif
