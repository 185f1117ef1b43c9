//===- ExplainInlining.cpp - gpulto explain --inlining --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "tools/commands/ExplainInlining.h"

#include "lto/tables/InlineTable.h"
#include "support/Error.h"
#include "support/Subprocess.h"
#include "support/UnitNames.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

#include <string>
#include <vector>

using namespace llvm;

namespace gpulto {

static const char kUsage[] =
    "usage: gpulto explain --inlining [--function=NAME]... [--json] "
    "PROGRAM...\n"
    "\n"
    "Says which calls of host functions of other modules, and of a function\n"
    "itself, whole-program analysis chose to be inlined, and why or why not.\n"
    "Sizes and growth are in IR instructions.\n"
    "\n"
    "  --function=NAME   only calls of and by NAME, as in the source with or\n"
    "                    without parameters, or mangled\n";

namespace {
struct InliningArguments {
  bool asJson = false;
  bool help = false;
  std::vector<StringRef> functions, programs;
};

/// A function's name as a user may give it.
struct FunctionName {
  explicit FunctionName(const std::string &mangled)
      : mangled(mangled), full(demangled(mangled)) {}
  bool is(StringRef name) const {
    return name == mangled || name == full ||
           name == StringRef(full).take_until([](char c) { return c == '('; });
  }
  const std::string &mangled;
  std::string full;
};
} // namespace

static Expected<InliningArguments> parse(ArrayRef<const char *> arguments) {
  InliningArguments result;
  for (StringRef argument : arguments) {
    if (argument == "--inlining")
      continue;
    if (argument == "--help" || argument == "-h")
      result.help = true;
    else if (argument == "--json")
      result.asJson = true;
    else if (argument.consume_front("--function="))
      result.functions.push_back(argument);
    else if (argument.starts_with("-"))
      return makeError("unknown option '" + argument + "'");
    else
      result.programs.push_back(argument);
  }
  if (!result.help && result.programs.empty())
    return makeError("no linked program");
  return result;
}

/// Whether \p call is one of or by a function that is named in \p functions.
static bool isOneOf(const InlineTableCall &call,
                    ArrayRef<StringRef> functions) {
  FunctionName caller(call.caller), callee(call.callee);
  return any_of(functions, [&](StringRef name) {
    return caller.is(name) || callee.is(name);
  });
}

static bool isAsked(const InlineTableCall &call,
                    const InliningArguments &arguments) {
  return arguments.functions.empty() || isOneOf(call, arguments.functions);
}

static std::string placeOf(const InlineTableCall &call) {
  std::string place = sys::path::filename(call.file).str();
  const SourcePlace &at = call.outcome.place;
  if (at.isKnown())
    place += ":" + std::to_string(at.line);
  if (at.column)
    place += ":" + std::to_string(at.column);
  return place;
}

/// Prints how many calls have each verdict, and the calls that are asked for.
static void print(StringRef program, const InlineTable &table,
                  const InliningArguments &arguments) {
  outs() << program << ": " << table.callCount() << " calls, "
         << table.counts[static_cast<size_t>(InlineVerdict::Inlined)]
         << " inlined\n";
  for (auto [number, count] : enumerate(table.counts))
    if (InlineOutcome outcome; count) {
      outcome.verdict = static_cast<InlineVerdict>(number);
      if (!outcome.isInlined())
        outs() << "  " << count << " not: " << reasonOf(outcome.verdict)
               << '\n';
    }
  if (table.calls.empty() && table.callCount())
    outs() << "  too many to be listed here; -Rpass=gpulto-inlining and "
              "-Rpass-missed=gpulto-inlining say them at the link\n";
  for (const InlineTableCall &call : table.calls)
    if (isAsked(call, arguments))
      outs() << "  " << placeOf(call) << ": " << demangled(call.callee)
             << (call.outcome.isInlined() ? " inlined into "
                                          : " not inlined into ")
             << demangled(call.caller) << ": " << describe(call.outcome) << '\n';
  for (StringRef name : arguments.functions)
    if (none_of(table.calls, [&](const InlineTableCall &call) {
          return isOneOf(call, name);
        }))
      outs() << "  no call of or by '" << name << "' is listed\n";
}

static json::Value toJson(const InlineTable &table,
                          const InliningArguments &arguments) {
  json::Array calls;
  for (const InlineTableCall &call : table.calls) {
    if (!isAsked(call, arguments))
      continue;
    const InlineOutcome &outcome = call.outcome;
    json::Object row{{"caller", json::fixUTF8(call.caller)},
                     {"callee", json::fixUTF8(call.callee)},
                     {"file", json::fixUTF8(call.file)},
                     {"line", outcome.place.line},
                     {"column", outcome.place.column},
                     {"inlined", outcome.isInlined()},
                     {"reason", describe(outcome)}};
    if (outcome.isWeighed()) {
      row["growth"] = outcome.growth;
      row["allowed"] = outcome.allowed;
      row["saved"] = outcome.saved;
      row["savedByConstants"] = outcome.constantGain;
    }
    if (outcome.copies) {
      row["copies"] = outcome.copies;
      row["depth"] = outcome.depth;
    }
    calls.push_back(std::move(row));
  }
  return json::Object{
      {"calls", std::move(calls)},
      {"count", table.callCount()},
      {"inlined", table.counts[static_cast<size_t>(InlineVerdict::Inlined)]}};
}

static Expected<InlineTable> tableOf(StringRef path) {
  Expected<std::unique_ptr<MemoryBuffer>> file = readWholeFile(path);
  if (!file)
    return file.takeError();
  return readInlineTable((*file)->getMemBufferRef(), InputLocation(path));
}

int explainInliningCommand(ArrayRef<const char *> words) {
  Expected<InliningArguments> arguments = parse(words);
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
    Expected<InlineTable> table = tableOf(program);
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
