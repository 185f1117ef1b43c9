//===- TransferGraph.h - The program around its copies (WPA) ----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_IPA_TRANSFERS_TRANSFERGRAPH_H
#define GPULTO_IPA_TRANSFERS_TRANSFERGRAPH_H

#include "ipa/callers/Callers.h"
#include "ipa/pointers/KnownValues.h"
#include "ipa/runtime/CudaRuntime.h"
#include "ipa/runtime/HostLibrary.h"
#include "summary/Transfers.h"

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SmallVector.h"

#include <map>
#include <tuple>
#include <vector>

namespace gpulto {

/// Memory of the host or of the device: what one call allocates, a variable of
/// a function, or one of the program. A device variable is that of the host
/// that stands for it.
struct MemoryObject {
  enum class Kind : uint8_t { Allocation, Local, Variable };
  Kind kind = Kind::Allocation;
  /// The function, or the variable.
  GlobalId id = kNone;
  /// Allocation: the call; Local: the value.
  uint32_t number = 0;
  /// The frame whose it is; kNone: of any frame of the function.
  uint32_t frame = kNone;
  /// Code that no event describes may know its address.
  bool isKept = false;
  /// Only the runtime and kernels can access it.
  bool isOnDevice = false;
  /// Allocation: how many bytes, if that is known.
  std::optional<uint64_t> bytes = {};
};

/// A value at run time. Equal numbers are equal as long as none of what it is
/// made of changes.
struct TransferTerm {
  enum class Kind : uint8_t {
    Constant,
    Variable,
    Leaf,
    Allocated,
    Load,
    Offset,
    Operation
  };
  Kind kind = Kind::Constant;
  JumpOperation operation = JumpOperation::None;
  uint16_t bitWidth = 0;
  /// Operation: see TransferValue.
  bool isExact = false;
  /// Leaf: frame and value. Allocated: frame and call. Others: terms, or kNone.
  uint32_t first = kNone, second = kNone;
  /// Constant: bits. Variable: the definition. Load, Offset: bytes.
  uint64_t number = 0;
  /// Load: the object it is loaded from, or kNone if that is not known.
  uint32_t object = kNone;
  auto operator<=>(const TransferTerm &) const = default;
};

/// Returns a host function without a body in \p program, which names it, that
/// \p isMeant, or an empty name.
llvm::StringRef usedName(const CombinedSummary &program,
                         llvm::function_ref<bool(llvm::StringRef)> isMeant);

/// What an operand is: the object it leads into, or kNone if that is not known
/// or it is no pointer; and its term.
struct TransferPlace {
  uint32_t object = kNone;
  uint32_t term = kNone;
  /// Numbers: none of the sums and products of the term has wrapped as a signed
  /// number. False: only of those is it known that say so.
  bool isExact = false;
};

/// What a launch writes whatever it reads: KernelOverwrite with the terms of
/// what it is given.
struct TransferOverwrite {
  /// Where it begins: a pointer.
  uint32_t target = kNone;
  KernelOverwrite elements;
  /// What elements.count or elements.number is, if it is guarded.
  uint32_t count = kNone;
  /// Blocks in x.
  TransferPlace blocks;
  /// Threads in x of a block.
  uint32_t threads = kNone;
};

/// Of the memory that the pointer \c from, a term, leads to, not more than the
/// first \c bytes bytes are read; 0: any.
struct TransferRead {
  uint32_t object = kNone;
  uint32_t from = kNone;
  uint64_t bytes = 0;
};

/// One way into a function: called by \c node of another frame, or a root.
struct TransferFrame {
  BodyIndex body = kNone;
  /// The call's frame and node; kNone for a root.
  uint32_t caller = kNone, call = kNone;
  std::vector<TransferPlace> parameters;
  /// By value of the function, filled when asked for.
  std::vector<TransferPlace> places;
  std::vector<bool> isPlaced;
  uint32_t entry = kNone, exit = kNone, unwind = kNone;
};

/// What happens at one node.
struct TransferNode {
  uint32_t frame = kNone;
  /// Event of the function, by position; kNone: entry or end of a frame.
  uint32_t event = kNone;
  /// The event that begins its block; kNone: it is in none.
  uint32_t block = kNone;
  llvm::SmallVector<uint32_t, 2> successors;
  /// Objects that are read, written, freed, or new.
  llvm::SmallVector<uint32_t, 2> reads, writes, ends;
  /// Objects that are new: if only events know them, nobody can read what was
  /// in them.
  llvm::SmallVector<uint32_t, 2> begins;
  /// The same with all objects that are kept, and with variables; those on the
  /// device are left out if \c isPlain: loads and stores of host code or of the
  /// C library, and copies to or from memory of the host.
  bool readsKept = false, writesKept = false;
  bool readsVariables = false, writesVariables = false;
  /// Nothing that was known holds any more.
  bool forgets = false;
  /// Any kernel may run, or any that a function which is not followed launches.
  bool launchesAny = false, entersOthers = false;
  /// Begins a block: its number as an event; what it computes is new.
  bool isBlock = false, isFrameEntry = false;
  bool isPlain = false;
  /// A copy or a fill, with its row; null: something else.
  const RuntimeFunction *copy = nullptr;
  TransferPlace target, source;
  uint32_t bytes = kNone; // a term
  bool areBytesExact = false;
  /// What it is told makes no sense: a copy that fails.
  bool isInvalid = false;
  /// The pointer that is freed: a term.
  uint32_t freed = kNone;
  std::vector<TransferOverwrite> overwrites;
  /// Loads of host code: how much it reads of each of \c reads.
  llvm::SmallVector<TransferRead, 1> readParts;
  /// The copy, another node, that succeeded.
  uint32_t succeeded = kNone;
  /// What a person would call it: the kernel that it launches, or the function
  /// that it calls, or kNone.
  GlobalId callee = kNone;
};

/// The control flow of all host code that may reach the runtime, each function
/// once for each way into it.
class TransferGraph {
public:
  TransferGraph(const WpaContext &context, const Callers &callers,
                const KnownValues &values);

