//===- ModuleFlags.cpp - Options of clang that hold per module ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "lto/lgen/ModuleFlags.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/TargetParser/Triple.h"

#include <map>
#include <string>

using namespace llvm;

namespace gpulto {

/// For the pre-link pipeline, or for a link of whole modules.
static constexpr StringLiteral kPreLinkFlags[] = {
    "EnableSplitLTOUnit",    "ThinLTO",     "UnifiedLTO",
    "Virtual Function Elim", "SDK Version", "nvvm-reflect-ftz"};

/// Merged harmlessly: functions say the same for themselves, or it is the form
/// of debug information.
static constexpr StringLiteral kMergedFlags[] = {"uwtable", "frame-pointer",
                                                 "Debug Info Version",
                                                 "Dwarf Version", "DWARF64"};

static constexpr StringLiteral kOutputFlags[] = {"PIC Level", "PIE Level"};

/// The flags that a device partition has any use for.
static constexpr StringLiteral kDeviceFlags[] = {"Debug Info Version",
                                                 "Dwarf Version", "DWARF64"};

static bool isDevice(const Module &module) {
  return Triple(module.getTargetTriple()).isNVPTX();
}

/// Adds the contents of \p value. Flags hold numbers, strings and lists of
/// them; a cycle is not possible in what LLVM's verifier lets pass.
static void addValue(StableHasher &hasher, const Metadata *value) {
  if (auto *text = dyn_cast_or_null<MDString>(value)) {
    hasher.add(text->getString());
  } else if (auto *constant = dyn_cast_or_null<ConstantAsMetadata>(value)) {
    std::string printed;
    raw_string_ostream(printed) << *constant->getValue();
    hasher.add(StringRef(printed));
  } else if (auto *node = dyn_cast_or_null<MDNode>(value)) {
    hasher.add(node->getNumOperands());
    if (!node->isDistinct())
      for (const MDOperand &operand : node->operands())
        addValue(hasher, operand);
  }
}

Digest digestOfModuleFlags(const Module &module) {
  StableHasher hasher;
  if (isDevice(module))
    return hasher.finish();
  SmallVector<Module::ModuleFlagEntry, 16> flags;
  module.getModuleFlagsMetadata(flags);
  // By name: the order says nothing.
  std::map<StringRef, const Metadata *> counted;
  for (const Module::ModuleFlagEntry &flag : flags) {
    StringRef name = flag.Key->getString();
    if (!is_contained(kPreLinkFlags, name) &&
        !is_contained(kMergedFlags, name) && !is_contained(kOutputFlags, name))
      counted[name] = flag.Val;
  }
  for (auto [name, value] : counted) {
    hasher.add(name);
    addValue(hasher, value);
  }
  return hasher.finish();
}

/// Keeps the flags whose names \p isKept accepts.
static void filterFlags(Module &module, function_ref<bool(StringRef)> isKept) {
  NamedMDNode *flags = module.getModuleFlagsMetadata();
  if (!flags)
    return;
  SmallVector<MDNode *> kept;
  for (MDNode *flag : flags->operands()) {
    auto *key = flag->getNumOperands() > 1
                    ? dyn_cast_or_null<MDString>(flag->getOperand(1))
                    : nullptr;
    if (!key || isKept(key->getString()))
      kept.push_back(flag);
  }
  flags->clearOperands();
  for (MDNode *flag : kept)
    flags->addOperand(flag);
}

void dropModuleFlags(Module &source, const LtransJob &job) {
  bool device = isDevice(source);
  filterFlags(source, [&](StringRef name) {
    if (device)
      return is_contained(kDeviceFlags, name);
    bool isFixed = job.host.outputKnown && is_contained(kOutputFlags, name);
    return !isFixed && !is_contained(kPreLinkFlags, name);
  });
}

void setOutputFlags(Module &partition, const LtransJob &job) {
  if (isDevice(partition) || !job.host.outputKnown)
    return;
  if (job.host.picLevel)
    partition.setPICLevel(static_cast<PICLevel::Level>(job.host.picLevel));
  if (job.host.pieLevel)
    partition.setPIELevel(static_cast<PIELevel::Level>(job.host.pieLevel));
}

} // namespace gpulto
