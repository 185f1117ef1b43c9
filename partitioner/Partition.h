//===- Partition.h - Cutting the program into LTRANS partitions -*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_PARTITIONER_PARTITION_H
#define GPULTO_PARTITIONER_PARTITION_H

#include "partitioner/AssemblyGroups.h"
#include "summary/Decisions.h"
#include "summary/WpaContext.h"

#include "llvm/ADT/DenseSet.h"

#include <vector>

namespace gpulto {

/// How the program is cut; all but Balanced exist for tests.
enum class PartitionMode : uint8_t {
  /// Even weights, few crossing edges.
  Balanced,
  /// One partition per image, -O level and set of code generation options.
  One,
  /// As many as there are atoms (host) or kernels (device).
  Max,
  /// One per module.
  OneToOne,
};

struct PartitionOptions {
  PartitionMode mode = PartitionMode::Balanced;
  /// Number of host partitions and of partitions of each device image; 0: as
  /// many as the work needs.
  unsigned count = 0;
  /// Smaller host partitions, so that less of a program is redone after an
  /// edit; a link from scratch takes a tenth longer.
  bool isFine = false;
};

/// A definition that a partition makes, and its visibility.
struct PartitionSymbol {
  GlobalId id = kNone;
  FinalLinkage linkage = FinalLinkage::Preserved;
};

/// What one LTRANS job compiles.
struct Partition {
  ImageIndex image = kHostImage;
  uint8_t optLevel = 2;
  uint8_t sizeLevel = 0;
  /// The same in all its modules; see ModuleSummary.
  Digest codegenDigest;
  /// Host: the same in all its modules; see PartitionMap::assemblyGroups.
  uint32_t assemblyGroup = 0;
  /// Device: native code calls functions in it, or it calls native code.
  bool isOpen = false;
  /// Device: the number of the module in which it is loaded.
  uint32_t deviceModule = 0;
  std::vector<PartitionSymbol> defines; // by id
  /// Bodies to be inlined, from other partitions; by id.
  std::vector<GlobalId> imports;
  /// IR instructions of the definitions.
  uint64_t weight = 0;
};

struct PartitionMap {
  std::vector<Partition> partitions; // host first, then the images in order
  /// By GlobalId: the first partition that defines the symbol, or kNone.
  std::vector<uint32_t> home;
  /// Clones (definition, number) of host functions that partitions other than
  /// the definition's, or objects that we generate, refer to.
  llvm::DenseSet<std::pair<GlobalId, uint32_t>> sharedClones{};
  /// Which host modules may share partitions, as far as assembly is concerned.
  AssemblyGroups assemblyGroups{};
};

/// Whether whole-program analysis changes the body of \p id, which another one
/// does not stand for: kernels that reach it are compared with plain builds.
bool isPlanned(const WpaContext &context, GlobalId id);

/// Cuts the live definitions of the host image into partitions of even weight
/// with few crossing edges. Every live host definition that is not copyable
/// goes into exactly one.
void partitionHost(const WpaContext &context, const PartitionOptions &options,
                   PartitionMap &map);

/// Cuts the device image \p image into partitions that are closed under calls:
/// a function reached from kernels of several partitions is in each of them, a
/// mutable variable in the first that uses it.
void partitionDevice(const WpaContext &context, ImageIndex image,
                     const PartitionOptions &options, PartitionMap &map);

/// Divides the device partitions into modules, which the program loads
/// separately, so that the constants of each fit; makes one module if they all
/// fit, or if native code is linked in. Returns the number of modules.
uint32_t assignDeviceModules(const WpaContext &context, PartitionMap &map);

/// Chooses the bodies that each host partition imports, then decides the
/// linkage of every definition from its uses. \p externallyUsed: definitions
/// that objects that we generate refer to (the registration of kernels, the
/// list of constructors).
void decideBoundaries(const WpaContext &context,
                      const llvm::BitVector &externallyUsed, PartitionMap &map);

/// Returns the instructions that a partition imports to call \p id, if it is
/// defined in another; 0 if no call inlines it.
uint64_t importWeight(const WpaContext &context, GlobalId id);

/// Returns the weight of definition \p id in IR instructions, at least 1.
uint64_t definitionWeight(const CombinedSummary &program, GlobalId id);

} // namespace gpulto

#endif
