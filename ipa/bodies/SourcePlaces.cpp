//===- SourcePlaces.cpp - Where code stands in the source -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "ipa/bodies/SourcePlaces.h"

#include "ipa/bodies/Passes.h"
#include "summary/ModuleSummary.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/DebugProgramInstruction.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/ValueSymbolTable.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/StringSaver.h"

using namespace llvm;

namespace gpulto {

SourcePlaces::SourcePlaces(const Module &module, ModuleSummary &summary,
                           StringSaver &strings)
    : summary(summary), strings(strings) {
  for (const Function &function : module) {
    if (function.isDeclaration())
      continue;
    addNames(function);
    const DISubprogram *subprogram = function.getSubprogram();
    if (!subprogram)
      continue;
    if (std::optional<uint16_t> file = fileNumber(*subprogram))
      functions[&function] = {subprogram->getLine(), 0, *file};
    for (const Instruction &instruction : instructions(function))
      if (auto *call = dyn_cast<CallBase>(&instruction);
          call && isCallEdge(*call))
        if (SourcePlace place = placeOf(call->getDebugLoc()); place.isKnown())
          calls[call] = place;
  }
}

/// Returns the name of a parameter in the source, given that of its value in
/// IR: clang adds to that of a parameter which is passed in parts.
static StringRef sourceName(StringRef value) {
  StringRef name = value.split('.').first;
  return name == "agg" ? StringRef() : name; // agg.result: what is returned
}

/// Returns the parameter that is \p value, or that is stored to this variable,
/// as in code that is not optimized.
static const Argument *argumentIn(const Value *value) {
  if (const auto *variable = dyn_cast<AllocaInst>(value))
    for (const User *user : variable->users())
      if (const auto *store = dyn_cast<StoreInst>(user);
          store && store->getPointerOperand() == variable &&
          isa<Argument>(store->getValueOperand()))
        return cast<Argument>(store->getValueOperand());
  return dyn_cast<Argument>(value);
}

/// Values have names if the front end keeps them; else debug information has.
void SourcePlaces::addNames(const Function &function) {
  for (const Argument &argument : function.args())
    if (StringRef name = sourceName(argument.getName()); !name.empty())
      names[&argument] = nameNumber(name);
  if (!function.getSubprogram())
    return;
  for (const Instruction &instruction : function.getEntryBlock())
    for (const DbgVariableRecord &record :
         filterDbgVars(instruction.getDbgRecordRange())) {
      const DILocalVariable &variable = *record.getVariable();
      if (!variable.isParameter() || variable.getName().empty() ||
          record.getDebugLoc()->getInlinedAt())
        continue;
      for (const Value *value : record.location_ops())
        if (const Argument *argument = argumentIn(value);
            argument && !names.contains(argument))
          names[argument] = nameNumber(variable.getName());
    }
}

/// Whether \p scope is in the file that its unit is named after.
static bool isInUnitFile(const DILocalScope &scope) {
  const DISubprogram *function = scope.getSubprogram();
  const DICompileUnit *unit = function ? function->getUnit() : nullptr;
  const DIFile *file = scope.getFile();
  if (!unit || !unit->getFile())
    return false;
  auto pathOf = [](const DIFile &file) {
    SmallString<128> path;
    if (!sys::path::is_absolute(file.getFilename()))
      path = file.getDirectory();
    sys::path::append(path, file.getFilename());
    sys::path::remove_dots(path);
    return path;
  };
  return file == unit->getFile() || pathOf(*file) == pathOf(*unit->getFile());
}

/// Returns the number of the file of \p scope; nothing if there is none, or too
/// many of them.
std::optional<uint16_t> SourcePlaces::fileNumber(const DILocalScope &scope) {
  constexpr uint16_t kUnitFile = 0, kNoNumber = UINT16_MAX;
  const DIFile *file = scope.getFile();
  if (!file)
    return std::nullopt;
  auto [entry, isNew] = fileNumbers.try_emplace(file, kUnitFile);
  if (isNew && !isInUnitFile(scope)) {
    entry->second = kNoNumber;
    if (summary.sourceFiles.size() + 1 < kNoNumber) {
      StringRef name = file->getFilename();
      while (name.consume_front("./")) {
      }
      summary.sourceFiles.push_back({strings.save(name)});
      entry->second = static_cast<uint16_t>(summary.sourceFiles.size());
    }
  }
  if (entry->second == kNoNumber)
    return std::nullopt;
  return entry->second;
}

SourcePlace SourcePlaces::placeOf(const DILocation *where) {
  SourcePlace place;
  for (; where; where = where->getInlinedAt()) {
    std::optional<uint16_t> file = fileNumber(*where->getScope());
    if (!where->getLine() || !file)
      continue;
    place = {where->getLine(), static_cast<uint16_t>(where->getColumn()),
             *file};
    if (*file == 0)
      break;
  }
  return place;
}

uint32_t SourcePlaces::nameNumber(StringRef name) {
  auto [entry, isNew] = nameNumbers.try_emplace(name, 0);
  if (isNew) {
    summary.sourceNames.push_back({strings.save(name)});
    entry->second = static_cast<uint32_t>(summary.sourceNames.size());
  }
  return entry->second;
}

bool dropLocalNames(Module &module) {
  bool changed = false;
  for (Function &function : module) {
    ValueSymbolTable *table = function.getValueSymbolTable();
    while (table && !table->empty()) {
      table->begin()->second->setName("");
      changed = true;
    }
  }
  return changed;
}

} // namespace gpulto
