//===- ErrorTest.cpp - Locations and messages -----------------------------===//
//
// Part of gpulto.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "support/Error.h"

#include "test/unit/ErrorChecks.h"

using namespace gpulto;
using test::messageOf;

TEST(InputLocation, PrintsTheGrammar) {
  InputLocation loc("libx.a", "b.o", ".gpulto");
  EXPECT_EQ(loc.str(), "libx.a(b.o):(.gpulto)");
  EXPECT_EQ(loc.at(0x1c).str(), "libx.a(b.o):(.gpulto+0x1c)");
  EXPECT_EQ(InputLocation("a.o").str(), "a.o");
  EXPECT_EQ(InputLocation("a.o").at(255).str(), "a.o:(+0xff)");
  EXPECT_EQ(loc.inSection(".llvm.lto").str(), "libx.a(b.o):(.llvm.lto)");
  EXPECT_EQ(InputLocation().str(), "");
  EXPECT_TRUE(InputLocation().empty());
}

TEST(InputLocation, OrdersByPathMemberSectionOffset) {
  InputLocation a("a.o"), b("b.o");
  EXPECT_LT(a, b);
  EXPECT_LT(a, a.at(0));
  EXPECT_LT(a.at(3), a.at(20));
  EXPECT_LT(InputLocation("l.a", "a.o"), InputLocation("l.a", "b.o"));
  EXPECT_FALSE(a < a);
  EXPECT_TRUE(a.at(3) == a.at(3));
  EXPECT_FALSE(a.at(3) == a);
}

TEST(Error, CarriesItsLocation) {
  InputLocation loc("b.o", "", ".gpulto");
  EXPECT_EQ(messageOf(inputError(loc.at(4), "version 3, expected 1")),
            "b.o:(.gpulto+0x4): version 3, expected 1");
  EXPECT_EQ(messageOf(inputError(InputLocation(), "text")), "text");
  llvm::Error error = inputError(loc, "x");
  EXPECT_TRUE(error.isA<InputError>());
  llvm::consumeError(std::move(error));
}

TEST(Error, NamesTheReasonOfTheSystem) {
  EXPECT_EQ(messageOf(fileError("x", "cannot open", ENOENT)),
            "x: cannot open (No such file or directory)");
}
