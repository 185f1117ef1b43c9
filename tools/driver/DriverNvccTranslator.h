//===- DriverNvccTranslator.h - nvcc's command line, anew -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_TOOLS_DRIVER_DRIVERNVCCTRANSLATOR_H
#define GPULTO_TOOLS_DRIVER_DRIVERNVCCTRANSLATOR_H

#include "support/Subprocess.h"
#include "tools/driver/DriverCuda.h"
#include "tools/driver/DriverProcess.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Option/Arg.h"
#include "llvm/Option/ArgList.h"
#include "llvm/Option/OptTable.h"
#include "llvm/Support/Allocator.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/StringSaver.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace gpulto::driver::nvcc {

/// The options of NvccOptions.td.
enum ID {
  OPT_INVALID = 0,
#define OPTION(...) LLVM_MAKE_OPT_ID(__VA_ARGS__),
#include "tools/driver/NvccOptions.inc"
#undef OPTION
};

/// nvcc's options.
struct NvccTable : llvm::opt::GenericOptTable {
  NvccTable();
};

/// The product, according to the last such option.
enum class Product {
  Program,
  Object,
  DeviceLink,
  Library,
  Ptx,
  Cubin,
  Fatbin,
  Text
};

/// The requested forms of one architecture's code.
struct Forms {
  bool ptx = false;
  bool cubin = false;
};

struct Rule;

/// Splits \p value at its commas, as nvcc does: `\,` is a comma of a part.
std::vector<std::string> splitList(llvm::StringRef value);
/// Returns the name of \p arg as the user wrote it.
llvm::StringRef nameOf(const llvm::opt::Arg &arg);
/// Returns the error that \p arg cannot be translated.
llvm::Error refuse(const llvm::opt::Arg &arg, const llvm::Twine &why);
/// Returns why the table refuses \p arg.
llvm::StringRef whyRefused(const llvm::opt::Arg &arg);
/// Returns the language of the source \p path for clang's -x, or "" for inputs
/// of the linker.
llvm::StringRef languageOf(llvm::StringRef path);

/// Translates one command line of nvcc: reads it (DriverNvcc.cpp), translates
/// each option (DriverNvccOptions.cpp), makes commands (DriverNvccCommands.cpp)
/// and runs them.
class Translator {
public:
  explicit Translator(const Installation &installation)
      : installation(installation) {}

  /// Returns the exit status.
  llvm::Expected<int> run(llvm::ArrayRef<const char *> argv);

private:
  llvm::Error readWords(llvm::ArrayRef<const char *> argv);
  llvm::Error readFile(llvm::StringRef path);
  llvm::Error findToolkit(llvm::StringRef program);
  llvm::Error translate();
  llvm::Error translateOne(const llvm::opt::Arg &arg);
  llvm::Error translateUnknown(const llvm::opt::Arg &arg);
  void noteOne(const llvm::opt::Arg &arg, llvm::StringRef value);
  llvm::Error addOne(const llvm::opt::Arg &arg, llvm::StringRef value);
  void addDefaultStream(const llvm::opt::Arg &arg, llvm::StringRef stream);
  llvm::Error addJobs(const llvm::opt::Arg &arg, llvm::StringRef jobs);
  bool makesOneImage() const;
  llvm::Error addArchitectureOfImage();
  llvm::Error addArchitectures();
  llvm::Error addCode(llvm::StringRef virtualArch, llvm::StringRef code);
  llvm::Error addGencode(llvm::StringRef specification);
  llvm::Error addArch(llvm::StringRef value, const llvm::opt::Arg *codes);
  llvm::Error addErrors(const llvm::opt::Arg &arg);
  void addDiagnostics(llvm::StringRef numbers, llvm::StringRef prefix);
  void addFrontEndOptions(llvm::StringRef words);
  llvm::Error addCompression(const llvm::opt::Arg &arg, llvm::StringRef mode);
  llvm::Error addFatbinaryOptions(const llvm::opt::Arg &arg);
  llvm::Error addNvlinkOptions(const llvm::opt::Arg &arg);
  llvm::Error addOptimizationInfo(const llvm::opt::Arg &arg);
  llvm::Error printLinkerScript() const;
  llvm::Error useLinkerScript(Command &command);
  llvm::Expected<std::string> temporaryPath();
  llvm::Expected<int> runOne(const Command &command) const;
  std::optional<std::string> keptDirectory() const;
  llvm::Error addImages(const Command &command, const std::string &input,
                        const std::string &output,
                        std::vector<Command> &result);
  llvm::Error addKeptImages(std::vector<Command> &result);
  llvm::Error addHostCompiler();
  void addCompilerOptions(llvm::StringRef list);
  void addLibraries(llvm::StringRef list);
  void addLevels();
  llvm::Expected<bool> isPrecise(unsigned id) const;
  llvm::Error addPrecision();
  llvm::Error addVisibility();
  llvm::Expected<std::vector<Command>> commands();
  llvm::Expected<Command> commandOfAll();
  llvm::Expected<Command> link();
  Command deviceLink() const;
  llvm::Expected<Command> compile(const std::string &input) const;
  void addHeaders(Command &command) const;
  void addRuntimes(Command &command) const;
  llvm::Error addFatbinary(const std::string &input,
                           std::vector<Command> &result);
  llvm::Error addEach(std::vector<Command> &result);
  llvm::Expected<Command> archive() const;
  llvm::Expected<Command> start(llvm::ArrayRef<std::string> files) const;
  void addVersions(Command &command, llvm::ArrayRef<std::string> files,
                   bool hasHost) const;
  void addArchList(Command &command) const;
  void addFastMath(Command &command) const;
  bool isRelocatable() const;
  void addInputs(Command &command, llvm::ArrayRef<std::string> files) const;
  std::string sourceLanguage(llvm::StringRef path) const;
  std::string outputOf(llvm::StringRef input, llvm::StringRef extension) const;
  bool isProgram(llvm::StringRef input) const;
  llvm::Expected<int> runProgram() const;
  llvm::Expected<int> printVersion() const;
  void printPlaces() const;
  int printHelp() const;

  void add(const llvm::Twine &word) { translated.push_back(word.str()); }
  std::vector<std::string> splitWords(llvm::StringRef list);
  void apply(const Rule &rule, llvm::StringRef value);
  llvm::Expected<bool> truth(const llvm::opt::Arg &arg) const;
  llvm::Error addChoice(const llvm::opt::Arg &arg, llvm::StringRef yes,
                        llvm::StringRef no);

  const Installation &installation;
  CudaToolkit toolkit;
  NvccTable table;
  llvm::BumpPtrAllocator allocator;
  llvm::StringSaver saver{allocator};
  llvm::SmallVector<const char *> words;
  std::unique_ptr<llvm::opt::InputArgList> args;

  Product product = Product::Program;
  std::vector<std::string> inputs;
  std::vector<std::string> translated; // options of gpulto-clang++
  std::vector<std::string> linkWords;  // for a link without sources
  std::string language;                // empty: by name
  llvm::MapVector<llvm::StringRef, Forms> architectures;
  std::string cudart = "static";
  bool linksDeviceRuntime = true;
  TempDir temporary; // made on first use
};

} // namespace gpulto::driver::nvcc

#endif
