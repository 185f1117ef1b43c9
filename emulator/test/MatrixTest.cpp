//===- MatrixTest.cpp - mma, wmma, ldmatrix, stmatrix, movmatrix ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Fragments are made here as PTX ISA 9.0 writes their formulas down, one shape
// after the other, and the product is that of plain loops.
//
//===----------------------------------------------------------------------===//

#include "emulator/test/EmuTest.h"

namespace gpulto::emu::test {

namespace {

enum El {
  F16,
  BF16,
  TF32,
  F32,
  F64,
  S32,
  S8,
  U8,
  S4,
  U4,
  B1,
  E4M3,
  E5M2,
  E3M2,
  E2M3,
  E2M1
};
const char *const kNames[] = {"f16",  "bf16", "tf32", "f32", "f64", "s32",
                              "s8",   "u8",   "s4",   "u4",  "b1",  "e4m3",
                              "e5m2", "e3m2", "e2m3", "e2m1"};

unsigned bitsIn(El t) {
  switch (t) {
  case F16:
  case BF16:
    return 16;
  case TF32:
  case F32:
  case S32:
    return 32;
  case F64:
    return 64;
  case S4:
  case U4:
    return 4;
  case B1:
    return 1;
  default:
    return 8;
  }
}

/// A number that the format holds exactly, as its bits.
uint64_t encodeExact(double v, int exponentBits, int mantissaBits) {
  uint64_t sign = std::signbit(v), bias = (1u << (exponentBits - 1)) - 1;
  sign <<= exponentBits + mantissaBits;
  if (v == 0)
    return sign;
  int e = 0;
  double f = std::frexp(std::fabs(v), &e) * 2 - 1; // 1.f * 2^(e-1)
  int64_t biased = e - 1 + static_cast<int64_t>(bias);
  if (biased < 1) // Denormal.
    return sign | static_cast<uint64_t>(std::ldexp(
                      std::fabs(v), static_cast<int>(bias) - 1 + mantissaBits));
  return sign | static_cast<uint64_t>(biased) << mantissaBits |
         static_cast<uint64_t>(std::ldexp(f, mantissaBits));
}
uint64_t toBits(El t, double v) {
  switch (t) {
  case F16:
    return encodeExact(v, 5, 10);
  case BF16:
    return encodeExact(v, 8, 7);
  case TF32:
    return std::bit_cast<uint32_t>(float(v)) |
           0x1abc; // Bits that do not count.
  case F32:
    return std::bit_cast<uint32_t>(float(v));
  case F64:
    return std::bit_cast<uint64_t>(v);
  case E4M3:
    return encodeExact(v, 4, 3);
  case E5M2:
    return encodeExact(v, 5, 2);
  case E3M2:
    return encodeExact(v, 3, 2);
  case E2M3:
    return encodeExact(v, 2, 3);
  case E2M1:
    return encodeExact(v, 2, 1) << 2;
  default:
    return static_cast<uint64_t>(static_cast<int64_t>(v)) &
           (~0ull >> (64 - bitsIn(t)));
  }
}
/// Some value that the type holds, small enough for sums to be exact.
double valueOf(El t, uint32_t seed) {
  uint32_t h = seed * 2654435761u;
  h ^= h >> 15;
  h *= 2246822519u;
  h ^= h >> 13;
  switch (t) {
  case S8:
    return static_cast<int8_t>(h);
  case U8:
    return static_cast<uint8_t>(h);
  case S4:
    return static_cast<int>(h % 16) - 8;
  case U4:
    return h % 16;
  case B1:
    return h & 1;
  case S32:
    return static_cast<int>(h % 2000001) - 1000000;
  case F64:
    return static_cast<int>(h % 2001) - 1000;
  default:
    return (static_cast<int>(h % 7) - 3) * 0.5;
  }
}

struct At {
  unsigned row, column;
};
/// (lane, element) to a place.
using Layout = std::function<At(unsigned, unsigned)>;

struct Case {
  std::string text; ///< Of the instruction, up to its types.
  unsigned m, n, k;
  El d, a, b, c;
  Layout atA, atB, atC;
  std::string tail; ///< Behind the types.
};

unsigned g(unsigned lane) { return lane >> 2; }
unsigned q(unsigned lane) { return lane % 4; }

const Layout kC16x8 = [](unsigned l, unsigned i) {
  return At{i < 2 ? g(l) : g(l) + 8, q(l) * 2 + (i & 1)};
};
const Layout kC8x8 = [](unsigned l, unsigned i) {
  return At{g(l), q(l) * 2 + i};
};

} // namespace

class MatrixTest : public EmuTest {
protected:
  /// A kernel that loads \p counts[1...] registers of each operand, runs the
  /// instruction, and stores those of D. Operands follow each other by lane.
  static std::string kernel(const std::string &instruction,
                            const std::vector<unsigned> &counts,
                            const std::vector<unsigned> &bytes) {
    std::string text = kHeader +
                       ".visible .entry k(.param .u64 pd, .param .u64 "
                       "pa, .param .u64 pb, .param .u64 pc) {\n"
                       "  .reg .b64 %p; .reg .b32 %i;\n"
                       "  mov.u32 %i, %laneid;\n";
    const char *const names[] = {"d", "a", "b", "c"};
    std::string operands, store;
    for (unsigned o = 0; o < 4; ++o) {
      std::string n = names[o], type = ".b" + std::to_string(bytes[o] * 8);
      text += "  .reg " + type + " %" + n + "<" + std::to_string(counts[o]) +
              ">;\n";
      std::string move = "  ld.param.u64 %p, [p" + n +
                         "]; mad.wide.u32 %p, %i, " +
                         std::to_string(counts[o] * bytes[o]) + ", %p;\n";
      operands += o ? ", {" : "{";
      for (unsigned k = 0; k < counts[o]; ++k) {
        std::string reg = "%" + n + std::to_string(k);
        std::string at = "[%p+" + std::to_string(k * bytes[o]) + "]";
        move += o ? "  ld.global" + type + " " + reg + ", " + at + ";\n"
                  : "  st.global" + type + " " + at + ", " + reg + ";\n";
        operands += (k ? ", " : "") + reg;
      }
      operands += "}";
      (o ? text : store) += move;
    }
    return text + "  " + instruction + " " + operands + ";\n" + store +
           "  ret;\n}\n";
  }

