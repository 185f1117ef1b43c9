//===- CopyRecordsTransform.h - Note what copies were given -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_IPA_TRANSFERS_COPYRECORDSTRANSFORM_H
#define GPULTO_IPA_TRANSFERS_COPYRECORDSTRANSFORM_H

#include "summary/Facts.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Error.h"

#include <utility>

namespace llvm {
class Function;
class GlobalVariable;
class IRBuilderBase;
class Instruction;
class Module;
class Type;
} // namespace llvm

namespace gpulto {

/// Marks what writes first in each of the stretches \p numbers of \p function,
/// a body as LGEN saw it, so that it is found again in copies. Errors: the body
/// does not have that many.
llvm::Error markStretches(llvm::Function &function,
                          llvm::ArrayRef<uint32_t> numbers);

/// Returns what is marked in \p function, by stretch, and removes the marks.
llvm::SmallVector<std::pair<uint32_t, llvm::Instruction *>, 8>
takeMarkedStretches(llvm::Function &function);

/// Returns the flag that says whether record \p record holds. The program has
/// one, whichever modules mention it.
llvm::GlobalVariable &recordFlag(llvm::Module &module, uint32_t record);

/// Returns where argument \p index, of type \p type, of the copy of record
/// \p record is kept.
llvm::GlobalVariable &recordArgument(llvm::Module &module, uint32_t record,
                                     unsigned index, llvm::Type &type);

/// Ends \p records at \p builder.
void endRecords(llvm::IRBuilderBase &builder, llvm::ArrayRef<uint32_t> records);

/// A place of a function: a call, what writes first in a stretch, or where the
/// function begins; and what it does to records.
using PlacedUse = std::pair<llvm::Instruction *, const RecordUse *>;

/// Ends records before each of \p places of \p function, those of a stretch
/// before the outermost loop around it that makes none of them. Calls that are
/// in \p edited end theirs by themselves.
void endRecords(llvm::Function &function, llvm::ArrayRef<PlacedUse> places,
                llvm::ArrayRef<llvm::Instruction *> edited);

} // namespace gpulto

#endif
