//===- WpaContext.cpp - What every pass of WPA sees -----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "summary/WpaContext.h"

using namespace llvm;

namespace gpulto {

Remark remarkOn(const CombinedSummary &program, GlobalId id) {
  const CombinedModule &module = program.moduleRef(id);
  Remark remark;
  remark.function = program.symbol(id).name.str();
  remark.where.file = module.summary.sourceName.str();
  if (const FunctionSummary *function = program.function(id))
    remark.where.line = function->line;
  remark.input = module.location;
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
