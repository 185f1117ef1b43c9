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
/// up to \p threads threads, that of the caller being one of them; returns when
/// all are done. Pieces depend on \p count alone, so what is made of them and
/// put together in their order is the same in any number of threads. One piece
/// is visited by the caller; a thread that the system refuses is done without.
/// Unlike llvm::parallelFor, the number of threads is the caller's to say each
/// time, and none is left behind when a process forks.
void forEachPiece(unsigned threads, size_t count,
                  llvm::function_ref<void(size_t begin, size_t end)> visit);

/// As forEachPiece, of what takes long: each number below \p count is a piece.
void forEachOf(unsigned threads, size_t count,
               llvm::function_ref<void(size_t number)> visit);

/// Returns how many pieces forEachPiece makes of [0, \p count), and which one
/// begins at \p begin.
size_t pieceCount(size_t count);
size_t pieceAt(size_t begin);

/// Calls \p visit with each number below \p count and the list to which what it
/// finds belongs, in up to \p threads threads; returns all that was found, in
/// the order of the numbers.
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
