//===- JobBuilder.h - LTRANS jobs out of a partition map --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_LTO_WPA_JOBBUILDER_H
#define GPULTO_LTO_WPA_JOBBUILDER_H

#include "lto/wpa/Wpa.h"
#include "lto/wpa/WpaPasses.h"
#include "summary/CallGraph.h"
#include "summary/WpaContext.h"

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/Support/Allocator.h"
#include "llvm/Support/StringSaver.h"

#include <optional>

namespace gpulto {

/// All that whole-program analysis knows. Members refer to earlier ones.
struct WpaTables {
  explicit WpaTables(const WpaOptions &options) : options(options) {}

  WpaOptions options;
  llvm::BumpPtrAllocator allocator;
  llvm::StringSaver names{allocator}; ///< new names from separateUnits
  CombinedSummary program;
  std::vector<JobInput> bitcode; // by module
  std::optional<CallGraph> graph;
  std::optional<WpaContext> context;
  FoldNumbers foldNumbers;
  PartitionMap map;
};

/// Turns a partition map into jobs.
class JobBuilder : public LinkJobs {
public:
  explicit JobBuilder(std::unique_ptr<const WpaTables> known);

  size_t inputCount(size_t index) const override {
    return modulesOf[index].size();
  }
  std::vector<RegistrationEntry> registration() const;
  /// Returns what is known of launches, by the names of kernels while bodies
  /// move.
  std::map<std::string, KernelLaunches> launches() const;
  /// Returns whether host code needs the pointers to managed variables.
  bool usesManaged() const;
  llvm::StringRef deviceNameOf(GlobalId id, const OffloadEntry &entry) const;
  /// Returns the forms of the code of \p image that the program carries: those
  /// that objects ask for; and if none asks for PTX or against it, PTX of the
  /// newest architecture whose code runs on later ones.
  EmbedKind formOf(ImageIndex image) const;
  /// Returns the form for every architecture.
  std::vector<EmbedKind> deviceForms() const {
    return {forms.begin() + 1, forms.end()};
  }

private:
  LtransJob makeBody(size_t index) const override;
  std::string finalName(GlobalId id) const;
  std::string movingName(GlobalId id) const;
  std::string cloneName(GlobalId id, uint32_t clone) const;
  /// Returns the definitions folded into \p leader, or jumping to it.
  llvm::ArrayRef<GlobalId> membersOf(GlobalId leader) const {
    auto found = foldMembers.find(leader);
    return found == foldMembers.end() ? llvm::ArrayRef<GlobalId>()
                                      : llvm::ArrayRef(found->second);
  }
  /// Returns the number of the host function \p id in the table of folds.
  uint32_t numberOf(GlobalId id) const {
    auto found = foldNumbers.find(id);
    return found == foldNumbers.end() ? kNone : found->second;
  }
  Digest contentsOf(GlobalId id) const;
  std::vector<JobBody> bodiesOf(GlobalId id) const;
  JobSymbol makeSymbol(GlobalId id, JobRole role, FinalLinkage linkage) const;
  std::vector<ModuleIndex> findModules(const Partition &partition) const;
  void addSymbols(size_t index, LtransJob &job) const;
  void addFacts(const Partition &partition, LtransJob &job) const;
  void addStructors(LtransJob &job) const;
  void addClones(GlobalId id, const RegistrationEntry &original,
                 std::vector<RegistrationEntry> &entries) const;
  uint32_t firstOfAssemblyGroup(uint32_t group) const;
  void chooseHomes();
  ImageIndex newestPlainImage() const;
  bool wantsPtx(ImageIndex image) const;
  bool wantsKernelCheck(const Partition &partition) const;
  DeviceCodegenOptions deviceOptions(const Partition &partition) const;
  JobHead makeHead(size_t index) const;

  std::unique_ptr<const WpaTables> known;
  const WpaContext &context;
  const CombinedSummary &program;
  const PartitionMap &map;
  const WpaOptions &options;
  const FoldNumbers &foldNumbers;
  /// By ImageIndex.
  std::vector<EmbedKind> forms;
  /// By GlobalId: hidden local definitions, whose names get the tag.
  llvm::BitVector promoted;
  llvm::DenseMap<GlobalId, std::vector<GlobalId>> foldMembers; // looked up only
  /// By module: its definitions that jump, ascending.
  std::vector<std::vector<GlobalId>> jumpers;
  /// By partition: the modules that its job reads, ascending.
  std::vector<std::vector<ModuleIndex>> modulesOf;
  /// By module: the partitions of its debug info and of its assembly, or kNone.
  std::vector<uint32_t> homes, assemblyHomes;
  /// Modules of which only the assembly is used, ascending.
  std::vector<ModuleIndex> assemblyOnly;
};

} // namespace gpulto

#endif
