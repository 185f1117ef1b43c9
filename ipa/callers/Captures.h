//===- Captures.h - Launches that others may capture ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_IPA_CALLERS_CAPTURES_H
#define GPULTO_IPA_CALLERS_CAPTURES_H

#include "summary/WpaContext.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

#include <optional>
#include <string>
#include <vector>

namespace gpulto {

class Callers;

/// Finds launches that may become nodes of a graph in the hands of unseen code,
/// and so run with other parameters. Built once; linear.
class Captures {
public:
  /// \p callers: knows bodies, and which functions have unknown callers.
  Captures(const WpaContext &context, const Callers &callers);

  /// The code that might have such a graph, in a clause; empty: none.
  llvm::StringRef who() const { return reason; }

  /// Whether \p launch of the function \p caller may be captured: it is not
  /// proven to be in the legacy default stream. Meaningful if who() is not
  /// empty.
  bool mayCapture(GlobalId caller, const LaunchSite &launch) const;

private:
  /// A parameter: a place among the bodies, and its number.
  using Parameter = std::pair<uint32_t, uint32_t>;
  /// A call: of the body at a place, and its number there.
  using Call = std::pair<uint32_t, uint32_t>;

  /// The kinds of streams.
  enum class Stream : uint8_t { Legacy, OfCaller, Other };
  Stream kindOf(const JumpFunction &stream) const;
  JumpFunction streamOf(GlobalId caller, const LaunchSite &launch) const;
  std::vector<Parameter> findAsked();
  std::vector<std::vector<Call>> findCalls() const;
  void visit(Parameter parameter, llvm::ArrayRef<Call> calls,
             std::vector<Parameter> &asked);
  void spread();

  const CombinedSummary &program;
  const Callers &callers;
  std::string reason;
  bool isPerThread = false; // what null means
  std::vector<Parameter> worklist;
  // Looked up only.
  llvm::DenseMap<Parameter, std::vector<Parameter>> passedTo; // in calls
  llvm::DenseSet<Parameter> known, other;
};

} // namespace gpulto

#endif