  /// The registers of all lanes as bytes, for the matrix with these values.
  static std::vector<uint8_t> pack(El t, unsigned registers, const Layout &at,
                                   const std::vector<double> &v,
                                   unsigned columns) {
    unsigned regBits = t == F64 ? 64 : 32, wide = regBits / bitsIn(t);
    std::vector<uint8_t> out;
    for (unsigned l = 0; l < 32; ++l)
      for (unsigned r = 0; r < registers; ++r) {
        uint64_t word = 0;
        for (unsigned e = 0; e < wide; ++e) {
          At p = at(l, r * wide + e);
          word |= toBits(t, v.at(p.row * columns + p.column))
                  << (e * bitsIn(t));
        }
        for (unsigned k = 0; k < regBits / 8; ++k)
          out.push_back(static_cast<uint8_t>(word >> (8 * k)));
      }
    return out;
  }

  static std::vector<double> values(El t, unsigned n, uint32_t seed) {
    std::vector<double> v(n);
    for (unsigned k = 0; k < n; ++k)
      v[k] = valueOf(t, seed + k);
    return v;
  }

  static double multiply(const Case &t, double sum, double a, double b) {
    if (t.a != B1)
      return sum + a * b;
    bool x = a != 0, y = b != 0;
    return sum + (t.tail == ".and.popc" ? x && y : x != y);
  }

