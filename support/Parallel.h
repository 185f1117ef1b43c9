//===- Parallel.h - Loops in several threads --------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_SUPPORT_PARALLEL_H
#define GPULTO_SUPPORT_PARALLEL_H

#include "llvm/ADT/STLFunctionalExtras.h"

#include <cstddef>
#include <vector>

namespace gpulto {

/// Calls \p visit with the begin and the end of each piece of [0, \p count), in
/// up to \p threads threads, including the caller's; returns when all are done.
/// Pieces depend only on \p count, so results joined in the order of the pieces
/// are the same with any number of threads. The caller visits a single piece
/// itself; if the system refuses a thread, the loop does without. Unlike with
/// llvm::parallelFor, the caller sets the number of threads each time, and no
/// thread is left when the process forks.
void forEachPiece(unsigned threads, size_t count,
                  llvm::function_ref<void(size_t begin, size_t end)> visit);

/// As forEachPiece, for expensive work: each number below \p count is a piece.
void forEachOf(unsigned threads, size_t count,
               llvm::function_ref<void(size_t number)> visit);

/// Return the number of pieces that forEachPiece makes of [0, \p count), and
/// the number of the piece that begins at \p begin.
size_t pieceCount(size_t count);
size_t pieceAt(size_t begin);

/// Calls \p visit with each number below \p count and a list for its results,
/// in up to \p threads threads; returns all results in the order of the
/// numbers.
template <typename T, typename Visitor>
std::vector<T> collectInPieces(unsigned threads, size_t count,
                               const Visitor &visit) {
  std::vector<std::vector<T>> found(pieceCount(count));
  forEachPiece(threads, count, [&](size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i)
      visit(i, found[pieceAt(begin)]);
  });
  if (found.size() == 1)
    return std::move(found.front());
  size_t total = 0;
  for (const std::vector<T> &piece : found)
    total += piece.size();
  std::vector<T> all;
  all.reserve(total);
  for (std::vector<T> &piece : found) {
    all.insert(all.end(), piece.begin(), piece.end());
    std::vector<T>().swap(piece);
  }
  return all;
}

} // namespace gpulto

#endif // GPULTO_SUPPORT_PARALLEL_H
