//===- LtransJob.h - One unit of LTRANS work --------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// A job says which symbols of which bitcode modules go into one partition, what
// becomes of each, and how to generate code. It refers to its inputs by path,
// offset, size and digest and holds no bitcode, so it can be run by a forked
// process of the link or by `gpulto ltrans JOB` wherever the files are.
//
//===----------------------------------------------------------------------===//
#ifndef GPULTO_LTO_JOB_LTRANSJOB_H
#define GPULTO_LTO_JOB_LTRANSJOB_H

#include "lto/link/CodegenOptions.h"
#include "summary/Decisions.h"
#include "summary/ModuleSummary.h"
#include "support/StableHash.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Error.h"

#include <cstdint>
#include <string>
#include <vector>

namespace gpulto {

/// What becomes of a symbol of an input module in this partition.
enum class JobRole : uint8_t {
  /// The body is materialised and this partition defines the symbol.
  Define,
  /// The body is materialised as available_externally, for inlining only.
  Import,
};

/// A call that enters a clone, or launches one.
struct JobRedirect {
  /// Position among the calls of the function as the summary counts them.
  uint32_t call = 0;
  /// The clone's name while bodies move.
  std::string callee;
  /// The call is one of the runtime: its handle is replaced.
  bool isHandle = false;
  bool operator==(const JobRedirect &) const = default;
};

/// A call that is to be inlined.
struct JobInlinedCall {
  /// Position among the calls of the function as the summary counts them.
  uint32_t call = 0;
  /// The callee's name while bodies move; for those who read the job.
  std::string callee;
  bool operator==(const JobInlinedCall &) const = default;
};

/// What becomes of a function's body, or of a copy of it.
struct JobBody {
  /// Name of the copy; empty: the function itself.
  std::string clone;
  FinalLinkage cloneLinkage = FinalLinkage::Internal;
  /// What holds on entry. Symbols are given by their names while bodies move.
  FunctionFacts facts;
  std::vector<JobRedirect> redirects;
  /// As in BodyPlan; a stub's clone is given by its name while bodies move.
  FunctionFacts guard;
  OverlapGuard overlap = {};
  std::string guarded;
  bool operator==(const JobBody &) const = default;
};

struct JobSymbol {
  std::string name; // IR name in the input module
  /// Of its contents, as the summary has it; none: an alias or ifunc. Says what
  /// of the input has changed, nothing is decided by it.
  Digest contents;
  JobRole role = JobRole::Define;
  FinalLinkage linkage = FinalLinkage::Preserved;
  /// Functions: the body and its clones, where there is anything to say.
  std::vector<JobBody> bodies;
  /// Number of calls that the summary of the function counts.
  uint32_t calls = 0;
  /// Host functions: name, while bodies move, of what does the same; a jump to
  /// it is the body. Empty: it has its own.
  std::string jumpsTo;
  /// Host functions: calls of functions of other modules that are to be
  /// inlined, by their positions, ascending.
  std::vector<JobInlinedCall> inlined;
  /// Host functions that are defined here: calls of itself.
  RecursiveInlining recursion = {};
  bool operator==(const JobSymbol &) const = default;
};

/// A function that the partition defines, imports or calls.
struct JobFunction {
  std::string name; // while bodies move
  FunctionEffects effects;
  /// Host.
  Coldness coldness = Coldness::Normal;
  /// What it returns, if something is known: one fact, whose parameter is 0.
  std::vector<ValueFact> returned;
  bool operator==(const JobFunction &) const = default;
};

/// A function that the partition defines, imports or calls, and that is not
/// passed, or does not return, what its bitcode says.
struct JobSignature {
  std::string name; // while bodies move
  /// Of \c name, which says which clone it is: its \c clone is 0.
  SignatureChange change;
  bool operator==(const JobSignature &) const = default;
};

/// A variable that the partition defines, imports or refers to, and what
/// whole-program analysis knows of it.
struct JobVariable {
  std::string name; // while bodies move
  uint64_t sizeBytes = 0;
  uint8_t alignLog2 = 0;
  bool isNeverWritten = false;
  bool isNeverRead = false;
  bool operator==(const JobVariable &) const = default;
};

/// A definition of an input that is folded into another one, or jumps to it.
struct JobFold {
  std::string name; // IR name in the input module
  /// Name of what stands for it while bodies move.
  std::string leader;
  /// This partition defines the leader: the body is read, compared and merged.
  bool merge = false;
  /// It jumps: its uses remain its own. \c merge is set.
  bool jumps = false;
  /// Host: its number in the table of folds, or kNone.
  uint32_t number = kNone;
  bool operator==(const JobFold &) const = default;
};

/// Host: a function that shares its body and is still there, and that the
/// partition calls.
struct JobLeader {
  std::string name; // while bodies move
  /// Its number in the table of folds.
  uint32_t number = 0;
  bool operator==(const JobLeader &) const = default;
};

/// A device symbol that another unit has the name of.
struct JobRenaming {
  std::string name; // IR name in the input module
  std::string newName;
  bool operator==(const JobRenaming &) const = default;
};

/// One bitcode module that the job reads. Symbols not listed become
/// declarations; locals not listed are referred to by their promoted names.
struct JobInput {
  /// File, archive member for messages, and the bytes of the bitcode in it.
  std::string path;
  std::string member;
  uint64_t offset = 0;
  uint64_t storedBytes = 0;
  /// Size after decompression; equal to storedBytes when not compressed.
  uint64_t rawBytes = 0;
  bool compressed = false;
  /// Digest of the raw bitcode.
  Digest digest;
  /// Unique in the link, equal for equal inputs in any directory: the promoted
  /// name of local symbol `s` is `s.gpulto.<tag>`.
  std::string tag;
  /// Stock clang made it: see lto/lgen/ModuleRepair.h.
  bool isStock = false;
  /// This partition holds most of the module: its full debug info goes here.
  bool isHome = false;
  /// The module's assembly is emitted by this partition.
  bool emitsAssembly = false;
  /// ModuleFlag kFusesAll.
  bool fusesAll = false;
  /// Carried out before anything else looks at the module, so that all that
  /// follows has the new names; see lto/wpa/WpaUnits.h.
  std::vector<JobRenaming> renamed;
  /// Host: definitions that stand for what is the unit's own, by their IR
  /// names: they become local, and no other unit's stub has the same bytes;
  /// likewise.
  std::vector<std::string> localized;
  std::vector<JobSymbol> symbols;
  /// Symbols whose uses mean another definition (none is in \c symbols), and
  /// those whose body stands for a leader's.
  std::vector<JobFold> folds;
  bool operator==(const JobInput &) const = default;
};

/// An entry of the program's constructor or destructor list, as symbol names
/// after promotion. Only one partition, the glue, lists them all.
struct JobStructor {
  uint32_t priority = 65535;
  std::string function;
  bool isDestructor = false;
  bool operator==(const JobStructor &) const = default;
};

/// What a link must know of a job to have it run; see lto/job/LinkJobs.h.
struct JobHead {
  /// Position in the link: results are used in this order.
  uint32_t index = 0;
  Side side = Side::Host;
  /// Device: "sm_90"; host: empty.
  std::string arch;
  /// -O and size level of the modules (a partition holds one level only).
  uint8_t optLevel = 2;
  uint8_t sizeLevel = 0;
  DeviceCodegenOptions device;
  /// Estimated work (instructions) and peak memory (bytes), for the scheduler.
  uint64_t weight = 0;
  uint64_t memoryBytes = 0;
  bool operator==(const JobHead &) const = default;
};

struct LtransJob : JobHead {
  HostCodegenOptions host;
  /// Options of LLVM itself that the linker was given with -mllvm. A process of
  /// the link has them; `gpulto ltrans` sets them.
  std::vector<std::string> llvmOptions;
  RemarkRequest remarks;
  std::vector<JobInput> inputs; // in module order
  std::vector<JobStructor> structors;
  /// In program order. Of device functions only kernels, for who transfers
  /// their data: a device partition has all bodies that it calls.
  std::vector<JobFunction> functions;
  std::vector<JobSignature> signatures;
  std::vector<JobVariable> variables;
  std::vector<JobLeader> leaders;
  bool operator==(const LtransJob &) const = default;
};

/// Returns the promoted name of local symbol \p name of the module \p tag.
std::string promotedName(llvm::StringRef name, llvm::StringRef tag);

/// Return digests of all that writeJob writes of their argument.
Digest digestOf(const LtransJob &job);
Digest digestOf(const JobSymbol &symbol);
Digest digestOf(const JobFold &fold);
Digest digestOf(const JobFunction &function);
Digest digestOf(const JobSignature &signature);
Digest digestOf(const JobVariable &variable);
Digest digestOf(const JobLeader &leader);
Digest digestOf(const JobStructor &structor);

/// Calls \p visit with the name and the digest of each option of code
/// generation that \p job is run with.
void forEachOption(
    const LtransJob &job,
    llvm::function_ref<void(llvm::StringRef, const Digest &)> visit);

/// Names what the user knows \p job by: side or architecture, and inputs.
std::string describeJob(const LtransJob &job);

/// Names \p job in a message: its number, and what describeJob says.
std::string nameOfJob(const LtransJob &job);

/// Returns the text of \p job (JSON, stable key order).
std::string writeJob(const LtransJob &job);

/// Reads what writeJob wrote. \p path is used in error messages.
llvm::Expected<LtransJob> readJob(llvm::StringRef text, llvm::StringRef path);

} // namespace gpulto

#endif
