//===- ExplainCommand.cpp - gpulto explain --------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tools/commands/ExplainCommand.h"

#include "lto/tables/Stamp.h"
#include "support/Error.h"
#include "support/Subprocess.h"
#include "tools/commands/ExplainInlining.h"
#include "tools/commands/ExplainKernel.h"
#include "tools/commands/ExplainMemory.h"
#include "tools/commands/ExplainTransfers.h"
#include "tools/commands/FileArguments.h"
#include "tools/commands/WhyRebuilt.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <string>
#include <vector>

using namespace llvm;

namespace gpulto {

static StringRef wordFor(OutputKind kind) {
  switch (kind) {
  case OutputKind::Executable:
    return "executable";
  case OutputKind::PieExecutable:
    return "position-independent executable";
  case OutputKind::Shared:
    return "shared library";
  case OutputKind::Relocatable:
    return "relocatable object";
  }
  return "";
}

static StringRef wordFor(StampTreatment treatment) {
  switch (treatment) {
  case StampTreatment::Optimized:
    return "optimized";
  case StampTreatment::Joined:
    return "joined";
  case StampTreatment::Native:
    return "native";
  case StampTreatment::System:
    return "system";
  }
  return "";
}

static StringRef wordFor(StampForm form) {
  switch (form) {
  case StampForm::None:
    return "";
  case StampForm::Fat:
    return "fat object";
  case StampForm::Slim:
    return "slim object";
  case StampForm::Stock:
    return "stock clang's bitcode";
  case StampForm::Mixed:
    return "objects of several kinds";
  }
  return "";
}

/// Returns `device code for sm_90, native for sm_80`, or nothing.
static std::string describeDevices(const StampInput &input) {
  std::string bitcode, native;
  for (const StampDevice &device : input.devices) {
    std::string &list = device.isNative ? native : bitcode;
    list += (list.empty() ? "" : " ") + device.arch;
  }
  SmallVector<std::string, 2> parts;
  if (!bitcode.empty())
    parts.push_back("device code for " + bitcode);
  if (!native.empty())
    parts.push_back("native device code for " + native);
  return join(parts, ", ");
}

/// Returns what a line says behind the name of \p input.
static std::string describe(const StampInput &input) {
  if (input.treatment == StampTreatment::System)
    return input.count > 1 ? std::to_string(input.count) + " members" : "";
  SmallVector<std::string, 3> parts;
  for (std::string part :
       {wordFor(input.form).str(), describeDevices(input), input.reason})
    if (!part.empty())
      parts.push_back(std::move(part));
  return join(parts, "; ");
}

/// Prints the inputs of \p stamp that were treated in one way.
static void printInputs(const Stamp &stamp, StampTreatment treatment,
                        StringRef heading) {
  auto isMeant = [&](const StampInput &input) {
    return input.treatment == treatment;
  };
  if (none_of(stamp.inputs, isMeant))
    return;
  outs() << "  " << heading << ":\n";
  for (const StampInput &input : make_filter_range(stamp.inputs, isMeant)) {
    std::string text = describe(input);
    outs() << "    " << input.name() << (text.empty() ? "" : ": ") << text
           << '\n';
  }
}

static size_t countOf(const Stamp &stamp, StampTreatment treatment) {
  return count_if(stamp.inputs, [&](const StampInput &input) {
    return input.treatment == treatment;
  });
}

/// Says in a word how much was optimized.
static std::string summarize(const Stamp &stamp) {
  size_t optimized = countOf(stamp, StampTreatment::Optimized);
  size_t joined = countOf(stamp, StampTreatment::Joined);
  size_t all = optimized + joined + countOf(stamp, StampTreatment::Native);
  if (joined)
    return formatv("{0} of {1} inputs joined, to be optimized with the program",
                   joined, all);
  return formatv("{0} of {1} inputs optimized", optimized, all);
}

static void printStamp(const Stamp &stamp) {
  outs() << "  " << wordFor(stamp.output) << ", linked by gpulto "
         << stamp.version << " with LLVM " << stamp.llvmVersion << '\n'
         << "  " << summarize(stamp) << '\n';
  for (const auto &[name, value] : stamp.stages)
    outs() << "  " << name << ": " << value << '\n';
  printInputs(stamp, StampTreatment::Optimized, "optimized");
  printInputs(stamp, StampTreatment::Joined, "joined");
  printInputs(stamp, StampTreatment::Native, "native");
  printInputs(stamp, StampTreatment::System, "of the system");
}

static json::Object toJson(const StampInput &input) {
  json::Array devices;
  for (const StampDevice &device : input.devices)
    devices.push_back(
        json::Object{{"arch", device.arch}, {"native", device.isNative}});
  json::Object object{{"path", input.path},
                      {"treatment", wordFor(input.treatment)},
                      {"devices", std::move(devices)}};
  if (!input.member.empty())
    object["member"] = input.member;
  if (input.form != StampForm::None)
    object["form"] = wordFor(input.form);
  if (!input.reason.empty())
    object["reason"] = input.reason;
  if (input.treatment == StampTreatment::System)
    object["members"] = int64_t(input.count);
  return object;
}

static json::Object toJson(const Stamp &stamp) {
  json::Object stages;
  for (const auto &[name, value] : stamp.stages)
    stages[name] = value;
  json::Array inputs;
  for (const StampInput &input : stamp.inputs)
    inputs.push_back(toJson(input));
  return json::Object{{"version", stamp.version},
                      {"llvm", stamp.llvmVersion},
                      {"output", wordFor(stamp.output)},
                      {"stages", std::move(stages)},
                      {"inputs", std::move(inputs)}};
}

/// Returns the stamps of the file \p path, the one that made it first.
static Expected<std::vector<Stamp>> stampsOf(StringRef path) {
  InputLocation where(path);
  Expected<std::unique_ptr<MemoryBuffer>> file = readWholeFile(path);
  if (!file)
    return file.takeError();
  Expected<std::vector<Stamp>> stamps =
      readStamps((*file)->getMemBufferRef(), where);
  if (!stamps)
    return stamps.takeError();
  if (stamps->empty())
    return inputError(where, "no section " + kStampSection +
                                 ": it was not linked with -flto=gpu");
  // The link's own note stands behind those of its inputs, unless a linker puts
  // generated code before native objects.
  std::reverse(stamps->begin(), stamps->end());
  std::stable_partition(stamps->begin(), stamps->end(), [](const Stamp &stamp) {
    return stamp.output != OutputKind::Relocatable;
  });
  return stamps;
}

static void printStamps(StringRef path, ArrayRef<Stamp> stamps) {
  outs() << path << ":\n";
  printStamp(stamps.front());
  for (const Stamp &stamp : stamps.drop_front()) {
    outs() << "and in it:\n";
    printStamp(stamp);
  }
}

int explainCommand(ArrayRef<const char *> arguments) {
  auto words = map_range(arguments, [](auto *a) { return StringRef(a); });
  if (is_contained(words, "--why-rebuilt"))
    return whyRebuiltCommand(arguments);
  if (is_contained(words, "--inlining"))
    return explainInliningCommand(arguments);
  if (is_contained(words, "--memory"))
    return explainMemoryCommand(arguments);
  if (is_contained(words, "--transfers"))
    return explainTransfersCommand(arguments);
  if (isAboutKernel(arguments))
    return explainKernelCommand(arguments);
  FileArguments read = readFileArguments(
      "explain",
      "Says of what outputs of links were made, and how. With the name of a "
      "kernel\nbefore that of a program (gpulto explain KERNEL PROGRAM; * and "
      "? "
      "are taken as\nin file names), its story: who launches it, what is known "
      "of it, what was\ndone with it, what it takes, what one could do. These "
      "have a help of their own:\n\n"
      "  --inlining      which calls were inlined, and why\n"
      "  --memory        which accesses to memory waste bandwidth\n"
      "  --transfers     which copies between host and device need not be "
      "made\n"
      "  --why-rebuilt   which link-time jobs were run again",
      arguments);
  int status = read.status;
  json::Object all;
  for (StringRef file : read.files) {
    Expected<std::vector<Stamp>> stamps = stampsOf(file);
    if (!stamps) {
      errs() << "gpulto explain: error: " << toString(stamps.takeError())
             << '\n';
      status = 1;
      continue;
    }
    if (!read.asJson) {
      printStamps(file, *stamps);
      continue;
    }
    json::Array links;
    for (const Stamp &stamp : *stamps)
      links.push_back(toJson(stamp));
    all[file] = std::move(links);
  }
  if (read.asJson && status == 0)
    outs() << formatv("{0:2}\n", json::Value(std::move(all)));
  return status;
}

} // namespace gpulto
