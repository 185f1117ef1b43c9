//===- WhyRebuilt.cpp - gpulto explain --why-rebuilt ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "tools/commands/WhyRebuilt.h"

#include "lto/cache/LinkRecord.h"
#include "support/Error.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

#include <string>
#include <vector>

using namespace llvm;

namespace gpulto {

static const char kUsage[] =
    "usage: gpulto explain --why-rebuilt --gpulto-cache-dir=DIR [--json] "
    "[--all] OUTPUT...\n"
    "\n"
    "Says which link-time jobs the last link that wrote OUTPUT with this "
    "cache\n"
    "ran, and what of each has changed.\n"
    "\n"
    "  --all   all reasons; else the first of many\n";

namespace {
struct WhyArguments {
  std::string directory;
  bool asJson = false;
  bool all = false;
  bool help = false;
  std::vector<StringRef> outputs;
};
} // namespace

static Expected<WhyArguments> parse(ArrayRef<const char *> arguments) {
  WhyArguments result;
  for (StringRef argument : arguments) {
    if (argument == "--why-rebuilt")
      continue;
    if (argument == "--help" || argument == "-h")
      result.help = true;
    else if (argument == "--json")
      result.asJson = true;
    else if (argument == "--all")
      result.all = true;
    else if (argument.consume_front("--gpulto-cache-dir="))
      result.directory = argument.str();
    else if (argument.starts_with("-"))
      return makeError("unknown option '" + argument + "'");
    else
      result.outputs.push_back(argument);
  }
  if (result.help)
    return result;
  if (result.directory.empty())
    return makeError("no --gpulto-cache-dir=DIR, the cache of the link");
  if (result.outputs.empty())
    return makeError("no output of a link");
  return result;
}

static Expected<LinkRecord> recordOf(StringRef directory, StringRef output) {
  std::string path = recordPath(directory, output);
  auto file = MemoryBuffer::getFile(path, /*IsText=*/false,
                                    /*RequiresNullTerminator=*/false);
  if (!file)
    return inputError(InputLocation(output),
                      "the cache " + directory +
                          " knows no link that wrote it (" + path + ": " +
                          file.getError().message() + ")");
  return decodeRecord((*file)->getBuffer(), path);
}

static void print(StringRef output, const LinkRecord &record, bool all) {
  constexpr size_t kMostReasons = 8;
  auto count = [&](CacheState state) {
    return llvm::count_if(
        record.jobs, [&](const JobRecord &job) { return job.state == state; });
  };
  outs() << output << ": " << count(CacheState::Redone) << " of "
         << record.jobs.size() << " units redone; of the others "
         << count(CacheState::HitBodies) << " read their bodies\n";
  for (const JobRecord &job : record.jobs) {
    if (job.state != CacheState::Redone)
      continue;
    outs() << "  " << job.title << '\n';
    ArrayRef<std::string> reasons = job.reasons;
    ArrayRef<std::string> shown =
        all ? reasons : reasons.take_front(kMostReasons);
    for (const std::string &reason : shown)
      outs() << "    " << reason << '\n';
    if (size_t more = reasons.size() - shown.size())
      outs() << "    and " << more << " more (--all)\n";
  }
}

static json::Value toJson(const LinkRecord &record) {
  json::Array jobs;
  for (const JobRecord &job : record.jobs) {
    jobs.push_back(json::Object{
        {"unit", json::fixUTF8(job.title)},
        {"cache", wordFor(job.state)},
        {"reasons", json::Array(map_range(job.reasons, json::fixUTF8))}});
  }
  return jobs;
}

int whyRebuiltCommand(ArrayRef<const char *> arguments) {
  Expected<WhyArguments> parsed = parse(arguments);
  if (!parsed) {
    errs() << "gpulto explain: error: " << toString(parsed.takeError()) << '\n'
           << kUsage;
    return 1;
  }
  if (parsed->help) {
    outs() << kUsage;
    return 0;
  }
  int status = 0;
  json::Object all;
  for (StringRef output : parsed->outputs) {
    Expected<LinkRecord> record = recordOf(parsed->directory, output);
    if (!record) {
      errs() << "gpulto explain: error: " << toString(record.takeError())
             << '\n';
      status = 1;
    } else if (parsed->asJson) {
      all[output] = toJson(*record);
    } else {
      print(output, *record, parsed->all);
    }
  }
  if (parsed->asJson && status == 0)
    outs() << formatv("{0:2}\n", json::Value(std::move(all)));
  return status;
}

} // namespace gpulto
