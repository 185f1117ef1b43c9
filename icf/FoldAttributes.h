//===- FoldAttributes.h - What a leader can do without ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Separates what two bodies must have in common to be folded from what the
// folded body gives up where they differ. Used by the form that LGEN hashes and
// by LTRANS, which compares and merges.
//
//===----------------------------------------------------------------------===//
#ifndef GPULTO_ICF_FOLDATTRIBUTES_H
#define GPULTO_ICF_FOLDATTRIBUTES_H

namespace llvm {
class Attribute;
class Function;
class GlobalVariable;
class Instruction;
class MDNode;
} // namespace llvm

namespace gpulto {

/// Returns whether \p attribute is only a promise to the optimizer: a body
/// without it is correct, if perhaps slower.
bool isPromise(llvm::Attribute attribute);

/// Returns whether \p attribute of a parameter is only a promise of callers to
/// the body, such as how they extend a narrow integer; at a call it would be an
/// instruction to the caller.
bool isPromiseToBody(llvm::Attribute attribute);

/// Returns whether metadata of kind \p kind is a promise to the optimizer, or
/// concerns the source: an instruction without it does the same.
bool isPromise(unsigned kind);

/// Returns whether metadata \p node of kind \p kind affects what its
/// instruction does. Promises do not, nor does metadata that depends on -g:
/// loop properties that hold only its place in the source, and the type of an
/// allocation.
bool isCompared(unsigned kind, const llvm::MDNode &node);

/// Returns whether \p instruction does nothing: a lifetime marker, an
/// assumption, the declaration of an alias scope, debug information.
bool isMarker(const llvm::Instruction &instruction);

/// Returns whether \p function may never be folded: its text names symbols or
/// labels, its blocks have addresses, it carries data, it looks at its frame.
bool isUnfoldable(const llvm::Function &function);

/// /// Returns whether \p variable may never be folded: it is not constant, its
/// initializer does not fully determine its contents or its place, or it is
/// part of the forms of the definitions that refer to it.
bool isUnfoldable(const llvm::GlobalVariable &variable);

} // namespace gpulto

#endif