  /// Why nothing is known, as a clause; empty: the graph is complete.
  llvm::StringRef whyNot() const { return reason; }

  std::vector<TransferNode> nodes;
  std::vector<TransferFrame> frames;
  std::vector<MemoryObject> objects;
  std::vector<TransferTerm> terms;
  /// The program's end.
  uint32_t end = kNone;

  /// Whether \p a and \p b, objects, may be the same memory.
  bool mayOverlap(uint32_t a, uint32_t b) const;
  /// Whether \p node may read or write \p object.
  bool mayRead(const TransferNode &node, uint32_t object) const {
    return mayTouch(node, node.reads, node.readsKept, node.readsVariables,
                    object);
  }
  bool mayWrite(const TransferNode &node, uint32_t object) const {
    return mayTouch(node, node.writes, node.writesKept, node.writesVariables,
                    object);
  }
  /// Whether behind \p node \p object may have other contents, or be gone.
  bool mayChange(const TransferNode &node, uint32_t object) const;
  /// What \p term, or kNone, is, if that is a constant.
  std::optional<uint64_t> constantOf(uint32_t term) const;
  /// Whether \p node, a copy or a fill, is known to fail.
  bool fails(const TransferNode &node) const;
  /// The function of \p frame, and the call of \p node among its calls.
  GlobalId functionOf(uint32_t frame) const {
    return solver.bodies()[frames[frame].body].id;
  }
  const TransferEvent *eventOf(uint32_t node) const;
  const CallEdge *callOf(uint32_t node) const;
  /// Where the value of the leaf \p leaf is computed anew: the event that
  /// begins a block of its frame, or kNone.
  uint32_t blockOf(const TransferTerm &leaf) const;
  /// Argument \p index of the call \p node, if it is the same constant in all
  /// calls; nothing for kNone of a row of the runtime's table.
  std::optional<uint64_t> argumentOf(uint32_t node, int8_t index) const;
  /// The names that touch no device.
  const HostLibrary &hostLibrary() const { return library; }
  /// The loops around \p node in its function, the outermost first.
  llvm::SmallVector<uint32_t, 4> loopsOf(uint32_t node) const;
  /// The function that has no body in this link and allocates \p object, or
  /// kNone.
  GlobalId allocatorOf(const MemoryObject &object) const;
  /// Names what \p node does, and where, for a person.
  std::string describe(uint32_t node) const;
  /// Whether \p id is also entered where no frame is.
  bool hasOtherEntries(GlobalId id) const { return others.contains(id); }
  /// Whether \p id runs where no node tells what it launches.
  bool launchesUnseen(GlobalId id) const {
    return others.contains(id) || coarse.contains(id);
  }
  bool isMain(GlobalId id) const;
  /// Whether the attributes of \p id let it read and write variables that no
  /// argument leads to.
  bool mayUseVariables(GlobalId id) const;
  /// Whether \p kernel, or what it calls, has one of \p flags.
  bool hasAny(GlobalId kernel, FunctionFlags flags) const;

private:
  void findReaching();
  void addRoots();
  uint32_t addFrame(BodyIndex body, uint32_t caller, uint32_t call);
  void addEvents(uint32_t frame);
  void addCoarse(uint32_t frame);
  uint32_t addNode(uint32_t frame, uint32_t event);
  void link(uint32_t from, uint32_t to);
  void addAction(uint32_t node, uint32_t &last);
  void addCall(uint32_t node, uint32_t &last, const CallEdge &call,
               uint32_t number, llvm::ArrayRef<TransferPlace> operands,
               llvm::ArrayRef<uint8_t> access);
  bool enterCallee(uint32_t node, uint32_t &last, BodyIndex callee,
                   llvm::ArrayRef<TransferPlace> operands,
                   const CallEdge &call);
  void addLaunch(uint32_t node, GlobalId stub,
                 llvm::ArrayRef<TransferPlace> operands,
                 llvm::ArrayRef<uint8_t> access);
  void addOverwrites(uint32_t node, GlobalId stub,
                     llvm::ArrayRef<KernelOverwrite> known,
                     llvm::ArrayRef<TransferPlace> operands,
                     llvm::ArrayRef<uint8_t> access);
  void addKernel(uint32_t node, GlobalId stub, GlobalId kernel,
                 llvm::ArrayRef<TransferPlace> operands);
  void addCopy(uint32_t node, const RuntimeFunction &function,
               llvm::ArrayRef<TransferPlace> operands,
               llvm::ArrayRef<uint8_t> access);
  void addRuntimeCall(uint32_t node, const RuntimeFunction &function,
                      uint32_t number, llvm::ArrayRef<TransferPlace> operands,
                      llvm::ArrayRef<uint8_t> access);
  void addSummarized(uint32_t node, GlobalId callee,
                     llvm::ArrayRef<TransferPlace> operands,
                     llvm::ArrayRef<uint8_t> access);
  void addNative(uint32_t node, llvm::StringRef name,
                 llvm::ArrayRef<TransferPlace> operands,
                 llvm::ArrayRef<uint8_t> access);
  void touch(uint32_t node, const TransferPlace &place, unsigned access);
  void touchAll(uint32_t node, llvm::ArrayRef<TransferPlace> operands);
  bool mayTouch(const TransferNode &node, llvm::ArrayRef<uint32_t> named,
                bool touchesKept, bool touchesVariables, uint32_t object) const;
  std::optional<uint64_t> argumentOf(const BodyLattice &body,
                                     const CallEdge &call, int8_t index) const;
  bool isDeviceAllocation(const MemoryObject &object) const;
  std::optional<uint64_t> allocatedBytes(const MemoryObject &object) const;
  bool endsBehind(const TransferPlace &place, uint32_t bytes) const;
  void noteOpaque(BodyIndex body);
  bool writesElsewhere(GlobalId kernel) const;
  bool readsElsewhere(GlobalId kernel) const;

