//===- Ltrans.cpp - Run one LTRANS job ------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// A job is a pure function of the job file and the inputs that it names:
// nothing of the directory, the time or the process gets into its outputs.
//
//===----------------------------------------------------------------------===//

#include "lto/Ltrans.h"

#include "lto/DeviceCodegen.h"
#include "lto/HostCodegen.h"
#include "lto/LtransModule.h"
#include "support/Error.h"
#include "support/Subprocess.h"

#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/Support/TimeProfiler.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace gpulto {

LtransResultPaths resultPaths(const LtransJob &job, StringRef prefix) {
  LtransResultPaths paths;
  if (job.side == Side::Host) {
    paths.object = (prefix + ".o").str();
    return paths;
  }
  paths.ptx = (prefix + ".ptx").str();
  if (job.device.wantCubin)
    paths.cubin = (prefix + ".cubin").str();
  return paths;
}

/// Writes \p module as bitcode to `PREFIX.STAGE.bc`, if a prefix is given.
static Error saveBitcode(const Module &module, StringRef prefix,
                         StringRef stage) {
  if (prefix.empty())
    return Error::success();
  std::string bytes;
  raw_string_ostream stream(bytes);
  WriteBitcodeToFile(module, stream);
  return writeFileAtomically((prefix + "." + stage + ".bc").str(), bytes);
}

static Error runHost(const LtransJob &job, Module &module,
                     DiagnosticCollector &diagnostics, StringRef prefix,
                     StringRef saveTempsPrefix,
                     function_ref<void(StringRef)> onPhase) {
  onPhase("optimizing");
  auto machine = createHostMachine(module, job.host, job.optLevel);
  if (!machine)
    return machine.takeError();
  optimizeHost(module, **machine, job.optLevel, job.sizeLevel);
  if (Error error = saveBitcode(module, saveTempsPrefix, "opt"))
    return error;
  onPhase("generating code");
  Expected<std::string> object = emitHostObject(module, **machine);
  if (!object)
    return object.takeError();
  if (Error error = diagnostics.take())
    return error;
  return writeFileAtomically(resultPaths(job, prefix).object, *object);
}

static Error runDevice(const LtransJob &job, Module &module,
                       DiagnosticCollector &diagnostics, StringRef prefix,
                       StringRef saveTempsPrefix,
                       function_ref<void(StringRef)> onPhase) {
  onPhase("optimizing");
  auto machine = createDeviceMachine(module, job.arch, job.optLevel);
  if (!machine)
    return machine.takeError();
  bool pinUnmarked = forbidsContraction(module);
  optimizeDevice(module, **machine, job.optLevel, job.sizeLevel);
  if (Error error = saveBitcode(module, saveTempsPrefix, "opt"))
    return error;
  onPhase("generating code");
  Expected<std::string> ptx = emitPtx(module, **machine, pinUnmarked);
  if (!ptx)
    return ptx.takeError();
  if (Error error = diagnostics.take())
    return error;
  LtransResultPaths paths = resultPaths(job, prefix);
  if (job.device.wantCubin) {
    onPhase("running ptxas");
    Expected<std::string> cubin =
        assemblePtx(*ptx, job.arch, job.device, job.optLevel);
    if (!cubin)
      return cubin.takeError();
    if (Error error = writeFileAtomically(paths.cubin, *cubin))
      return error;
  }
  return writeFileAtomically(paths.ptx, *ptx);
}

Error runLtransJob(const LtransJob &job, StringRef prefix,
                   StringRef saveTempsPrefix,
                   function_ref<void(StringRef)> onPhase) {
  TimeTraceScope trace("LTRANS", prefix);
  onPhase("reading its inputs");
  initializeTargets();
  LLVMContext context;
  context.enableDebugTypeODRUniquing();
  context.setDiscardValueNames(true);
  DiagnosticCollector &diagnostics = DiagnosticCollector::install(context);
  Expected<std::unique_ptr<Module>> module =
      buildPartition(job, context, diagnostics);
  if (!module)
    return module.takeError();
  if (Error error = saveBitcode(**module, saveTempsPrefix, "in"))
    return error;
  auto run = job.side == Side::Host ? runHost : runDevice;
  return run(job, **module, diagnostics, prefix, saveTempsPrefix, onPhase);
}

} // namespace gpulto
