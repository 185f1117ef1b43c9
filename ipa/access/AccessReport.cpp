//===- AccessReport.cpp - Which accesses of a kernel waste ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Goal: tell, for every access to memory, how many sectors a warp moves, how
// many it would need, why, and what to do.
//
//   a[row * n + threadIdx.x]       4 sectors of 4
//   a[threadIdx.x * n + i]         32 sectors of 4: 4 * 'n' bytes between
//   threads
//
// 1. ShapeReport: for one shape of blocks, the values of the kernel in each
//    class of warps (LaneValues), and the cost of each request (WarpCosts).
//    Where conditions tell warps of a class apart, each warp is a class.
// 2. ShapeReport::rowOf: the costs of all warps become one row, with a verdict.
// 3. RowWriter: what the row says in words.
//
// What is counted is the body as instruction selection gets it, so that a row
// is what the hardware is asked for: after unrolling, and after neighboring
// accesses became one.
//
//===----------------------------------------------------------------------===//

#include "ipa/access/AccessReport.h"

#include "ipa/access/LaneValues.h"
#include "ipa/access/MemoryRequests.h"
#include "ipa/access/WarpCost.h"
#include "support/UnitNames.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/Analysis/CycleAnalysis.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/PostDominators.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/Analysis/UniformityAnalysis.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/PassInstrumentation.h"
#include "llvm/IR/PassManager.h"
#include "llvm/Support/TimeProfiler.h"

#include <cmath>
#include <map>
#include <tuple>

using namespace llvm;

namespace gpulto {

//===----------------------------------------------------------------------===//
// Words
//===----------------------------------------------------------------------===//

/// Returns what to do where neighboring threads of \p block take elements of
/// different rows.
static std::string adviceAcrossRows(const std::array<uint32_t, 3> &block) {
  if (block[1] * block[2] == 1)
    return "let threadIdx.x count along rows, or store the array transposed";
  return "exchange the dimensions of the index, or of the block, so that "
         "threadIdx.x counts neighboring elements";
}

namespace {
/// Says in words what a cost is.
class RowWriter {
public:
  /// Names of variables, which are looked for often.
  using Names = DenseMap<const GlobalVariable *, std::string>;
  RowWriter(const LaneSymbols &symbols, const Function &kernel,
            const KernelLaunches &launches, Names &names)
      : symbols(symbols), kernel(kernel), launches(launches), names(names) {}

  /// Names the object that \p pointer, whose value is \p address, leads to.
  std::string baseOf(const Value &pointer, const LaneValue &address) const;
  void explain(const WarpCost &cost, const LaneValue &address,
               MemoryRow &row) const;

private:
  std::string nameOf(const Value *value) const;
  std::string strideText(const LaneStride &stride) const;
  void explainStride(const LaneStride &stride, const LaneValue &address,
                     MemoryRow &row) const;
  void explainStart(const LaneValue &address, MemoryRow &row) const;
  bool walksInLoop(const LaneValue &address) const;
  bool areRoundsApart(const LaneValue &address, unsigned sizeBytes) const;

