//===- Decoder.h - From statements to instructions with handlers ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GPULTO_EMULATOR_PTX_DECODER_H
#define GPULTO_EMULATOR_PTX_DECODER_H

#include "emulator/ptx/Ast.h"
#include "emulator/ptx/Code.h"
#include "emulator/ptx/InsnDesc.h"
#include "emulator/ptx/Parser.h"

#include <map>
#include <unordered_map>

namespace gpulto::emu {

/// The meaning of a module-level name.
struct Symbol {
  enum Kind : uint8_t { None, Variable, Shared, Function } kind = None;
  uint64_t address = 0; ///< Variable: in device memory.
  Space space = Space::Global;
  uint32_t sharedIndex = 0;          ///< Shared: index among the module's.
  emu::Function *function = nullptr; ///< Null for an external function.
  External external = External::None;
};

/// Resolves module-level names for the decoder and takes shared variables of
/// functions.
class SymbolSource {
public:
  virtual Symbol lookup(std::string_view name) = 0;
  /// Adds a shared variable declared in a function; returns its index.
  virtual uint32_t addShared(const VariableDecl &decl) = 0;
  /// Adds a .global or .const variable declared in a function.
  virtual uint64_t addVariable(const VariableDecl &decl) = 0;

protected:
  ~SymbolSource() = default;
};

/// Assigns the offsets of returns and parameters in \p fn's local area.
void layoutParameters(const FunctionDecl &decl, Function &fn);

/// A register before assignment.
struct VirtualRegister {
  Type type = Type::None;
  /// Bytes of one lane in the file: 2, 4, 8 or 16; 0 for a predicate.
  unsigned bytes = 0;
};

/// Registers an instruction writes and reads, for assignment.
struct RegisterUses {
  std::vector<uint32_t> defs, uses;
};

/// Decodes one function. Errors carry a line of the source.
class Decoder {
public:
  Decoder(const FunctionDecl &decl, const FunctionBody &body, Function &fn,
          SymbolSource &symbols, Selector select)
      : decl(decl), body(body), fn(fn), symbols(symbols), select(select) {}
  ParseError run();

private:
  /// The meaning of a name in the body.
  struct Entity {
    enum Kind : uint8_t {
      Register,
      Frame,
      KernelParam,
      Shared,
      Global,
      Label,
      Targets
    } kind = Register;
    uint32_t index = 0;  ///< Register, shared variable, label, target list.
    uint32_t offset = 0; ///< Frame: in the local area; KernelParam: in the
                         ///< parameter buffer.
    uint64_t sizeBytes = 0;
    uint64_t address = 0; ///< Global.
    Space space = Space::Local;
  };
  struct RegisterRange {
    uint32_t first = 0, count = 0;
  };
  struct Scope {
    std::unordered_map<std::string_view, Entity> names;
    std::unordered_map<std::string_view, RegisterRange> ranges;
    uint32_t cursor = 0; ///< End of the frame variables so far.
    bool seen = false;
  };
  /// A decoded source operand of a type.
  struct Source {
    Op op = kNoOp;
    unsigned bytes = 0;
  };

  // Errors and names (Decoder.cpp).
  bool fail(std::string text);
  bool isNotImplemented();
  bool declare(const Statement &s);
  bool declareParameters();
  void declareLabels();
  const Entity *find(std::string_view name);
  bool lookUp(std::string_view name, Entity &entity);
  uint32_t newRegister(Type type);
  Scope &currentScope();

  // Operands (Decoder.cpp).
  Op constant(unsigned bytes, uint64_t value);
  bool immediate(const Operand &o, Type type, uint64_t &value);
  bool isImmediate(const Operand &o) const;
  bool source(const Operand &o, Type type, Op &op, unsigned *bytes = nullptr);
  bool specialSource(unsigned reg, Type type, Op &op);
  bool registerSource(std::string_view name, const Entity &e, unsigned size,
                      Op &op, unsigned *bytes);
  bool symbolSource(const Operand &o, unsigned size, Op &op);
  bool sourceOfWidth(const Operand &o, Type type, unsigned bytes, Op &op);
  bool predicate(const Operand &o, Op &op);
  /// Inserts an instruction before the current one: \p make fills in and emits
  /// an instruction that writes a new register, which replaces \p op.
  template <typename Make> bool throughTemporary(Type type, Op &op, Make make) {
    uint32_t temporary = newRegister(type);
    Insn savedInsn = insn;
    RegisterUses savedRefs = refs;
    InsnDesc savedDesc = desc;
    insn = Insn();
    insn.d[0] = temporary << 1;
    refs = RegisterUses();
    refs.defs = {temporary};
    if (!make())
      return false;
    insn = savedInsn;
    refs = savedRefs;
    desc = savedDesc;
    refs.uses.push_back(temporary);
    op = temporary << 1;
    return true;
  }
  bool dest(const Operand &o, Op &op, unsigned *bytes = nullptr,
            bool allowSink = true);
  bool destPair(const Operand &o, bool firstIsPredicate);
  bool address(const Operand &o, Insn &i, Space space);
  bool symbolAddress(std::string_view name, uint64_t offset, Insn &i);
  bool moduleAddress(std::string_view name, Insn &i);
  bool guard(const Statement &s);
  unsigned registerBytes(const Operand &o);

