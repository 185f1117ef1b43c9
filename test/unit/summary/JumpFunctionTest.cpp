//===- JumpFunctionTest.cpp - Evaluating and composing --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "summary/JumpFunction.h"

#include "gtest/gtest.h"

#include <bit>
#include <limits>

using namespace gpulto;

namespace {

using Kind = JumpFunction::Kind;

JumpFunction operation(uint32_t formal, JumpOperation op, uint64_t value,
                       uint16_t width) {
  JumpFunction j = JumpFunction::passThrough(formal, width);
  j.operation = op;
  j.value = value;
  return j;
}

TEST(PartOffset, IsOfTheFirstTwoGiB) {
  constexpr uint64_t kLast = INT32_MAX, k4GiB = uint64_t(1) << 32;
  EXPECT_EQ(PartOffset(), 0u);
  EXPECT_EQ(PartOffset::of(kLast), kLast);
  EXPECT_FALSE(PartOffset::of(kLast + 1));
  EXPECT_FALSE(PartOffset::of(k4GiB));
  EXPECT_FALSE(PartOffset::of(k4GiB + 4));
  EXPECT_FALSE(PartOffset::of(uint64_t(-4)));
}

TEST(JumpFunction, EvaluatesConstants) {
  EXPECT_EQ(evaluate(JumpFunction::constant(7, 32), std::nullopt), 7u);
  EXPECT_EQ(evaluate(JumpFunction(), 3), std::nullopt);
  JumpFunction null;
  null.kind = Kind::Null;
  EXPECT_EQ(evaluate(null, std::nullopt), 0u);
}

TEST(JumpFunction, EvaluatesOperationsInTheirWidth) {
  auto run = [](JumpOperation op, uint64_t value, uint16_t width,
                uint64_t formal) {
    return evaluate(operation(0, op, value, width), formal);
  };
  EXPECT_EQ(run(JumpOperation::Add, 1, 8, 255), 0u);
  EXPECT_EQ(run(JumpOperation::Sub, 1, 32, 0), 0xffffffffu);
  EXPECT_EQ(run(JumpOperation::Mul, 3, 16, 0x8000), 0x8000u);
  EXPECT_EQ(run(JumpOperation::Shl, 4, 8, 0xff), 0xf0u);
  EXPECT_EQ(run(JumpOperation::LShr, 4, 8, 0xf0), 0xfu);
  EXPECT_EQ(run(JumpOperation::AShr, 4, 8, 0xf0), 0xffu);
  EXPECT_EQ(run(JumpOperation::And, 0xc, 8, 0xa), 8u);
  EXPECT_EQ(run(JumpOperation::Or, 0xc, 8, 0xa), 0xeu);
  EXPECT_EQ(run(JumpOperation::Xor, 0xc, 8, 0xa), 6u);
  EXPECT_EQ(run(JumpOperation::ZExt, 8, 32, 0x1ff), 0xffu);
  EXPECT_EQ(run(JumpOperation::SExt, 8, 32, 0x80), 0xffffff80u);
  EXPECT_EQ(run(JumpOperation::SExt, 32, 64, 0x80000000), 0xffffffff80000000u);
  EXPECT_EQ(run(JumpOperation::Trunc, 0, 8, 0x1234), 0x34u);
  EXPECT_EQ(run(JumpOperation::UDiv, 3, 32, 10), 3u);
  EXPECT_EQ(run(JumpOperation::None, 0, 64, ~0ull), ~0ull);
  constexpr std::pair<uint64_t, uint64_t> kLogarithms[] = {
      {0, 0},  {1, 0},  {2, 1},           {3, 2},
      {4, 2},  {17, 5}, {32, 5},          {33, 6},
      {~0ull, 64},      {1ull << 63, 63}, {(1ull << 63) + 1, 64}};
  for (auto [number, logarithm] : kLogarithms)
    EXPECT_EQ(run(JumpOperation::CeilLog2, 64, 64, number), logarithm);
  EXPECT_EQ(run(JumpOperation::CeilLog2, 8, 32, 0x109), 4u);
}

TEST(JumpFunction, UndefinedOperationsGiveNothing) {
  EXPECT_EQ(evaluate(operation(0, JumpOperation::Shl, 32, 32), 1),
            std::nullopt);
  EXPECT_EQ(evaluate(operation(0, JumpOperation::AShr, 64, 64), 1),
            std::nullopt);
  EXPECT_EQ(evaluate(operation(0, JumpOperation::UDiv, 0, 32), 1),
            std::nullopt);
  EXPECT_EQ(evaluate(operation(0, JumpOperation::Add, 1, 32), std::nullopt),
            std::nullopt);
}

uint64_t bitsOf(float number) { return std::bit_cast<uint32_t>(number); }
uint64_t bitsOf(double number) { return std::bit_cast<uint64_t>(number); }

TEST(JumpFunction, EvaluatesFloats) {
  auto run = [](JumpOperation op, uint64_t value, uint16_t width,
                uint64_t formal) {
    return evaluate(operation(0, op, value, width), formal);
  };
  EXPECT_EQ(run(JumpOperation::FAdd, bitsOf(0.5f), 32, bitsOf(1.0f)),
            bitsOf(1.5f));
  EXPECT_EQ(run(JumpOperation::FSub, bitsOf(0.5), 64, bitsOf(1.0)),
            bitsOf(0.5));
  EXPECT_EQ(run(JumpOperation::FMul, bitsOf(0.1f), 32, bitsOf(3.0f)),
            bitsOf(0.1f * 3.0f));
  EXPECT_EQ(run(JumpOperation::FDiv, bitsOf(3.0f), 32, bitsOf(1.0f)),
            bitsOf(1.0f / 3.0f));
  EXPECT_EQ(run(JumpOperation::FCeil, 32, 32, bitsOf(1.25f)), bitsOf(2.0f));
  EXPECT_EQ(run(JumpOperation::FFloor, 64, 64, bitsOf(-1.25)), bitsOf(-2.0));
  EXPECT_EQ(run(JumpOperation::FExt, 32, 64, bitsOf(0.1f)),
            bitsOf(static_cast<double>(0.1f)));
  EXPECT_EQ(run(JumpOperation::FTrunc, 64, 32, bitsOf(0.1)), bitsOf(0.1f));
  EXPECT_EQ(run(JumpOperation::SIToFP, 32, 32, 0xffffffff), bitsOf(-1.0f));
  EXPECT_EQ(run(JumpOperation::UIToFP, 32, 64, 0xffffffff),
            bitsOf(4294967295.0));
  EXPECT_EQ(run(JumpOperation::FPToSI, 32, 32, bitsOf(-2.75f)), 0xfffffffeu);
  EXPECT_EQ(run(JumpOperation::FPToUI, 64, 16, bitsOf(65535.5)), 65535u);
}

TEST(JumpFunction, FloatsThatDependOnTheModeGiveNothing) {
  auto run = [](JumpOperation op, uint64_t value, uint16_t width,
                uint64_t formal) {
    return evaluate(operation(0, op, value, width), formal);
  };
  constexpr float kLeast = std::numeric_limits<float>::min();
  constexpr float kDenormal = std::numeric_limits<float>::denorm_min();
  // Denormals, in and out; infinities; no number; too large; other formats.
  EXPECT_EQ(run(JumpOperation::FMul, bitsOf(2.0f), 32, bitsOf(kDenormal)),
            std::nullopt);
  EXPECT_EQ(run(JumpOperation::FMul, bitsOf(0.5f), 32, bitsOf(kLeast)),
            std::nullopt);
  EXPECT_EQ(run(JumpOperation::FTrunc, 64, 32, bitsOf(1e-40)), std::nullopt);
  EXPECT_EQ(run(JumpOperation::FDiv, bitsOf(0.0f), 32, bitsOf(1.0f)),
            std::nullopt);
  EXPECT_EQ(run(JumpOperation::FDiv, bitsOf(0.0f), 32, bitsOf(0.0f)),
            std::nullopt);
  EXPECT_EQ(run(JumpOperation::FPToSI, 32, 32, bitsOf(3e9f)), std::nullopt);
  EXPECT_EQ(run(JumpOperation::FPToUI, 32, 32, bitsOf(-1.0f)), std::nullopt);
  EXPECT_EQ(run(JumpOperation::FAdd, 0x3c00, 16, 0x3c00), std::nullopt);
  EXPECT_EQ(run(JumpOperation::SIToFP, 32, 16, 1), std::nullopt);
  EXPECT_EQ(run(JumpOperation::FPToSI, 16, 32, 0x3c00), std::nullopt);
  EXPECT_EQ(run(JumpOperation::FTrunc, 32, 48, bitsOf(1.0f)), std::nullopt);
  EXPECT_EQ(run(JumpOperation::FCeil, 32, 64, bitsOf(1.0f)), std::nullopt);
}

} // namespace
