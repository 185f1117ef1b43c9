//===- ExplainMemory.cpp - gpulto explain --memory ------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "tools/commands/ExplainMemory.h"

#include "lto/link/Version.h"
#include "lto/tables/MemoryTable.h"
#include "support/Error.h"
#include "support/Subprocess.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/Support/Allocator.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/GlobPattern.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/StringSaver.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <string>
#include <vector>

using namespace llvm;

namespace gpulto {

static const char kUsage[] =
    "usage: gpulto explain --memory [--kernel=GLOB]... [--file=GLOB]... "
    "[--all]\n"
    "                               [--json | --sarif] PROGRAM...\n"
    "\n"
    "Says which accesses of kernels to memory waste bandwidth, the worst "
    "first,\n"
    "why, and what to do. A sector is 32 bytes; a warp needs as many as the\n"
    "bytes that its threads name would fill side by side.\n"
    "\n"
    "  --kernel=GLOB   only in kernels whose name, as in the source with or\n"
    "                  without parameters, or mangled, is GLOB\n"
    "  --file=GLOB     only in source files whose path ends with GLOB\n"
    "  --all           also those that waste nothing, or of which nobody "
    "knows\n"
    "  --sarif         as SARIF 2.1.0, for editors and code scanning\n";

namespace {
struct MemoryArguments {
  bool asJson = false, asSarif = false, all = false, help = false;
  std::vector<GlobPattern> kernels, files;
  std::vector<StringRef> programs;
};

/// A row to show, and the architectures that have it.
struct ShownRow {
  MemoryRow row;
  std::vector<std::string> architectures;
};
} // namespace

static Error addGlob(StringRef text, std::vector<GlobPattern> &globs) {
  Expected<GlobPattern> glob = GlobPattern::create(text);
  if (!glob)
    return makeError("'" + text +
                     "' is no pattern: " + toString(glob.takeError()));
  globs.push_back(std::move(*glob));
  return Error::success();
}

static Expected<MemoryArguments> parse(ArrayRef<const char *> arguments,
                                       BumpPtrAllocator &texts) {
  StringSaver saver(texts);
  MemoryArguments result;
  for (StringRef argument : arguments) {
    if (argument == "--memory")
      continue;
    if (argument == "--help" || argument == "-h") {
      result.help = true;
    } else if (argument == "--json") {
      result.asJson = true;
    } else if (argument == "--sarif") {
      result.asSarif = true;
    } else if (argument == "--all") {
      result.all = true;
    } else if (argument.consume_front("--kernel=")) {
      if (Error error = addGlob(argument, result.kernels))
        return std::move(error);
    } else if (argument.consume_front("--file=")) {
      if (Error error = addGlob(saver.save("*" + argument), result.files))
        return std::move(error);
    } else if (argument.starts_with("-")) {
      return makeError("unknown option '" + argument + "'");
    } else {
      result.programs.push_back(argument);
    }
  }
  if (result.asJson && result.asSarif)
    return makeError("--json and --sarif exclude each other");
  if (!result.help && result.programs.empty())
    return makeError("no linked program");
  return result;
}

//===----------------------------------------------------------------------===//
// Which rows
//===----------------------------------------------------------------------===//

static bool isAsked(const MemoryRow &row, const MemoryArguments &arguments) {
  auto matches = [](ArrayRef<GlobPattern> globs, StringRef name) {
    return globs.empty() || any_of(globs, [&](const GlobPattern &glob) {
             return glob.match(name);
           });
  };
  return (arguments.kernels.empty() ||
          any_of(arguments.kernels,
                 [&](const GlobPattern &glob) { return isOf(row, glob); })) &&
         matches(arguments.files, row.file) && (arguments.all || row.isAlarm);
}

/// How much a row matters: sectors of a block beyond those needed, ten times as
/// much in each loop.
static double wasteOf(const MemoryRow &row) {
  constexpr uint32_t kMostDepth = 4;
  double waste = row.sectors.expected - double(row.ideal);
  for (uint32_t i = 0; i < std::min(row.loopDepth, kMostDepth); ++i)
    waste *= 10;
  return row.isAlarm ? waste : std::min(waste, 0.0);
}

/// Returns what is asked for, the worst first; equal rows of several images
/// once.
static std::vector<ShownRow> rowsOf(const MemoryTable &table,
                                    const MemoryArguments &arguments) {
  std::vector<ShownRow> rows;
  for (const MemoryImage &image : table.images)
    for (const MemoryRow &row : image.rows) {
      if (!isAsked(row, arguments))
        continue;
      auto known = find_if(
          rows, [&](const ShownRow &other) { return other.row == row; });
      if (known != rows.end())
        known->architectures.push_back(image.arch);
      else
        rows.push_back({row, {image.arch}});
    }
  stable_sort(rows, [](const ShownRow &a, const ShownRow &b) {
    return wasteOf(a.row) > wasteOf(b.row);
  });
  return rows;
}

/// Drops rows that a reader takes for an earlier, worse one.
static void dropRepeated(std::vector<ShownRow> &rows) {
  StringSet<> seen;
  erase_if(rows, [&](const ShownRow &row) {
    return !seen.insert(subjectOf(row.row)).second;
  });
}

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

static void printRow(const MemoryRow &row) {
  std::string place = placeOf(row);
  outs() << "  " << place << (place.empty() ? "" : ": ") << messageOf(row)
         << '\n';
  if (!row.launches.empty())
    outs() << "    launched at " << row.launches << '\n';
  if (!row.advice.empty())
    outs() << "    " << row.advice << '\n';
}

static void print(StringRef program, const MemoryTable &table,
                  const MemoryArguments &arguments) {
  MemoryArguments everything;
  everything.all = true;
  std::vector<ShownRow> all = rowsOf(table, everything);
  dropRepeated(all);
  auto count = [&](auto condition) {
    return count_if(
        all, [&](const ShownRow &shown) { return condition(shown.row); });
  };
  outs() << program << ": " << all.size() << " accesses, "
         << count([](const MemoryRow &row) { return row.isAlarm; })
         << " waste bandwidth, " << count([](const MemoryRow &row) {
              return row.verdict == AccessVerdict::Irregular;
            })
         << " depend on data, of " << count([](const MemoryRow &row) {
              return row.verdict == AccessVerdict::Unknown;
            })
         << " nothing is known\n";
  std::vector<ShownRow> rows = rowsOf(table, arguments);
  dropRepeated(rows);
  for (const ShownRow &row : rows)
    printRow(row.row);
}

//===----------------------------------------------------------------------===//
// JSON and SARIF
//===----------------------------------------------------------------------===//

static json::Value toJson(const ShownRow &shown) {
  const MemoryRow &row = shown.row;
  json::Object object{
      {"kernel", json::fixUTF8(row.kernel)},
      {"function", json::fixUTF8(row.function)},
      {"file", json::fixUTF8(row.file)},
      {"line", row.line},
      {"column", row.column},
      {"architectures", shown.architectures},
      {"space", wordFor(row.space)},
      {"kind", wordFor(row.kind)},
      {"verdict", wordFor(row.verdict)},
      {"alarm", row.isAlarm},
      {"bytes", row.sizeBytes},
      {"loopDepth", row.loopDepth},
      {"block", json::Array{row.block[0], row.block[1], row.block[2]}},
      {"example", row.isExample},
      {"base", json::fixUTF8(row.base)},
      {"launches", json::fixUTF8(row.launches)},
      {"reason", json::fixUTF8(row.reason)},
      {"advice", json::fixUTF8(row.advice)}};
  if (hasSectors(row)) {
    object["requests"] = row.requests;
    object["sectors"] = json::Object{{"expected", row.sectors.expected},
                                     {"least", row.sectors.least},
                                     {"most", row.sectors.most}};
    object["idealSectors"] = row.ideal;
    object["lines"] = row.lines;
    if (row.swapped > 0)
      object["swappedSectors"] = row.swapped;
  }
  return object;
}

static json::Value toSarif(const ShownRow &shown) {
  const MemoryRow &row = shown.row;
  std::string text = messageOf(row);
  if (!row.advice.empty())
    text += "; " + row.advice;
  json::Object result{{"ruleId", ("gpulto/" + wordFor(row.verdict)).str()},
                      {"level", row.isAlarm ? "warning" : "note"},
                      {"message", json::Object{{"text", json::fixUTF8(text)}}}};
  if (row.line) {
    json::Object region{{"startLine", row.line}};
    if (row.column)
      region["startColumn"] = row.column;
    result["locations"] = json::Array{json::Object{
        {"physicalLocation",
         json::Object{{"artifactLocation",
                       json::Object{{"uri", json::fixUTF8(row.file)}}},
                      {"region", std::move(region)}}}}};
  }
  return result;
}

static json::Value sarifRun(json::Array results) {
  json::Array rules;
  for (size_t i = 0; i <= size_t(AccessVerdict::Last); ++i)
    rules.push_back(json::Object{
        {"id", ("gpulto/" + wordFor(static_cast<AccessVerdict>(i))).str()}});
  return json::Object{
      {"$schema", "https://json.schemastore.org/sarif-2.1.0.json"},
      {"version", "2.1.0"},
      {"runs",
       json::Array{json::Object{
           {"tool", json::Object{{"driver",
                                  json::Object{{"name", "gpulto"},
                                               {"version", GPULTO_VERSION},
                                               {"rules", std::move(rules)}}}}},
           {"results", std::move(results)}}}}};
}

static Expected<MemoryTable> tableOf(StringRef path) {
  Expected<std::unique_ptr<MemoryBuffer>> file = readWholeFile(path);
  if (!file)
    return file.takeError();
  return readMemoryTable((*file)->getMemBufferRef(), InputLocation(path));
}

int explainMemoryCommand(ArrayRef<const char *> words) {
  BumpPtrAllocator texts;
  Expected<MemoryArguments> arguments = parse(words, texts);
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
  json::Array results;
  for (StringRef program : arguments->programs) {
    Expected<MemoryTable> table = tableOf(program);
    if (!table) {
      errs() << "gpulto explain: error: " << toString(table.takeError())
             << '\n';
      status = 1;
      continue;
    }
    if (!arguments->asJson && !arguments->asSarif) {
      print(program, *table, *arguments);
      continue;
    }
    json::Array rows;
    std::vector<ShownRow> shown = rowsOf(*table, *arguments);
    if (arguments->asSarif)
      dropRepeated(shown);
    for (const ShownRow &row : shown)
      (arguments->asSarif ? results : rows)
          .push_back(arguments->asSarif ? toSarif(row) : toJson(row));
    all[program] = std::move(rows);
  }
  if (arguments->asJson && status == 0)
    outs() << formatv("{0:2}\n", json::Value(std::move(all)));
  if (arguments->asSarif && status == 0)
    outs() << formatv("{0:2}\n", sarifRun(std::move(results)));
  return status;
}

} // namespace gpulto
