//===- KernelClones.h - Kernels for some of their launches ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_IPA_CLONES_KERNELCLONES_H
#define GPULTO_IPA_CLONES_KERNELCLONES_H

#include "ipa/clones/CloneGains.h"
#include "ipa/constants/ConstantsSolver.h"

#include "llvm/ADT/DenseSet.h"

#include <map>
#include <string>
#include <vector>

namespace gpulto {

/// A value that is constant in a launch, but not known in its kernel: a
/// parameter, a part of one, or a component of the geometry.
struct KnownLaunchValue {
  enum class Of : uint8_t { Parameter, Part, Geometry };
  Of of = Of::Parameter;
  /// Parameter, or component of the geometry.
  uint32_t index = 0;
  uint32_t byteOffset = 0;
  unsigned width = 0;
  uint64_t value = 0;
  auto operator<=>(const KnownLaunchValue &) const = default;
};

/// Launches of one kernel with the same known values.
struct LaunchContext {
  GlobalId stub = kNone;
  std::vector<KnownLaunchValue> known;
  /// The launching calls: body, and position among its calls.
  std::vector<std::pair<BodyIndex, uint32_t>> calls;
  /// Instructions saved in all images, weighted by how often the calls run; in
  /// 1/256.
  uint64_t gain = 0;
  /// Instructions of the kernel in all images.
  uint64_t size = 0;
};

/// Returns those of \p contexts, all of one kernel, that are worth a clone at
/// \p perMille instructions saved for each thousand copied, the best first. A
/// context that would have the kernel itself to itself is left out: \p others
/// says whether there are launches besides \p contexts.
std::vector<const LaunchContext *>
contextsWorthClones(llvm::ArrayRef<LaunchContext> contexts, bool others,
                    uint64_t perMille);

/// Makes clones of kernels whose launches know different constants.
class KernelCloneChooser {
public:
  /// \p growth: by image, instructions that clones may still add.
  KernelCloneChooser(const WpaContext &context, const Callers &callers,
                     ConstantsSolver &solver, CloneGains &gains,
                     std::vector<uint64_t> &growth)
      : context(context), program(context.program), callers(callers),
        solver(solver), gains(gains), growth(growth) {}

  /// Adds clones to the solver and redirects launches. Returns whether it did.
  bool runRound();
  /// Emits remarks on kernels that the last round found reasons not to clone.
  void explainMissed() const;

private:
  using Call = std::pair<BodyIndex, uint32_t>;
  using Launches = std::vector<const LaunchSite *>;

  void collectCalls();
  std::vector<KnownLaunchValue>
  knownBy(BodyIndex caller, const LaunchSite &launch, GlobalId kernel);
  std::vector<KnownLaunchValue> knownByAll(Call call, const Launches &launches,
                                           GlobalId kernel);
  uint64_t gainOf(const KnownLaunchValue &value, GlobalId stub);
  void dropMinor(std::vector<KnownLaunchValue> &known, GlobalId stub);
  bool reuse(GlobalId stub, const std::vector<KnownLaunchValue> &known,
             Call call);
  std::vector<LaunchContext> contextsOf(GlobalId stub, bool &others,
                                        bool &reused);
  bool fits(const LaunchContext &chosen) const;
  void clone(const LaunchContext &chosen);

  const WpaContext &context;
  const CombinedSummary &program;
  const Callers &callers;
  ConstantsSolver &solver;
  CloneGains &gains;
  std::vector<uint64_t> &growth;
  /// By stub: the calls that launch it and are not redirected yet, in order.
  std::map<GlobalId, std::vector<std::pair<Call, Launches>>> calls;
  /// Stubs launched by calls that may also launch other stubs.
  llvm::DenseSet<GlobalId> sharedLaunches;
  /// Clones (of stubs) by what their launches know.
  std::map<std::pair<GlobalId, std::vector<KnownLaunchValue>>, BodyIndex> made;
  /// By stub: why some context has no clone.
  std::map<GlobalId, std::string> missed;
};

} // namespace gpulto

#endif
