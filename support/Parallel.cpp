//===- Parallel.cpp - Loops in several threads ----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "support/Parallel.h"

#include <algorithm>
#include <atomic>
#include <pthread.h>

using namespace llvm;

namespace gpulto {

/// Small enough to be spread evenly, large enough to outweigh a thread.
static constexpr size_t kPieceSize = 8192;

size_t pieceCount(size_t count) {
  return (count + kPieceSize - 1) / kPieceSize;
}

size_t pieceAt(size_t begin) { return begin / kPieceSize; }

namespace {
/// The pieces of one loop, which its threads take one after the other.
struct Pieces {
  size_t count, size;
  function_ref<void(size_t, size_t)> visit;
  std::atomic<size_t> next = 0;

  void run() {
    for (size_t begin; (begin = next.fetch_add(size)) < count;)
      visit(begin, std::min(begin + size, count));
  }
};
} // namespace

static void *runPieces(void *pieces) {
  static_cast<Pieces *>(pieces)->run();
  return nullptr;
}

static void runAll(Pieces &pieces, unsigned threads) {
  size_t wanted = (pieces.count + pieces.size - 1) / pieces.size;
  std::vector<pthread_t> helpers;
  for (size_t i = 1; i < std::min<size_t>(threads, wanted); ++i) {
    pthread_t helper;
    if (pthread_create(&helper, nullptr, runPieces, &pieces))
      break;
    helpers.push_back(helper);
  }
  pieces.run();
  for (pthread_t helper : helpers)
    pthread_join(helper, nullptr);
}

void forEachPiece(unsigned threads, size_t count,
                  function_ref<void(size_t begin, size_t end)> visit) {
  Pieces pieces{count, kPieceSize, visit};
  runAll(pieces, threads);
}

void forEachOf(unsigned threads, size_t count,
               function_ref<void(size_t number)> visit) {
  auto visitOne = [&](size_t number, size_t) { visit(number); };
  Pieces pieces{count, 1, visitOne};
  runAll(pieces, threads);
}

} // namespace gpulto
