//===- JumpFunctionBuilder.h - Jump functions from IR -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_IPA_VALUES_JUMPFUNCTIONBUILDER_H
#define GPULTO_IPA_VALUES_JUMPFUNCTIONBUILDER_H

#include "ipa/bodies/LgenContext.h"
#include "ipa/bodies/ReachingDefinitions.h"
#include "ipa/values/MemoryUses.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

#include <map>
#include <memory>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

namespace llvm {
class AllocaInst;
class Argument;
class ConstantRange;
class DataLayout;
class DominatorTree;
class GetElementPtrInst;
class GlobalVariable;
class ICmpInst;
class Instruction;
class Loop;
class LoopInfo;
class PHINode;
class ReturnInst;
class SCEV;
class ScalarEvolution;
class Type;
class Value;
} // namespace llvm

namespace gpulto {

/// Calling conventions pass two such values in one register.
constexpr unsigned kHalfBits = 32;

/// How \p call, if it calls one of the runtime's launch functions with as many
/// operands as those have, launches a kernel: in host code one of the host's,
/// in device code the device runtime's. The `_ptsz` forms count.
std::optional<LaunchKind> launchKindOf(const llvm::CallBase &call);

/// Returns the bytes of the buffer, for the arguments of a launch by device
/// code, that \p call gets from the device runtime; nothing if it is another
/// call or that is not a constant. Nobody else has a pointer to it.
std::optional<uint64_t> launchBufferBytes(const llvm::CallBase &call);

/// Position of the cudaKernelNodeParams among the arguments of
/// cudaGraphAddKernelNode, and that of fields in it (CUDA 3.0 and later).
constexpr unsigned kNodeParamsOperand = 4;
constexpr uint64_t kNodeFunction = 0, kNodeGrid = 8, kNodeArguments = 40,
                   kNodeBytes = 56;

/// Returns whether \p call adds the launch of a kernel to a graph. The runtime
/// copies the parameters and all that they lead to, and keeps no address.
bool addsKernelNode(const llvm::CallBase &call);

/// Returns the position of the argument of \p call that points to where the
/// call stores a pointer to fresh memory that devices reach (cudaMalloc and its
/// like; pinned memory of the host, too), if it is such a call. Nothing keeps
/// the address of that place.
std::optional<unsigned> allocationResult(const llvm::CallBase &call);

/// What the runtime does with the memory behind an argument while a call of it
/// runs. It keeps no such pointer.
enum class CopyAccess { None, Reads, Writes };

/// Returns what \p call does with its argument \p index if it is one of the
/// runtime's functions that copy before they return. The memory may be the
/// host's or the device's.
CopyAccess copyAccess(const llvm::CallBase &call, unsigned index);

/// What an instruction stores in a variable of the module.
struct VariableWrite {
  const llvm::GlobalVariable *variable = nullptr;
  PartOffset offset;
  uint64_t size = 0;
  /// Null: the pointer to memory that the instruction, a call, allocates.
  const llvm::Value *value = nullptr;
};

/// Returns which bytes of a variable \p instruction stores one value in, at a
/// constant place, if it does nothing else with it. Host code.
std::optional<VariableWrite>
variableWrite(const llvm::Instruction &instruction);

/// Returns the jump function of what \p variable holds at the beginning, an
/// Aggregate of numbers, null pointers and addresses of functions, or Unknown.
/// There are all functions, if a kernel is among them, or none.
JumpFunction initialParts(LgenContext &context,
                          const llvm::GlobalVariable &variable);

/// Returns the bits of a value of type \p type that a jump function can hold,
/// or 0. Small vectors count: calling conventions pass structs of floats in
/// them.
unsigned scalarBits(const llvm::Type &type);

/// Whether \p value looks like two 32-bit values that a calling convention
/// passes in one register.
bool isPackedPair(const llvm::Value &value);

/// Returns the operation of integers that \p opcode, of an instruction, is.
std::optional<JumpOperation> operationOf(unsigned opcode);

/// Whether \p j may be known to whole-program analysis and is not here.
bool isInput(const JumpFunction &j);

/// Whether \p j, of the module of \p summary, has an operation of two values
/// that are not known here, or of one that nobody knows: what is known of the
/// result does not follow from what is known of them.
bool hasOwnBounds(const ModuleSummary &summary, const JumpFunction &j);

/// Returns the range of the integer \p value by \p evolution, of its function,
/// as an unsigned number: of counters with the rounds of their loops.
llvm::ConstantRange evolvedRange(llvm::ScalarEvolution &evolution,
                                 const llvm::Value &value);

/// Strips constant offsets and casts of address space off \p pointer and
/// returns what is left, with \p offset set to their sum.
const llvm::Value *stripOffsets(const llvm::Value &pointer,
                                const llvm::DataLayout &layout,
                                int64_t &offset);

/// What a pointer was computed from by additions. Its distance from there is a
/// multiple of 2^distanceLog2, whatever wraps.
struct DerivedPointer {
  const llvm::Value *base;
  unsigned distanceLog2;
  /// No addition left the object; all were of generic pointers.
  bool isInBounds;
};

/// Returns what \p pointer is based on, in each round of every loop the same;
/// nothing if that is not one value.
std::optional<DerivedPointer> derivationOf(const llvm::Value &pointer,
                                           const llvm::DataLayout &layout);

/// Whether \p argument may be the address of a caller's variable. Device code
/// gets its pointers from launches; they are other facts.
bool isPassedByReference(const llvm::Argument &argument);

/// Appends \p value at byte \p offset to \p parts. What is too far for a
/// PartOffset is left out: not known.
void appendPart(llvm::SmallVectorImpl<AggregatePart> &parts, uint64_t offset,
                const JumpFunction &value);

/// Whether two ranges of bytes, of which the ends may be open, have a byte in
/// common.
bool overlaps(uint64_t aOffset, uint64_t aSize, uint64_t bOffset,
              uint64_t bSize);

/// Whether \p instruction fills memory with zeros.
bool isZeroFill(const llvm::Instruction &instruction);

/// Describes values of one function in terms of its formal parameters.
class JumpFunctionBuilder {
public:
  JumpFunctionBuilder(LgenContext &context, llvm::Function &function);