  void check(const Case &t) {
    std::string types;
    for (El e : {t.d, t.a, t.b, t.c})
      types += std::string(".") + kNames[e];
    std::string text = t.text + types + t.tail;
    auto count = [](El e, unsigned elements) {
      return elements * bitsIn(e) / (e == F64 ? 64 : 32) / 32;
    };
    std::vector<unsigned> counts{count(t.d, t.m * t.n), count(t.a, t.m * t.k),
                                 count(t.b, t.k * t.n), count(t.c, t.m * t.n)};
    std::vector<unsigned> bytes;
    for (El e : {t.d, t.a, t.b, t.c})
      bytes.push_back(e == F64 ? 8 : 4);
    auto module = load(kernel(text, counts, bytes));
    ASSERT_TRUE(module) << text;
    auto a = values(t.a, t.m * t.k, 1), b = values(t.b, t.k * t.n, 5000),
         c = values(t.c, t.m * t.n, 90000);
    uint64_t pd = alloc(32 * 64 * 8);
    Status s = launch(*module, "k", blocks(1, 32), pd,
                      upload(pack(t.a, counts[1], t.atA, a, t.k)),
                      upload(pack(t.b, counts[2], t.atB, b, t.n)),
                      upload(pack(t.c, counts[3], t.atC, c, t.n)));
    ASSERT_TRUE(s.ok()) << text << ": " << s.text;
    std::vector<double> d(t.m * t.n);
    for (unsigned row = 0; row < t.m; ++row)
      for (unsigned column = 0; column < t.n; ++column) {
        double sum = c[row * t.n + column];
        for (unsigned k = 0; k < t.k; ++k)
          sum = multiply(t, sum, a[row * t.k + k], b[k * t.n + column]);
        d[row * t.n + column] = sum;
      }
    auto want = pack(t.d, counts[0], t.atC, d, t.n);
    auto got = download<uint8_t>(pd, want.size());
    EXPECT_EQ(got, want) << text;
  }
};

TEST_F(MatrixTest, FloatShapes) {
  Layout bK8 = [](unsigned l, unsigned i) { return At{q(l) * 2 + i, g(l)}; };
  Layout aK8 = [](unsigned l, unsigned i) {
    return At{i < 2 ? g(l) : g(l) + 8, q(l) * 2 + (i & 1)};
  };
  Layout bK16 = [](unsigned l, unsigned i) {
    return At{q(l) * 2 + (i & 1) + (i >= 2 ? 8 : 0), g(l)};
  };
  Layout aK16 = [](unsigned l, unsigned i) {
    bool upper = i < 2 || (i >= 4 && i < 6);
    return At{upper ? g(l) : g(l) + 8, q(l) * 2 + (i & 1) + (i >= 4 ? 8 : 0)};
  };
  std::string k8 = "mma.sync.aligned.m16n8k8.row.col",
              k16 = "mma.sync.aligned.m16n8k16.row.col";
  for (El acc : {F16, F32}) {
    check({k8, 16, 8, 8, acc, F16, F16, acc, aK8, bK8, kC16x8, ""});
    check({k16, 16, 8, 16, acc, F16, F16, acc, aK16, bK16, kC16x8, ""});
  }
  check({k8, 16, 8, 8, F32, BF16, BF16, F32, aK8, bK8, kC16x8, ""});
  check({k16, 16, 8, 16, F32, BF16, BF16, F32, aK16, bK16, kC16x8, ""});
  check({"mma.sync.aligned.m16n8k4.row.col", 16, 8, 4, F32, TF32, TF32, F32,
         [](unsigned l, unsigned i) { return At{g(l) + 8 * i, q(l)}; },
         [](unsigned l, unsigned) { return At{q(l), g(l)}; }, kC16x8, ""});
  check({k8, 16, 8, 8, F32, TF32, TF32, F32,
         [](unsigned l, unsigned i) {
           return At{i % 2 ? g(l) + 8 : g(l), i < 2 ? q(l) : q(l) + 4};
         },
         [](unsigned l, unsigned i) { return At{q(l) + 4 * i, g(l)}; }, kC16x8,
         ""});
}

TEST_F(MatrixTest, DoubleShapes) {
  check({"mma.sync.aligned.m8n8k4.row.col", 8, 8, 4, F64, F64, F64, F64,
         [](unsigned l, unsigned) { return At{g(l), q(l)}; },
         [](unsigned l, unsigned) { return At{q(l), g(l)}; }, kC8x8, ""});
  for (unsigned k : {4u, 8u, 16u})
    check({"mma.sync.aligned.m16n8k" + std::to_string(k) + ".row.col", 16, 8, k,
           F64, F64, F64, F64,
           [](unsigned l, unsigned i) {
             return At{i % 2 ? g(l) + 8 : g(l), i / 2 * 4 + q(l)};
           },
           [](unsigned l, unsigned i) { return At{q(l) + 4 * i, g(l)}; },
           kC16x8, ""});
}

/// The layouts of types of so many elements a register: those of the smaller
/// and of the larger k.
struct Packed {
  Layout aSmall8, aSmall, aLarge, bSmall, bLarge;
};
static Packed packed(unsigned e) {
  Packed p;
  p.aSmall8 = [e](unsigned l, unsigned i) { return At{g(l), q(l) * e + i}; };
  p.aSmall = [e](unsigned l, unsigned i) {
    return At{i < e ? g(l) : g(l) + 8, q(l) * e + i % e};
  };
  p.aLarge = [e](unsigned l, unsigned i) {
    bool upper = i < e || (i >= 2 * e && i < 3 * e);
    return At{upper ? g(l) : g(l) + 8,
              q(l) * e + i % e + (i < 2 * e ? 0 : 4 * e)};
  };
  p.bSmall = [e](unsigned l, unsigned i) { return At{q(l) * e + i, g(l)}; };
  p.bLarge = [e](unsigned l, unsigned i) {
    return At{q(l) * e + i % e + (i < e ? 0 : 4 * e), g(l)};
  };
  return p;
}

TEST_F(MatrixTest, IntegerShapes) {
  for (unsigned e : {4u, 8u}) {
    Packed p = packed(e);
    El types[] = {e == 4 ? S8 : S4, e == 4 ? U8 : U4};
    auto name = [](const char *mn, unsigned k) {
      return "mma.sync.aligned." + std::string(mn) + "k" + std::to_string(k) +
             ".row.col";
    };
    for (El a : types)
      for (El b : types) {
        check({name("m8n8", 4 * e), 8, 8, 4 * e, S32, a, b, S32, p.aSmall8,
               p.bSmall, kC8x8, ""});
        check({name("m16n8", 4 * e), 16, 8, 4 * e, S32, a, b, S32, p.aSmall,
               p.bSmall, kC16x8, ""});
        check({name("m16n8", 8 * e), 16, 8, 8 * e, S32, a, b, S32, p.aLarge,
               p.bLarge, kC16x8, ""});
      }
  }
}

TEST_F(MatrixTest, BitShapes) {
  Packed p = packed(32);
  for (const char *op : {".xor.popc", ".and.popc"}) {
    auto name = [&](const char *shape) {
      return "mma.sync.aligned." + std::string(shape) + ".row.col";
    };
    check({name("m8n8k128"), 8, 8, 128, S32, B1, B1, S32, p.aSmall8, p.bSmall,
           kC8x8, op});
    check({name("m16n8k128"), 16, 8, 128, S32, B1, B1, S32, p.aSmall, p.bSmall,
           kC16x8, op});
    check({name("m16n8k256"), 16, 8, 256, S32, B1, B1, S32, p.aLarge, p.bLarge,
           kC16x8, op});
  }
}

TEST_F(MatrixTest, SmallFloatShapes) {
  Packed p = packed(4);
  for (El acc : {F16, F32}) {
    for (El a : {E4M3, E5M2})
      for (El b : {E4M3, E5M2}) {
        check({"mma.sync.aligned.m16n8k16.row.col", 16, 8, 16, acc, a, b, acc,
               p.aSmall, p.bSmall, kC16x8, ""});
        check({"mma.sync.aligned.m16n8k32.row.col", 16, 8, 32, acc, a, b, acc,
               p.aLarge, p.bLarge, kC16x8, ""});
      }
    for (El a : {E4M3, E3M2, E2M3, E2M1})
      for (El b : {E5M2, E3M2, E2M3, E2M1})
        check({"mma.sync.aligned.m16n8k32.row.col.kind::f8f6f4", 16, 8, 32, acc,
               a, b, acc, p.aLarge, p.bLarge, kC16x8, ""});
  }
}

// Four products of 8 x 8 x 4 in one instruction.
TEST_F(MatrixTest, QuadPairs) {
  for (El d : {F16, F32})
    for (El c : {F16, F32})
      for (bool aColumn : {false, true})
        for (bool bColumn : {false, true}) {
          // As one product of block-diagonal form: tile t has its own rows.
          auto half = [](unsigned l) { return l < 16 ? 0u : 4u; };
          auto tile = [](unsigned l) { return l / 4 % 4; };
          Layout a = [=](unsigned l, unsigned i) {
            At p = aColumn ? At{i + half(l), l % 4} : At{l % 4 + half(l), i};
            return At{p.row + 8 * tile(l), p.column};
          };
          Layout b = [=](unsigned l, unsigned i) {
            At p = bColumn ? At{i, l % 4 + half(l)} : At{l % 4, i + half(l)};
            return At{p.row + 4 * tile(l), p.column};
          };
          auto accumulator = [=](El t) -> Layout {
            return [=](unsigned l, unsigned i) {
              At p = t == F16 ? At{l % 4 + half(l), i}
                              : At{(l & 1) + (i & 2) + half(l),
                                   (i & 4) + (l & 2) + (i & 1)};
              return At{p.row + 8 * tile(l), p.column};
            };
          };
          auto va = values(F16, 32 * 4, 3), vb = values(F16, 16 * 8, 700),
               vc = values(F16, 32 * 8, 99), vd = vc;
          for (unsigned row = 0; row < 32; ++row)
            for (unsigned column = 0; column < 8; ++column)
              for (unsigned k = 0; k < 4; ++k)
                vd[row * 8 + column] +=
                    va[row * 4 + k] * vb[(row / 8 * 4 + k) * 8 + column];
          unsigned nd = d == F16 ? 4 : 8, nc = c == F16 ? 4 : 8;
          std::string text = std::string("mma.sync.aligned.m8n8k4.") +
                             (aColumn ? "col." : "row.") +
                             (bColumn ? "col." : "row.") + kNames[d] +
                             ".f16.f16." + kNames[c];
          auto module = load(kernel(text, {nd, 2, 2, nc}, {4, 4, 4, 4}));
          ASSERT_TRUE(module);
          uint64_t pd = alloc(32 * 8 * 4);
          Status s = launch(*module, "k", blocks(1, 32), pd,
                            upload(pack(F16, 2, a, va, 4)),
                            upload(pack(F16, 2, b, vb, 8)),
                            upload(pack(c, nc, accumulator(c), vc, 8)));
          ASSERT_TRUE(s.ok()) << s.text;
          auto want = pack(d, nd, accumulator(d), vd, 8);
          EXPECT_EQ(download<uint8_t>(pd, want.size()), want) << text;
        }
}

// One product that does not fit, with and without .satfinite; and an f32 sum
// that is rounded once.
TEST_F(MatrixTest, OverflowAndRounding) {
  auto run = [&](const std::string &text, uint32_t a, uint32_t b, uint32_t c,
                 unsigned na, unsigned nb) {
    auto module = load(kernel(text, {4, na, nb, 4}, {4, 4, 4, 4}));
    uint64_t pd = alloc(32 * 16);
    Status s = launch(*module, "k", blocks(1, 32), pd,
                      upload(std::vector<uint32_t>(32 * na, a)),
                      upload(std::vector<uint32_t>(32 * nb, b)),
                      upload(std::vector<uint32_t>(32 * 4, c)));
    EXPECT_TRUE(s.ok()) << s.text;
    return download<uint32_t>(pd, 1)[0];
  };
  std::string s8 = "mma.sync.aligned.m16n8k16.row.col";
  EXPECT_EQ(
      run(s8 + ".s32.s8.s8.s32", 0x7f7f7f7f, 0x7f7f7f7f, 0x7fffffff, 2, 1),
      0x7fffffffu + 16 * 127 * 127);
  EXPECT_EQ(run(s8 + ".satfinite.s32.s8.s8.s32", 0x7f7f7f7f, 0x7f7f7f7f,
                0x7fffffff, 2, 1),
            0x7fffffffu);
  EXPECT_EQ(run(s8 + ".satfinite.s32.s8.s8.s32", 0x80808080, 0x7f7f7f7f,
                0x80000001, 2, 1),
            0x80000000u);
  // 2^24 + 16 * (1/16 * 1) = 2^24 + 1 is a tie; to even. With 17/16: above it.
  std::string bf16 = "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32";
  EXPECT_EQ(run(bf16, 0x3d803d80, 0x3f803f80, 0x4b800000, 4, 2), 0x4b800000u);
  EXPECT_EQ(run(bf16, 0x3d883d88, 0x3f803f80, 0x4b800000, 4, 2), 0x4b800001u);
  // Infinity minus infinity.
  EXPECT_EQ(run(bf16, 0x7f807f80, 0x3f803f80, 0xff800000, 4, 2), 0x7fffffffu);
}

TEST_F(MatrixTest, RoundingOfDouble) {
  // 1 + 2^-53 * 1, then + 2^-53 * 1 ...: to nearest stays 1, up does not.
  for (auto [round, want] :
       {std::pair{"", 1.0}, std::pair{".rn", 1.0}, std::pair{".rz", 1.0},
        std::pair{".rm", 1.0}, std::pair{".rp", 1.0 + std::ldexp(4, -52)}}) {
    auto module = load(kernel(std::string("mma.sync.aligned.m8n8k4.row.col") +
                                  round + ".f64.f64.f64.f64",
                              {2, 1, 1, 2}, {8, 8, 8, 8}));
    uint64_t pd = alloc(32 * 16);
    Status s = launch(*module, "k", blocks(1, 32), pd,
                      upload(std::vector<double>(32, std::ldexp(1, -53))),
                      upload(std::vector<double>(32, 1)),
                      upload(std::vector<double>(64, 1)));
    ASSERT_TRUE(s.ok()) << s.text;
    EXPECT_EQ(download<double>(pd, 1)[0], want) << round;
  }
}

// wmma: load, multiply and store, of all shapes, types, layouts and spaces.

namespace {

struct WmmaCase {
  unsigned m, n, k;
  El d, a, c;
  unsigned na, nb, nd, nc; ///< Registers.
};

std::string registerList(const std::string &prefix, unsigned count) {
  std::string s = "{";
  for (unsigned k = 0; k < count; ++k)
    s += (k ? ", %" : "%") + prefix + std::to_string(k);
  return s + "}";
}

} // namespace

class WmmaTest : public MatrixTest {
protected:
  /// A matrix in memory, each row (or column) \p lead elements long.
  static std::vector<uint8_t> store(El t, const std::vector<double> &v,
                                    unsigned rows, unsigned columns,
                                    bool isColumn, unsigned lead) {
    unsigned bits = bitsIn(t);
    std::vector<uint8_t> out((isColumn ? columns : rows) * lead * bits / 8 +
                             16);
    for (unsigned r = 0; r < rows; ++r)
      for (unsigned c = 0; c < columns; ++c) {
        size_t at = size_t(isColumn ? c * lead + r : r * lead + c) * bits;
        uint64_t word = toBits(t, v[r * columns + c]);
        for (unsigned b = 0; b < bits; b += 8)
          out[(at + b) / 8] |=
              static_cast<uint8_t>(bits < 8 ? word << (at % 8) : word >> b);
      }
    return out;
  }

