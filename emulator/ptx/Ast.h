//===- Ast.h - A PTX source as parsed -------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Names are views into the source text, which the module keeps. Function bodies
// are kept as text and parsed when the function is first needed: a program
// rarely launches all its kernels.
//
//===----------------------------------------------------------------------===//

#ifndef GPULTO_EMULATOR_PTX_AST_H
#define GPULTO_EMULATOR_PTX_AST_H

#include "emulator/ptx/Types.h"

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace gpulto::emu {

enum class Linkage : uint8_t { Local, Visible, Extern, Weak, Common };

/// One element of an initializer.
struct InitValue {
  enum Kind : uint8_t { Bits, Symbol, GenericSymbol } kind = Bits;
  bool isFloat = false; ///< Bits are those of a double.
  bool isFloat32 = false;
  uint64_t bits = 0; ///< Value, or the addend of a symbol.
  std::string_view symbol;
  uint8_t maskShift = 0; ///< For 0xFF00(sym): the byte that is taken.
  uint8_t maskBytes = 0; ///< Bytes taken; 0: the whole address.
};

/// A variable or parameter declaration.
struct VariableDecl {
  std::string_view name;
  Space space = Space::Global;
  Linkage linkage = Linkage::Local;
  Type type = Type::None;
  uint32_t alignBytes = 0;
  uint64_t elements = 1; ///< 0 for an unsized array.
  bool isArray = false;
  bool isManaged = false;   ///< .attribute(.managed)
  uint32_t vectorWidth = 1; ///< .v2, .v4
  uint32_t line = 0;
  std::vector<InitValue> init;

  uint64_t sizeBytes() const { return elements * vectorWidth * sizeOf(type); }
};

/// A function or kernel, its body unread.
struct FunctionDecl {
  std::string_view name;
  Linkage linkage = Linkage::Local;
  bool isEntry = false;
  bool hasBody = false;
  bool noReturn = false;
  std::vector<VariableDecl> returns;
  std::vector<VariableDecl> params;
  std::array<uint32_t, 3> maxntid{0, 0, 0};
  std::array<uint32_t, 3> reqntid{0, 0, 0};
  uint32_t minnctapersm = 0, maxnreg = 0;
  std::array<uint32_t, 3> reqCluster{0, 0, 0}; ///< .reqnctapercluster
  bool needsCluster = false;                   ///< .explicitcluster
  bool gridCountsClusters = false;             ///< .blocksareclusters
  uint32_t maxClusterRank = 0;
  std::string_view body; ///< Between the braces.
  uint32_t line = 0;
  uint32_t bodyLine = 0; ///< Line of the opening brace.
};

/// .alias name, aliasee;
struct AliasDecl {
  std::string_view name, aliasee;
  uint32_t line = 0;
};

/// One source.
struct SourceDecl {
  uint32_t versionMajor = 0, versionMinor = 0;
  uint32_t targetSm = 0;
  std::deque<VariableDecl> variables;
  std::deque<FunctionDecl> functions;
  std::vector<AliasDecl> aliases;
  /// File names by .file index.
  std::vector<std::string_view> files;
  /// The strings of .debug_str by label, which .loc names functions by.
  std::map<std::string_view, std::string, std::less<>> debugStrings;
};

/// An operand of an instruction.
struct Operand {
  enum Kind : uint8_t {
    None,
    Name,    ///< Register, variable, function, label or _; name
    Integer, ///< value
    Float,   ///< value: bits of a double
    Float32, ///< value: bits of a float
    Special, ///< %tid.x: name, element
    Address, ///< [parts[0] + value]; parts[0] is Name or None (absolute)
    Vector,  ///< {parts}
    List,    ///< (parts), of a call
    Pair,    ///< parts[0]|parts[1]; of a texture, parts[0] is a Vector
    Tensor,  ///< [parts[0] + value, parts[1]...]: tensors, textures, surfaces
  } kind = None;
  bool negated = false; ///< !p
  std::string_view name;
  std::string_view element; ///< x, y, z, w, b0 ..., or empty
  uint64_t value = 0;
  std::vector<Operand> parts;
};

/// An instruction, a label or a declaration within a body.
struct Statement {
  enum Kind : uint8_t {
    Instruction,
    Label,
    Registers,     ///< .reg
    Variable,      ///< .local, .shared, .param, .global, .const
    BranchTargets, ///< name: .branchtargets a, b, c
    CallPrototype, ///< name: .callprototype ...
    CallTargets,
  } kind = Instruction;
  uint32_t line = 0;
  uint32_t scope = 0;
  uint32_t loc = 0;      ///< Index into FunctionBody::locations; 0: none.
  std::string_view name; ///< Opcode, label or declared name.
  std::vector<std::string_view> modifiers;
  std::string_view guard;
  bool guardNegated = false;
  std::vector<Operand> operands;
  uint32_t variable = 0; ///< Registers, Variable: into FunctionBody::variables
  uint32_t registerCount = 0; ///< %r<N>; 0: one register of that name.
  /// Of .pragma "used_bytes_mask": the bytes of a load that matter; 0: all.
  uint32_t usedBytes = 0;
};

/// A source position from .loc.
struct SourceLoc {
  uint32_t file = 0, line = 0, column = 0;
  std::string_view function; ///< function_name: label of a debug string.
  uint32_t functionOffset = 0;
  uint32_t caller = 0; ///< inlined_at: into FunctionBody::locations; 0: none.
  bool operator==(const SourceLoc &) const = default;
};

/// A parsed body. Scopes nest: parent[0] is 0.
struct FunctionBody {
  std::vector<Statement> statements;
  std::deque<VariableDecl> variables;
  std::vector<uint32_t> scopeParents{0};
  std::vector<SourceLoc> locations{SourceLoc{}};
};

} // namespace gpulto::emu

#endif // GPULTO_EMULATOR_PTX_AST_H