  /// Returns the jump function of the scalar or pointer \p value. First-class
  /// aggregates and vectors are Unknown.
  JumpFunction of(const llvm::Value &value);

  /// Returns the jump function of the \p size bytes that \p pointer points to
  /// when \p at executes: an Aggregate, a PassThrough of a by-value formal, or
  /// Unknown.
  JumpFunction ofMemory(const llvm::Value &pointer, uint64_t size,
                        const llvm::Instruction &at);

  /// As ofMemory(), the known parts themselves; at most kMaxParts.
  llvm::SmallVector<AggregatePart, 8> partsOf(const llvm::Value &pointer,
                                              uint64_t size,
                                              const llvm::Instruction &at);

  /// Returns the jump function of what \p ret returns: of aggregates, and of
  /// what it leaves behind the structure-return parameter, the known parts.
  JumpFunction ofReturn(const llvm::ReturnInst &ret);

  /// Returns the jump function of what \p argument, a pointer, points to when
  /// the function returns by one of \p rets: an Aggregate or Unknown.
  JumpFunction ofOutput(const llvm::Argument &argument,
                        llvm::ArrayRef<const llvm::Instruction *> rets);

  /// Returns the jump function of what \p instruction, which variableWrite()
  /// knows, stores.
  JumpFunction ofStored(const llvm::Instruction &instruction,
                        const VariableWrite &write);

  /// Returns the jump functions of argument \p index of \p call: by-value
  /// aggregates as such, and what pointers to local variables point to.
  JumpFunction ofArgument(const llvm::CallBase &call, unsigned index);

  /// Returns the jump functions of the low and the high 32 bits of the 64-bit
  /// integer \p value, as clang packs pairs (the x and y of a dim3).
  std::pair<JumpFunction, JumpFunction> halvesOf(const llvm::Value &value,
                                                 unsigned depth = 0);

  /// As halvesOf() of a value, of which \p whole is the jump function.
  std::pair<JumpFunction, JumpFunction> halvesOf(const JumpFunction &whole);

  /// Returns the numbers of the function's memory.
  MemoryNumbers &memoryNumbers() { return memory; }

  /// As LgenContext's.
  SymbolIndex indexOf(const llvm::GlobalValue &value) const {
    return context.indexOf(value);
  }

