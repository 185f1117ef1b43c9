//===- ExplainTransfers.cpp - gpulto explain --transfers ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "tools/commands/ExplainTransfers.h"

#include "ipa/access/MemoryRow.h"
#include "lto/tables/TransferTable.h"
#include "support/Error.h"
#include "support/Subprocess.h"
#include "support/UnitNames.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Allocator.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/GlobPattern.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/StringSaver.h"
#include "llvm/Support/raw_ostream.h"

#include <array>
#include <string>
#include <tuple>
#include <vector>

using namespace llvm;

namespace gpulto {

static const char kUsage[] =
    "usage: gpulto explain --transfers [--file=GLOB]... [--function=GLOB]... "
    "[--all]\n"
    "                                  [--json] PROGRAM...\n"
    "\n"
    "Says which copies and fills between host and device need not be made, "
    "then\n"
    "which are needed, and why, and which waits nobody needs yet. A call in "
    "the\n"
    "source is one copy, or one wait.\n"
    "\n"
    "  --file=GLOB       only in source files whose path ends with GLOB\n"
    "  --function=GLOB   only in functions whose name, as in the source with "
    "or\n"
    "                    without parameters, or mangled, is GLOB\n"
    "  --all             each copy that is needed; without, three of those "
    "with one\n"
    "                    reason\n";

/// Of copies that are needed for one reason so many are shown.
static constexpr unsigned kMostOfOneReason = 3;

namespace {
struct TransfersArguments {
  bool asJson = false, all = false, help = false;
  std::vector<GlobPattern> files, functions;
  std::vector<StringRef> programs;
};

using VerdictCounts =
    std::array<uint64_t, static_cast<size_t>(TransferVerdict::Last) + 1>;
} // namespace

static Error addGlob(StringRef text, std::vector<GlobPattern> &globs) {
  Expected<GlobPattern> glob = GlobPattern::create(text);
  if (!glob)
    return makeError("'" + text +
                     "' is no pattern: " + toString(glob.takeError()));
  globs.push_back(std::move(*glob));
  return Error::success();
}

static Expected<TransfersArguments> parse(ArrayRef<const char *> arguments,
                                          BumpPtrAllocator &texts) {
  StringSaver saver(texts);
  TransfersArguments result;
  for (StringRef argument : arguments) {
    if (argument == "--transfers")
      continue;
    if (argument == "--help" || argument == "-h") {
      result.help = true;
    } else if (argument == "--json") {
      result.asJson = true;
    } else if (argument == "--all") {
      result.all = true;
    } else if (argument.consume_front("--file=")) {
      if (Error error = addGlob(saver.save("*" + argument), result.files))
        return std::move(error);
    } else if (argument.consume_front("--function=")) {
      if (Error error = addGlob(argument, result.functions))
        return std::move(error);
    } else if (argument.starts_with("-")) {
      return makeError("unknown option '" + argument + "'");
    } else {
      result.programs.push_back(argument);
    }
  }
  if (!result.help && result.programs.empty())
    return makeError("no linked program");
  return result;
}

static bool goes(const TransferTableRow &row) {
  return row.verdict != TransferVerdict::Needed;
}

static bool isAsked(const TransferTableRow &row,
                    const TransfersArguments &arguments) {
  auto matches = [](ArrayRef<GlobPattern> globs, auto isOne) {
    return globs.empty() || any_of(globs, isOne);
  };
  return matches(
             arguments.files,
             [&](const GlobPattern &glob) { return glob.match(row.file); }) &&
         matches(arguments.functions, [&](const GlobPattern &glob) {
           return isNamed(row.function, demangled(row.function), glob);
         });
}

/// Returns the rows that are asked for, those first that need not be made, in
/// the order of the source; last those of waits.
static std::vector<TransferTableRow>
rowsOf(const TransferTable &table, const TransfersArguments &arguments) {
  std::vector<TransferTableRow> rows;
  copy_if(table.rows, std::back_inserter(rows),
          [&](const TransferTableRow &row) { return isAsked(row, arguments); });
  auto key = [](const TransferTableRow &row) {
    return std::make_tuple(isOfWait(row.verdict), !goes(row),
                           StringRef(row.file), row.line, row.column);
  };
  stable_sort(rows, [&](const TransferTableRow &a, const TransferTableRow &b) {
    return key(a) < key(b);
  });
  return rows;
}

static VerdictCounts countsOf(ArrayRef<TransferTableRow> rows) {
  VerdictCounts counts{};
  for (const TransferTableRow &row : rows)
    ++counts[static_cast<size_t>(row.verdict)];
  return counts;
}

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

static void print(const TransferTableRow &row) {
  outs() << "  " << row.file;
  if (row.line)
    outs() << ":" << row.line;
  if (row.column)
    outs() << ":" << row.column;
  outs() << ": " << row.callee << " in '" << demangled(row.function) << "' "
         << withNamesOfSource(row.reason) << '\n';
}

/// Says how many of \p rows have each verdict, of those that some have.
static void printCounts(ArrayRef<TransferTableRow> rows) {
  VerdictCounts counts = countsOf(rows);
  auto countOf = [&](TransferVerdict verdict) {
    return counts[static_cast<size_t>(verdict)];
  };
  SmallVector<std::string, 4> parts;
  auto add = [&](TransferVerdict verdict, StringRef text) {
    if (uint64_t count = countOf(verdict))
      parts.push_back((Twine(count) + " " + text).str());
  };
  bool isChanged = any_of(rows, [](const auto &row) { return row.isChanged; });
  add(TransferVerdict::Redundant, "redundant");
  add(TransferVerdict::FirstRound,
      isChanged ? "made once in a loop" : "needed once in a loop");
  add(TransferVerdict::Asked, "asked");
  add(TransferVerdict::LastRound,
      isChanged ? "made behind a loop" : "needed behind a loop");
  add(TransferVerdict::Dead, "read by nobody");
  add(TransferVerdict::Once, isChanged ? "there from the start"
                                       : "that could be there from the start");
  uint64_t needless = countOf(TransferVerdict::WaitNeedless),
           movable = countOf(TransferVerdict::WaitMovable),
           copies = rows.size() - needless - movable;
  outs() << "  of " << copies << (copies == 1 ? " copy" : " copies") << ": "
         << join(parts, ", ") << (parts.empty() ? "" : "; ")
         << countOf(TransferVerdict::Needed) << " needed\n";
  parts.clear();
  add(TransferVerdict::WaitNeedless,
      needless == 1 ? "wait is not needed" : "waits are not needed");
  add(TransferVerdict::WaitMovable, "could come later");
  if (!parts.empty())
    outs() << "  " << join(parts, ", ") << '\n';
}

static void print(StringRef program, const TransferTable &table,
                  const TransfersArguments &arguments) {
  std::vector<TransferTableRow> rows = rowsOf(table, arguments);
  outs() << program << ":\n";
  StringMap<unsigned> reasons;
  if (!arguments.all)
    for (const TransferTableRow &row : rows)
      if (!goes(row))
        ++reasons[row.reason];
  StringMap<unsigned> shown;
  for (const TransferTableRow &row : rows) {
    unsigned number = goes(row) || arguments.all ? 0 : ++shown[row.reason];
    if (number <= kMostOfOneReason)
      print(row);
    if (number == kMostOfOneReason && reasons[row.reason] > number)
      outs() << "    and " << reasons[row.reason] - number
             << " more for this reason; --all shows them\n";
  }
  printCounts(rows);
}

//===----------------------------------------------------------------------===//
// JSON
//===----------------------------------------------------------------------===//

static StringRef wordFor(TransferVerdict verdict) {
  switch (verdict) {
  case TransferVerdict::Needed:
    return "needed";
  case TransferVerdict::Redundant:
    return "redundant";
  case TransferVerdict::FirstRound:
    return "first-round";
  case TransferVerdict::Asked:
    return "asked";
  case TransferVerdict::LastRound:
    return "last-round";
  case TransferVerdict::Dead:
    return "dead";
  case TransferVerdict::Once:
    return "once";
  case TransferVerdict::WaitNeedless:
    return "needless";
  case TransferVerdict::WaitMovable:
    return "movable";
  }
  return "";
}

static json::Value toJson(const TransferTable &table,
                          const TransfersArguments &arguments) {
  std::vector<TransferTableRow> rows = rowsOf(table, arguments);
  json::Array copies, waits;
  for (const TransferTableRow &row : rows)
    (isOfWait(row.verdict) ? waits : copies)
        .push_back(json::Object{{"function", json::fixUTF8(row.function)},
                                {"callee", json::fixUTF8(row.callee)},
                                {"file", json::fixUTF8(row.file)},
                                {"line", row.line},
                                {"column", row.column},
                                {"verdict", wordFor(row.verdict)},
                                {"changed", row.isChanged},
                                {"reason", json::fixUTF8(row.reason)}});
  json::Object counts;
  for (auto [number, count] : enumerate(countsOf(rows)))
    counts[wordFor(static_cast<TransferVerdict>(number))] = count;
  return json::Object{{"copies", std::move(copies)},
                      {"waits", std::move(waits)},
                      {"counts", std::move(counts)}};
}

static Expected<TransferTable> tableOf(StringRef path) {
  Expected<std::unique_ptr<MemoryBuffer>> file = readWholeFile(path);
  if (!file)
    return file.takeError();
  return readTransferTable((*file)->getMemBufferRef(), InputLocation(path));
}

int explainTransfersCommand(ArrayRef<const char *> words) {
  BumpPtrAllocator texts;
  Expected<TransfersArguments> arguments = parse(words, texts);
  if (!arguments) {
    errs() << "gpulto explain: error: " << toString(arguments.takeError())
           << '\n'
           << kUsage;
    return 1;
  }
  if (arguments->help) {
    outs() << kUsage;
    return 0;
  }
  int status = 0;
  json::Object all;
  for (StringRef program : arguments->programs) {
    Expected<TransferTable> table = tableOf(program);
    if (!table) {
      errs() << "gpulto explain: error: " << toString(table.takeError())
             << '\n';
      status = 1;
    } else if (arguments->asJson) {
      all[program] = toJson(*table, *arguments);
    } else {
      print(program, *table, *arguments);
    }
  }
  if (arguments->asJson && status == 0)
    outs() << formatv("{0:2}\n", json::Value(std::move(all)));
  return status;
}

} // namespace gpulto