  const LaneSymbols &symbols;
  const Function &kernel;
  const KernelLaunches &launches;
  Names &names;
};
} // namespace

std::string RowWriter::nameOf(const Value *value) const {
  constexpr unsigned kMostSteps = 16;
  if (const auto *load = dyn_cast_or_null<LoadInst>(value)) {
    // A parameter that code generation reads from its memory.
    const Value *from =
        getUnderlyingObject(load->getPointerOperand(), kMostSteps);
    if (!isa<Argument>(from))
      return {};
    value = from;
  }
  while (const auto *cast = dyn_cast_or_null<CallBase>(value)) {
    if (cast->arg_size() != 1)
      return {};
    value = cast->getArgOperand(0)->stripPointerCasts();
  }
  if (const auto *argument = dyn_cast_or_null<Argument>(value)) {
    if (argument->getParent() != &kernel)
      return {};
    unsigned number = argument->getArgNo();
    if (number < launches.parameters.size() &&
        !launches.parameters[number].empty())
      return "'" + launches.parameters[number] + "'";
    return "parameter " + utostr(number + 1);
  }
  if (const auto *variable = dyn_cast_or_null<GlobalVariable>(value)) {
    std::string &name = names[variable];
    if (name.empty())
      name = "'" + demangled(variable->getName()) + "'";
    return name;
  }
  return {};
}

std::string RowWriter::baseOf(const Value &pointer,
                              const LaneValue &address) const {
  for (const LaneSum::Term &term : address.sum.terms()) {
    auto factors = term.product.symbols();
    if (factors.size() != 1 || term.factor != LaneNumbers(1))
      continue;
    const Value *value = symbols[factors[0]].value;
    if (value && value->getType()->isPointerTy())
      if (std::string name = nameOf(value); !name.empty())
        return name;
  }
  constexpr unsigned kMostSteps = 16;
  return nameOf(getUnderlyingObject(&pointer, kMostSteps));
}

std::string RowWriter::strideText(const LaneStride &stride) const {
  std::string text = itostr(std::abs(stride.bytes));
  for (LaneSymbolId id : stride.factors.symbols()) {
    const LaneSymbol &symbol = symbols[id];
    std::string name = nameOf(symbol.value);
    text += " * " + (!name.empty() ? name
                     : symbol.loop ? "a number of the loop"
                                   : "an unknown number");
  }
  return text + " bytes";
}

/// Whether the next round of a loop accesses what is next in memory.
bool RowWriter::walksInLoop(const LaneValue &address) const {
  constexpr int64_t kMostStep = 32; // bytes: a sector
  return any_of(address.sum.terms(), [&](const LaneSum::Term &term) {
    auto factors = term.product.symbols();
    return factors.size() == 1 && symbols[factors[0]].loop &&
           term.factor.isSame() && std::abs(term.factor[0]) <= kMostStep;
  });
}

/// Whether the first lanes of a warp access what the others do in another round
/// of a loop: an unrolled loop does the rounds apart that some lanes have more.
bool RowWriter::areRoundsApart(const LaneValue &address,
                               unsigned sizeBytes) const {
  LaneSum sum = symbols.firstCase(address.sum);
  std::optional<LaneNumbers> lanes = symbols.split(sum).second.numbers();
  if (!lanes)
    return false;
  int64_t apart = 0;
  for (unsigned l = 1; l < kWarpLanes; ++l) {
    int64_t more = (*lanes)[l] - (*lanes)[l - 1] - int64_t(sizeBytes);
    if (more && apart)
      return false;
    apart += more;
  }
  return apart && any_of(sum.terms(), [&](const LaneSum::Term &term) {
           return std::abs(term.factor[0]) > std::abs(apart) &&
                  any_of(term.product.symbols(), [&](LaneSymbolId id) {
                    return symbols[id].loop != nullptr;
                  });
         });
}

void RowWriter::explainStride(const LaneStride &stride,
                              const LaneValue &address, MemoryRow &row) const {
  row.reason = strideText(stride) + " between threads";
  constexpr int64_t kMostStructure = 256; // bytes
  if (walksInLoop(address)) {
    row.reason += ", each of which walks through memory";
    row.advice = "let neighboring threads take neighboring elements: start at "
                 "the thread's index and step by the number of threads, give a "
                 "row to a warp, or store the array transposed";
  } else if (stride.factors.isOne() &&
             std::abs(stride.bytes) <= kMostStructure) {
    row.advice = "make the array of structures a structure of arrays, or load "
                 "whole structures at once, aligned to 8 or 16 bytes";
  } else {
    row.advice = adviceAcrossRows(row.block);
  }
}

/// A constant in the index, as of a stencil, is told from rows that begin
/// anywhere.
void RowWriter::explainStart(const LaneValue &address, MemoryRow &row) const {
  Congruence start =
      symbols.congruence(symbols.split(address.sum).first, kSectorBytes);
  if (start.modulus == kSectorBytes && start.residue) {
    row.reason = "it begins " + utostr(start.residue) +
                 " bytes behind the start of a sector of 32 bytes";
    row.advice = "start at a multiple of 32 bytes; where neighbors are read, "
                 "too, as in stencils, read them once, into shared memory";
    return;
  }
  row.reason = "it does not begin with a sector of 32 bytes";
  row.advice = "align rows to 32 bytes (cudaMallocPitch)";
}

void RowWriter::explain(const WarpCost &cost, const LaneValue &address,
                        MemoryRow &row) const {
  switch (row.verdict) {
  case AccessVerdict::Misaligned:
    explainStart(address, row);
    break;
  case AccessVerdict::Strided:
    explainStride(*cost.stride, address, row);
    break;
  case AccessVerdict::Uncoalesced:
    row.reason = utostr(cost.addresses) + " addresses of a warp in " +
                 utostr(std::llround(cost.sectors.expected)) + " sectors";
    if (row.block[0] < kWarpLanes && row.block[1] > 1) {
      row.reason +=
          ": a warp has several rows of " + utostr(row.block[0]) + " threads";
      row.advice = "make blocks at least 32 threads wide";
    } else if (areRoundsApart(address, row.sizeBytes)) {
      row.reason += ": its threads are in different rounds of an unrolled loop";
      row.advice = "let all threads of a warp do as many rounds, and leave out "
                   "in the loop what is too much, or do not unroll it";
    } else {
      row.advice = adviceAcrossRows(row.block);
    }
    break;
  case AccessVerdict::Conflict:
    if (row.space == MemorySpace::Constant) {
      row.reason =
          utostr(cost.addresses) + " addresses of a warp, one at a time";
      row.advice =
          "read it from global memory (__ldg), or through shared memory";
      break;
    }
    row.reason = cost.stride ? strideText(*cost.stride) + " between threads"
                             : "lanes meet in a bank";
    row.advice = "pad rows of the array by one element";
    break;
  case AccessVerdict::Irregular:
    row.reason = "the data decides where it goes";
    break;
  default:
    break;
  }
  if (row.space == MemorySpace::Local) {
    row.reason = "its index is computed, so that the array is no register";
    row.advice = "unroll the loop around it, so that indices are constants, or "
                 "keep the array in shared memory";
    return;
  }
  if (cost.hasUnknownStride && row.isAlarm)
    row.reason += ", if that is not small";
}

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

static MemoryPath pathOf(MemorySpace space) {
  return space == MemorySpace::Shared     ? MemoryPath::Banks
         : space == MemorySpace::Constant ? MemoryPath::Uniform
                                          : MemoryPath::Cached;
}

static AccessVerdict verdictOf(const WarpCost &cost, MemorySpace space,
                               unsigned sizeBytes) {
  if (cost.isNever || cost.addresses <= 1)
    return AccessVerdict::Broadcast;
  if (space == MemorySpace::Shared || space == MemorySpace::Constant)
    return cost.sectors.expected > 0 ? AccessVerdict::Conflict
                                     : AccessVerdict::Coalesced;
  if (cost.sectors.expected <= cost.ideal.expected)
    return AccessVerdict::Coalesced;
  if (double(cost.bestStart) <= cost.ideal.expected)
    return AccessVerdict::Misaligned;
  return cost.stride && (!cost.stride->factors.isOne() ||
                         std::abs(cost.stride->bytes) > sizeBytes)
             ? AccessVerdict::Strided
             : AccessVerdict::Uncoalesced;
}

namespace {
/// What the warps of a class, or of all, do at one request.
struct RequestCosts {
  uint64_t mainWarps = 0; // of the class with the most
  RowSectors sectors;
  uint64_t ideal = 0, warps = 0, unknownWarps = 0;
  double lines = 0;
  uint32_t loopDepth = 0;
  bool isIrregular = false, mayVary = false;
  std::string reason, advice, base;
  AccessVerdict verdict = AccessVerdict::Broadcast;
  bool isAlarm = false;
};

/// The accesses of a kernel and of what it calls.
class KernelRequests {
public:
  explicit KernelRequests(const Function &kernel) { add(kernel); }
  ArrayRef<MemoryRequest> all() const { return requests; }
  auto functions() const { return make_first_range(places); }
  /// Returns those of \p function: indices in all().
  iota_range<size_t> of(const Function &function) const {
    return places.find(&function)->second;
  }
  /// Returns what decides who accesses what in \p function, its calls and all
  /// that these need, operands before what uses them.
  ArrayRef<const Instruction *> deciding(const Function &function) const {
    return needed.find(&function)->second;
  }

private:
  void add(const Function &function);
  void addDeciding(const Function &function);
  std::vector<MemoryRequest> requests;
  MapVector<const Function *, iota_range<size_t>> places;
  DenseMap<const Function *, std::vector<const Instruction *>> needed;
};

/// The rows of one shape.
class ShapeReport {
public:
  ShapeReport(const Function &kernel, const KernelLaunches &launches,
              const LaunchShape &shape, bool isExample,
              WarpContext::Analyses analyses, const KernelRequests &requests)
      : kernel(kernel), launches(launches), shape(shape), isExample(isExample),
        analyses(analyses), requests(requests) {}