  /// Returns the value last stored in the whole of the pointer-sized slot at
  /// byte \p offset of local variable \p slots when \p at executes, or null.
  const llvm::Value *storedPointer(const llvm::Value &slots, uint64_t offset,
                                   const llvm::Instruction &at);

private:
  /// An instruction that may write a local variable: an alloca, the callee's
  /// copy of a by-value formal or an object on the heap.
  struct Write {
    const llvm::Instruction *instruction;
    uint64_t offset;
    /// Bytes; kUnboundedSize when it is not known what is written.
    uint64_t size;
    /// It is a call that gets the address.
    bool isByCallee = false;
    /// It is a call that returns what it leaves here.
    bool isReturned = false;
    /// By a callee: the argument that leads to byte \c passed.
    unsigned argument = 0;
    uint64_t passed = 0;
    /// Its place in LocalVariable::ranges.
    uint32_t range = 0;
    /// The instruction writes the variable in no other way.
    bool isOnly = true;
  };
  struct Bytes {
    uint64_t offset, size;
    auto operator<=>(const Bytes &) const = default;
  };
  /// Bytes that are told as one.
  struct ByteRange {
    uint64_t offset, size;
    bool isPointer;
    auto operator<=>(const ByteRange &) const = default;
  };
  using StoredValues = std::vector<const llvm::Value *>;
  /// Which writes of some bytes are looked at, and how.
  enum class Among {
    All,    ///< an allocation may fail; a new lifetime has no contents
    Each,   ///< the last that ran
    NonNull ///< as Each, but for writes of zeros and null
  };
  /// Where an address leads whose uses are followed.
  struct Followed {
    uint64_t offset; ///< the byte of the variable, or the least if not isExact
    bool isExact;
    unsigned depth; ///< steps from the variable
  };
  struct LocalVariable {
    /// Somebody else may write it, or the writes are not known.
    bool escapes = true;
    /// As escapes, but for what known callees do with the address.
    bool escapesUnseen = true;
    /// Identifies the variable among those of the function; from 1.
    uint32_t number = 0;
    /// Something other than a launch reads what is stored there.
    bool isLoaded = false;
    bool isArgument = false;   ///< of a launch: its address is in such an array
    bool isLaunched = false;   ///< a launch gets its address
    bool isNodeParams = false; ///< of a kernel node that is added to a graph
    llvm::SmallVector<Write, 8> writes;
    /// The bytes that writes have, each once, in the order of the writes.
    llvm::SmallVector<Bytes, 8> ranges;
    /// Known callees that may keep its address.
    llvm::SmallVector<const llvm::Instruction *, 2> keepers;
    /// Where its lifetime starts, again. Objects on the heap: another one.
    llvm::SmallVector<const llvm::Instruction *, 2> starts;

    /// Some callee may write it.
    bool isWrittenByCallees = false;

    // What has been found for one place is kept for the next.
    using Question = std::tuple<uint64_t, uint64_t, Among>;
    mutable std::map<Question, ReachingDefinitions> reaching;
    mutable std::optional<ReachingDefinitions> kept;
    mutable std::map<Bytes, std::vector<ByteRange>> parts;
    mutable std::map<uint64_t, std::optional<StoredValues>> stored;

