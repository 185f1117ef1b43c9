//===- Remarks.cpp - What remarks call functions and places ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "summary/Remarks.h"

#include "summary/CombinedModule.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"

using namespace llvm;

namespace gpulto {

std::string quotedName(const CombinedSummary &program, GlobalId id) {
  return "'" + program.symbol(id).name.str() + "'";
}

std::string bodyName(const CombinedSummary &program, GlobalId id,
                     uint32_t clone) {
  std::string name = quotedName(program, id);
  return clone ? "clone " + std::to_string(clone) + " of " + name : name;
}

/// Returns the position \p index, counted from 0, as people say it.
static std::string ordinal(uint32_t index) {
  return std::to_string(index + 1) + getOrdinalSuffix(index + 1).str();
}

std::string parameterName(const CombinedSummary &program, GlobalId id,
                          uint32_t parameter) {
  ArrayRef<ParameterRecord> formals = program.parameters(id);
  uint32_t name = parameter < formals.size() ? formals[parameter].name : 0;
  if (!name)
    return "the " + ordinal(parameter) + " parameter";
  const ModuleSummary &module = program.moduleRef(id).summary;
  std::string text =
      "parameter '" + module.sourceNames[name - 1].text.str() + "'";
  bool isOneOfSeveral = count_if(formals, [&](const ParameterRecord &formal) {
                          return formal.name == name;
                        }) > 1;
  return isOneOfSeveral ? text + " (the " + ordinal(parameter) + ")" : text;
}

std::string parameterName(const CombinedSummary &program, GlobalId id,
                          const PointerSource &source) {
  std::string text = parameterName(program, id, source.parameter);
  return source.isPart ? text + " at byte " + std::to_string(source.byteOffset)
                       : text;
}

SourceLocation locationOf(const CombinedSummary &program, GlobalId id,
                          const SourcePlace &place) {
  const ModuleSummary &module = program.moduleRef(id).summary;
  StringRef file =
      place.file ? module.sourceFiles[place.file - 1].text : module.sourceName;
  return {file.str(), place.line, place.column};
}

std::string placeText(const CombinedSummary &program, GlobalId id,
                      const SourcePlace &place) {
  SourceLocation where = locationOf(program, id, place);
  std::string text = sys::path::filename(where.file).str();
  if (where.line)
    text += ":" + std::to_string(where.line);
  if (where.column)
    text += ":" + std::to_string(where.column);
  return text;
}

Remark remarkOn(const CombinedSummary &program, GlobalId id) {
  Remark remark;
  remark.function = program.symbol(id).name.str();
  const FunctionSummary *function = program.function(id);
  remark.where =
      locationOf(program, id, function ? function->place : SourcePlace());
  remark.input = program.moduleRef(id).location;
  return remark;
}

void addRemark(const WpaContext &context, RemarkKind kind, StringRef pass,
               StringRef name, GlobalId id, std::string text) {
  Remark remark = remarkOn(context.program, id);
  remark.kind = kind;
  remark.pass = pass.str();
  remark.name = name.str();
  remark.text = std::move(text);
  context.diagnostics.remark(std::move(remark));
}

} // namespace gpulto