  /// \p layouts: of A, B, and C with D. Matrices lie at multiples of 16384
  /// bytes of one block of memory, in \p space.
  static std::string program(const WmmaCase &t, const char *const layouts[3],
                             const unsigned leads[3], bool dense,
                             const std::string &space, const std::string &op) {
    std::string shape = "m" + std::to_string(t.m) + "n" + std::to_string(t.n) +
                        "k" + std::to_string(t.k);
    std::string text = kHeader + R"(
.visible .entry k(.param .u64 p) {
  .shared .align 128 .b8 sh[32768];
  .reg .b64 %p, %q, %s; .reg .b32 %i, %t; .reg .pred %c;
  ld.param.u64 %p, [p]; mov.u32 %i, %laneid;)";
    for (auto [name, count, type] :
         {std::tuple{"d", t.nd, t.d}, std::tuple{"a", t.na, t.a},
          std::tuple{"b", t.nb, t.a}, std::tuple{"c", t.nc, t.c}})
      text += std::string("\n  .reg .b") + (type == F64 ? "64" : "32") + " %" +
              name + "<" + std::to_string(count) + ">;";
    if (space == ".shared")
      text += R"(
  mov.u32 %t, sh; cvt.u64.u32 %s, %t; mul.wide.u32 %q, %i, 4;
  add.u64 %p, %p, %q; add.u64 %s, %s, %q;
L: ld.global.b32 %t, [%p]; st.shared.b32 [%s], %t; add.u64 %p, %p, 128;
  add.u64 %s, %s, 128; add.u32 %i, %i, 32; setp.lt.u32 %c, %i, 6144;
  @%c bra L; bar.sync 0; mov.u32 %t, sh; cvt.u64.u32 %s, %t;)";
    else
      text += "\n  mov.u64 %s, %p;";
    auto move = [&](const std::string &what, unsigned k, const char *layout,
                    El type, unsigned count, const std::string &list,
                    unsigned offset) {
      std::string regs = registerList(list, count);
      std::string at = "[%s+" + std::to_string(offset) + "]";
      std::string s = "\n  wmma." + what + ".sync.aligned." + layout + "." +
                      shape + space + "." + kNames[type] + " ";
      s += what[0] == 'l' ? regs + ", " + at : at + ", " + regs;
      return dense ? s + ";" : s + ", " + std::to_string(leads[k]) + ";";
    };
    text += move("load.a", 0, layouts[0], t.a, t.na, "a", 0);
    text += move("load.b", 1, layouts[1], t.a, t.nb, "b", 8192);
    text += move("load.c", 2, layouts[2], t.c, t.nc, "c", 16384);
    std::string types = std::string(".") + kNames[t.d];
    if (t.a != F16)
      types += std::string(".") + kNames[t.a] + "." + kNames[t.a];
    text += "\n  wmma.mma" + op + ".sync.aligned." + layouts[0] + "." +
            layouts[1] + "." + shape + types + "." + kNames[t.c] + " " +
            registerList("d", t.nd) + ", " + registerList("a", t.na) + ", " +
            registerList("b", t.nb) + ", " + registerList("c", t.nc) + ";";
    text += move("store.d", 2, layouts[2], t.d, t.nd, "d", 24576);
    if (space == ".shared")
      text += R"(
  ld.param.u64 %p, [p]; add.u64 %p, %p, %q; add.u64 %s, %s, %q;
  mov.u32 %i, %laneid;
M: ld.shared.b32 %t, [%s+24576]; st.global.b32 [%p+24576], %t;
  add.u64 %p, %p, 128; add.u64 %s, %s, 128; add.u32 %i, %i, 32;
  setp.lt.u32 %c, %i, 2048; @%c bra M;)";
    return text + "\n  ret;\n}\n";
  }

  void run(const WmmaCase &t, bool aColumn, bool bColumn, bool cColumn,
           bool dense, const std::string &space, const std::string &op = "") {
    unsigned pad = dense ? 0 : bitsIn(t.a) == 1 ? 128 : 32;
    unsigned leads[3] = {(aColumn ? t.m : t.k) + pad,
                         (bColumn ? t.k : t.n) + pad,
                         (cColumn ? t.m : t.n) + (dense ? 0 : 4)};
    const char *layouts[3] = {aColumn ? "col" : "row", bColumn ? "col" : "row",
                              cColumn ? "col" : "row"};
    std::string text = program(t, layouts, leads, dense, space, op);
    auto module = load(text);
    ASSERT_TRUE(module) << text;
    auto a = values(t.a, t.m * t.k, 11), b = values(t.a, t.k * t.n, 222),
         c = values(t.c, t.m * t.n, 3333), d = c;
    Case product;
    product.a = t.a;
    product.tail = op;
    for (unsigned row = 0; row < t.m; ++row)
      for (unsigned column = 0; column < t.n; ++column)
        for (unsigned k = 0; k < t.k; ++k)
          d[row * t.n + column] =
              multiply(product, d[row * t.n + column], a[row * t.k + k],
                       b[k * t.n + column]);
    std::vector<uint8_t> memory(32768);
    auto put = [&](const std::vector<uint8_t> &bytes, size_t at) {
      ASSERT_LE(bytes.size(), 8192u);
      std::copy(bytes.begin(), bytes.end(), memory.begin() + long(at));
    };
    put(store(t.a, a, t.m, t.k, aColumn, leads[0]), 0);
    put(store(t.a, b, t.k, t.n, bColumn, leads[1]), 8192);
    put(store(t.c, c, t.m, t.n, cColumn, leads[2]), 16384);
    uint64_t p = upload(memory);
    Status s = launch(*module, "k", blocks(1, 32), p);
    ASSERT_TRUE(s.ok()) << s.text << text;
    auto want = store(t.d, d, t.m, t.n, cColumn, leads[2]);
    EXPECT_EQ(download<uint8_t>(p + 24576, want.size()), want) << text;
    EXPECT_TRUE(device->free(p, AllocationKind::Device).ok());
  }

  void runAll(const WmmaCase &t) {
    for (unsigned bits = 0; bits < 16; ++bits)
      for (const char *space : {".global", "", ".shared"})
        run(t, bits & 1, bits & 2, bits & 4, bits & 8, space);
  }
};

