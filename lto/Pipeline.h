//===- Pipeline.h - One link, from resolutions to native objects ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// The border between a linker and the optimizer. A door (our ld.lld, later the
// gold plugin) fills LinkInputs from what its linker resolved, calls runLink,
// and hands the objects it gets back to the linker.
//
//===----------------------------------------------------------------------===//
#ifndef GPULTO_LTO_PIPELINE_H
#define GPULTO_LTO_PIPELINE_H

#include "icf/Icf.h"
#include "lto/Cache.h"
#include "lto/DeviceLink.h"
#include "lto/LtransJob.h"
#include "lto/MemoryBudget.h"
#include "lto/Progress.h"
#include "lto/RemoteOptions.h"
#include "lto/Stamp.h"
#include "partitioner/Partition.h"
#include "support/Diagnostics.h"
#include "support/Jobserver.h"
#include "support/Params.h"

#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"

#include <memory>
#include <set>
#include <string>
#include <vector>

namespace gpulto {

/// What the linker decided of one symbol of one input; the flags are those of
/// llvm::lto::SymbolResolution. Not its ExportDynamic: a symbol that is to be
/// in the dynamic symbol table is visible to regular objects; one that is not
/// may be left out of it (GlobalValue::canBeOmittedFromSymbolTable).
struct LinkSymbol {
  std::string irName; // empty for symbols of module assembly
  std::string name;
  /// Which of the input's bitcode files has it; above 0 after `ld -r` only.
  uint32_t unit = 0;
  bool prevailing = false;
  bool finalDefinition = false;
  bool visibleToRegularObject = false;
  bool linkerRedefined = false;
};

/// One input with host bitcode that the linker took into the program.
struct LinkObject {
  /// File, and for an archive member its name and the offset of the member's
  /// contents in the archive.
  std::string path;
  std::string member;
  uint64_t memberOffset = 0;
  /// The archive that a linker found it in, also a thin one; empty: none.
  std::string archive;
  std::vector<LinkSymbol> symbols;
};

struct LinkInputs {
  std::vector<LinkObject> objects; // in the linker's order
  /// Native objects that nvcc made, without symbols, in the linker's order.
  std::vector<LinkObject> nvccObjects;
  /// Archives on the command line, in order: members that the host did not need
  /// are searched for device symbols that are still undefined.
  std::vector<std::string> archives;
  OutputKind output = OutputKind::Executable;
  HostCodegenOptions codegen;
  std::vector<std::string> llvmOptions; ///< as in LtransJob
  /// As in WpaContext; to be set by who knows all inputs of the link.
  std::string foreignCode = "it is not known which native code is linked";
  std::set<std::string> nativeRuntime, nativeUses;
};

/// The user's options for a link; see linker-plugin/Options.td.
struct LinkOptions {
  unsigned jobs = 0; // 0: jobserver, else cores
  JobserverMode jobserver = JobserverMode::Auto;
  MemoryLimit memory;
  RemoteOptions remote;
  EmbedKind embed = EmbedKind::Both;
  bool embedGiven = false;
  std::optional<ImageCompression> compression; ///< else as the objects say
  KernelCheckMode kernelCheck = KernelCheckMode::Auto;
  IcfOptions icf;
  bool guardsKernels = true;
  bool areNodesUnchanged = false; ///< as in WpaContext
  PartitionOptions partitions;
  std::string cudaPath;
  std::vector<std::string> ptxasArguments;
  unsigned toolTimeoutSeconds = ToolOptions().timeoutSeconds;
  std::string statsFile;
  std::string timeTraceFile;
  std::string saveTempsDirectory; // empty: keep nothing
  std::string saveLinkDirectory;  // empty: as above
  std::string outputFile;         // for messages
  CacheOptions cache;
  ProgressMode progress = ProgressMode::Auto;
  bool verbose = false;
  Params params;
};

/// A native object for the linker.
struct NativeObject {
  std::string name; // for messages and maps
  std::unique_ptr<llvm::MemoryBuffer> contents;
};

struct LinkOutputs {
  std::vector<NativeObject> objects; // in partition order
  /// How many of their bytes are device code that is embedded.
  uint64_t deviceBytes = 0;
  /// What was done with the inputs of the pipeline, in their order, then the
  /// stamps of links (-r) that made some of them.
  std::vector<Stamp> stamps;
  /// RemoteOptions::emit: the path of the build file, which is all that was
  /// made.
  std::string buildFile;
};

/// Runs WPA and LTRANS over \p inputs. Deterministic: the objects' bytes depend
/// on inputs and options only, not on jobs, directory or time. Diagnostics that
/// do not stop the link go to \p diagnostics. Errors: everything that does.
llvm::Expected<LinkOutputs> runLink(const LinkInputs &inputs,
                                    const LinkOptions &options,
                                    Diagnostics &diagnostics);

} // namespace gpulto

#endif
