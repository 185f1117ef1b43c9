//===- UnwrittenMemory.h - Memory unwritten while a kernel runs -*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_IPA_POINTERS_UNWRITTENMEMORY_H
#define GPULTO_IPA_POINTERS_UNWRITTENMEMORY_H

#include "ipa/pointers/DeviceOrder.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"

#include <optional>
#include <string>

namespace gpulto {

/// Which kernel parameters lead to memory that nothing writes while the kernel
/// runs. Valid for the solved \p solver it was made from.
class UnwrittenMemory {
public:
  UnwrittenMemory(const WpaContext &context, const Callers &callers,
                  const ConstantsSolver &solver);

  /// Returns whether that holds for parameter \p parameter of the kernel \p
  /// body, in every launch of it.
  bool isUnwritten(const BodyLattice &body, uint32_t parameter) const;
  /// The same for the pointer at byte \p byteOffset of a by-value aggregate.
  bool isPartUnwritten(const BodyLattice &body, uint32_t parameter,
                       uint32_t byteOffset) const;

  /// Returns whether \p kernel, or what it calls, may write memory other than
  /// that behind its parameters and their members, variables and its own stack.
  bool storesAnywhere(GlobalId kernel) const;

  /// Returns how the program's work on the device is ordered; null if no launch
  /// is known.
  const DeviceOrder *deviceOrder() const { return order ? &*order : nullptr; }

  /// Explains, for each parameter that a kernel only reads, what was proven and
  /// from what, or which premise failed first. Pass `gpulto-launches`.
  void explain(const WpaContext &context) const;

private:
  /// Why a parameter cannot be known to be unwritten, whatever else runs.
  enum class Obstacle : uint8_t {
    None,
    /// It is not a pointer, it is not read, or the kernel writes or keeps it.
    NotOnlyRead,
    /// The kernel writes through pointers of unknown origin.
    WritesAnywhere,
    /// A launch passes memory of unknown origin.
    UnknownOrigin,
    /// A launch passes memory that is not device memory only.
    NotDeviceMemory,
    /// A launch passes another pointer, which is written, to the same memory.
    Overlaps,
  };
  struct Parameter {
    Obstacle obstacle = Obstacle::None;
    /// The first allocation that a launch passes: body, number of the call.
    GlobalId allocatedBy = kNone;
    uint32_t call = 0;
    /// Overlaps: the other parameter, and where in it the pointer is.
    uint32_t other = 0;
    std::optional<uint32_t> otherByte;
  };
  using Parameters = llvm::SmallVector<Parameter, 4>;
  /// A pointer in a by-value aggregate.
  struct Part {
    uint32_t parameter = 0;
    uint32_t byteOffset = 0;
    bool operator==(const Part &) const = default;
  };
  /// What is known of a kernel or of its clone.
  struct Kernel {
    Parameters parameters;
    /// The parts in which every launch so far passes memory that nothing
    /// writes.
    llvm::SmallVector<Part, 0> parts;
    /// The parts that the kernel may write through.
    llvm::SmallVector<Part, 0> writtenParts;
    /// The first launch has determined the possible parts, or there are none.
    bool partsListed = false;
  };

  Kernel candidatesOf(GlobalId kernel) const;
  bool passesUnknown(GlobalId caller, const CallEdge &call,
                     GlobalId callee) const;
  void meetLaunch(GlobalId kernel, uint32_t clone,
                  llvm::ArrayRef<ParameterLattice> arguments);
  void meetValue(GlobalId kernel, uint32_t index, const ValueLattice &value,
                 llvm::ArrayRef<ParameterLattice> arguments,
                 llvm::ArrayRef<Part> writtenParts, Parameter &known) const;
  void meetParts(GlobalId kernel, llvm::ArrayRef<ParameterLattice> arguments,
                 Kernel &known) const;
  llvm::StringRef allocatorName(GlobalId body, uint32_t call) const;
  std::string allocationText(const Parameter &parameter) const;
  std::string whyNot(GlobalId kernel, const Parameter &parameter) const;
  std::string trail(const Parameter &parameter) const;

  const CombinedSummary &program;
  const Decisions &decisions;
  const ConstantsSolver &solver;
  std::optional<DeviceOrder> order; ///< nothing: no kernel needs it
  /// By kernel and number of the clone. Looked up only.
  llvm::DenseMap<std::pair<GlobalId, uint32_t>, Kernel> known;
};

} // namespace gpulto

#endif