TEST_F(WmmaTest, Halves) {
  for (auto [m, n] :
       {std::pair{16u, 16u}, std::pair{8u, 32u}, std::pair{32u, 8u}}) {
    for (El d : {F16, F32})
      for (El c : {F16, F32})
        runAll({m, n, 16, d, F16, c, 8, 8, d == F16 ? 4u : 8u,
                c == F16 ? 4u : 8u});
    runAll({m, n, 16, F32, BF16, F32, m / 4, n / 4, 8, 8});
  }
}

TEST_F(WmmaTest, Bytes) {
  for (auto [m, n] :
       {std::pair{16u, 16u}, std::pair{8u, 32u}, std::pair{32u, 8u}})
    for (El a : {S8, U8})
      runAll({m, n, 16, S32, a, S32, m / 8, n / 8, 8, 8});
}

TEST_F(WmmaTest, Words) {
  runAll({16, 16, 8, F32, TF32, F32, 4, 4, 8, 8});
  runAll({8, 8, 4, F64, F64, F64, 1, 1, 2, 2});
}

TEST_F(WmmaTest, LessThanAByte) {
  for (const char *space : {".global", "", ".shared"})
    for (bool dense : {false, true})
      for (bool cColumn : {false, true}) {
        for (El a : {S4, U4})
          run({8, 8, 32, S32, a, S32, 1, 1, 2, 2}, false, true, cColumn, dense,
              space);
        for (const char *op : {".xor.popc", ".and.popc"})
          run({8, 8, 128, S32, B1, S32, 1, 1, 2, 2}, false, true, cColumn,
              dense, space, op);
      }
}

