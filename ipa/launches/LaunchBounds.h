//===- LaunchBounds.h - What launches that succeed say ----------*- C++ -*-===//
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
/// grids and blocks that the hardware does not allow. They do not hold of the
/// host, which goes on after a launch that fails.
class LaunchBounds {
public:
  /// \p evolution: of the function that launches, or null.
  explicit LaunchBounds(llvm::ScalarEvolution *evolution = nullptr)
      : evolution(evolution) {}

  /// Notes that the 32-bit number \p value is \p component of the launch.
  void add(const llvm::Value &value, Geometry component);
  /// Notes that the low half of the 64-bit integer \p pair is component
  /// \p first, of x, and the high half the one after it.
  void addPair(const llvm::Value &pair, Geometry first);

  /// Adds to \p function, the jump function of the integer \p value, which the
  /// launch passes to the kernel, what is known of it.
  void narrow(const llvm::Value &value, JumpFunction &function) const;
  /// As narrow(), of a component that was noted.
  void narrow(Geometry component, JumpFunction &function) const;

private:
  void note(const llvm::Value &value, const llvm::ConstantRange &range);
  void noteOperand(const llvm::Instruction &operation,
                   const llvm::ConstantRange &range);
  void noteHalves(const llvm::Instruction &pair, Geometry first);

  llvm::ScalarEvolution *evolution;
  /// By component; null: not known.
  const llvm::Value *components[kDimensions] = {};
  /// Of components that are no value of the function by themselves; high 0:
  /// not known.
  struct {
    uint32_t low = 0, high = 0;
  } bounds[kDimensions];
  /// Of a llvm::ConstantRange: first value in it and first behind. Looked up
  /// only.
  llvm::DenseMap<const llvm::Value *, std::pair<llvm::APInt, llvm::APInt>>
      ranges;
};

} // namespace gpulto

#endif
