//===- LtransJob.h - One unit of LTRANS work --------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// A job says which symbols of which bitcode modules go into one partition, what
// becomes of each, and how to generate code. It refers to its inputs by path,
// offset, size and digest and holds no bitcode, so a forked process of the link
// can run it, or `gpulto ltrans JOB` wherever the files exist.
//
// Each part of a job has a function template beside it,
//
//   template <typename A> void transfer(A &a, JobRedirect &r) {
//     a.field("call", r.call);
//     a.field("callee", r.callee);
//     a.field("isHandle", r.isHandle);
//   }
//
// that names its fields once, in the order of the file. All that goes through a
// job is a JobArchive: what writes and reads it (LtransJob.cpp), takes digests
// (lto/job/JobArchive.h), and says why it runs again
// (lto/cache/LinkRecord.cpp).
//
//===----------------------------------------------------------------------===//
#ifndef GPULTO_LTO_JOB_LTRANSJOB_H
#define GPULTO_LTO_JOB_LTRANSJOB_H

#include "lto/link/CodegenOptions.h"
#include "summary/Decisions.h"
#include "summary/Symbols.h"
#include "support/StableHash.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Error.h"

#include <cstdint>
#include <iterator>
#include <string>
#include <vector>

namespace gpulto {

/// What becomes of a symbol of an input module in this partition.
enum class JobRole : uint8_t {
  /// The body is materialized and this partition defines the symbol.
  Define,
  /// The body is materialized as available_externally, for inlining only.
  Import,
  Last = Import
};

inline constexpr const char *kJobRoleNames[] = {"define", "import"};
static_assert(std::size(kJobRoleNames) == size_t(JobRole::Last) + 1);

/// A call that enters a clone, or launches one.
struct JobRedirect {
  /// Position among the calls of the function as the summary counts them.
  uint32_t call = 0;
  /// The clone's name while bodies move.
  std::string callee;
  /// The call is a runtime call: its handle is replaced.
  bool isHandle = false;
  bool operator==(const JobRedirect &) const = default;
};

template <typename A> void transfer(A &a, JobRedirect &r) {
  a.field("call", r.call);
  a.field("callee", r.callee);
  a.field("isHandle", r.isHandle);
}

/// A call to be inlined.
struct JobInlinedCall {
  /// Position among the calls of the function as the summary counts them.
  uint32_t call = 0;
  /// The callee's name while bodies move; for readers of the job.
  std::string callee;
  bool operator==(const JobInlinedCall &) const = default;
};

template <typename A> void transfer(A &a, JobInlinedCall &c) {
  a.field("call", c.call);
  a.field("callee", c.callee);
}

/// What becomes of a function's body, or of a clone.
struct JobBody {
  /// Name of the clone; empty: the function itself.
  std::string clone;
  FinalLinkage cloneLinkage = FinalLinkage::Internal;
  /// What holds on entry. Symbols are given by their names while bodies move.
  FunctionFacts facts;
  std::vector<JobRedirect> redirects;
  std::vector<CopyEdit> copies = {};
  std::vector<RecordUse> records = {};
  /// As in BodyPlan; a stub's clone is given by its name while bodies move.
  FunctionFacts guard;
  OverlapGuard overlap = {};
  std::string guarded;
  bool operator==(const JobBody &) const = default;
};

template <typename A> void transfer(A &a, JobBody &b) {
  a.field("clone", b.clone);
  a.enumerator("cloneLinkage", b.cloneLinkage, kFinalLinkageNames);
  a.field("facts", b.facts);
  a.field("redirects", b.redirects);
  a.field("copies", b.copies);
  a.field("records", b.records);
  a.field("guard", b.guard);
  a.field("overlap", b.overlap);
  a.field("guarded", b.guarded);
}

struct JobSymbol {
  std::string name; // IR name in the input module
  /// Digest of its contents, from the summary; none for an alias or ifunc.
  /// Serves only to say what has changed in the input.
  Digest contents;
  JobRole role = JobRole::Define;
  FinalLinkage linkage = FinalLinkage::Preserved;
  /// Functions: the body and its clones, if there is anything to say.
  std::vector<JobBody> bodies;
  /// Number of calls that the summary of the function counts.
  uint32_t calls = 0;
  /// Host functions: name, while bodies move, of the function to which the body
  /// is a jump, since it does the same. Empty: it has its own body.
  std::string jumpsTo;
  /// Host functions: calls of other modules' functions to be inlined, by their
  /// positions, ascending.
  std::vector<JobInlinedCall> inlined;
  /// Host functions defined here: recursive calls.
  RecursiveInlining recursion = {};
  bool operator==(const JobSymbol &) const = default;
};

template <typename A> void transfer(A &a, JobSymbol &s) {
  a.field("name", s.name);
  a.field("contents", s.contents);
  a.enumerator("role", s.role, kJobRoleNames);
  a.enumerator("linkage", s.linkage, kFinalLinkageNames);
  a.field("bodies", s.bodies);
  a.field("calls", s.calls);
  a.field("jumpsTo", s.jumpsTo);
  a.field("inlined", s.inlined);
  a.field("recursion", s.recursion);
}

/// A function that the partition defines, imports or calls.
struct JobFunction {
  std::string name; // while bodies move
  FunctionDecisions decided;
  bool operator==(const JobFunction &) const = default;
};

template <typename A> void transfer(A &a, JobFunction &f) {
  a.field("name", f.name);
  transfer(a, f.decided);
}

/// A function that the partition defines, imports or calls, and whose
/// parameters or result differ from its bitcode.
struct JobSignature {
  std::string name; // while bodies move
  /// The change of \c name, which identifies the clone: its \c clone is 0.
  SignatureChange change;
  bool operator==(const JobSignature &) const = default;
};

template <typename A> void transfer(A &a, JobSignature &s) {
  a.field("name", s.name);
  a.field("dropped", s.change.dropped);
  a.field("loaded", s.change.loaded);
  a.field("dropsResult", s.change.dropsResult);
}

/// A variable that the partition defines, imports or refers to, and what
/// whole-program analysis knows of it.
struct JobVariable {
  std::string name; // while bodies move
  uint64_t sizeBytes = 0;
  uint8_t alignLog2 = 0;
  bool isNeverWritten = false;
  bool isNeverRead = false;
  /// Device: see Decisions::knownBytes.
  std::vector<KnownBytes> known = {};
  bool operator==(const JobVariable &) const = default;
};

template <typename A> void transfer(A &a, JobVariable &v) {
  a.field("name", v.name);
  a.field("sizeBytes", v.sizeBytes);
  a.field("alignLog2", v.alignLog2);
  a.field("isNeverWritten", v.isNeverWritten);
  a.field("isNeverRead", v.isNeverRead);
  a.field("known", v.known);
}

/// A definition of an input that is folded into another, or jumps to it.
struct JobFold {
  std::string name; // IR name in the input module
  /// Name of its leader while bodies move.
  std::string leader;
  /// This partition defines the leader: the body is read, compared and merged.
  bool merge = false;
  /// It jumps, so its uses stay. \c merge is set.
  bool jumps = false;
  /// Host: its number in the table of folds, or kNone.
  uint32_t number = kNone;
  bool operator==(const JobFold &) const = default;
};

template <typename A> void transfer(A &a, JobFold &f) {
  a.field("name", f.name);
  a.field("leader", f.leader);
  a.field("merge", f.merge);
  a.field("jumps", f.jumps);
  a.field("number", f.number);
}

/// Host: a remaining function with a shared body that the partition calls.
struct JobLeader {
  std::string name; // while bodies move
  /// Its number in the table of folds.
  uint32_t number = 0;
  bool operator==(const JobLeader &) const = default;
};

template <typename A> void transfer(A &a, JobLeader &l) {
  a.field("name", l.name);
  a.field("number", l.number);
}

/// A device symbol whose name another unit also has.
struct JobRenaming {
  std::string name; // IR name in the input module
  std::string newName;
  bool operator==(const JobRenaming &) const = default;
};

template <typename A> void transfer(A &a, JobRenaming &r) {
  a.field("name", r.name);
  a.field("newName", r.newName);
}

/// One bitcode module that the job reads. Symbols not listed become
/// declarations; locals not listed are referred to by their promoted names.
struct JobInput {
  /// File, archive member (for messages), and the position of the bitcode in
  /// it.
  std::string path;
  std::string member;
  uint64_t offset = 0;
  uint64_t storedBytes = 0;
  /// Size after decompression; equal to storedBytes if not compressed.
  uint64_t rawBytes = 0;
  bool compressed = false;
  /// Digest of the raw bitcode.
  Digest digest;
  /// Unique in the link, equal for equal inputs in any directory: the promoted
  /// name of local symbol `s` is `s.gpulto.<tag>`.
  std::string tag;
  /// Stock clang made it: see lto/lgen/ModuleRepair.h.
  bool isStock = false;
  /// This partition holds most of the module, so its full debug info goes here.
  bool isHome = false;
  /// This partition emits the module's assembly.
  bool emitsAssembly = false;
  /// ModuleFlag kFusesAll.
  bool fusesAll = false;
  /// Carried out before anything else looks at the module, so that all later
  /// steps see the new names; see lto/wpa/WpaUnits.h.
  std::vector<JobRenaming> renamed;
  /// Host: definitions that stand for device symbols of this unit alone, by
  /// their IR names: they become local, and no other unit's stub has the same
  /// bytes. Carried out at the same time.
  std::vector<std::string> localized;
  std::vector<JobSymbol> symbols;
  /// Symbols whose uses mean another definition (none is in \c symbols), and
  /// those whose body replaces a leader's.
  std::vector<JobFold> folds;
  bool operator==(const JobInput &) const = default;
};

template <typename A> void transfer(A &a, JobInput &i) {
  a.field("path", i.path);
  a.field("member", i.member);
  a.field("offset", i.offset);
  a.field("storedBytes", i.storedBytes);
  a.field("rawBytes", i.rawBytes);
  a.field("compressed", i.compressed);
  a.field("digest", i.digest);
  a.field("tag", i.tag);
  a.field("isStock", i.isStock);
  a.field("fusesAll", i.fusesAll);
  a.field("isHome", i.isHome);
  a.field("emitsAssembly", i.emitsAssembly);
  a.field("renamed", i.renamed);
  a.field("localized", i.localized);
  a.field("symbols", i.symbols);
  a.field("folds", i.folds);
}

/// An entry of the program's constructor or destructor list, as symbol names
/// after promotion. Only one partition, the glue, lists them all.
struct JobStructor {
  uint32_t priority = 65535;
  std::string function;
  bool isDestructor = false;
  bool operator==(const JobStructor &) const = default;
};

template <typename A> void transfer(A &a, JobStructor &s) {
  a.field("priority", s.priority);
  a.field("function", s.function);
  a.field("isDestructor", s.isDestructor);
}

/// What a link must know about a job to run it; see lto/job/LinkJobs.h.
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
  /// Options of LLVM itself that the linker got with -mllvm. A process of the
  /// link has them; `gpulto ltrans` sets them.
  std::vector<std::string> llvmOptions;
  RemarkRequest remarks;
  std::vector<JobInput> inputs; // in module order
  std::vector<JobStructor> structors;
  /// In program order. Of device functions only kernels, for readers of the job
  /// that transfer a kernel's data: a device partition has all bodies that it
  /// calls.
  std::vector<JobFunction> functions;
  std::vector<JobSignature> signatures;
  std::vector<JobVariable> variables;
  std::vector<JobLeader> leaders;
  bool operator==(const LtransJob &) const = default;
};