// Rows of matrices: a warp with 512 bytes of shared memory at %s, row r of 16
// bytes at r * 16, where byte k is k. The lane's address is %r.
class MatrixRowsTest : public EmuTest {
protected:
  Status run(const std::string &code, uint64_t p) {
    auto module = load(kHeader + R"(
.visible .entry k(.param .u64 p) {
  .shared .align 16 .b8 sh[512]; .reg .b64 %p, %q; .reg .b32 %i, %s, %r, %t, %v<4>;
  ld.param.u64 %p, [p]; mov.u32 %i, %tid.x; mov.u32 %s, sh;
  mad.lo.u32 %r, %i, 16, %s; mad.wide.u32 %q, %i, 16, %p;
  ld.global.v4.b32 {%v0, %v1, %v2, %v3}, [%q];
  st.shared.v4.b32 [%r], {%v0, %v1, %v2, %v3}; bar.sync 0;
)" + code + "\n  ret;\n}\n");
    return module ? launch(*module, "k", blocks(1, 32), p)
                  : Status{ErrorKind::InvalidPtx, "load"};
  }
  static std::vector<uint16_t> numbers() {
    std::vector<uint16_t> v(256);
    for (unsigned k = 0; k < 256; ++k)
      v[k] = static_cast<uint16_t>(k * 257 + 3);
    return v;
  }
};

