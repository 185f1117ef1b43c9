//===- JobRemarks.cpp - Remarks on a job's module -------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "lto/job/JobRemarks.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/Function.h"

using namespace llvm;

namespace gpulto {

//===----------------------------------------------------------------------===//
// What is asked for
//===----------------------------------------------------------------------===//

/// Returns whether the regex \p pattern can match names of our passes only, by
/// what they begin with and no pass of LLVM's contains.
static bool meansOurs(StringRef pattern) {
  pattern.consume_front("^");
  if (!pattern.starts_with("gpulto"))
    return false;
  if (!pattern.contains('|'))
    return true;
  int depth = 0;
  for (char c : pattern) {
    depth += c == '(' ? 1 : c == ')' ? -1 : 0;
    if (c == '\\' || c == '[' || (c == '|' && depth <= 0))
      return false;
  }
  return true;
}

RemarkRequest requestRemarks(const DiagnosticsOptions &options) {
  RemarkRequest request{options.passed, options.missed, options.analysis, ""};
  if (options.keepRemarks)
    request.kept = options.kept.empty() ? ".*" : options.kept;
  for (std::string *pattern :
       {&request.passed, &request.missed, &request.analysis, &request.kept})
    if (meansOurs(*pattern))
      pattern->clear();
  return request;
}

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

static constexpr StringLiteral kTagPrefix = ".gpulto.";

JobNames::JobNames(const LtransJob &job) {
  for (const JobInput &input : job.inputs) {
    InputLocation where(input.path, input.member);
    tags.insert(input.tag);
    for (const JobSymbol &symbol : input.symbols) {
      inputs.try_emplace(symbol.name, where);
      inputs.try_emplace(promotedName(symbol.name, input.tag), where);
      for (const JobBody &body : symbol.bodies)
        if (!body.clone.empty())
          inputs.try_emplace(body.clone, where);
    }
  }
}

InputLocation JobNames::inputOf(StringRef name) const {
  return inputs.lookup(name);
}

std::string JobNames::withoutTags(StringRef text) const {
  std::string result;
  for (size_t at; (at = text.find(kTagPrefix)) != StringRef::npos;) {
    StringRef rest = text.drop_front(at + kTagPrefix.size());
    StringRef tag = rest.take_while([](char c) { return isAlnum(c); });
    result += text.take_front(at);
    if (!tags.contains(tag))
      result += (kTagPrefix + tag).str();
    text = rest.drop_front(tag.size());
  }
  return result + text.str();
}

Remark JobNames::remarkOn(const Function &function,
                          const DILocation *where) const {
  Remark remark;
  remark.function =
      withoutTags(GlobalValue::dropLLVMManglingEscape(function.getName()));
  remark.input = inputOf(function.getName());
  if (where)
    remark.where = {where->getFilename().str(), where->getLine(),
                    where->getColumn()};
  else if (const DISubprogram *source = function.getSubprogram())
    remark.where = {source->getFilename().str(), source->getLine()};
  return remark;
}

//===----------------------------------------------------------------------===//
// What LLVM says
//===----------------------------------------------------------------------===//

static RemarkKind kindOf(const DiagnosticInfoOptimizationBase &info) {
  switch (info.getKind()) {
  case DK_OptimizationRemark:
  case DK_MachineOptimizationRemark:
    return RemarkKind::Passed;
  case DK_OptimizationRemarkMissed:
  case DK_MachineOptimizationRemarkMissed:
    return RemarkKind::Missed;
  default:
    return RemarkKind::Analysis;
  }
}

/// Returns the pass that gives an analysis of name \p pass: loops that a pragma
/// wants to be vectorized are spoken of without one.
static StringRef passOf(StringRef pass) {
  return pass == OptimizationRemarkAnalysis::AlwaysPrint ? "loop-vectorize"
                                                         : pass;
}

/// Returns what clang adds to a message like \p info.
static StringRef adviceOf(const DiagnosticInfoOptimizationBase &info) {
  if (info.getKind() == DK_OptimizationRemarkAnalysisFPCommute)
    return "; allow reordering by specifying '#pragma clang loop "
           "vectorize(enable)' before the loop or by providing the compiler "
           "option '-ffast-math'";
  if (info.getKind() == DK_OptimizationRemarkAnalysisAliasing)
    return "; allow reordering by specifying '#pragma clang loop "
           "vectorize(enable)' before the loop; if the arrays will always be "
           "independent, specify '#pragma clang loop vectorize(assume_safety)' "
           "before the loop or provide the '__restrict__' qualifier with the "
           "independent array arguments -- erroneous results will occur if "
           "these options are incorrectly applied";
  return "";
}

JobRemarks::JobRemarks(const LtransJob &job, std::vector<Remark> &remarks)
    : names(job), remarks(remarks) {
  auto set = [](std::optional<Regex> &filter, const std::string &pattern) {
    if (!pattern.empty())
      filter.emplace(pattern);
  };
  const RemarkRequest &request = job.remarks;
  set(printed[static_cast<size_t>(RemarkKind::Passed)], request.passed);
  set(printed[static_cast<size_t>(RemarkKind::Missed)], request.missed);
  set(printed[static_cast<size_t>(RemarkKind::Analysis)], request.analysis);
  set(kept, request.kept);
}

bool JobRemarks::wants(RemarkKind kind, StringRef pass) const {
  const std::optional<Regex> &filter = printed[static_cast<size_t>(kind)];
  return (filter && filter->match(passOf(pass))) ||
         (kept && kept->match(passOf(pass)));
}

void JobRemarks::add(const DiagnosticInfoOptimizationBase &info) {
  RemarkKind kind = kindOf(info);
  if (!wants(kind, info.getPassName()))
    return;
  Remark &remark = remarks.emplace_back(names.remarkOn(info.getFunction()));
  remark.kind = kind;
  remark.pass = passOf(info.getPassName()).str();
  remark.name = info.getRemarkName().str();
  remark.text = names.withoutTags(info.getMsg()) + adviceOf(info).str();
  // LLVM's remarks without a place are not about the whole function.
  remark.where = {};
  if (DiagnosticLocation where = info.getLocation(); where.isValid())
    remark.where = {where.getRelativePath().str(), where.getLine(),
                    where.getColumn()};
}

} // namespace gpulto
