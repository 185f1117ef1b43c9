//===- ErrorChecks.h - llvm::Error in GoogleTest ----------------*- C++ -*-===//
//
// Part of gpulto.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GPULTO_TEST_UNIT_ERRORCHECKS_H
#define GPULTO_TEST_UNIT_ERRORCHECKS_H

#include "gtest/gtest.h"

#include "llvm/Support/Error.h"

#include <string>

namespace gpulto::test {

/// Returns the message of \p error, `success` if there is none.
inline std::string messageOf(llvm::Error error) {
  return error ? llvm::toString(std::move(error)) : "success";
}

template <typename T> std::string messageOf(llvm::Expected<T> value) {
  return value ? "success" : llvm::toString(value.takeError());
}

} // namespace gpulto::test

/// Fails the test unless \p EXPRESSION is success.
#define EXPECT_OK(EXPRESSION)                                                  \
  EXPECT_EQ(::gpulto::test::messageOf(EXPRESSION), "success")
#define ASSERT_OK(EXPRESSION)                                                  \
  ASSERT_EQ(::gpulto::test::messageOf(EXPRESSION), "success")

/// Defines NAME as the value of \p EXPRESSION, or fails the test.
#define ASSERT_VALUE(NAME, EXPRESSION)                                         \
  auto NAME##OrError = (EXPRESSION);                                           \
  if (!NAME##OrError)                                                          \
    FAIL() << llvm::toString(NAME##OrError.takeError());                       \
  auto &NAME = *NAME##OrError

#endif // GPULTO_TEST_UNIT_ERRORCHECKS_H
