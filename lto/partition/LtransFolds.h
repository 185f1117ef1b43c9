//===- LtransFolds.h - Folded definitions of a partition --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_LTO_PARTITION_LTRANSFOLDS_H
#define GPULTO_LTO_PARTITION_LTRANSFOLDS_H

#include "lto/job/LtransJob.h"
#include "lto/job/LtransReport.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"

#include <set>
#include <string>
#include <vector>

namespace gpulto {

/// Bodies that were to be folded differ. No input is at fault, and the link can
/// do without these folds.
class FoldMismatchError : public llvm::ErrorInfo<FoldMismatchError> {
public:
  static char ID;

  explicit FoldMismatchError(std::vector<FoldMismatch> mismatches)
      : mismatches(std::move(mismatches)) {}

  void log(llvm::raw_ostream &os) const override;
  std::error_code convertToErrorCode() const override;

  std::vector<FoldMismatch> mismatches;
};

/// Carries out the folds of whole-program analysis in one partition: uses of a
/// folded definition mean its leader, a definition that keeps its name jumps to
/// the leader, and a leader promises only what all of these promise.
class PartitionFolds {
public:
  explicit PartitionFolds(llvm::Module &partition) : partition(partition) {}

  /// Returns the folded functions and constants of \p input, in the order of
  /// the job. Errors: \p source lacks one.
  static llvm::Expected<llvm::SmallVector<llvm::GlobalObject *>>
  find(const llvm::Module &source, const JobInput &input);

  /// Applies the folds to \p source before its bodies, which have been read as
  /// far as the job needs them, move; \p members are what find() returned.
  /// Reads bodies that are to be compared here and adds them to \p values.
  llvm::Error replace(llvm::Module &source, const JobInput &input,
                      llvm::ArrayRef<llvm::GlobalObject *> members,
                      llvm::SmallVectorImpl<llvm::GlobalValue *> &values);

  /// Makes \p value, which \p input defines and which has not moved yet, a jump
  /// to \p leader. Errors: one of the two is not a function.
  llvm::Error jump(llvm::GlobalValue &value, const std::string &leader,
                   const JobInput &input);

  /// Forgets what the partition does not need, after all bodies have moved. The
  /// remaining work then depends on the bodies to be compared, the leaders that
  /// the partition calls and enteredHere().
  void dropUnused();

  /// Returns, sorted, the leaders here that bodies enter in place of a member.
  std::vector<llvm::StringRef> enteredHere() const;

  /// Compares each leader defined here with its members, and removes from all
  /// leaders what not every member promises. Call it after dropUnused().
  /// Errors: FoldMismatchError, if bodies differ after all. \p leaders are
  /// those that the partition calls.
  llvm::Error finish(llvm::ArrayRef<JobLeader> leaders);

private:
  llvm::Expected<llvm::GlobalObject *>
  leaderFor(llvm::Module &source, const llvm::GlobalObject &member,
            const std::string &name, const JobInput &input);

  llvm::Module &partition;
  /// A body that stands for a definition of the partition.
  struct Merged {
    std::string name, leader;
    /// Its identity in its module.
    std::string tag, originalName;
    /// Number in the table of folds.
    uint32_t number = kNone;
  };
  std::vector<Merged> merged;
  /// Leaders that bodies of the partition enter in place of a member.
  std::set<std::string> entered;
};

} // namespace gpulto

#endif
