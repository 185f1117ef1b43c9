//===- PtxSplice.cpp - Choose and exchange kernels of a PTX module --------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Both modules are reduced: the product to everything but the kernels, the
// other to the kernels. A statement is kept if it is a root or a kept one names
// it. The rest is merged like the partitions of a link (lto/ptx/PtxMerge):
// local names in both get new names. Equal variables in both become one: both
// modules come from one partition, and constant memory is small.
//
//===----------------------------------------------------------------------===//

#include "lto/ptx/PtxSplice.h"

#include "lto/ptx/PtxLexer.h"
#include "lto/ptx/PtxMerge.h"
#include "support/Error.h"

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

#include <vector>

using namespace llvm;

namespace gpulto {

/// What messages call the modules.
static constexpr StringLiteral kProduct = "optimized", kOther = "other";

/// Whether \p statement has a name by which others refer to it.
static bool isNamed(const PtxStatement &statement) {
  return statement.isSymbol() || statement.kind == PtxStatementKind::Alias;
}

/// Whether \p statement defines what the whole program knows.
static bool isShared(const PtxStatement &statement) {
  return statement.isDefinition() && statement.linkage != PtxLinkage::Local;
}

/// Whether \p statement is a local variable of global or constant memory whose
/// initializer names nothing: what has its name and text is the same.
static bool isPlainVariable(const PtxStatement &statement) {
  if (statement.kind != PtxStatementKind::Variable ||
      statement.linkage != PtxLinkage::Local)
    return false;
  bool isLasting = false;
  PtxLexer declaration(statement.declaration);
  for (PtxToken token = declaration.next(); token.kind != PtxToken::Kind::End;
       token = declaration.next())
    isLasting |= token.is(".const") || token.is(".global");
  PtxLexer initializer(statement.initializer);
  for (PtxToken token = initializer.next(); token.kind != PtxToken::Kind::End;
       token = initializer.next())
    if (token.isName())
      return false;
  return isLasting;
}

namespace {
/// What statements of a module refer to.
class PtxReferences {
public:
  explicit PtxReferences(ArrayRef<PtxStatement> statements);