TEST_F(MatrixRowsTest, Loads) {
  auto v = numbers();
  for (bool trans : {false, true})
    for (unsigned count : {1u, 2u, 4u})
      for (const char *space : {".shared", ".shared::cta", ""}) {
        uint64_t p = upload(v);
        std::string regs = "{%v0";
        for (unsigned k = 1; k < count; ++k)
          regs += ", %v" + std::to_string(k);
        std::string code = *space
                               ? "mov.b64 %q, 0; cvt.u64.u32 %q, %r;"
                               : "cvt.u64.u32 %q, %r; cvta.shared.u64 %q, %q;";
        code += "ldmatrix.sync.aligned.m8n8.x" + std::to_string(count) +
                (trans ? ".trans" : "") + space + ".b16 " + regs +
                "}, [%q]; mad.wide.u32 %q, %i, 16, %p;"
                "st.global.v4.b32 [%q], {%v0, %v1, %v2, %v3};";
        Status s = run(code, p);
        ASSERT_TRUE(s.ok()) << s.text;
        auto got = download<uint16_t>(p, 256);
        for (unsigned l = 0; l < 32; ++l)
          for (unsigned x = 0; x < count; ++x)
            for (unsigned h = 0; h < 2; ++h) {
              unsigned row = l / 4, column = l % 4 * 2 + h;
              if (trans)
                std::swap(row, column);
              EXPECT_EQ(got[l * 8 + x * 2 + h], v[x * 64 + row * 8 + column]);
            }
      }
}

TEST_F(MatrixRowsTest, Stores) {
  auto v = numbers();
  for (bool trans : {false, true})
    for (unsigned count : {1u, 2u, 4u}) {
      uint64_t p = upload(v);
      std::string regs = "{%v0";
      for (unsigned k = 1; k < count; ++k)
        regs += ", %v" + std::to_string(k);
      Status s = run("stmatrix.sync.aligned.m8n8.x" + std::to_string(count) +
                         (trans ? ".trans" : "") + ".shared.b16 [%r], " + regs +
                         "}; bar.sync 0;"
                         "ld.shared.v4.b32 {%v0, %v1, %v2, %v3}, [%r];"
                         "st.global.v4.b32 [%q], {%v0, %v1, %v2, %v3};",
                     p);
      ASSERT_TRUE(s.ok()) << s.text;
      auto got = download<uint16_t>(p, 256);
      for (unsigned x = 0; x < count; ++x)
        for (unsigned row = 0; row < 8; ++row)
          for (unsigned column = 0; column < 8; ++column) {
            unsigned r = trans ? column : row, c = trans ? row : column;
            unsigned lane = r * 4 + c / 2;
            EXPECT_EQ(got[x * 64 + row * 8 + column],
                      v[lane * 8 + x * 2 + c % 2]);
          }
    }
}

// Registers hold a 16 x 8 matrix of bytes as mma does; its columns become rows.
TEST_F(MatrixRowsTest, StoresBytes) {
  auto v = numbers();
  uint64_t p = upload(v);
  Status s = run("stmatrix.sync.aligned.m16n8.x4.trans.shared.b8 [%r], "
                 "{%v0, %v1, %v2, %v3}; bar.sync 0;"
                 "ld.shared.v4.b32 {%v0, %v1, %v2, %v3}, [%r];"
                 "st.global.v4.b32 [%q], {%v0, %v1, %v2, %v3};",
                 p);
  ASSERT_TRUE(s.ok()) << s.text;
  auto in = std::vector<uint8_t>(512), got = download<uint8_t>(p, 512);
  std::memcpy(in.data(), v.data(), 512);
  for (unsigned x = 0; x < 4; ++x)
    for (unsigned l = 0; l < 32; ++l)
      for (unsigned i = 0; i < 4; ++i) {
        unsigned row = l / 4 + (i < 2 ? 0 : 8), column = l % 4 * 2 + i % 2;
        EXPECT_EQ(got[x * 128 + column * 16 + row], in[l * 16 + x * 4 + i]);
      }
}

