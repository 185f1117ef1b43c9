//===- LaunchSum.cpp - What the host can compute at a launch --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "summary/LaunchSum.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <map>

using namespace llvm;

namespace gpulto {

namespace {
/// Terms by their factors.
using TermMap = std::map<std::vector<LaunchValue>, int64_t>;
} // namespace

/// Adds \p coefficient times \p factors to \p terms. Returns whether that fits.
static bool addTerm(TermMap &terms, const std::vector<LaunchValue> &factors,
                    int64_t coefficient) {
  int64_t &sum = terms[factors];
  return !AddOverflow(sum, coefficient, sum);
}

static std::optional<LaunchSum> sumOf(const TermMap &terms) {
  LaunchSum sum;
  for (const auto &[factors, coefficient] : terms)
    if (coefficient)
      sum.terms.push_back({coefficient, factors});
  if (sum.terms.size() > kMaxLaunchTerms)
    return std::nullopt;
  return sum;
}

LaunchSum launchConstant(int64_t constant) {
  LaunchSum sum;
  if (constant)
    sum.terms.push_back({constant, {}});
  return sum;
}

LaunchSum launchSymbol(const LaunchValue &value) { return {{{1, {value}}}}; }

std::optional<LaunchSum> multiplySums(const LaunchSum &a, const LaunchSum &b) {
  TermMap terms;
  for (const LaunchTerm &x : a.terms)
    for (const LaunchTerm &y : b.terms) {
      int64_t coefficient;
      std::vector<LaunchValue> factors = x.factors;
      factors.insert(factors.end(), y.factors.begin(), y.factors.end());
      llvm::sort(factors);
      if (factors.size() > kMaxLaunchFactors ||
          MulOverflow(x.coefficient, y.coefficient, coefficient) ||
          !addTerm(terms, factors, coefficient))
        return std::nullopt;
    }
  return sumOf(terms);
}

std::optional<LaunchSum> addSums(const LaunchSum &a, const LaunchSum &b) {
  TermMap terms;
  for (const LaunchSum *sum : {&a, &b})
    for (const LaunchTerm &term : sum->terms)
      if (!addTerm(terms, term.factors, term.coefficient))
        return std::nullopt;
  return sumOf(terms);
}

std::optional<LaunchSum> subtractSums(const LaunchSum &a, const LaunchSum &b) {
  std::optional<LaunchSum> minus = multiplySums(b, launchConstant(-1));
  return minus ? addSums(a, *minus) : std::nullopt;
}

std::optional<int64_t> constantOf(const LaunchSum &sum) {
  if (sum.terms.empty())
    return 0;
  if (sum.terms.size() == 1 && sum.terms.front().factors.empty())
    return sum.terms.front().coefficient;
  return std::nullopt;
}

bool isNeverNegative(const LaunchSum &sum) {
  int64_t least = 0;
  for (const LaunchTerm &term : sum.terms) {
    if (!term.factors.empty() && term.coefficient < 0)
      return false;
    // The geometry is at least 1, arguments at least 0.
    bool isAtLeastOnce = all_of(term.factors, [](const LaunchValue &value) {
      return value.isGeometry;
    });
    if (isAtLeastOnce && AddOverflow(least, term.coefficient, least))
      return false;
  }
  return least >= 0;
}

static std::string nameOf(const LaunchValue &value) {
  static constexpr const char *kGeometry[] = {"gridx",  "gridy",  "gridz",
                                              "blockx", "blocky", "blockz"};
  if (value.isGeometry)
    return value.parameter < std::size(kGeometry) ? kGeometry[value.parameter]
                                                  : "?";
  std::string name = "arg" + std::to_string(value.parameter);
  return value.isPart ? name + "[" + std::to_string(value.byteOffset) + "]"
                      : name;
}

std::string sumText(const LaunchSum &sum) {
  std::string text;
  // The constant, which is first, reads better at the end.
  std::vector<LaunchTerm> terms = sum.terms;
  if (terms.size() > 1 && terms.front().factors.empty())
    std::rotate(terms.begin(), terms.begin() + 1, terms.end());
  for (const LaunchTerm &term : terms) {
    bool isNegative = term.coefficient < 0;
    if (text.empty())
      text = isNegative ? "-" : "";
    else
      text += isNegative ? " - " : " + ";
    uint64_t size =
        isNegative ? -uint64_t(term.coefficient) : uint64_t(term.coefficient);
    std::string product;
    if (size != 1 || term.factors.empty())
      product = std::to_string(size);
    for (const LaunchValue &value : term.factors)
      product += (product.empty() ? "" : "*") + nameOf(value);
    text += product;
  }
  return text.empty() ? "0" : text;
}

} // namespace gpulto
