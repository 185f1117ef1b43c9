//===- SymbolMarksTest.cpp - The symbols that a compiler wrote ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "fatobj/SymbolMarks.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/BinaryFormat/ELF.h"

#include <gtest/gtest.h>

using namespace gpulto;
using namespace llvm::ELF;

namespace {

MarkedSymbol defined(llvm::StringRef name, unsigned binding = STB_GLOBAL,
                     unsigned visibility = STV_DEFAULT) {
  return {name, symbolMark(name, binding, visibility, true)};
}

MarkedSymbol undefined(llvm::StringRef name, unsigned binding = STB_GLOBAL) {
  return {name, symbolMark(name, binding, STV_DEFAULT, false)};
}

using Symbols = std::vector<MarkedSymbol>;

/// What findSymbolChange says of \p now, after the compiler wrote \p units.
std::string change(const Symbols &now, const std::vector<Symbols> &units) {
  std::vector<std::string> marks;
  std::vector<llvm::StringRef> references, names;
  for (const Symbols &unit : units) {
    marks.push_back(encodeMarks(unit));
    for (const MarkedSymbol &symbol : unit)
      names.push_back(symbol.name);
  }
  references.assign(marks.begin(), marks.end());
  return findSymbolChange(now, references, names);
}

TEST(SymbolMarksTest, MarksAreInOrder) {
  Symbols symbols = {defined("f"), undefined("g")};
  EXPECT_TRUE(areMarked(symbols, encodeMarks(symbols)));
  EXPECT_FALSE(areMarked({undefined("g"), defined("f")}, encodeMarks(symbols)));
  EXPECT_FALSE(areMarked({defined("f")}, encodeMarks(symbols)));
  EXPECT_FALSE(areMarked({defined("f"), undefined("h")}, encodeMarks(symbols)));
  EXPECT_FALSE(areMarked({defined("f"), defined("g")}, encodeMarks(symbols)));
}

TEST(SymbolMarksTest, WhatStripDoesIsNoChange) {
  Symbols written = {defined("f"), undefined("g"), defined("h", STB_WEAK)};
  EXPECT_EQ(change({defined("h", STB_WEAK), defined("f")}, {written}), "");
  EXPECT_EQ(change({}, {written}), "");
}

TEST(SymbolMarksTest, FindsEdits) {
  std::vector<Symbols> written = {{defined("f"), undefined("g")}};
  EXPECT_EQ(change({defined("f"), undefined("x")}, written),
            "renamed or added 'x'");
  EXPECT_EQ(change({defined("f", STB_WEAK)}, written),
            "changed the binding of 'f'");
  EXPECT_EQ(change({defined("f"), undefined("g", STB_WEAK)}, written),
            "changed the binding of 'g'");
  EXPECT_EQ(change({defined("f", STB_GLOBAL, STV_HIDDEN)}, written),
            "changed the visibility of 'f'");
  EXPECT_EQ(change({undefined("f")}, written), "removed the definition of 'f'");
  EXPECT_EQ(change({defined("f"), defined("g")}, written), "defined 'g'");
  EXPECT_EQ(change({undefined("g")}, written), "removed 'f'");
}

TEST(SymbolMarksTest, UnitsAreJoinedAsLinkersDo) {
  std::vector<Symbols> units = {
      {defined("f", STB_WEAK), undefined("g")},
      {defined("f", STB_GLOBAL, STV_HIDDEN), defined("g")}};
  EXPECT_EQ(change({defined("f", STB_GLOBAL, STV_HIDDEN), defined("g")}, units),
            "");
  EXPECT_EQ(change({defined("f", STB_WEAK), defined("g")}, units), "");
  EXPECT_EQ(change({defined("f"), defined("g", STB_WEAK)}, units),
            "changed the binding of 'g'");
  EXPECT_EQ(change({defined("f"), undefined("g")}, units),
            "removed the definition of 'g'");
}

} // namespace
