//===- BodyDigests.h - Digests of bodies (LGEN) ------------------*- C++
//-*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_ICF_BODYDIGESTS_H
#define GPULTO_ICF_BODYDIGESTS_H

#include "support/StableHash.h"

#include <memory>

namespace llvm {
class Function;
class GlobalVariable;
class Module;
} // namespace llvm

namespace gpulto {

/// Computes content digests of one module's functions and variables: whatever
/// can change the generated code changes the digest. Independent of names of
/// local values, of metadata and type numbering, of pointer values, and of the
/// names of copyable constants. See FunctionSummary::contentDigest for which
/// debug information counts. Remembers types, constants and attribute lists
/// across calls; not thread-safe.
class ContentDigester {
public:
  explicit ContentDigester(const llvm::Module &module);
  ~ContentDigester();

  /// Returns the digest of the body, signature and attributes of \p function, a
  /// definition, and of the declarations that it mentions.
  Digest digestOf(const llvm::Function &function);

  /// Returns the digest of the type, initializer and properties of \p variable.
  Digest digestOf(const llvm::GlobalVariable &variable);

  /// Returns the digest of the context of all bodies: triple, data layout,
  /// module flags, module-level assembly.
  Digest digestOfContext();

private:
  class Implementation;
  std::unique_ptr<Implementation> implementation;
};

} // namespace gpulto

#endif
