//===- Identities.h - Whose address tells it from others --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_IPA_BODIES_IDENTITIES_H
#define GPULTO_IPA_BODIES_IDENTITIES_H

namespace llvm {
class Instruction;
class Module;
} // namespace llvm

namespace gpulto {

/// Returns whether \p comparison, of two pointers, may tell an object from
/// another one: not if both are in one object, or one is null.
bool mayTellApart(const llvm::Instruction &comparison);

/// Makes the addresses of those local constants of \p module significant that
/// functions compare, return or store: `unnamed_addr` lets equal constants be
/// one, but partitions also make several of one. Returns whether there are any.
bool keepIdentities(llvm::Module &module);

} // namespace gpulto

#endif // GPULTO_IPA_BODIES_IDENTITIES_H
