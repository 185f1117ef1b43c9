//===- LaunchEvaluatorPropagate.cpp - What launches launch and pass -------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "ipa/constants/CallEvaluator.h"
#include "ipa/constants/LaunchEvaluator.h"
#include "ipa/constants/ValueEvaluator.h"
#include "ipa/runtime/GeometryLimits.h"
#include "summary/CombinedModule.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace gpulto {

/// Whether \p handle of \p caller is in memory that a call gets the address of:
/// the callee may put another one there before the launch.
static bool mayBeReplaced(const CombinedSummary &program, GlobalId caller,
                          const JumpFunction &handle) {
  return any_of(slice(program.moduleRef(caller).summary.handleFlows,
                      program.function(caller)->handleFlows),
                [&](const HandleFlow &flow) {
                  return flow.to == HandleTarget::Behind &&
                         flow.handle.kind == handle.kind &&
                         flow.handle.source == handle.source;
                });
}

/// Returns the stub that \p launch must launch by what \p caller knows of the
/// parameter that is its handle, or kNone. What others leave in variables and
/// return is not asked for.
GlobalId LaunchEvaluator::knownHandle(const BodyLattice &caller,
                                      const LaunchSite &launch) const {
  using Kind = JumpFunction::Kind;
  const CombinedModule &module = program.moduleRef(caller.id);
  if (launch.stub != kNone || launch.handles.count != 1)
    return kNone;
  const JumpFunction &handle =
      slice(module.summary.jumpFunctions, launch.handles).front();
  if (handle.kind != Kind::PassThrough && handle.kind != Kind::SymbolAddress)
    return kNone;
  if (mayBeReplaced(program, caller.id, handle))
    return kNone;
  ValueLattice value = values.valueOf(caller, handle);
  bool isStub = value.state() == ValueLattice::State::Symbol &&
                value.value() == 0 &&
                program.symbol(value.symbol()).has(kKernelStub);
  return isStub ? value.symbol() : kNone;
}

SmallVector<GlobalId, 2>
LaunchEvaluator::stubsOf(const BodyLattice &caller,
                         const LaunchSite &launch) const {
  SmallVector<GlobalId, 2> stubs = callers.stubsOf(caller.id, launch);
  if (GlobalId known = knownHandle(caller, launch); known != kNone)
    erase_if(stubs, [&](GlobalId stub) { return stub != known; });
  return stubs;
}

bool LaunchEvaluator::launchesOne(const BodyLattice &caller,
                                  const LaunchSite &launch) const {
  return launch.call != kNone &&
         (launch.stub != kNone || knownHandle(caller, launch) != kNone);
}

std::vector<ValueLattice>
LaunchEvaluator::launchGeometry(const BodyLattice &caller,
                                const LaunchSite &launch) const {
  const CombinedModule &module = program.moduleRef(caller.id);
  std::vector<ValueLattice> geometry;
  for (auto [function, limit] :
       zip(slice(module.summary.jumpFunctions, launch.geometry)
               .take_front(kDimensions),
           kGeometryLimits)) {
    geometry.push_back(values.valueOf(caller, function));
    // The runtime launches nothing else.
    JumpFunction valid;
    valid.low = 1;
    valid.high = limit;
    geometry.back().addFacts(valid);
  }
  return geometry;
}

/// Returns the parts of a kernel's aggregate of which \p pieces tell where the
/// stub has them among its own parameters, passed as \p actuals.
ParameterLattice
LaunchEvaluator::evaluatePieces(const BodyLattice &caller,
                                ArrayRef<const StubArgument *> pieces,
                                ArrayRef<JumpFunction> actuals) const {
  ParameterLattice result;
  result.whole = ValueLattice::varying();
  result.hasParts = true;
  for (const StubArgument *piece : pieces) {
    ValueLattice value = values.valueOf(caller, actuals[piece->formal]);
    value.forgetSymbol();
    result.hasParts &= !value.isTop();
    if (!piece->isAggregate)
      addPart(result.parts, piece->byteOffset, value);
  }
  return result;
}

std::vector<ParameterLattice>
LaunchEvaluator::launchArguments(const BodyLattice &caller,
                                 const LaunchSite &launch, GlobalId stub,
                                 GlobalId kernel) const {
  const CombinedModule &module = program.moduleRef(caller.id);
  ArrayRef<JumpFunction> actuals =
      slice(module.summary.jumpFunctions, launch.arguments);
  ArrayRef<ParameterRecord> formals = program.parameters(kernel);
  std::vector<ParameterLattice> result;
  if (!launch.byStubFormals) {
    for (uint32_t i = 0; i < formals.size(); ++i)
      result.push_back(calls.evaluateArgument(
          kernel, i, caller, i < actuals.size() ? actuals[i] : JumpFunction()));
    return result;
  }
  // The arguments are the stub's own: its pieces say what is the kernel's.
  ArrayRef<StubArgument> pieces =
      slice(program.moduleRef(stub).summary.stubArguments,
            program.function(stub)->stubArguments);
  for (uint32_t k = 0; k < formals.size(); ++k) {
    SmallVector<const StubArgument *, 4> ofThis;
    for (const StubArgument &piece : pieces)
      if (piece.kernelArgument == k && piece.formal < actuals.size())
        ofThis.push_back(&piece);
    bool isByVal = formals[k].flags & kParamByVal;
    bool isWhole = ofThis.size() == 1 && ofThis[0]->byteOffset == 0 &&
                   ofThis[0]->isAggregate == isByVal;
    if (!isByVal || isWhole)
      result.push_back(calls.evaluateArgument(
          kernel, k, caller,
          isWhole ? actuals[ofThis[0]->formal] : JumpFunction()));
    else
      result.push_back(evaluatePieces(caller, ofThis, actuals));
  }
  return result;
}

} // namespace gpulto