  // Emission (Decoder.cpp).
  bool emit(Handler fn);
  FlowKind flowKind() const;
  void copyLocations();
  bool emitSelected();
  bool emitNotImplemented();
  void begin(const Statement &s);

  // Instructions.
  bool instruction(const Statement &s);
  bool decodeAlu(); // DecodeAlu.cpp
  std::string_view shapeOfAlu() const;
  bool aluOperand(char letter, const Operand &o, unsigned &next);
  bool aluDest(const Operand &o, unsigned want);
  bool predicateDest(const Operand &o);
  bool decodeHint();
  bool decodeVideo(unsigned op); // DecodeVideo.cpp
  bool decodePacked();
  bool isPaired() const; // DecodePaired.cpp
  bool decodePaired();
  void readRounding();
  bool isSmallCvt() const;
  bool decodeSmallCvt();
  bool decodeMov();
  bool decodeMovVector(bool isPack);
  bool decodeMovSymbol(const Operand &o, bool &handled);
  bool specialRegister(const Operand &o, unsigned &reg) const;
  bool decodeCvt();
  bool cvtPair(bool isPack);
  bool cvtSingle();
  uint64_t cvtPlan() const;
  bool decodeCvta();
  bool addressSource(const Operand &o, Type type, Op &op);
  bool decodeClusterAddress();
  bool decodeSetp();
  bool decodePredicateLogic();
  bool decodeLoadStore(); // DecodeMemory.cpp
  void readAccess(bool isStore);
  bool readParameters();
  uint32_t usedElements(unsigned bytes) const;
  bool accessRegisters(const Operand &o, bool isStore, std::vector<Op> &list);
  bool decodeAtomic();
  bool decodeStoreBulk();
  bool isAsyncStore() const;
  bool completeBytes(unsigned bytes);
  bool decodeCreatePolicy();
  Space memorySpace() const;
  unsigned vectorWidth() const;
  bool decodeCopyAsync(); // DecodeAsync.cpp
  bool decodeCopyBulk();
  bool decodeMbarrier();
  bool decodeMatrix(); // DecodeMatrix.cpp
  bool decodeMma();
  bool decodeWmmaMove();
  bool decodeMatrixRows();
  bool fragment(const Operand &o, unsigned count, unsigned bits, bool isDest,
                std::vector<Op> &list);
  bool emitMatrix(const MatrixOp &op, const std::vector<Op> &list);
  void readMatrixModifiers(MatrixOp &op, std::vector<MatrixType> &types) const;
  bool decodeTexture(); // DecodeTexture.cpp
  bool decodeSurface();
  bool imageOperand(const Operand &o, std::vector<Op> &list);
  bool secondAddress(const Operand &o, Space space, Op &op, int64_t &offset,
                     bool &is32);
  bool decodeControl(bool &handled); // DecodeControl.cpp
  bool decodeBranchIndex();
  bool decodeCall();
  bool decodeBarrier();
  bool decodeWarpOp();
  void finishControlFlow();
  InsnClass classOf() const;

  const FunctionDecl &decl;
  const FunctionBody &body;
  Function &fn;
  SymbolSource &symbols;
  const Selector select;
  ParseError error;

  std::vector<Scope> scopes;
  std::vector<VirtualRegister> registers;
  std::vector<RegisterUses> uses; ///< Parallel to fn.code.
  std::map<std::pair<unsigned, uint64_t>, uint32_t> constantIndex;
  std::vector<std::pair<unsigned, uint64_t>> constants;
  std::vector<uint32_t> labelPositions; ///< By label index.
  struct TargetList {
    std::vector<std::string_view> names;
    uint32_t scope;
  };
  std::vector<TargetList> targetLists;
  std::map<std::string, uint32_t, std::less<>> textIndex;

  // The current instruction.
  const Statement *st = nullptr;
  uint32_t scope = 0;
  InsnDesc desc;
  Insn insn;
  RegisterUses refs;
  std::vector<SharedUse> pendingShared;
};

/// The class of an access to memory, for the counters.
InsnClass memoryClass(Space space, bool isStore);

/// Registers to offsets: liveness, then slots. Rewrites all operands of
/// fn.code and fn.extra from (register or constant index) to offsets and fills
/// frameBytes, liveRegisters and constants.
bool assignRegisters(
    Function &fn, const std::vector<VirtualRegister> &registers,
    const std::vector<RegisterUses> &uses,
    const std::vector<std::pair<unsigned, uint64_t>> &constants);

} // namespace gpulto::emu

#endif // GPULTO_EMULATOR_PTX_DECODER_H
