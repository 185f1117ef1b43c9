//===- OptionTable.cpp - gpulto's own options -----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "linker-plugin/OptionTable.h"

#include "llvm/ADT/StringExtras.h"

#include <array>
#include <iterator>

using namespace llvm;
using llvm::opt::Arg;
using llvm::opt::InputArgList;
using llvm::opt::OptTable;

namespace gpulto::options {
namespace {

#define OPTTABLE_STR_TABLE_CODE
#include "linker-plugin/Options.inc"
#undef OPTTABLE_STR_TABLE_CODE
#define OPTTABLE_PREFIXES_TABLE_CODE
#include "linker-plugin/Options.inc"
#undef OPTTABLE_PREFIXES_TABLE_CODE

constexpr OptTable::Info kInfos[] = {
#define OPTION(...) LLVM_CONSTRUCT_OPT_INFO(__VA_ARGS__),
#include "linker-plugin/Options.inc"
#undef OPTION
};

struct Table : opt::GenericOptTable {
  Table() : GenericOptTable(OptionStrTable, OptionPrefixesTable, kInfos) {}
};

} // namespace

const OptTable &optionTable() {
  static const Table singleton;
  return singleton;
}

bool isOwnSpelling(StringRef spelling) {
  static constexpr StringLiteral kStarts[] = {
      "--gpulto-",    "-fgpulto-",       "-fno-gpulto-",      "-Wgpulto-",
      "-Wno-gpulto-", "-Werror=gpulto-", "-Wno-error=gpulto-"};
  return any_of(kStarts,
                [&](StringRef start) { return spelling.starts_with(start); });
}

Error unknownOption(const OptTable &table, StringRef spelling,
                    opt::Visibility accepted) {
  std::string nearest;
  table.findNearest(spelling, nearest, accepted);
  std::string message = "unknown option '" + spelling.str() + "'";
  if (!nearest.empty())
    message += ", did you mean '" + nearest + "'?";
  return createStringError(inconvertibleErrorCode(), message);
}

Error checkValue(const Arg &argument) {
  const char *values = kInfos[argument.getOption().getID() - 1].Values;
  if (!values)
    return Error::success();
  StringRef value = argument.getNumValues() ? argument.getValue() : "";
  SmallVector<StringRef, 4> allowed;
  StringRef(values).split(allowed, ',');
  if (is_contained(allowed, value))
    return Error::success();
  return createStringError(inconvertibleErrorCode(),
                           "invalid value '" + value.str() + "' in '" +
                               argument.getSpelling().str() + value.str() +
                               "', expected one of: " + join(allowed, ", "));
}

Expected<OwnArgs> takeOwnOptions(ArrayRef<const char *> argv,
                                 unsigned accepted) {
  OwnArgs result;
  SmallVector<const char *, 16> own;
  for (const char *text : argv) {
    if (isOwnSpelling(text))
      own.push_back(text);
    else
      result.rest.push_back(text);
  }
  unsigned missingIndex = 0, missingCount = 0;
  result.args = std::make_unique<InputArgList>(optionTable().ParseArgs(
      own, missingIndex, missingCount, opt::Visibility(accepted)));
  for (const Arg *argument : *result.args) {
    if (argument->getOption().getID() == OPT_UNKNOWN)
      return unknownOption(optionTable(), argument->getAsString(*result.args),
                           opt::Visibility(accepted));
    if (Error failure = checkValue(*argument))
      return failure;
  }
  return result;
}

} // namespace gpulto::options