    /// Whether only whole-program analysis can tell what is in it.
    bool dependsOnCallees() const {
      return !escapesUnseen && (escapes || isWrittenByCallees);
    }
    /// Notes that somebody may write it; if \p isSeen, it is a known callee.
    void escape(bool isSeen = false) {
      escapes = true;
      escapesUnseen |= !isSeen;
    }
    void addWrite(const llvm::Instruction &instruction, Followed at,
                  uint64_t size) {
      writes.push_back(
          {&instruction, at.offset, at.isExact ? size : kUnboundedSize});
    }
  };
  /// The writes of some bytes that may have been the last before a place.
  struct Reaching {
    llvm::SmallVector<const Write *, 4> writes;
    /// Perhaps none was since the function was entered.
    bool fromEntry = false;
    bool isKnown = true;
  };
  /// A number that each round of a loop steps by a constant.
  struct Step {
    const llvm::Loop *loop;
    const llvm::Value *initial;
    JumpOperation operation;
    uint64_t by;
    /// It has been stepped in the last round, too.
    bool isNext;
  };
  using Places = llvm::ArrayRef<const llvm::Instruction *>;
  static constexpr uint64_t kUnboundedSize = ~uint64_t(0);
  /// More parts than this are not worth their bytes.
  static constexpr size_t kMaxParts = 64;
  /// "at least 256 bytes": CUDA C++ Programming Guide, device memory accesses.
  static constexpr uint8_t kAllocationAlignLog2 = 8;
  /// How far copies of copies and address computations are followed.
  static constexpr unsigned kMaxDepth = 6;
  /// How deep operations are followed.
  static constexpr unsigned kMaxOperations = 8;
  JumpFunction ofConstant(const llvm::Value &value);
  JumpFunction ofScalarInstruction(const llvm::Instruction &instruction);
  JumpFunction ofFloatInstruction(const llvm::Instruction &instruction);
  JumpFunction ofLoad(const llvm::Instruction &load);
  JumpFunction ofLocal(const llvm::Value &variable, uint64_t offset,
                       const llvm::Instruction &load);
  JumpFunction ofVariable(const llvm::GlobalVariable &variable, uint64_t offset,
                          unsigned bits);
  JumpFunction ofPointer(const llvm::Value &value);
  JumpFunction ofDerived(const llvm::Value &value);
  std::optional<StoredValues> findStored(const LocalVariable &local,
                                         uint64_t offset) const;
  bool addStored(const llvm::Value &variable, uint64_t offset,
                 llvm::SmallVectorImpl<const llvm::Value *> &values);
  unsigned choicesAlignLog2(llvm::ArrayRef<const llvm::Value *> pointers);
  void addExchanged(const llvm::Value &variable, uint64_t begin, uint64_t size,
                    llvm::SmallVectorImpl<AggregatePart> &parts);
  JumpFunction ofLocalAddress(const llvm::AllocaInst &variable,
                              const DerivedPointer &from);
  JumpFunction ofComposition(JumpOperation operation, const llvm::Value &input,
                             uint64_t operand, unsigned bits);
  JumpFunction ofOperands(JumpOperation operation, const llvm::Value &left,
                          const llvm::Value &right, unsigned bits);
  JumpFunction ofCall(const llvm::CallBase &call, uint64_t offset,
                      unsigned bits);
  JumpFunction ofResult(const llvm::Value &value);
  std::pair<JumpFunction, JumpFunction> halvesOf(const llvm::Instruction &value,
                                                 const JumpFunction &whole,
                                                 unsigned depth);
  void addKnownBits(const llvm::Value &value,
                    std::pair<JumpFunction, JumpFunction> &halves);
  JumpFunction compose(JumpOperation operation, const JumpFunction &input,
                       uint64_t operand, unsigned bits);
  JumpFunction compose(JumpOperation operation, const JumpFunction &left,
                       const JumpFunction &right, unsigned bits);
  JumpFunction composedOfTwo(JumpOperation operation, const JumpFunction &left,
                             const JumpFunction &right, unsigned bits);
  JumpFunction resized(const JumpFunction &input, unsigned bits);
  JumpFunction applied(const llvm::Instruction &operation,
                       const JumpFunction &input);
  JumpFunction ofExpression(const llvm::SCEV &expression);
  JumpFunction ofCondition(const llvm::ICmpInst &condition, bool isInverse);
  static std::optional<Step> findStep(const llvm::Value &value,
                                      const llvm::LoopInfo &loops);
  JumpFunction ofRounds(const Step &step);
  JumpFunction ofEntered(const llvm::Loop &loop, const llvm::BasicBlock &before,
                         const llvm::BasicBlock &behind);
  JumpFunction ofSteps(const Step &step, const JumpFunction &rounds);
  JumpFunction ofLoopResult(const llvm::PHINode &phi);
  void addBounds(const llvm::Value &value, JumpFunction &result);
  llvm::ConstantRange evolvedRange(const llvm::Value &value);
  uint32_t callNumber(const llvm::CallBase &call);
  uint32_t localNumber(const llvm::Value &variable);
  JumpFunction ofAllocation(const llvm::CallBase &call);
  bool leavesAllocation(const llvm::Value &variable, const LocalVariable &local,
                        const Write &write, const llvm::Instruction &at);
  llvm::DominatorTree &dominatorTree();
  bool returnsTwice();
  JumpFunction ofReference(const llvm::Value &pointer,
                           const llvm::CallBase &call);
  JumpFunction withPartsNow(JumpFunction address, const llvm::CallBase &call);
  std::optional<uint64_t> heapObjectBytes(const llvm::Value &value);
  bool frees(const llvm::CallBase &call, const llvm::Value &pointer);
  bool isLocalVariable(const llvm::Value &value);
  bool isUnmodified(const llvm::Argument &byValue);
  bool isKeptBefore(const LocalVariable &local, const llvm::Instruction &at);
  bool isOfEntry(const llvm::Argument &argument, uint64_t offset, uint64_t size,
                 const llvm::Instruction &at);
  const LocalVariable &describe(const llvm::Value &variable);
  bool isNonNegative(llvm::Value &index);
  uint64_t leastOffset(llvm::GetElementPtrInst &address);
  uint64_t leastOffset(llvm::GetElementPtrInst &address, uint64_t offset);
  /// What launches make of an address that is stored in memory.
  enum class LaunchSlot {
    None,     ///< not known, or nothing: it escapes
    Argument, ///< they read one argument there
    Arguments ///< they read addresses of arguments there
  };
  LaunchSlot launchSlot(const llvm::Value &pointer);
  Followed afterStep(llvm::GetElementPtrInst &address, Followed at);
  void follow(const llvm::Value &pointer, Followed at, LocalVariable &result);
  void followUse(const llvm::Use &use, Followed at, LocalVariable &result);
  void followStore(const llvm::Use &use, Followed at, LocalVariable &result);
  void followCall(const llvm::Use &use, Followed at, LocalVariable &result);
  void followArgument(const llvm::CallBase &call, unsigned index, Followed at,
                      LocalVariable &result);
  bool reaches(const Write &write, const LocalVariable &variable,
               const llvm::Instruction &at);
  void addEntry(const llvm::Argument &argument, uint64_t begin, uint64_t size,
                const llvm::Instruction &at,
                llvm::SmallVectorImpl<AggregatePart> &parts);
  void addUnwritten(const llvm::Argument &byValue, uint64_t begin,
                    uint64_t size, const llvm::Instruction &at,
                    llvm::SmallVectorImpl<AggregatePart> &parts);
  void collectParts(const llvm::Value &pointer, uint64_t size,
                    const llvm::Instruction &at, uint64_t shift,
                    llvm::SmallVectorImpl<AggregatePart> &parts,
                    unsigned depth);
  ReachingDefinitions &definitions(const LocalVariable &local, uint64_t offset,
                                   uint64_t size, Among among);
  llvm::SmallVector<const Write *, 8> lastWrites(const LocalVariable &local,
                                                 uint64_t offset, uint64_t size,
                                                 const llvm::Instruction &at);
  const llvm::Instruction *lastOf(const LocalVariable &local, Bytes bytes,
                                  const llvm::Instruction &at);
  Reaching reachingWrites(const LocalVariable &local, uint64_t offset,
                          uint64_t size, Places places);
  static void addRanges(LocalVariable &local);
  static std::vector<ByteRange> rangesOf(const LocalVariable &local,
                                         Bytes bytes);
  JumpFunction choiceOf(const Write &write, uint64_t offset, uint64_t size,
                        bool isPointer);
  JumpFunction ofWritten(const llvm::Value &variable, uint64_t offset,
                         uint64_t size, bool isPointer, Places places);
  bool collectCopied(const llvm::Value &variable, uint64_t offset,
                     uint64_t size, uint64_t begin, Places places,
                     llvm::SmallVectorImpl<AggregatePart> &parts,
                     unsigned depth);
  void collectWritten(const llvm::Value &variable, uint64_t begin,
                      uint64_t size, Places places,
                      llvm::SmallVectorImpl<AggregatePart> &parts,
                      unsigned depth);
  void addResult(const llvm::CallBase &call, const Write &write, uint64_t begin,
                 uint64_t size, llvm::SmallVectorImpl<AggregatePart> &parts);
  void addVariableParts(const llvm::GlobalVariable &variable, llvm::Type &type,
                        uint64_t offset, std::pair<uint64_t, uint64_t> bytes,
                        llvm::SmallVectorImpl<AggregatePart> &parts);
  void collectConstantParts(const llvm::Constant &constant, uint64_t offset,
                            uint64_t size, uint64_t shift,
                            llvm::SmallVectorImpl<AggregatePart> &parts);

  LgenContext &context;
  llvm::Function &function;
  const llvm::DataLayout &layout;
  llvm::DominatorTree *dominators = nullptr;
  /// Filled when first asked for: it looks at all instructions.
  std::optional<bool> callsTwiceReturning;
  /// Looked up only, never iterated.
  llvm::DenseMap<const llvm::Value *, std::unique_ptr<LocalVariable>> locals;
  /// Numbers of the function's call edges; filled when first asked for. Looked
  /// up only.
  llvm::DenseMap<const llvm::CallBase *, uint32_t> callNumbers;
  /// As callNumbers, of allocas.
  llvm::DenseMap<const llvm::Value *, uint32_t> localNumbers;
  MemoryNumbers memory;
  /// How deep loads of local variables, and operations, are being followed.
  unsigned loadDepth = 0;
  unsigned operationDepth = 0;
};

} // namespace gpulto

#endif
