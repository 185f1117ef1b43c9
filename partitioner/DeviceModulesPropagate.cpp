//===- DeviceModulesPropagate.cpp - Separate modules of device code -------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Goal: allow a program to have more constants than a module of device code may
// have.
//
// A module has 64 KB of constant memory, and nvlink joins that of all its
// inputs. nvcc makes a module of each file unless device code is relocatable,
// and partitions have copies of constants, so a program may have more. Then it
// gets several modules, each with its own fat binary.
//
// Partitions must be in one module if one needs a variable of the other, and if
// they have the same kernel or variable for different architectures, since it
// is registered with one fat binary. Nothing else crosses: pointers to
// functions stay in one partition (DevicePropagate.cpp).
//
// Modules are filled first-fit, in the order of the partitions. Constants are
// counted as the summaries have them: LTRANS may need fewer.
//
// Source of the limit: CUDA C++ Programming Guide, technical specifications per
// compute capability.
//
//===----------------------------------------------------------------------===//

#include "partitioner/Needs.h"
#include "partitioner/Partition.h"
#include "summary/CombinedModule.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/IntEqClasses.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace gpulto {

namespace {

constexpr uint8_t kConstantAddressSpace = 4;
constexpr uint64_t kConstantBytes = 64 << 10;

/// By ImageIndex: bytes of constants.
using Constants = std::vector<uint64_t>;

class ModuleAssigner {
public:
  ModuleAssigner(const WpaContext &context, PartitionMap &map)
      : context(context), program(context.program), map(map),
        groups(map.partitions.size()) {}

  uint32_t run();

private:
  Constants none() const { return Constants(program.images().size()); }
  uint64_t constantBytes(GlobalId id) const;
  void join(uint32_t p, GlobalId id);
  uint64_t look(uint32_t p);
  void joinArchitectures();
  uint32_t fill(ArrayRef<Constants> needed);

  const WpaContext &context;
  const CombinedSummary &program;
  PartitionMap &map;
  IntEqClasses groups; // of partitions
};

} // namespace

/// Returns the most that variable \p id takes of constant memory.
uint64_t ModuleAssigner::constantBytes(GlobalId id) const {
  const VariableSummary *variable = program.variable(id);
  if (!variable || program.symbol(id).addressSpace != kConstantAddressSpace)
    return 0;
  return variable->sizeBytes + (uint64_t(1) << variable->alignLog2) - 1;
}

/// Partition \p p needs \p id, or has the same.
void ModuleAssigner::join(uint32_t p, GlobalId id) {
  if (map.home[id] != kNone)
    groups.join(p, map.home[id]);
}

/// Joins partition \p p with those that it needs variables of. Returns the
/// bytes of its constants.
uint64_t ModuleAssigner::look(uint32_t p) {
  DenseSet<GlobalId> own;
  uint64_t bytes = 0;
  auto addOwn = [&](GlobalId id) {
    if (own.insert(id).second)
      bytes += constantBytes(id);
  };
  for (const PartitionSymbol &define : map.partitions[p].defines)
    addOwn(define.id);
  auto need = [&](GlobalId target) {
    if (!own.contains(target))
      join(p, target);
  };
  for (const PartitionSymbol &define : map.partitions[p].defines)
    forEachNeed(context, define.id, need, addOwn);
  return bytes;
}

/// Joins the partitions that have what is registered under one name.
void ModuleAssigner::joinArchitectures() {
  for (ModuleIndex m : program.images()[kHostImage].modules)
    for (const OffloadEntry &entry :
         program.modules()[m].summary.offloadEntries) {
      if (entry.hostSymbol == kNone)
        continue;
      ArrayRef<GlobalId> devices =
          program.deviceCounterparts(program.id(m, entry.hostSymbol));
      for (GlobalId device : devices)
        if (map.home[devices.front()] != kNone)
          join(map.home[devices.front()], device);
    }
}

/// Puts each group with \p needed constants into the first module that has
/// room; returns how many modules there are.
uint32_t ModuleAssigner::fill(ArrayRef<Constants> needed) {
  std::vector<Constants> modules;
  std::vector<uint32_t> moduleOf;
  for (const Constants &group : needed) {
    auto fits = [&](const Constants &module) {
      return all_of(zip_equal(group, module), [](const auto &pair) {
        auto [wanted, used] = pair;
        return !wanted || used + wanted <= kConstantBytes;
      });
    };
    auto found = find_if(modules, fits);
    if (found == modules.end())
      found = modules.insert(found, none());
    moduleOf.push_back(found - modules.begin());
    for (auto [wanted, used] : zip_equal(group, *found))
      used += wanted;
  }
  for (auto [p, partition] : enumerate(map.partitions))
    if (partition.image != kHostImage)
      partition.deviceModule = moduleOf[groups[p]];
  return modules.size();
}

uint32_t ModuleAssigner::run() {
  Constants all = none();
  std::vector<uint64_t> bytes(map.partitions.size());
  for (auto [p, partition] : enumerate(map.partitions)) {
    if (partition.image == kHostImage)
      continue;
    if (program.hasNativeCode(partition.image))
      return 1;
    bytes[p] = look(p);
    all[partition.image] += bytes[p];
  }
  if (all_of(all, [](uint64_t used) { return used <= kConstantBytes; }))
    return 1;
  joinArchitectures();
  groups.compress();
  // Host partitions are groups of their own, without constants.
  std::vector<Constants> needed(groups.getNumClasses(), none());
  for (auto [p, partition] : enumerate(map.partitions))
    needed[groups[p]][partition.image] += bytes[p];
  return fill(needed);
}

uint32_t assignDeviceModules(const WpaContext &context, PartitionMap &map) {
  return ModuleAssigner(context, map).run();
}

} // namespace gpulto