TEST_F(MatrixRowsTest, ExpandsPackedElements) {
  for (unsigned bits : {4u, 6u}) {
    auto v = numbers();
    uint64_t p = upload(v);
    Status s = run(std::string("ldmatrix.sync.aligned.m8n16.x4.shared.b8x16.") +
                       (bits == 4 ? "b4x16_p64" : "b6x16_p32") +
                       " {%v0, %v1, %v2, %v3}, [%r];"
                       "st.global.v4.b32 [%q], {%v0, %v1, %v2, %v3};",
                   p);
    ASSERT_TRUE(s.ok()) << s.text;
    auto in = std::vector<uint8_t>(512), got = download<uint8_t>(p, 512);
    std::memcpy(in.data(), v.data(), 512);
    for (unsigned x = 0; x < 4; ++x)
      for (unsigned l = 0; l < 32; ++l)
        for (unsigned i = 0; i < 4; ++i) {
          unsigned row = x * 8 + l / 4, at = (l % 4 * 4 + i) * bits, want = 0;
          for (unsigned b = 0; b < bits; ++b)
            want |= (in[row * 16 + (at + b) / 8] >> ((at + b) % 8) & 1u) << b;
          EXPECT_EQ(got[l * 16 + x * 4 + i], want);
        }
  }
}

TEST_F(MatrixRowsTest, Transposes) {
  auto v = numbers();
  uint64_t p = upload(v);
  Status s = run("movmatrix.sync.aligned.m8n8.trans.b16 %v1, %v0;"
                 "st.global.b32 [%q+4], %v1;",
                 p);
  ASSERT_TRUE(s.ok()) << s.text;
  auto got = download<uint16_t>(p, 256);
  for (unsigned row = 0; row < 8; ++row)
    for (unsigned column = 0; column < 8; ++column)
      EXPECT_EQ(got[(row * 4 + column / 2) * 8 + 2 + column % 2],
                v[(column * 4 + row / 2) * 8 + row % 2]);
}

TEST_F(MatrixRowsTest, Faults) {
  uint64_t p = upload(numbers());
  for (auto [code, kind] : {
           std::pair{"add.u32 %r, %r, 8; ldmatrix.sync.aligned.m8n8.x1.shared"
                     ".b16 {%v0}, [%r];",
                     ErrorKind::MisalignedAddress},
           std::pair{"ldmatrix.sync.aligned.m8n8.x4.shared.b16 "
                     "{%v0, %v1, %v2, %v3}, [%r+256];",
                     ErrorKind::IllegalAddress},
           std::pair{"wmma.load.a.sync.aligned.row.m16n16k16.shared.bf16 "
                     "{%v0, %v1, %v2, %v3}, [%s], 64;",
                     ErrorKind::IllegalAddress},
           std::pair{"wmma.load.a.sync.aligned.row.m16n16k16.shared.bf16 "
                     "{%v0, %v1, %v2, %v3}, [%s+1];",
                     ErrorKind::MisalignedAddress},
       }) {
    device->resetSticky();
    Status s = run(code, p);
    EXPECT_EQ(s.kind, kind) << code << ": " << s.text;
  }
}

// What is refused, by name; and fragments of the wrong size.
TEST_F(MatrixRowsTest, Refused) {
  uint64_t p = upload(numbers());
  for (const char *code :
       {"mma.sp.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16",
        "mma.sync.aligned.m16n8k8.row.col.f16.bf16.bf16.f16",
        "mma.sync.aligned.m16n8k32.row.col.kind::mxf8f6f4.block_scale.f32.e4m3"
        ".e4m3.f32.ue8m0",
        "wmma.mma.sync.aligned.row.col.m16n16k8.f16.f16"}) {
    device->resetSticky();
    Status s = run(std::string(code) + " {%v0, %v1}, {%v0}, {%v0}, {%v0};", p);
    EXPECT_EQ(s.kind, ErrorKind::NotImplemented) << code;
    EXPECT_NE(s.text.find("not implemented: " + std::string(code)),
              std::string::npos)
        << s.text;
  }
  device->resetSticky();
  Status s = run("ldmatrix.sync.aligned.m16n16.x1.trans.shared.b8 {%v0, %v1}, "
                 "[%r];",
                 p);
  EXPECT_EQ(s.kind, ErrorKind::NotImplemented);
  device->resetSticky();
  s = run("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%v0}, [%r];", p);
  EXPECT_EQ(s.kind, ErrorKind::InvalidPtx);
  EXPECT_NE(s.text.find("fragment of 1 registers, 2 are expected"),
            std::string::npos)
      << s.text;
}

} // namespace gpulto::emu::test
