//===- ExecFragment.cpp - wmma.load and store, ldmatrix, movmatrix --------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "emulator/exec/Resolve.h"

#include <algorithm>

namespace gpulto::emu::GPULTO_EMU_ISA {

namespace {

constexpr unsigned kRowBytes = 16, kRowsOfMatrix = 8;

/// The matrix instruction and its registers.
struct Fragment {
  const MatrixOp &op;
  const Op *registers;
};
Fragment fragmentOf(Warp &w, const Insn &i) {
  const Function &fn = *w.frame->fn;
  return {fn.matrices[i.target], fn.extra.data() + i.extra};
}

/// Moves \p bytes of a register, at bit \p shift of it, to or from \p memory.
void moveBytes(Warp &w, Op op, unsigned lane, unsigned registerBytes,
               unsigned shift, unsigned bytes, uint64_t memory, bool isStore) {
  uint8_t *r = w.base[op & 1] + (op >> 1) + lane * registerBytes + shift / 8;
  void *p = reinterpret_cast<void *>(memory);
  if (isStore)
    std::memcpy(p, r, bytes);
  else
    std::memcpy(r, p, bytes);
}

/// wmma.load and wmma.store: s[0] the address, s[1] the stride in elements
/// (kNoOp: the matrix is dense). Elements of less than a byte move by register:
/// they lie side by side in memory, too.
template <bool kStore> void wmmaMove(Warp &w, const Insn &i, uint32_t m) {
  Fragment f = fragmentOf(w, i);
  const MatrixOp &op = f.op;
  MatrixType t = op.a;
  unsigned bits = bitsOf(t), registerBytes = registerBitsOf(t) / 8;
  unsigned step = bits < 8 ? 32 / bits : 1, bytes = bits < 8 ? 4 : bits / 8;
  unsigned dense = op.aIsColumn ? op.rows(op.part) : op.columns(op.part);
  alignas(64) uint32_t stride[kLanes]; // Its register may be a destination.
  if (i.s[1] == kNoOp)
    std::fill_n(stride, kLanes, dense);
  else
    std::memcpy(stride, src<uint32_t>(w, i.s[1]), sizeof(stride));
  unsigned own = op.ownRegisters(op.part, t);
  alignas(64) uint64_t base[kLanes], a[kLanes];
  addresses(w, i, base);
  for (unsigned r = 0; r < op.registers[0]; ++r) {
    if (f.registers[r] == kNoOp)
      continue;
    for (unsigned e = 0; e < perRegister(t); e += step) {
      unsigned element = r % own * perRegister(t) + e;
      for (unsigned l = 0; l < kLanes; ++l) {
        MatrixPlace p = op.place(op.part, t, l, element);
        uint64_t lead = stride[l];
        uint64_t index =
            op.aIsColumn ? p.column * lead + p.row : p.row * lead + p.column;
        a[l] = base[l] + index * bits / 8;
      }
      if (!resolveLanes(w, i, i, m, bytes, bytes, kStore, a))
        return;
      each(m, [&](unsigned l) {
        moveBytes(w, f.registers[r], l, registerBytes, e * bits, bytes, a[l],
                  kStore);
      });
    }
  }
}

/// The rows of ldmatrix and stmatrix: lane l has the address of row l. Lanes
/// whose address does not count are not checked.
bool resolveRows(Warp &w, const Insn &i, uint32_t m, const MatrixOp &op,
                 bool isWrite, uint64_t *a) {
  unsigned rows = op.count * kRowsOfMatrix;
  uint32_t used = m & (kAllLanes >> (kLanes - rows));
  if (!used)
    return false;
  addresses(w, i, a);
  return resolveLanes(w, i, i, used, kRowBytes, kRowBytes, isWrite, a);
}

/// 16 packed elements of four or six bits to bytes.
void expandRow(uint8_t *row, unsigned bits) {
  uint64_t words[2];
  std::memcpy(words, row, sizeof(words));
  for (unsigned k = 0; k < kRowBytes; ++k) {
    unsigned at = k * bits;
    uint64_t word = words[at / 64] >> (at % 64);
    if (at % 64 + bits > 64)
      word |= words[1] << (64 - at % 64);
    row[k] = static_cast<uint8_t>(word & ((1u << bits) - 1));
  }
}

/// Bytes of row and column that byte \p k of a lane's register stands for.
struct BytePlace {
  unsigned row, at;
};
BytePlace bytePlace(const MatrixOp &op, unsigned lane, unsigned k) {
  unsigned group = lane >> 2, inGroup = lane & 3;
  if (!op.transposes)
    return {group, inGroup * 4 + k};
  if (op.m == 16) // Of bytes: rows of the fragment are columns in memory.
    return {inGroup * 2 + (k & 1), group + 8 * (k >> 1)};
  return {inGroup * 2 + (k >> 1), group * 2 + (k & 1)};
}

void loadRows(Warp &w, const Insn &i, uint32_t m) {
  Fragment f = fragmentOf(w, i);
  alignas(64) uint64_t a[kLanes];
  if (!resolveRows(w, i, m, f.op, false, a))
    return;
  alignas(16) uint8_t rows[kLanes][kRowBytes];
  for (unsigned r = 0; r < f.op.count * kRowsOfMatrix; ++r) {
    std::memcpy(rows[r], reinterpret_cast<const void *>(a[r]), kRowBytes);
    if (f.op.packedBits)
      expandRow(rows[r], f.op.packedBits);
  }
  for (unsigned x = 0; x < f.op.count; ++x) {
    if (f.registers[x] == kNoOp)
      continue;
    uint32_t *d = dst<uint32_t>(w, f.registers[x]);
    each(m, [&](unsigned l) {
      uint32_t word = 0;
      for (unsigned k = 0; k < 4; ++k) {
        BytePlace p = bytePlace(f.op, l, k);
        word |= uint32_t(rows[x * kRowsOfMatrix + p.row][p.at]) << (8 * k);
      }
      d[l] = word;
    });
  }
}

void storeRows(Warp &w, const Insn &i, uint32_t m) {
  Fragment f = fragmentOf(w, i);
  alignas(64) uint64_t a[kLanes];
  if (!resolveRows(w, i, m, f.op, true, a))
    return;
  for (unsigned x = 0; x < f.op.count; ++x) {
    const uint32_t *s = src<uint32_t>(w, f.registers[x]);
    each(m, [&](unsigned l) {
      for (unsigned k = 0; k < 4; ++k) {
        BytePlace p = bytePlace(f.op, l, k);
        uint64_t row = a[x * kRowsOfMatrix + p.row];
        reinterpret_cast<uint8_t *>(row)[p.at] =
            static_cast<uint8_t>(s[l] >> (8 * k));
      }
    });
  }
}

/// movmatrix.m8n8.trans.b16
void moveRows(Warp &w, const Insn &i, uint32_t m) {
  Fragment f = fragmentOf(w, i);
  alignas(64) uint32_t s[kLanes];
  std::memcpy(s, src<uint32_t>(w, f.registers[1]), sizeof(s));
  if (f.registers[0] == kNoOp)
    return;
  uint32_t *d = dst<uint32_t>(w, f.registers[0]);
  each(m, [&](unsigned l) {
    unsigned row = l >> 2, column = 2 * (l & 3);
    auto element = [&](unsigned r, unsigned c) {
      return s[r * 4 + c / 2] >> (16 * (c & 1)) & 0xffff;
    };
    d[l] = element(column, row) | element(column + 1, row) << 16;
  });
}

} // namespace

Handler selectFragment(const InsnDesc &d) {
  if (d.opcode == "ldmatrix")
    return loadRows;
  if (d.opcode == "stmatrix")
    return storeRows;
  if (d.opcode == "movmatrix")
    return moveRows;
  if (d.opcode != "wmma")
    return nullptr;
  return d.has("store") ? wmmaMove<true> : wmmaMove<false>;
}

} // namespace gpulto::emu::GPULTO_EMU_ISA