  TransferPlace place(uint32_t frame, uint32_t value);
  bool isMadeOfExact(uint32_t frame, uint32_t value);
  TransferPlace findPlace(uint32_t frame, uint32_t value);
  uint32_t objectOf(uint32_t frame, const JumpFunction &function,
                    unsigned depth = 0);
  TransferPlace placeOfPlain(uint32_t frame, uint32_t value,
                             const TransferValue &plain);
  uint32_t variable(GlobalId id);
  TransferPlace placeOfOperation(uint32_t frame, const TransferValue &value);
  uint32_t object(MemoryObject object);
  uint32_t term(const TransferTerm &term);
  uint32_t leaf(uint32_t frame, uint32_t value, unsigned width);
  uint32_t operationTerm(const TransferValue &value, uint32_t left,
                         uint32_t right);
  void fail(std::string why) {
    if (reason.empty())
      reason = std::move(why);
  }

  const WpaContext &context;
  const CombinedSummary &program;
  const Callers &callers;
  const KnownValues &values;
  const ConstantsSolver &solver;
  HostLibrary library;
  std::string reason;
  /// By BodyIndex.
  llvm::BitVector reaching, onStack;
  llvm::DenseSet<GlobalId> others;
  /// Functions without events.
  llvm::DenseSet<GlobalId> coarse;
  /// By kernel: its flags, and those of what it calls. Looked up only.
  mutable llvm::DenseMap<GlobalId, FunctionFlags> kernelFlags;
  /// Shadows of device variables, by variable. Looked up only.
  llvm::DenseMap<GlobalId, GlobalId> shadows;
  std::map<std::tuple<MemoryObject::Kind, GlobalId, uint32_t, uint32_t>,
           uint32_t>
      objectNumbers;
  std::map<TransferTerm, uint32_t> termNumbers;
  unsigned depth = 0;
};

} // namespace gpulto

#endif
