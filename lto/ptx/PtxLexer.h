//===- PtxLexer.h - Tokens and module-level statements of PTX ---*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_LTO_PTX_PTXLEXER_H
#define GPULTO_LTO_PTX_PTXLEXER_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <cstddef>
#include <string>
#include <vector>

namespace gpulto {

struct PtxToken {
  enum class Kind : uint8_t {
    Word,   ///< identifier, opcode with its suffixes, or .directive
    Number, ///< starts with a digit
    String, ///< with its quotes
    Punctuation,
    End
  };
  Kind kind = Kind::End;
  llvm::StringRef text;
  /// A line ends between the token before and this one.
  bool startsLine = false;

  bool is(llvm::StringRef wanted) const { return text == wanted; }
  bool isWord() const { return kind == Kind::Word; }
  bool isDirective() const { return isWord() && text.starts_with("."); }
  /// A word that may name a symbol: not a directive, register or opcode suffix.
  bool isName() const {
    return isWord() && !text.starts_with(".") && !text.starts_with("%") &&
           !text.contains('.');
  }
};

/// Reads PTX token by token and skips comments. A character that begins no
/// token counts as punctuation; ptxas judges it.
class PtxLexer {
public:
  explicit PtxLexer(llvm::StringRef text) : text(text) {}
  PtxToken next();

private:
  llvm::StringRef text;
  size_t position = 0;
};

/// The kinds of statements at module level.
enum class PtxStatementKind : uint8_t {
  Version,
  Target,
  AddressSize,
  File,
  Section,
  Pragma,
  Alias,
  FunctionPrototype,
  FunctionDefinition, ///< .func or .entry with a body
  Variable,
};

enum class PtxLinkage : uint8_t { Local, Extern, Visible, Weak, Common };

/// One statement at module level; texts are parts of the file.
struct PtxStatement {
  PtxStatementKind kind = PtxStatementKind::Pragma;
  PtxLinkage linkage = PtxLinkage::Local;
  llvm::StringRef text;     ///< all of it, from its first token to its last
  llvm::StringRef name;     ///< symbol, section, or alias
  llvm::StringRef argument; ///< version; targets; file's or section's contents
  /// Variables: the text before the initializer, and the initializer.
  llvm::StringRef declaration;
  llvm::StringRef initializer;
  unsigned alignment = 0; ///< variables; 0: not given
  unsigned fileIndex = 0; ///< .file
  bool isKernel = false;  ///< functions: .entry
  unsigned line = 0;

  /// Whether it defines or declares a function or a variable.
  bool isSymbol() const {
    return kind == PtxStatementKind::FunctionPrototype ||
           kind == PtxStatementKind::FunctionDefinition ||
           kind == PtxStatementKind::Variable;
  }
  bool isDefinition() const {
    return isSymbol() && linkage != PtxLinkage::Extern &&
           kind != PtxStatementKind::FunctionPrototype;
  }
};

/// Cuts \p text into statements. \p path is used in messages. Errors: a
/// statement that does not end, or that is of no kind above.
llvm::Expected<std::vector<PtxStatement>> parsePtx(llvm::StringRef text,
                                                   llvm::StringRef path);

} // namespace gpulto

#endif
