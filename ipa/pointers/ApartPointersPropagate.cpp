//===- ApartPointersPropagate.cpp - Pointers in aggregates apart (WPA) ----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Goal: prove for pointers in structs what PointerFacts proves for parameters.
//
//   struct Params { float *out; const float *in; } p;
//   cudaMalloc(&p.in, n); cudaMalloc(&p.out, n); scale<<<g, b>>>(p);
//   -> accesses through p.in and p.out do not touch the same memory
//
// 1. Pointers of a kernel are its parameters, and those it loads from by-value
//    aggregates (candidatesOf). Two pointers that are never written through
//    need not be apart.
// 2. A pair stays if its pointers lead into different allocations in every
//    launch (meetLaunch; areApart in ipa/pointers/PointerFacts).
//
// Unlike `noalias` of a parameter, which concerns all other memory, a pair
// concerns only its two pointers. So it does not matter what else the kernel or
// its callees reach, and where, nor whether other threads write there.
//
// Kernels without such aggregates are left to PointerFacts.
//
// Quadratic in the pointers of a kernel, of which at most kMaxPointers are
// considered.
//
//===----------------------------------------------------------------------===//

#include "ipa/pointers/ApartPointers.h"
#include "ipa/pointers/PointerFacts.h"
#include "ipa/pointers/PointerMembers.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace gpulto {

ApartPointers::ApartPointers(const WpaContext &context, const Callers &callers,
                             const ConstantsSolver &solver)
    : program(context.program), decisions(context.decisions) {
  forEachKnownLaunch(program, callers, solver,
                     [&](GlobalId kernel, uint32_t clone,
                         ArrayRef<ParameterLattice> arguments) {
                       meetLaunch(kernel, clone, arguments);
                     });
}

/// Returns all pairs of pointers of \p kernel that pay if they are apart.
std::vector<ApartPair> ApartPointers::candidatesOf(GlobalId kernel) const {
  constexpr size_t kMaxPointers = 32;
  std::vector<std::pair<PointerSource, bool>> pointers; // may be written
  for (auto [i, formal] : enumerate(program.parameters(kernel)))
    if ((formal.flags & kParamIsPointer) &&
        !(formal.flags & (kParamByVal | kParamUnused)))
      pointers.push_back({{static_cast<uint32_t>(i), false, 0},
                          mayWriteThrough(decisions, kernel, i)});
  for (const PointerMember &member : membersOf(program, kernel))
    pointers.push_back({{member.parameter, true, member.byteOffset},
                        mayWriteMember(program, decisions, kernel, member)});
  llvm::sort(pointers);
  if (pointers.size() > kMaxPointers)
    pointers.resize(kMaxPointers);
  std::vector<ApartPair> pairs;
  for (size_t i = 0; i < pointers.size(); ++i)
    for (size_t j = i + 1; j < pointers.size(); ++j)
      if (pointers[i].second || pointers[j].second)
        pairs.push_back({pointers[i].first, pointers[j].first});
  return pairs;
}

/// Returns what a launch passes as \p pointer among \p arguments.
static ValueLattice passedAs(const PointerSource &pointer,
                             ArrayRef<ParameterLattice> arguments) {
  const ParameterLattice &argument = arguments[pointer.parameter];
  return pointer.isPart ? readParts(argument.parts, pointer.byteOffset, 0)
                        : argument.whole;
}

void ApartPointers::meetLaunch(GlobalId kernel, uint32_t clone,
                               ArrayRef<ParameterLattice> arguments) {
  if (membersOf(program, kernel).empty())
    return;
  auto [entry, isFirst] = apart.try_emplace({kernel, clone});
  if (isFirst)
    entry->second = candidatesOf(kernel);
  erase_if(entry->second, [&](const ApartPair &pair) {
    return !areApart(passedAs(pair.first, arguments),
                     passedAs(pair.second, arguments));
  });
}

ArrayRef<ApartPair> ApartPointers::of(const BodyLattice &body) const {
  auto found = apart.find({body.id, body.clone});
  return found == apart.end() ? ArrayRef<ApartPair>()
                              : ArrayRef<ApartPair>(found->second);
}

} // namespace gpulto