template <typename A> void transfer(A &a, LtransJob &j) {
  a.field("index", j.index);
  a.enumerator("side", j.side, kSideNames);
  a.field("arch", j.arch);
  a.field("optLevel", j.optLevel);
  a.field("sizeLevel", j.sizeLevel);
  a.field("host", j.host);
  a.field("device", j.device);
  a.field("llvmOptions", j.llvmOptions);
  a.field("remarks", j.remarks);
  a.field("inputs", j.inputs);
  a.field("structors", j.structors);
  a.facts("functions", j.functions, "");
  a.facts("signatures", j.signatures, "signature");
  a.facts("variables", j.variables, "");
  a.facts("leaders", j.leaders, "table of folds");
  a.field("weight", j.weight);
  a.field("memoryBytes", j.memoryBytes);
}

/// Returns the promoted name of local symbol \p name of the module \p tag.
std::string promotedName(llvm::StringRef name, llvm::StringRef tag);

/// Returns the digest of all that writeJob writes for \p job.
Digest digestOf(const LtransJob &job);

/// Calls \p visit with the name and the digest of each code generation option
/// of \p job.
void forEachOption(
    const LtransJob &job,
    llvm::function_ref<void(llvm::StringRef, const Digest &)> visit);

/// Returns a name by which the user knows \p job: side or architecture, and
/// inputs.
std::string describeJob(const LtransJob &job);

/// Returns a name of \p job for messages: its number, and describeJob.
std::string nameOfJob(const LtransJob &job);

/// Returns the text of \p job (JSON, stable key order).
std::string writeJob(const LtransJob &job);

/// Reads what writeJob wrote. \p path is used in error messages.
llvm::Expected<LtransJob> readJob(llvm::StringRef text, llvm::StringRef path);

} // namespace gpulto

#endif
