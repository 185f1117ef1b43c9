//===- Architectures.cpp - One device image per architecture --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "lto/read/Architectures.h"

#include "fatobj/DeviceImage.h"
#include "summary/ModuleSummary.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace gpulto {

namespace {
/// `sm_90a`, taken apart.
struct ParsedArch {
  unsigned number = 0;
  StringRef suffix;
};
} // namespace

static ParsedArch parse(StringRef arch) {
  ParsedArch result;
  arch.consume_front("sm_");
  arch.consumeInteger(10, result.number);
  result.suffix = arch;
  return result;
}

bool runsOn(StringRef code, StringRef arch) {
  if (code == arch)
    return true;
  ParsedArch from = parse(code), to = parse(arch);
  if (from.number == 0 || from.number > to.number)
    return false;
  constexpr unsigned kFamily = 10; // sm_120, sm_121
  bool sharesFamily =
      from.number / kFamily == to.number / kFamily && !to.suffix.empty();
  return from.suffix.empty() || (from.suffix == "f" && sharesFamily);
}

/// Returns whether \p module is device code, and not what the device sees of a
/// file without any.
static bool hasDeviceCode(const WpaModule &module) {
  const ModuleSummary &summary = module.module.summary;
  return summary.side == Side::Device &&
         (!summary.functions.empty() || !summary.variables.empty() ||
          !summary.aliases.empty() || summary.has(kHasModuleAsm));
}

std::vector<StringRef> architecturesOf(ArrayRef<WpaModule> modules) {
  std::vector<StringRef> result;
  for (const WpaModule &module : modules)
    if (hasDeviceCode(module))
      result.push_back(module.module.summary.arch);
  llvm::sort(result);
  result.erase(llvm::unique(result), result.end());
  return result;
}

static void remarkSubstitute(const WpaModule &code, StringRef arch,
                             Diagnostics &diagnostics) {
  Remark remark;
  remark.kind = RemarkKind::Missed;
  remark.pass = "gpulto-architectures";
  remark.name = "OlderCode";
  remark.input = code.module.location;
  remark.text = ("has no device code for " + arch + "; that for " +
                 code.module.summary.arch + " is compiled for it")
                    .str();
  diagnostics.remark(std::move(remark));
}

static Error missing(ArrayRef<WpaModule> unit, StringRef arch) {
  return inputError(unit.front().module.location,
                    "no device code for " + arch +
                        ", for which other objects of this link have some; "
                        "there is code for " +
                        join(architecturesOf(unit), ", ") +
                        " only; compile it with --offload-arch=" + arch +
                        " too");
}

/// Adds to \p result a module of \p unit for \p arch.
static Error completeOne(ArrayRef<WpaModule> unit, StringRef arch,
                         Diagnostics &diagnostics,
                         std::vector<WpaModule> &result) {
  const WpaModule *best = nullptr;
  for (const WpaModule &module : unit) {
    const ModuleSummary &summary = module.module.summary;
    if (summary.side != Side::Device || !runsOn(summary.arch, arch))
      continue;
    if (summary.arch == arch)
      return Error::success();
    if (!best || archNameLess(best->module.summary.arch, summary.arch))
      best = &module;
  }
  if (!best)
    return missing(unit, arch);
  remarkSubstitute(*best, arch, diagnostics);
  WpaModule copy = *best;
  copy.module.summary.arch = arch;
  // The forms that the object asks for concern its own architectures.
  copy.module.summary.flags |= kNoPtx | kNoCubin;
  result.push_back(std::move(copy));
  return Error::success();
}

Error completeArchitectures(std::vector<WpaModule> &modules,
                            ArrayRef<StringRef> architectures,
                            Diagnostics &diagnostics) {
  std::vector<WpaModule> result;
  Error errors = Error::success();
  for (size_t begin = 0, end = 0; begin < modules.size(); begin = end) {
    while (end < modules.size() &&
           modules[end].module.object == modules[begin].module.object)
      ++end;
    ArrayRef<WpaModule> unit = ArrayRef(modules).slice(begin, end - begin);
    std::vector<WpaModule> added;
    if (any_of(unit, hasDeviceCode))
      for (StringRef arch : architectures)
        errors = joinErrors(std::move(errors),
                            completeOne(unit, arch, diagnostics, added));
    for (size_t i = begin; i < end; ++i) {
      const ModuleSummary &summary = modules[i].module.summary;
      if (summary.side == Side::Host ||
          is_contained(architectures, summary.arch))
        result.push_back(std::move(modules[i]));
    }
    llvm::move(added, std::back_inserter(result));
  }
  modules = std::move(result);
  return errors;
}

} // namespace gpulto
