//===- Diagnostics.h - Errors, warnings and remarks -------------*- C++ -*-===//
//
// Part of gpulto.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GPULTO_SUPPORT_DIAGNOSTICS_H
#define GPULTO_SUPPORT_DIAGNOSTICS_H

#include "support/Error.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Remarks/RemarkFormat.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/Regex.h"

#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace gpulto {

/// A place in the user's source, from debug information. Empty file: unknown.
struct SourceLocation {
  std::string file;
  uint32_t line = 0;   ///< from 1; 0 when unknown
  uint32_t column = 0; ///< from 1; 0 when unknown
};

/// What a remark reports, as LLVM's three kinds.
enum class RemarkKind : uint8_t {
  Passed,  ///< an optimization was applied (-Rpass=)
  Missed,  ///< it could not prove itself, and says why (-Rpass-missed=)
  Analysis ///< a fact that decided (-Rpass-analysis=)
};

/// One optimization remark.
struct Remark {
  RemarkKind kind = RemarkKind::Analysis;
  std::string pass;     ///< `gpulto-constants`: what the -Rpass regex matches
  std::string name;     ///< `ParameterConstant`: the identifier in the YAML
  std::string function; ///< linkage name
  SourceLocation where;
  InputLocation input; ///< the object, for functions without debug info
  std::string text;
};

/// What is printed and how.
struct DiagnosticsOptions {
  std::string prefix = "gpulto"; ///< program name, e.g. `ld.lld`
  unsigned errorLimit = 20;      ///< errors printed; 0 means all
  bool fatalWarnings = false;    ///< warnings count and print as errors
  bool noWarnings = false;       ///< warnings are dropped
  bool color = false;            ///< ANSI colours
  bool demangles = true;         ///< quoted linkage names are demangled
  std::string passed;            ///< regex of -Rpass=; empty: none printed
  std::string missed;            ///< regex of -Rpass-missed=
  std::string analysis;          ///< regex of -Rpass-analysis=
  bool keepRemarks = false;      ///< keep remarks for writeRemarks
  std::string kept;              ///< regex of their passes; empty: all
  /// Regex of the passes whose remarks takeStories() returns; empty: none.
  std::string stories;
};

/// Gathers what the stages have to say and prints it in an order that does
/// not depend on threads: by location, then severity, then text; what looks the
/// same once. Texts have linkage names between quotes ('_Z3fooi'); they are
/// printed demangled, but not in files for programs. All members are
/// thread-safe.
class Diagnostics {
public:
  explicit Diagnostics(DiagnosticsOptions options = {});
  Diagnostics(const Diagnostics &) = delete;
  Diagnostics &operator=(const Diagnostics &) = delete;

  /// Returns an error if one of the regexes of \p options is malformed.
  static llvm::Error checkOptions(const DiagnosticsOptions &options);

  void error(const llvm::Twine &message);
  void error(const InputLocation &where, const llvm::Twine &message);
  void warning(const llvm::Twine &message);
  void warning(const InputLocation &where, const llvm::Twine &message);

  /// Records every error in \p error (a joined list is taken apart).
  /// A success value records nothing.
  void report(llvm::Error error);

  /// Returns whether a remark of this kind and pass would be printed or kept;
  /// asked before an expensive text is built.
  bool wantsRemark(RemarkKind kind, llvm::StringRef pass) const;
  /// Records \p remark if it is wanted.
  void remark(Remark remark);

  /// How much had been gathered at some time.
  struct Mark {
    size_t entries = 0, remarks = 0, stories = 0;
    unsigned errors = 0;
  };
  /// Returns a mark of what has been gathered so far.
  Mark mark() const;
  /// Forgets what has been gathered since \p mark, after which nothing has been
  /// printed.
  void forgetSince(const Mark &mark);

  /// Returns the remarks of the passes that the option \c stories names,
  /// sorted, and forgets them. They are there whatever is printed.
  std::vector<Remark> takeStories();

  bool hasErrors() const { return errors.load() != 0; }
  unsigned errorCount() const { return errors.load(); }

  /// Prints what has been gathered since the last call, and forgets it.
  /// Past the error limit, `too many errors emitted` is printed once.
  void print(llvm::raw_ostream &os);

  enum class Severity : uint8_t { Error, Warning, Remark };
  /// Gets one message as its own text: without prefix, word or colour.
  using Sink =
      llvm::function_ref<void(Severity severity, llvm::StringRef text)>;
  /// Hands what has been gathered since the last call to \p sink, in order,
  /// and forgets it. For a linker that prints messages itself.
  void handOver(Sink sink);

  /// Writes the remarks that are kept (keepRemarks) in one of LLVM's formats,
  /// YAML or bitstream, sorted.
  llvm::Error
  writeRemarks(llvm::StringRef path,
               llvm::remarks::Format format = llvm::remarks::Format::YAML);

  const DiagnosticsOptions &options() const { return opts; }

private:
  struct Entry;
  bool isKept(llvm::StringRef pass) const;
  bool isStory(llvm::StringRef pass) const;

  void add(Severity severity, const InputLocation &where, std::string text);
  std::string forUser(llvm::StringRef text) const;
  bool isPrinted(RemarkKind kind, llvm::StringRef pass) const;
  void printEntry(llvm::raw_ostream &os, const Entry &entry) const;
  static void printPlace(llvm::raw_ostream &os, const Entry &entry);
  static void printText(llvm::raw_ostream &os, const Entry &entry);
  static std::string textOf(const Entry &entry);
  std::vector<Entry> takeSorted();

  DiagnosticsOptions opts;
  std::optional<llvm::Regex> filters[3];
  std::optional<llvm::Regex> keptPasses, storyPasses;
  mutable std::mutex lock;
  std::atomic<unsigned> errors = 0;
  unsigned errorsPrinted = 0;
  bool limitPrinted = false;
  std::vector<Entry> entries;
  std::vector<Remark> remarks, stories;

  struct Entry {
    Severity severity;
    InputLocation input;
    SourceLocation source;
    RemarkKind kind;
    std::string pass;
    std::string text;
  };
};

} // namespace gpulto

#endif // GPULTO_SUPPORT_DIAGNOSTICS_H
