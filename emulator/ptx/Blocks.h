//===- Blocks.h - Basic blocks of decoded code ------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GPULTO_EMULATOR_PTX_BLOCKS_H
#define GPULTO_EMULATOR_PTX_BLOCKS_H

#include "emulator/ptx/Code.h"

#include <vector>

namespace gpulto::emu {

struct BasicBlock {
  uint32_t begin = 0, end = 0; ///< Positions in Function::code.
  std::vector<uint32_t> successors;
};

/// Returns the blocks of \p fn, which is not empty, in the order of its code.
std::vector<BasicBlock> findBlocks(const Function &fn);

/// Returns a number for each instruction of \p fn: one behind a join has a
/// higher one than those of all ways there, one behind a loop a higher one than
/// those of the loop. Nothing if positions are such numbers.
std::vector<uint32_t> rankInstructions(const Function &fn);

} // namespace gpulto::emu

#endif // GPULTO_EMULATOR_PTX_BLOCKS_H
