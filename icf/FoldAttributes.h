//===- FoldAttributes.h - What a leader can do without ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// The line between what two bodies must have in common to be folded and what
// the folded body gives up where they differ. Shared by the form that LGEN
// hashes and by LTRANS, which compares and merges.
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

/// Returns whether \p attribute is a promise to the optimizer and nothing else:
/// a body without it is right, if perhaps slower.
bool isPromise(llvm::Attribute attribute);

/// Returns whether \p attribute of a parameter is something that callers
/// promise the body of a function and that says nothing else, such as how they
/// extend a narrow integer; at a call it would be an instruction to the caller.
bool isPromiseToBody(llvm::Attribute attribute);

/// Returns whether metadata of kind \p kind is a promise to the optimizer, or
/// speaks of the source: an instruction without it does the same.
bool isPromise(unsigned kind);

/// Returns whether metadata \p node of kind \p kind at an instruction counts
/// for what it does. Promises do not, nor does what comes and goes with -g: the
/// properties of a loop that are nothing but its place in the source, and the
/// type of what is allocated.
bool isCompared(unsigned kind, const llvm::MDNode &node);

/// Returns whether \p instruction does nothing: a marker of a lifetime, an
/// assumption, the declaration of an alias scope, debug information.
bool isMarker(const llvm::Instruction &instruction);

/// Returns whether \p function may never be folded: its text names symbols or
/// labels, its blocks have addresses, it carries data, it looks at its frame.
bool isUnfoldable(const llvm::Function &function);

/// /// Returns whether \p variable may never be folded: it is no constant, its
/// contents or its place are not its initializer's alone to say, or it is part
/// of the forms of what refers to it.
bool isUnfoldable(const llvm::GlobalVariable &variable);

} // namespace gpulto

#endif