  /// Returns the statements that \p isRoot selects or that one of these names,
  /// without those that \p isLeftOut selects.
  BitVector
  reachedFrom(function_ref<bool(const PtxStatement &)> isRoot,
              function_ref<bool(const PtxStatement &)> isLeftOut) const;

private:
  ArrayRef<PtxStatement> statements;
  StringMap<SmallVector<size_t, 2>> byName;
};
} // namespace

PtxReferences::PtxReferences(ArrayRef<PtxStatement> statements)
    : statements(statements) {
  for (auto [index, statement] : enumerate(statements))
    if (isNamed(statement))
      byName[statement.name].push_back(index);
}

BitVector PtxReferences::reachedFrom(
    function_ref<bool(const PtxStatement &)> isRoot,
    function_ref<bool(const PtxStatement &)> isLeftOut) const {
  SmallVector<size_t> work;
  BitVector kept(statements.size());
  auto keep = [&](size_t index) {
    if (kept.test(index) || isLeftOut(statements[index]))
      return;
    kept.set(index);
    work.push_back(index);
  };
  for (auto [index, statement] : enumerate(statements))
    if (isRoot(statement))
      keep(index);
  while (!work.empty()) {
    const PtxStatement &statement = statements[work.pop_back_val()];
    if (statement.kind == PtxStatementKind::Section)
      continue; // its labels are its own
    PtxLexer lexer(statement.text);
    for (PtxToken token = lexer.next(); token.kind != PtxToken::Kind::End;
         token = lexer.next()) {
      if (!token.isName())
        continue;
      auto found = byName.find(token.text);
      if (found != byName.end())
        for (size_t index : found->second)
          keep(index);
    }
  }
  return kept;
}

/// Returns those of \p statements that have no name, that \p isRoot selects, or
/// that one of these names, without those that \p isLeftOut selects.
static BitVector cut(ArrayRef<PtxStatement> statements,
                     function_ref<bool(const PtxStatement &)> isRoot,
                     function_ref<bool(const PtxStatement &)> isLeftOut) {
  return PtxReferences(statements)
      .reachedFrom(
          [&](const PtxStatement &statement) {
            return !isNamed(statement) || isRoot(statement);
          },
          isLeftOut);
}

static std::string textOf(ArrayRef<PtxStatement> statements,
                          const BitVector &kept) {
  std::string text;
  for (size_t index : kept.set_bits()) {
    text += statements[index].text;
    text += '\n';
  }
  return text;
}

Expected<std::string> keepKernels(StringRef ptx, StringRef path,
                                  const std::set<std::string> &names) {
  auto statements = parsePtx(ptx, path);
  if (!statements)
    return statements.takeError();
  auto isRoot = [&](const PtxStatement &statement) {
    return isShared(statement) &&
           (!statement.isKernel || names.count(statement.name.str()) != 0);
  };
  return textOf(*statements, cut(*statements, isRoot, [](auto &) {
    return false; // kernels may launch others
  }));
}

using PtxStatements = std::vector<PtxStatement>;

static Expected<std::pair<PtxStatements, PtxStatements>>
parseBoth(StringRef product, StringRef other) {
  Expected<PtxStatements> ours = parsePtx(product, kProduct);
  if (!ours)
    return ours.takeError();
  Expected<PtxStatements> theirs = parsePtx(other, kOther);
  if (!theirs)
    return theirs.takeError();
  return std::pair(std::move(*ours), std::move(*theirs));
}

/// Returns \p word without the number of its function, where LLVM has put that
/// into the name of a label or of a function's local memory.
static std::string withoutFunctionNumber(StringRef word) {
  for (StringRef prefix : {"$L__BB", "__local_depot"}) {
    StringRef rest = word;
    if (rest.consume_front(prefix))
      return (prefix + rest.ltrim("0123456789")).str();
  }
  return word.str();
}

/// Appends the tokens of \p statement, a line each, to \p tokens.
static void appendTokens(const PtxStatement &statement, std::string &tokens) {
  PtxLexer lexer(statement.text);
  for (PtxToken token = lexer.next(); token.kind != PtxToken::Kind::End;
       token = lexer.next()) {
    tokens += withoutFunctionNumber(token.text);
    tokens += '\n';
  }
}

Expected<std::set<std::string>>
sameKernels(StringRef product, StringRef other,
            const std::set<std::string> &names) {
  auto both = parseBoth(product, other);
  if (!both)
    return both.takeError();
  auto &[ours, theirs] = *both;
  PtxReferences ourReferences(ours), theirReferences(theirs);
  auto tokensOf = [](StringRef name, ArrayRef<PtxStatement> statements,
                     const PtxReferences &references) {
    auto isRoot = [&](const PtxStatement &statement) {
      return statement.isKernel && statement.name == name;
    };
    std::string tokens;
    for (size_t index :
         references.reachedFrom(isRoot, [](auto &) { return false; })
             .set_bits())
      appendTokens(statements[index], tokens);
    return tokens;
  };
  std::set<std::string> same;
  for (const std::string &name : names) {
    std::string tokens = tokensOf(name, ours, ourReferences);
    if (!tokens.empty() && tokens == tokensOf(name, theirs, theirReferences))
      same.insert(name);
  }
  return same;
}

Expected<std::string> splicePtx(StringRef product, StringRef other,
                                const std::set<std::string> &names,
                                const std::set<std::string> &fixtures) {
  auto both = parseBoth(product, other);
  if (!both)
    return both.takeError();
  auto &[ours, theirs] = *both;
  auto isExchanged = [&](const PtxStatement &statement) {
    return isNamed(statement) && names.count(statement.name.str()) != 0;
  };
  auto isKernel = [&](const PtxStatement &statement) {
    return isExchanged(statement) && statement.isDefinition();
  };
  if (size_t(count_if(theirs, isKernel)) != names.size())
    return makeError("the other build lacks a kernel");
  BitVector kept = cut(
      ours,
      [](const PtxStatement &statement) {
        return statement.kind == PtxStatementKind::Alias || isShared(statement);
      },
      isExchanged);
  StringSet<> same, fixed; // texts, and names
  for (size_t index : kept.set_bits()) {
    const PtxStatement &statement = ours[index];
    if (isPlainVariable(statement))
      same.insert(statement.text);
    if (statement.isDefinition() && fixtures.count(statement.name.str()))
      fixed.insert(statement.name);
  }
  BitVector added = cut(theirs, isKernel, [&](const PtxStatement &statement) {
    return (isShared(statement) && !isExchanged(statement)) ||
           (isNamed(statement) && fixed.contains(statement.name)) ||
           (isPlainVariable(statement) && same.contains(statement.text));
  });
  return mergePtx({{kProduct.str(), textOf(ours, kept)},
                   {kOther.str(), textOf(theirs, added)}});
}

} // namespace gpulto
