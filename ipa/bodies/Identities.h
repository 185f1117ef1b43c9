//===- Identities.h - Constants whose address matters -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_IPA_BODIES_IDENTITIES_H
#define GPULTO_IPA_BODIES_IDENTITIES_H

namespace llvm {
class Instruction;
class Module;
} // namespace llvm

namespace gpulto {

/// Returns whether \p comparison, of two pointers, may tell one object from
/// another: not if both point into one object, or one is null.
bool mayTellApart(const llvm::Instruction &comparison);

/// Makes significant the addresses of local constants of \p module that
/// functions compare, return or store: `unnamed_addr` allows merging equal
/// constants, but partitions also make several copies of one. Returns whether
/// there are any.
bool keepIdentities(llvm::Module &module);

} // namespace gpulto

#endif // GPULTO_IPA_BODIES_IDENTITIES_H
