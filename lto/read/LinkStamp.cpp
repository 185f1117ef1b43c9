//===- LinkStamp.cpp - The stamp's entries for the pipeline ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Only what affects the code, and nothing that differs between two links of the
// same inputs: no paths of tools, no number of jobs.
//
//===----------------------------------------------------------------------===//

#include "lto/read/LinkStamp.h"

#include "support/CudaVersion.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace gpulto {

StampForm formOf(const FatObject &object) {
  bool hasStock =
      object.records.empty() ||
      any_of(object.units, [](const HostUnit &unit) { return !unit.record; });
  bool hasSlim = false, hasFat = false;
  for (const FatRecord &record : object.records)
    (record.slim ? hasSlim : hasFat) = true;
  if (hasStock + hasSlim + hasFat > 1)
    return StampForm::Mixed;
  return hasStock  ? StampForm::Stock
         : hasSlim ? StampForm::Slim
                   : StampForm::Fat;
}

StampInput describeInput(const InputLocation &where, const FatObject &object) {
  StampInput input;
  input.path = where.path;
  input.member = where.member;
  input.form = formOf(object);
  return input;
}

Expected<std::vector<Stamp>> stampsOfInput(const FatObject &object,
                                           MemoryBufferRef file,
                                           const InputLocation &where) {
  if (isOneUnit(object))
    return std::vector<Stamp>();
  return readStamps(file, where);
}

void addDevices(ArrayRef<WpaModule> modules, StampInput &input) {
  for (const WpaModule &module : modules)
    if (module.module.summary.side == Side::Device)
      input.add({module.module.summary.arch.str(), /*isNative=*/false});
}

static std::string nameOf(EmbedKind kind) {
  switch (kind) {
  case EmbedKind::Ptx:
    return "ptx";
  case EmbedKind::Cubin:
    return "cubin";
  case EmbedKind::Both:
    return "ptx and cubin";
  }
  return "";
}

static std::string nameOf(const FoldOptions &icf) {
  switch (icf.mode) {
  case FoldMode::None:
    return "none";
  case FoldMode::Safe:
    return "safe";
  case FoldMode::All:
    return "all";
  }
  return "";
}

static std::string describeImages(const LinkPlan &plan) {
  std::string text;
  for (auto [arch, form] : zip_equal(plan.architectures, plan.forms))
    text += (text.empty() ? "" : ", ") + arch + " (" + nameOf(form) + ")";
  return text;
}

/// Returns the -O levels of the partitions, each once, in ascending order.
static std::string describeLevels(const LinkPlan &plan) {
  std::vector<std::string> levels;
  for (const JobHead &job : *plan.jobs)
    levels.push_back(job.sizeLevel > 1   ? "-Oz"
                     : job.sizeLevel > 0 ? "-Os"
                                         : "-O" + std::to_string(job.optLevel));
  llvm::sort(levels);
  levels.erase(llvm::unique(levels), levels.end());
  return join(levels, " ");
}

std::vector<std::pair<std::string, std::string>>
describeStages(const LinkPlan &plan, const LinkInputs &inputs,
               const LinkOptions &options) {
  auto onHost = [](const JobHead &job) { return job.side == Side::Host; };
  size_t hostJobs = count_if(*plan.jobs, onHost);
  std::vector<std::pair<std::string, std::string>> stages = {
      {"whole-program analysis", "on"},
      {"optimization level", describeLevels(plan)},
      {"code generation level", "-O" + std::to_string(inputs.codegen.optLevel)},
      {"folding", nameOf(options.icf)},
      {"host partitions", std::to_string(hostJobs)}};
  if (plan.architectures.empty())
    return stages;
  bool isChecked = any_of(
      *plan.jobs, [](const JobHead &job) { return job.device.checkKernels; });
  bool registers = options.icf.kernels == FoldKernels::Register;
  stages.insert(
      stages.end(),
      {{"device partitions", std::to_string(plan.jobs->size() - hostJobs)},
       {"device code", describeImages(plan)},
       {"folding of kernels", registers ? "register" : "launch"},
       {"guarded kernels", options.analysis.guardsKernels ? "on" : "off"},
       {"nodes of graphs",
        options.analysis.areNodesUnchanged ? "unchanged" : "any"},
       {"kernels checked by ptxas", isChecked ? "on" : "off"}});
  if (auto version = cudaVersion(options.cudaPath))
    stages.emplace_back("CUDA toolkit", version->getAsString());
  return stages;
}

} // namespace gpulto