  /// \p isSwapped: if x and y of the kernel and of its launches were exchanged.
  std::vector<MemoryRow> run(bool isSwapped = false);

private:
  bool runClasses(ArrayRef<WarpClass> classes, bool mayStop);
  bool addBody(LaneValues &values, WarpCosts &known, const WarpClass &warps,
               function_ref<bool()> mustStop);
  void addUnknown(const Function &function, const WarpClass &warps);
  void addRequest(LaneValues &values, WarpCosts &known, const WarpClass &warps,
                  const MemoryRequest &request, RequestCosts &costs);
  void addBranch(LaneValues &values, const WarpClass &warps,
                 const MemoryRequest &request, RequestCosts &costs);
  MemoryRow rowOf(const MemoryRequest &request, const RequestCosts &cost) const;

  const Function &kernel;
  const KernelLaunches &launches;
  const LaunchShape &shape;
  bool isExample;
  WarpContext::Analyses analyses;
  const KernelRequests &requests;
  RowWriter::Names names;
  std::vector<RequestCosts> costs; // by request
};
} // namespace

/// Returns the function of the module that \p instruction calls, or null.
static const Function *bodyCalledBy(const Instruction &instruction) {
  const auto *call = dyn_cast<CallBase>(&instruction);
  const Function *callee = call ? call->getCalledFunction() : nullptr;
  return callee && !callee->isDeclaration() ? callee : nullptr;
}

/// Most of a kernel computes what it stores.
void KernelRequests::addDeciding(const Function &function) {
  SmallPtrSet<const Instruction *, 32> found;
  SmallVector<const Instruction *, 32> work;
  auto need = [&](const Value *value) {
    const auto *instruction = dyn_cast<Instruction>(value);
    if (instruction && found.insert(instruction).second)
      work.push_back(instruction);
  };
  for (size_t i : of(function))
    need(requests[i].pointer);
  for (const Instruction &instruction : instructions(function))
    if (bodyCalledBy(instruction) || instruction.isTerminator())
      need(&instruction);
  while (!work.empty())
    for (const Value *operand : work.pop_back_val()->operand_values())
      need(operand);
  std::vector<const Instruction *> &ordered = needed[&function];
  for (const BasicBlock *block :
       ReversePostOrderTraversal<const Function *>(&function))
    for (const Instruction &instruction : *block)
      if (found.contains(&instruction))
        ordered.push_back(&instruction);
}

void KernelRequests::add(const Function &function) {
  if (places.contains(&function))
    return;
  size_t first = requests.size();
  append_range(requests, findRequests(function));
  places.insert({&function, seq(first, requests.size())});
  addDeciding(function);
  for (const Instruction &instruction : instructions(function))
    if (const Function *callee = bodyCalledBy(instruction))
      add(*callee);
}

/// Returns the sectors of \p a and \p b together, if these are run any number
/// of times: bounds are those of a request, times requests.
static RowSectors eitherOf(const RowSectors &a, uint64_t requestsOfA,
                           const RowSectors &b, uint64_t requestsOfB) {
  if (requestsOfA == 0 || requestsOfB == 0)
    return requestsOfA ? a : b;
  uint64_t requests = requestsOfA + requestsOfB;
  auto least = [&](uint64_t sectors, uint64_t of) {
    return sectors * requests / of;
  };
  auto most = [&](uint64_t sectors, uint64_t of) {
    return (sectors * requests + of - 1) / of;
  };
  return {std::min(least(a.least, requestsOfA), least(b.least, requestsOfB)),
          std::max(most(a.most, requestsOfA), most(b.most, requestsOfB)),
          a.expected + b.expected};
}

static LaneSum firstLanes(unsigned count) {
  Lanes lanes{};
  std::fill_n(lanes.begin(), count, 1);
  return LaneSum(lanes);
}

/// Returns where \p request accesses memory at the sum \p address.
static LaneValue addressOf(const LaneValue &address,
                           const MemoryRequest &request) {
  LaneValue place = address;
  std::optional<LaneSum> sum = address.sum.plus(LaneSum(request.offset));
  if (sum && request.space == MemorySpace::Local) {
    constexpr int64_t kWordBytes = 4;
    Lanes besides;
    for (unsigned l = 0; l < kWarpLanes; ++l)
      besides[l] = l * kWordBytes;
    sum = sum->times(kWarpLanes);
    if (sum)
      sum = sum->plus(LaneSum(besides));
  }
  if (!sum)
    return LaneValue::unknown();
  place.sum = std::move(*sum);
  return place;
}

/// Returns the masks under which \p request is made.
static std::vector<LaneValue> masksOf(LaneValues &values,
                                      const MemoryRequest &request) {
  std::vector<LaneValue> masks =
      values.masksOf(*request.instruction->getParent());
  if (request.lanes < kWarpLanes)
    masks.push_back(LaneValue::exact(firstLanes(request.lanes)));
  if (request.isGuarded)
    masks.push_back(LaneValue::unknown());
  return masks;
}

/// Adds what \p cost is for \p count warps. \p mayRepeat: a warp may come by
/// more often than others.
static void addSectors(const WarpCost &cost, uint64_t count, bool mayRepeat,
                       RequestCosts &costs) {
  RowSectors sectors{count * cost.sectors.least, count * cost.sectors.most,
                     double(count) * cost.sectors.expected};
  // Where warps may stay away, or come by more often than others, bounds are
  // those of one warp.
  if (cost.mayBeNever || costs.mayVary || mayRepeat) {
    costs.mayVary = true;
    costs.sectors = eitherOf(costs.sectors, costs.warps, sectors, count);
  } else {
    costs.sectors.least += sectors.least;
    costs.sectors.most += sectors.most;
    costs.sectors.expected += sectors.expected;
  }
  costs.warps += count;
  costs.ideal += count * static_cast<uint64_t>(cost.ideal.expected);
  costs.lines += double(count) * cost.lines;
}

void ShapeReport::addRequest(LaneValues &values, WarpCosts &known,
                             const WarpClass &warps,
                             const MemoryRequest &request,
                             RequestCosts &costs) {
  if (request.kind == AccessKind::Branch)
    return addBranch(values, warps, request, costs);
  const BasicBlock &block = *request.instruction->getParent();
  LaneValue address = values.at(*request.pointer, block);
  if (address.isSum())
    address = addressOf(address, request);
  std::vector<LaneValue> masks = masksOf(values, request);
  RowWriter writer(values.symbols(), kernel, launches, names);
  if (costs.base.empty())
    costs.base = writer.baseOf(*request.pointer, address);
  if (!address.isSum()) {
    bool isIrregular = address.kind == LaneValue::Kind::Irregular;
    costs.isIrregular |= isIrregular;
    costs.unknownWarps += warps.warps();
    return;
  }
  const WarpCost &cost =
      known.of(address, masks, request.size, pathOf(request.space));
  if (cost.isNever)
    return;
  costs.loopDepth = std::max(costs.loopDepth, values.loopDepth(block));
  uint64_t count = warps.warps();
  addSectors(cost, count,
             values.loopDepth(block) != 0 || &values.body() != &kernel, costs);
  AccessVerdict verdict = verdictOf(cost, request.space, request.size.bytes);
  // The worst verdict of the most warps.
  if (costs.mainWarps && (count < costs.mainWarps || verdict <= costs.verdict))
    return;
  costs.mainWarps = count;
  costs.verdict = verdict;
  MemoryRow row;
  row.block = shape.block;
  row.space = request.space;
  row.sizeBytes = request.size.bytes;
  row.verdict = verdict;
  // Of lanes that data chooses, nobody knows where the first is.
  row.isAlarm = verdict > AccessVerdict::Misaligned ||
                (verdict == AccessVerdict::Misaligned &&
                 none_of(masks, [](const LaneValue &mask) {
                   return mask.kind == LaneValue::Kind::Irregular;
                 }));
  row.isAlarm |= request.space == MemorySpace::Local;
  writer.explain(cost, address, row);
  costs.isAlarm = row.isAlarm;
  costs.reason = row.reason;
  costs.advice = row.advice;
}

/// A branch in a loop. One lane alone, and borders, are not blamed.
void ShapeReport::addBranch(LaneValues &values, const WarpClass &warps,
                            const MemoryRequest &request, RequestCosts &costs) {
  const BasicBlock &block = *request.instruction->getParent();
  LaneValue condition = values.at(*request.pointer, block);
  if (!condition.isSum() || values.loopDepth(block) == 0)
    return;
  costs.loopDepth = std::max(costs.loopDepth, values.loopDepth(block));
  costs.warps += warps.warps();
  const LaneSymbols &symbols = values.symbols();
  Lanes active;
  active.fill(1);
  for (const LaneValue &mask : values.masksOf(block))
    if (mask.isSum())
      if (std::optional<LaneNumbers> lanes =
              symbols.firstCase(mask.sum).numbers())
        for (unsigned l = 0; l < kWarpLanes; ++l)
          active[l] &= (*lanes)[l];
  std::optional<LaneNumbers> taken = symbols.firstCase(condition.sum).numbers();
  if (!taken)
    return;
  unsigned counts[2] = {};
  for (unsigned l = 0; l < warps.lanes; ++l)
    if (active[l])
      ++counts[(*taken)[l] & 1];
  if (std::min(counts[0], counts[1]) < 2)
    return;
  costs.verdict = AccessVerdict::Divergent;
  costs.isAlarm = true;
  costs.reason = utostr(counts[1]) + " lanes of a warp go one way in a loop, " +
                 utostr(counts[0]) + " the other";
  costs.advice =
      "let the threads of a warp decide alike, as by threadIdx.x / 32";
}

/// Of the accesses of \p function, and of what it calls, nothing is known.
void ShapeReport::addUnknown(const Function &function, const WarpClass &warps) {
  KernelRequests below(function);
  for (const Function *reached : below.functions())
    for (size_t i : requests.of(*reached))
      costs[i].unknownWarps += warps.warps();
}

/// Returns false as soon as \p mustStop.
bool ShapeReport::addBody(LaneValues &values, WarpCosts &known,
                          const WarpClass &warps,
                          function_ref<bool()> mustStop) {
  for (const Instruction *instruction : requests.deciding(values.body())) {
    if (instruction->getType()->isIntOrPtrTy())
      (void)values.at(*instruction, *instruction->getParent());
    if (mustStop())
      return false;
    const Function *callee = bodyCalledBy(*instruction);
    if (!callee)
      continue;
    LaneValues *body = values.bodyOf(*cast<CallBase>(instruction));
    if (!body)
      addUnknown(*callee, warps);
    else if (!addBody(*body, known, warps, mustStop))
      return false;
  }
  for (size_t i : requests.of(values.body())) {
    addRequest(values, known, warps, requests.all()[i], costs[i]);
    if (mustStop())
      return false;
  }
  return true;
}

/// Returns false if \p mayStop, and warps of a class differ.
bool ShapeReport::runClasses(ArrayRef<WarpClass> classes, bool mayStop) {
  costs.assign(requests.all().size(), {});
  for (const WarpClass &warps : classes) {
    WarpContext context(shape, launches.counting, warps, analyses);
    LaneValues values(kernel, context);
    // Of a block that is an example, bounds would be none.
    WarpCosts known(context.symbols, /*hasBounds=*/!isExample);
    bool areSeveral = mayStop && warps.warps() > 1;
    if (!addBody(values, known, warps, [&] {
          return areSeveral && context.arithmetic.differsByWarp();
        }))
      return false;
  }
  return true;
}

/// Returns the place of \p access, or of what uses it: what the vectorizer
/// makes has none.
static const DILocation *placeOf(const Instruction &access) {
  const DILocation *where = access.getDebugLoc();
  for (const User *user : access.users())
    if (const auto *instruction = dyn_cast<Instruction>(user);
        !where && instruction)
      where = instruction->getDebugLoc();
  return where;
}

/// Lets the bounds of \p row say nothing: it stands for requests that are not
/// known, too.
static void forgetBounds(MemoryRow &row) {
  row.sectors.least = 0;
  row.sectors.most =
      row.requests * kWarpLanes * (1 + divideCeil(row.sizeBytes, kSectorBytes));
}

MemoryRow ShapeReport::rowOf(const MemoryRequest &request,
                             const RequestCosts &cost) const {
  MemoryRow row;
  row.kernel = kernel.getName().str();
  row.space = request.space;
  row.kind = request.kind;
  // A few warps, such as one at a border, are taken to be as the others.
  bool isUnknown = cost.unknownWarps && cost.unknownWarps >= cost.warps;
  row.verdict = cost.isIrregular ? AccessVerdict::Irregular
                : isUnknown      ? AccessVerdict::Unknown
                                 : cost.verdict;
  bool isKnown = !cost.isIrregular && !isUnknown;
  row.isAlarm = isKnown && cost.isAlarm;
  row.sizeBytes = request.size.bytes;
  row.loopDepth = cost.loopDepth;
  row.block = shape.block;
  row.isExample = isExample;
  row.requests = isKnown ? cost.warps : cost.warps + cost.unknownWarps;
  if (isKnown) {
    row.sectors = cost.sectors;
    if (cost.unknownWarps)
      forgetBounds(row);
    row.ideal = cost.ideal;
    row.lines = cost.lines;
    row.reason = cost.reason;
    row.advice = cost.advice;
  }
  row.base = cost.base;
  if (const DILocation *where = placeOf(*request.instruction)) {
    row.file = where->getFilename().str();
    row.line = where->getLine();
    row.column = where->getColumn();
    if (const DISubprogram *function = where->getScope()->getSubprogram())
      row.function = function->getLinkageName().str();
  }
  return row;
}

/// Adds \p other to \p row of the same place. Which of them runs how often,
/// nobody knows.
static void addTo(MemoryRow &row, const MemoryRow &other) {
  row.sectors =
      eitherOf(row.sectors, row.requests, other.sectors, other.requests);
  row.requests += other.requests;
  row.ideal += other.ideal;
  row.lines += other.lines;
  row.loopDepth = std::max(row.loopDepth, other.loopDepth);
  if (other.verdict <= row.verdict)
    return;
  row.verdict = other.verdict;
  row.isAlarm |= other.isAlarm;
  row.reason = other.reason;
  row.advice = other.advice;
}

static bool isSameAccess(const MemoryRow &a, const MemoryRow &b) {
  auto key = [](const MemoryRow &row) {
    return std::tie(row.file, row.line, row.column, row.space, row.kind,
                    row.sizeBytes, row.base);
  };
  return key(a) == key(b);
}

/// Returns the classes of warps of \p block, as the kernel sees its threads, if
/// x and y were exchanged.
static std::vector<WarpClass>
swappedClassesOf(const std::array<uint32_t, 3> &block, bool apart) {
  std::vector<WarpClass> classes =
      warpClassesOf({block[1], block[0], block[2]}, apart);
  for (WarpClass &warps : classes)
    std::swap(warps.axes[0], warps.axes[1]);
  return classes;
}

/// Returns the first and the last of \p warps, which stands for those between.
static std::vector<WarpClass> firstAndLast(std::vector<WarpClass> warps) {
  if (warps.size() <= 2)
    return warps;
  for (WarpClass::Axis &axis : warps.back().axes)
    axis.origins.assign(warps.size() - 1, axis.origins.front());
  warps.erase(warps.begin() + 1, warps.end() - 1);
  return warps;
}

std::vector<MemoryRow> ShapeReport::run(bool isSwapped) {
  auto classesOf = isSwapped ? swappedClassesOf : warpClassesOf;
  // Most kernels tell their warps apart. Of a block that is an example, it is
  // enough that they do.
  if (isExample)
    runClasses(firstAndLast(classesOf(shape.block, /*apart=*/true)),
               /*mayStop=*/false);
  else if (!runClasses(classesOf(shape.block, /*apart=*/false),
                       /*mayStop=*/true))
    runClasses(classesOf(shape.block, /*apart=*/true), /*mayStop=*/false);
  using Key = std::tuple<std::string, uint32_t, uint32_t, MemorySpace,
                         AccessKind, uint32_t, std::string, std::string>;
  // Those of one place that are known, and those that are not, which are taken
  // to be as these if they are not more.
  struct Place {
    std::optional<MemoryRow> known, unknown;
    unsigned knownCopies = 0, unknownCopies = 0;
  };
  MapVector<Key, Place, std::map<Key, unsigned>> places;
  for (auto [request, cost] : zip(requests.all(), costs)) {
    MemoryRow row = rowOf(request, cost);
    if (row.kind == AccessKind::Branch && !row.isAlarm)
      continue;
    bool hasPlace = row.line != 0;
    Place &place =
        places[Key(row.file, row.line, row.column, row.space, row.kind,
                   row.sizeBytes, row.base,
                   hasPlace ? std::string()
                            : StringRef(row.reason).split(',').first.str())];
    bool isUnknown = row.verdict == AccessVerdict::Unknown;
    ++(isUnknown ? place.unknownCopies : place.knownCopies);
    std::optional<MemoryRow> &all = isUnknown ? place.unknown : place.known;
    if (all)
      addTo(*all, row);
    else
      all = std::move(row);
  }
  std::vector<MemoryRow> rows;
  for (auto &[key, place] : places) {
    bool isKnown = place.knownCopies >= place.unknownCopies;
    rows.push_back(std::move(isKnown ? *place.known : *place.unknown));
    if (isKnown && place.unknown)
      forgetBounds(rows.back());
  }
  return rows;
}

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

/// Returns the numbers of attribute \p name, with ones for what is missing.
static std::optional<std::array<uint32_t, 3>>
dimensionsOf(const Function &kernel, StringRef name) {
  if (!kernel.hasFnAttribute(name))
    return std::nullopt;
  std::array<uint32_t, 3> result{1, 1, 1};
  SmallVector<StringRef, 3> parts;
  kernel.getFnAttribute(name).getValueAsString().split(parts, ',');
  for (auto [part, number] : zip(parts, result))
    if (part.trim().getAsInteger(10, number) || number == 0)
      return std::nullopt;
  return result;
}

static bool callsOneOf(const Function &kernel, ArrayRef<Intrinsic::ID> ids) {
  return any_of(instructions(kernel), [&](const Instruction &instruction) {
    const auto *call = dyn_cast<IntrinsicInst>(&instruction);
    return call && is_contained(ids, call->getIntrinsicID());
  });
}

static bool readsSecondIndex(const Function &kernel) {
  return callsOneOf(kernel, {Intrinsic::nvvm_read_ptx_sreg_tid_y,
                             Intrinsic::nvvm_read_ptx_sreg_tid_z});
}

static bool readsBlockSize(const Function &kernel) {
  return callsOneOf(kernel, {Intrinsic::nvvm_read_ptx_sreg_ntid_x});
}

/// Returns shapes that a kernel of which no block is known is reported for, the
/// likeliest first; \p sides: see KernelLaunches.
static std::vector<LaunchShape>
examplesFor(const Function &kernel, const std::array<uint32_t, 3> &sides) {
  constexpr uint32_t kThreads = 256;
  auto shape = [](uint32_t x, uint32_t y, uint32_t z) {
    LaunchShape result;
    result.block = {x, y, z};
    return result;
  };
  bool isFlat = !readsSecondIndex(kernel);
  if (auto most = dimensionsOf(kernel, "nvvm.maxntid")) {
    if (isFlat || (*most)[1] > 1)
      return {shape((*most)[0], (*most)[1], (*most)[2])};
    // Who counts threads of two axes in warps has rows of a warp.
    if ((*most)[0] % kWarpLanes == 0)
      return {shape(kWarpLanes, (*most)[0] / kWarpLanes, 1)};
  }
  auto [x, y, z] = sides;
  uint32_t deep = std::max<uint32_t>(z, 1);
  auto restOf = [&](uint32_t side) {
    return std::max<uint32_t>(kThreads / (side * deep), 1);
  };
  if (isFlat && !readsBlockSize(kernel))
    return {shape(kThreads, 1, 1)};
  if (isFlat)
    return {shape(kThreads, 1, 1), shape(128, 1, 1)};
  if (x)
    return {shape(x, y ? y : restOf(x), deep)};
  if (y)
    return {shape(restOf(y), y, deep)};
  return {shape(32, 8, 1), shape(16, 16, 1)};
}

/// Adds to \p rows what \p swapped says of the same accesses. If the kernel
/// moved much less, loops counting tenfold, that is the advice.
static void addSwapped(const std::vector<MemoryRow> &swapped,
                       std::vector<MemoryRow> &rows) {
  constexpr double kWorthwhile = 0.6, kRounds = 10;
  if (swapped.size() != rows.size())
    return; // without places rows are told apart by what they say
  double now = 0, then = 0;
  for (auto [row, other] : zip(rows, swapped)) {
    if (!isSameAccess(row, other))
      return;
    if (row.space != MemorySpace::Global || !hasSectors(row) ||
        !hasSectors(other))
      continue;
    row.swapped = other.sectors.expected;
    double weight = std::pow(kRounds, row.loopDepth);
    now += weight * row.sectors.expected;
    then += weight * row.swapped;
  }
  if (then > kWorthwhile * now)
    return;
  for (MemoryRow &row : rows)
    if (row.isAlarm && row.swapped > 0 && row.swapped < row.sectors.expected)
      row.advice =
          "exchange x and y of the kernel, and of the grids and blocks "
          "that it is launched with";
}

/// Whether threads of \p function do something with the others of their warp,
/// so that it matters which these are.
static bool joinsLanes(const Function &function) {
  return any_of(instructions(function), [](const Instruction &instruction) {
    const auto *call = dyn_cast<CallBase>(&instruction);
    if (!call)
      return false;
    switch (call->getIntrinsicID()) {
    case Intrinsic::nvvm_read_ptx_sreg_laneid:
    case Intrinsic::nvvm_read_ptx_sreg_warpid:
      return true;
    case Intrinsic::nvvm_barrier_cta_sync_aligned_all:
      return false;
    case Intrinsic::not_intrinsic:
      return call->isInlineAsm();
    default:
      return call->isConvergent();
    }
  });
}

static void registerAnalyses(FunctionAnalysisManager &manager,
                             const TargetIRAnalysis &target) {
  manager.registerPass([] { return PassInstrumentationAnalysis(); });
  manager.registerPass([&] { return target; });
  manager.registerPass([] { return TargetLibraryAnalysis(); });
  manager.registerPass([] { return AssumptionAnalysis(); });
  manager.registerPass([] { return DominatorTreeAnalysis(); });
  manager.registerPass([] { return PostDominatorTreeAnalysis(); });
  manager.registerPass([] { return LoopAnalysis(); });
  manager.registerPass([] { return CycleAnalysis(); });
  manager.registerPass([] { return ScalarEvolutionAnalysis(); });
  manager.registerPass([] { return UniformityInfoAnalysis(); });
}

std::vector<MemoryRow> reportAccesses(Function &kernel,
                                      const KernelLaunches &launches,
                                      const TargetIRAnalysis &target) {
  TimeTraceScope trace("Report accesses", kernel.getName());
  std::vector<MemoryRow> rows;
  KernelRequests requests(kernel);
  if (requests.all().empty())
    return rows;
  bool mayExchange = readsSecondIndex(kernel) &&
                     none_of(requests.functions(), [](const Function *reached) {
                       return joinsLanes(*reached);
                     });
  std::vector<LaunchShape> shapes = launches.shapes;
  bool areExamples = shapes.empty();
  if (auto required = dimensionsOf(kernel, "nvvm.reqntid");
      required && areExamples) {
    shapes.emplace_back();
    shapes.back().block = *required;
    areExamples = false;
  }
  if (shapes.empty())
    shapes = examplesFor(kernel, launches.sides);
  FunctionAnalysisManager manager;
  registerAnalyses(manager, target);
  auto analyses = [&](const Function &of) {
    Function &function = const_cast<Function &>(of);
    return LaneAnalyses{manager.getResult<DominatorTreeAnalysis>(function),
                        manager.getResult<PostDominatorTreeAnalysis>(function),
                        manager.getResult<LoopAnalysis>(function),
                        manager.getResult<ScalarEvolutionAnalysis>(function),
                        manager.getResult<AssumptionAnalysis>(function),
                        manager.getResult<UniformityInfoAnalysis>(function)};
  };
  for (const LaunchShape &shape : shapes) {
    ShapeReport report(kernel, launches, shape, areExamples, analyses,
                       requests);
    std::vector<MemoryRow> found = report.run();
    bool mayGain = any_of(found, [](const MemoryRow &row) {
      return row.isAlarm && row.space == MemorySpace::Global;
    });
    if (mayExchange && mayGain && shape.block[0] > 1 && shape.block[1] > 1)
      addSwapped(report.run(/*isSwapped=*/true), found);
    // Of further examples what the first does not show.
    if (areExamples && !rows.empty())
      erase_if(found, [&](const MemoryRow &row) {
        return !row.isAlarm || any_of(rows, [&](const MemoryRow &other) {
          return other.isAlarm && isSameAccess(row, other);
        });
      });
    append_range(rows, std::move(found));
  }
  return rows;
}

} // namespace gpulto
