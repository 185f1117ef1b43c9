//===- OptionTable.h - gpulto's own options ---------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// The parsed form of Options.td, shared by the compiler driver and the doors
// into the linkers.
//
//===----------------------------------------------------------------------===//
#ifndef GPULTO_LINKER_PLUGIN_OPTIONTABLE_H
#define GPULTO_LINKER_PLUGIN_OPTIONTABLE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Option/ArgList.h"
#include "llvm/Option/OptTable.h"
#include "llvm/Option/Option.h"
#include "llvm/Support/Error.h"

#include <memory>

namespace gpulto::options {

/// The tools that act on an option: bits of the visibilities in Options.td.
enum Visibility : unsigned {
  DefaultVis = llvm::opt::DefaultVis,
  CompileOption = 1 << 1,
  LinkOption = 1 << 2,
  LinkerOption = 1 << 3,
};

/// One id per record of Options.td, prefixed OPT_.
enum ID {
  OPT_INVALID = 0,
#define OPTION(...) LLVM_MAKE_OPT_ID(__VA_ARGS__),
#include "linker-plugin/Options.inc"
#undef OPTION
  LastOption
};

/// Returns the table of Options.td. Thread-safe; lives as long as the program.
const llvm::opt::OptTable &optionTable();

/// gpulto's options of one command line.
struct OwnArgs {
  /// The options, in their order; ids are those of ID. Points into the strings
  /// of the command line it was made from.
  std::unique_ptr<llvm::opt::InputArgList> args;
  /// Everything else, unchanged and in order.
  llvm::SmallVector<const char *, 64> rest;
};

/// Extracts gpulto's options (see isOwnSpelling) from a linker's command line
/// \p argv, which does not contain the program's name. Takes only options that
/// \p accepted, bits of Visibility, makes visible. Errors: a value that is not
/// allowed; an unknown option, with the nearest known spelling.
llvm::Expected<OwnArgs> takeOwnOptions(llvm::ArrayRef<const char *> argv,
                                       unsigned accepted);

/// Checks \p argument against the Values of its record in Options.td. The error
/// names the allowed values.
llvm::Error checkValue(const llvm::opt::Arg &argument);

/// Returns the error for \p spelling, which is not an option of \p table that
/// \p accepted makes visible, with the nearest one that is.
llvm::Error unknownOption(const llvm::opt::OptTable &table,
                          llvm::StringRef spelling,
                          llvm::opt::Visibility accepted);

/// Whether \p spelling is in the namespace of gpulto's options.
bool isOwnSpelling(llvm::StringRef spelling);

} // namespace gpulto::options

#endif
