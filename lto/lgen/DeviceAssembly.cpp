//===- DeviceAssembly.cpp - Inline assembly of one thread -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Goal: recognize assembly that is not convergent. clang marks all inline
// assembly of device code convergent, like a shuffle or a barrier. CUDA's
// headers write arithmetic that way: each conversion, sum and product of
// cuda_fp16.h is assembly, and would not be computed once for two branches,
// moved to where it is used, or taken out of a loop; the functions around it
// would be convergent, too.
//
// Assembly concerns only one thread if all of its instructions compute
// registers from registers. Assembly that reads or writes memory is left alone:
// it is often written as if it did not, and relies on staying where it is. So
// is assembly with machine registers (%laneid), with carries from one
// instruction to the next, and with what cannot exist twice: labels, and
// registers declared outside braces.
//
// Source: PTX ISA 9.0, chapter 9.
//
//===----------------------------------------------------------------------===//

#include "ipa/bodies/AssemblyText.h"
#include "lto/lgen/ModuleRepair.h"
#include "lto/ptx/PtxLexer.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace gpulto {

/// Whether the instruction \p opcode (fma.rn.f16x2) computes registers from
/// registers, constants and addresses, and leaves no carry for the next one.
static bool isArithmetic(StringRef opcode) {
  static constexpr StringLiteral kNames[] = {
      "abs",   "add",   "and",      "bfe",    "bfi",       "bfind",
      "bmsk",  "brev",  "clz",      "cnot",   "copysign",  "cos",
      "cvt",   "cvta",  "div",      "dp2a",   "dp4a",      "ex2",
      "fma",   "fns",   "isspacep", "lg2",    "lop3",      "mad",
      "mad24", "max",   "min",      "mov",    "mul",       "mul24",
      "neg",   "not",   "or",       "popc",   "prmt",      "rcp",
      "rem",   "rsqrt", "sad",      "selp",   "set",       "setp",
      "shf",   "shl",   "shr",      "sin",    "slct",      "sqrt",
      "sub",   "szext", "tanh",     "testp",  "vabsdiff2", "vabsdiff4",
      "vadd2", "vadd4", "vavrg2",   "vavrg4", "vmax2",     "vmax4",
      "vmin2", "vmin4", "vset2",    "vset4",  "vsub2",     "vsub4",
      "xor"};
  return is_contained(kNames, opcode.split('.').first) &&
         !opcode.ends_with(".cc") && !opcode.contains(".cc.");
}

namespace {

/// Reads one text, statement by statement.
class AssemblyReader {
public:
  explicit AssemblyReader(StringRef text) : lexer(text), token(lexer.next()) {}

  /// Whether all of it is arithmetic of one thread.
  bool isOfOneThread() {
    while (token.kind != PtxToken::Kind::End)
      if (!readStatement())
        return false;
    return true;
  }

private:
  void advance() { token = lexer.next(); }
  bool take(StringRef text) {
    if (!token.is(text))
      return false;
    advance();
    return true;
  }
  bool readStatement();

  PtxLexer lexer;
  PtxToken token;
  unsigned depth = 0; ///< braces that are open
};

} // namespace

/// Reads a brace or a statement up to its semicolon. Returns whether it is
/// arithmetic.
bool AssemblyReader::readStatement() {
  if (take(";"))
    return true;
  if (take("{")) {
    ++depth;
    return true;
  }
  if (token.is("}") && depth > 0) {
    --depth;
    advance();
    return true;
  }
  if (take("@")) {
    take("!");
    advance(); // the predicate
  }
  bool isScoped = token.is(".reg") && depth > 0;
  if (!isScoped && !isArithmetic(token.text))
    return false;
  advance();
  if (token.is(":"))
    return false; // a label of an instruction's name
  for (; token.kind != PtxToken::Kind::End && !token.is(";"); advance())
    if (token.text.starts_with("%"))
      return false;
  return true;
}

bool dropNeedlessConvergence(Module &module) {
  DenseMap<const Value *, bool> isOfOneThread;
  bool changed = false;
  for (Function &function : module)
    for (Instruction &instruction : instructions(function)) {
      auto *call = dyn_cast<CallBase>(&instruction);
      if (!call || !call->isInlineAsm() || !call->isConvergent())
        continue;
      auto *assembly = cast<InlineAsm>(call->getCalledOperand());
      auto [entry, isNew] = isOfOneThread.try_emplace(assembly);
      if (isNew)
        entry->second = AssemblyReader(plainAssembly(assembly->getAsmString()))
                            .isOfOneThread();
      if (!entry->second)
        continue;
      call->removeFnAttr(Attribute::Convergent);
      changed = true;
    }
  return changed;
}

} // namespace gpulto
