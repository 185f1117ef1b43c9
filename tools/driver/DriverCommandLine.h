//===- DriverCommandLine.h - The driver's command line ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_TOOLS_DRIVER_DRIVERCOMMANDLINE_H
#define GPULTO_TOOLS_DRIVER_DRIVERCOMMANDLINE_H

#include "linker-plugin/OptionTable.h"

#include "clang/Options/Options.h"
namespace clang::driver {
namespace options = clang::options;
using clang::getDriverOptTable;
} // namespace clang::driver
#include "clang/Driver/Types.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Option/ArgList.h"
#include "llvm/Support/Allocator.h"
#include "llvm/Support/Error.h"

#include <memory>
#include <string>
#include <vector>

namespace gpulto::driver {

/// One option or input with its words on the command line, so that it can be
/// passed on exactly as written.
struct DriverArg {
  const llvm::opt::Arg *arg;
  unsigned firstWord;
  unsigned endWord;

  bool is(unsigned id) const { return arg->getOption().matches(id); }
};

/// A file to compile, assemble or link.
struct DriverInput {
  std::string path; ///< `-`: standard input
  clang::driver::types::ID type;
  bool typeGiven; ///< by -x, not by the name
  bool afterDashDash;
  unsigned argIndex; ///< into CommandLine::arguments()

  bool isCuda() const { return clang::driver::types::isCuda(type); }
  /// Whether it is passed to the linker unchanged.
  bool isLinkerInput() const;
  /// Whether it holds code that clang's optimizer sees (not assembly).
  bool isCompiled() const;
};

/// The last step of the command line.
enum class FinalStep : uint8_t {
  Compile, ///< -c: one object per input
  Link,    ///< neither -c nor anything that stops earlier
  Other    ///< preprocess, -S, -fsyntax-only, -emit-llvm, print something
};

/// clang's command line, read with clang's own option table, plus gpulto's
/// options. The meaning of every option is clang's.
class CommandLine {
public:
  CommandLine(const CommandLine &) = delete;
  CommandLine &operator=(const CommandLine &) = delete;

  /// Reads \p argv (argv[0]: the program's name). Response files are expanded.
  /// Errors: an unreadable response file, a wrong option of gpulto. Leaves it
  /// to clang to report mistakes in clang's options.
  static llvm::Expected<std::unique_ptr<CommandLine>>
  parse(llvm::ArrayRef<const char *> argv);

  /// The words after the program's name, response files expanded.
  llvm::ArrayRef<const char *> words() const { return allWords; }
  llvm::ArrayRef<DriverArg> arguments() const { return args; }
  llvm::ArrayRef<DriverInput> inputs() const { return files; }
  const llvm::opt::InputArgList &clangArgs() const { return *parsed; }
  /// gpulto's options, without -flto=gpu.
  const llvm::opt::InputArgList &ownArgs() const { return *own.args; }

  /// The words of \p argument.
  llvm::ArrayRef<const char *> wordsOf(const DriverArg &argument) const;

  bool isCxx() const { return cxx; }
  /// Whether the last of -flto, -flto=X and -fno-lto is -flto=gpu.
  bool wantsGpuLto() const { return gpuLto; }
  /// Whether clang will reject the line (an option lacks its value).
  bool isMalformed() const { return malformed; }
  FinalStep finalStep() const;
  /// Whether an input is CUDA source.
  bool hasCudaInput() const;
  /// The value of the last argument of \p id, or \p otherwise.
  llvm::StringRef ownValue(unsigned id, llvm::StringRef otherwise = "") const;
  /// The value of -o, or empty.
  llvm::StringRef output() const;

private:
  CommandLine() = default;
  llvm::Error takeOwn();
  void collectArguments();
  void collectInputs();
  void addInput(llvm::StringRef path, clang::driver::types::ID given,
                unsigned argIndex, bool afterDashDash);

  llvm::BumpPtrAllocator allocator; ///< owns what response files held
  llvm::SmallVector<const char *, 128> allWords;
  std::unique_ptr<llvm::opt::InputArgList> parsed;
  options::OwnArgs own;
  std::vector<DriverArg> args;
  std::vector<DriverInput> files;
  bool cxx = false;
  bool gpuLto = false;
  bool malformed = false;
};

/// Whether \p argument is one of gpulto's (which clang must not see).
bool isOwn(const DriverArg &argument);
/// Whether \p argument is -flto=gpu.
bool isGpuLto(const DriverArg &argument);
/// Whether \p argument chooses a kind of link-time optimization.
bool choosesLto(const DriverArg &argument);

} // namespace gpulto::driver

#endif
