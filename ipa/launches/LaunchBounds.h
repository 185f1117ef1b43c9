//===- LaunchBounds.h - What successful launches imply ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_IPA_LAUNCHES_LAUNCHBOUNDS_H
#define GPULTO_IPA_LAUNCHES_LAUNCHBOUNDS_H

#include "ipa/runtime/GeometryLimits.h"

#include "llvm/ADT/APInt.h"
#include "llvm/ADT/DenseMap.h"

#include <utility>

namespace llvm {
class ConstantRange;
class Instruction;
class ScalarEvolution;
class Value;
} // namespace llvm

namespace gpulto {

/// Bounds of numbers that hold in a kernel because it runs: the runtime refuses
/// grids and blocks that the hardware does not allow. They do not hold on the
/// host, which continues after a failed launch.
class LaunchBounds {
public:
  /// \p evolution: that of the launching function, or null.
  explicit LaunchBounds(llvm::ScalarEvolution *evolution = nullptr)
      : evolution(evolution) {}

  /// Records that the 32-bit number \p value is \p component of the launch.
  void add(const llvm::Value &value, Geometry component);
  /// Records that the low half of the 64-bit integer \p pair is component \p
  /// first, an x component, and the high half the next one.
  void addPair(const llvm::Value &pair, Geometry first);

  /// Adds what is known of the integer \p value, which the launch passes to the
  /// kernel, to its jump function \p function.
  void narrow(const llvm::Value &value, JumpFunction &function) const;
  /// As narrow(), for a recorded component.
  void narrow(Geometry component, JumpFunction &function) const;

private:
  void note(const llvm::Value &value, const llvm::ConstantRange &range);
  void noteOperand(const llvm::Instruction &operation,
                   const llvm::ConstantRange &range);
  void noteHalves(const llvm::Instruction &pair, Geometry first);

  llvm::ScalarEvolution *evolution;
  /// By component; null: unknown.
  const llvm::Value *components[kDimensions] = {};
  /// Bounds of components that are not separate values of the function; high 0:
  /// unknown.
  struct {
    uint32_t low = 0, high = 0;
  } bounds[kDimensions];
  /// As in an llvm::ConstantRange: the first value in it and the first after
  /// it. Looked up only.
  llvm::DenseMap<const llvm::Value *, std::pair<llvm::APInt, llvm::APInt>>
      ranges;
};

} // namespace gpulto

#endif
