//===- DecodeAlu.cpp - Arithmetic, moves, conversions, comparisons --------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "emulator/ptx/Decoder.h"

#include <algorithm>
#include <cstring>

namespace gpulto::emu {

namespace {

/// Operand kinds of an instruction, one letter each:
///   d destination of the type     s source of the type
///   D destination of 32 bits      u source of 32 bits
///   w destination twice as wide   W source twice as wide
///   p destination predicate       q source predicate
///   t source of the second type   i immediate for Insn::imm
struct Shape {
  std::string_view opcode;
  std::string_view operands;
};
constexpr Shape kShapes[] = {
    {"add", "dss"},   {"sub", "dss"},    {"addc", "dss"},   {"subc", "dss"},
    {"mul", "dss"},   {"div", "dss"},    {"rem", "dss"},    {"mul24", "dss"},
    {"and", "dss"},   {"or", "dss"},     {"xor", "dss"},    {"copysign", "dss"},
    {"shl", "dsu"},   {"shr", "dsu"},    {"mad", "dsss"},   {"madc", "dsss"},
    {"fma", "dsss"},  {"mad24", "dsss"}, {"sad", "dsss"},   {"neg", "ds"},
    {"not", "ds"},    {"cnot", "ds"},    {"abs", "ds"},     {"sqrt", "ds"},
    {"rsqrt", "ds"},  {"rcp", "ds"},     {"sin", "ds"},     {"cos", "ds"},
    {"ex2", "ds"},    {"lg2", "ds"},     {"tanh", "ds"},    {"popc", "Ds"},
    {"clz", "Ds"},    {"bfind", "Ds"},   {"brev", "ds"},    {"fns", "Duuu"},
    {"bfe", "dsuu"},  {"bfi", "dssuu"},  {"bmsk", "Duu"},   {"szext", "dsu"},
    {"prmt", "Duuu"}, {"shf", "Duuu"},   {"lop3", "Duuui"}, {"dp4a", "Duuu"},
    {"dp2a", "Duuu"}, {"selp", "dssq"},  {"slct", "dsst"},  {"testp", "ps"},
};

Type widened(Type t) {
  switch (t) {
  case Type::U16:
    return Type::U32;
  case Type::S16:
    return Type::S32;
  case Type::U32:
    return Type::U64;
  case Type::S32:
    return Type::S64;
  default:
    return t;
  }
}

} // namespace

InsnClass Decoder::classOf() const {
  std::string_view op = desc.opcode;
  if (op == "membar" || op == "fence")
    return InsnClass::Fence;
  if (op == "sqrt" || op == "rsqrt" || op == "rcp" || op == "sin" ||
      op == "cos" || op == "ex2" || op == "lg2" || op == "tanh")
    return InsnClass::Special;
  if (op == "setp" || op == "set" || op == "selp" || op == "slct" ||
      op == "testp" || op == "isspacep")
    return InsnClass::Compare;
  switch (desc.type()) {
  case Type::F32:
    return InsnClass::Float32;
  case Type::F64:
    return InsnClass::Float64;
  case Type::F16:
  case Type::F16x2:
  case Type::BF16:
  case Type::BF16x2:
    return InsnClass::Half;
  case Type::Pred:
    return InsnClass::Compare;
  case Type::None:
    return InsnClass::Other;
  default:
    return InsnClass::Integer;
  }
}

/// The operands of the instruction in hand as a Shape has them; empty when
/// there is none.
std::string_view Decoder::shapeOfAlu() const {
  const size_t count = st->operands.size();
  std::string_view op = desc.opcode;
  // Operations of two float formats (sm_100) have two types.
  bool isMixed = desc.typeCount > 1 && isFloat(desc.types[0]) && op != "slct" &&
                 op != "set";
  bool writesPredicate = op == "lop3" && count == 6;
  if (isMixed || writesPredicate)
    return {};
  if (op == "min" || op == "max")
    return count == 4 ? "dsss" : "dss";
  if (op == "mul" && desc.has("wide"))
    return "wss";
  if (op == "mad" && desc.has("wide"))
    return "wssW";
  for (const Shape &s : kShapes)
    if (s.opcode == op)
      return s.operands;
  return {};
}

bool Decoder::aluDest(const Operand &o, unsigned want) {
  unsigned bytes = 0;
  if (!dest(o, insn.d[0], &bytes))
    return false;
  return insn.d[0] == kNoOp || bytes == want ||
         fail("destination of " + std::to_string(bytes) +
              " bytes, the result has " + std::to_string(want));
}

bool Decoder::predicateDest(const Operand &o) {
  unsigned bytes = 1;
  return dest(o, insn.d[0], &bytes, false) &&
         (bytes == 0 || fail("the destination must be a predicate"));
}

/// Decodes an operand of the kind \p letter of a Shape; \p next is the first
/// free source.
bool Decoder::aluOperand(char letter, const Operand &o, unsigned &next) {
  Type type = desc.type();
  unsigned size = std::max(2u, sizeOf(type));
  switch (letter) {
  case 'd':
    return aluDest(o, size);
  case 'D':
    return aluDest(o, 4);
  case 'w':
    return aluDest(o, 2 * size);
  case 'p':
    return predicateDest(o);
  case 's':
    return source(o, type, insn.s[next++]);
  case 'u':
    return source(o, Type::U32, insn.s[next++]);
  case 'W':
    return source(o, widened(type), insn.s[next++]);
  case 't':
    return source(o, desc.types[1], insn.s[next++]);
  case 'q':
    return predicate(o, insn.s[next++]);
  default: // 'i'
    insn.imm = static_cast<int64_t>(o.value);
    return isImmediate(o) || fail("expected an immediate");
  }
}

/// What is left has no effect, or is not known.
bool Decoder::decodeHint() {
  static constexpr std::string_view kHints[] = {"prefetch", "prefetchu",
                                                "discard",  "applypriority",
                                                "pmevent",  "setmaxnreg"};
  if (!st->operands.empty() && std::find(std::begin(kHints), std::end(kHints),
                                         desc.opcode) == std::end(kHints))
    return emitNotImplemented();
  refs.uses.clear();
  if (insn.guard != kNoGuard)
    refs.uses.push_back(insn.guard >> 1);
  return emitSelected();
}

bool Decoder::decodeAlu() {
  const std::vector<Operand> &ops = st->operands;
  std::string_view op = desc.opcode, shape = shapeOfAlu();
  if (shape.empty())
    return decodeHint();
  if (desc.type() == Type::None) // One that is not known.
    return emitNotImplemented();
  if (ops.size() != shape.size())
    return fail(std::string(op) + " with " + std::to_string(ops.size()) +
                " operands instead of " + std::to_string(shape.size()));
  unsigned next = 0;
  for (size_t k = 0; k < shape.size(); ++k)
    if (!aluOperand(shape[k], ops[k], next))
      return false;
  if (insn.d[0] == kNoOp) // Into '_': nothing to do.
    return true;
  if (op == "min" || op == "max")
    desc.variant = static_cast<unsigned>(shape.size() - 1);
  readRounding();
  return emitSelected();
}

bool Decoder::decodePredicateLogic() {
  const std::vector<Operand> &ops = st->operands;
  std::string_view op = desc.opcode;
  size_t want = op == "not" ? 2 : 3;
  if (op != "and" && op != "or" && op != "xor" && op != "not")
    return emitNotImplemented();
  unsigned bytes = 1;
  if (ops.size() != want || !dest(ops[0], insn.d[0], &bytes, false) ||
      bytes != 0)
    return fail("malformed " + std::string(op) + ".pred");
  for (size_t k = 1; k < want; ++k)
    if (!predicate(ops[k], insn.s[k - 1]))
      return false;
  return emitSelected();
}

// mov.
// ----------------------------------------------------------------------------

namespace {

struct NamedRegister {
  std::string_view name;
  SpecialReg reg; ///< Of a vector its x.
};
constexpr NamedRegister kVectorRegisters[] = {
    {"%tid", kTidX},
    {"%ntid", kNtidX},
    {"%ctaid", kCtaidX},
    {"%nctaid", kNctaidX},
    {"%clusterid", kClusterIdX},
    {"%nclusterid", kNclusterIdX},
    {"%cluster_ctaid", kClusterCtaidX},
    {"%cluster_nctaid", kClusterNctaidX}};
constexpr NamedRegister kScalarRegisters[] = {
    {"%laneid", kLaneId},
    {"%warpid", kWarpId},
    {"%nwarpid", kNwarpId},
    {"%smid", kSmId},
    {"%nsmid", kNsmId},
    {"%gridid", kGridId},
    {"%clock", kClock},
    {"%clock_hi", kClockHi},
    {"%clock64", kClock64},
    {"%globaltimer", kGlobalTimer},
    {"%globaltimer_lo", kGlobalTimerLo},
    {"%globaltimer_hi", kGlobalTimerHi},
    {"%lanemask_eq", kLaneMaskEq},
    {"%lanemask_le", kLaneMaskLe},
    {"%lanemask_lt", kLaneMaskLt},
    {"%lanemask_ge", kLaneMaskGe},
    {"%lanemask_gt", kLaneMaskGt},
    {"%dynamic_smem_size", kDynamicSmemSize},
    {"%total_smem_size", kTotalSmemSize},
    {"%aggr_smem_size", kAggrSmemSize},
    {"%envreg1", kEnvReg1},
    {"%envreg2", kEnvReg2},
    {"%cluster_ctarank", kClusterCtaRank},
    {"%cluster_nctarank", kClusterNctaRank},
    {"%is_explicit_cluster", kIsExplicitCluster},
    {"%current_graph_exec", kZero},
    {"%reserved_smem_offset_begin", kZero},
    {"%reserved_smem_offset_end", kZero},
    {"%reserved_smem_offset_cap", kZero}};

template <size_t kSize>
const NamedRegister *findRegister(const NamedRegister (&table)[kSize],
                                  std::string_view name) {
  for (const NamedRegister &r : table)
    if (r.name == name)
      return &r;
  return nullptr;
}

} // namespace

/// True when \p o is a special register, which \p reg becomes. Those that the
/// emulator has no use for (%envreg3, %pm0, the fourth of a vector) are zero.
bool Decoder::specialRegister(const Operand &o, unsigned &reg) const {
  std::string_view n = o.name;
  if (n.empty() || n[0] != '%')
    return false;
  if (o.kind == Operand::Special) {
    const NamedRegister *vector = findRegister(kVectorRegisters, n);
    size_t axis = std::string_view("xyz").find(o.element);
    bool hasAxis = o.element.size() == 1 && axis != std::string_view::npos;
    if (vector)
      reg =
          hasAxis ? vector->reg + static_cast<unsigned>(axis) : unsigned(kZero);
    return vector != nullptr;
  }
  if (const NamedRegister *scalar = findRegister(kScalarRegisters, n)) {
    reg = scalar->reg;
    return true;
  }
  reg = kZero;
  return (n.starts_with("%envreg") || n.starts_with("%pm")) &&
         n.back() >= '0' && n.back() <= '9';
}

bool Decoder::decodeMovVector(bool isPack) {
  const Operand &whole = st->operands[isPack ? 0 : 1];
  const Operand &vector = st->operands[isPack ? 1 : 0];
  size_t n = vector.parts.size();
  unsigned total = std::max(2u, sizeOf(desc.type())), part = total;
  if (n != 2 && n != 4)
    return fail("vector of " + std::to_string(n) + " elements");
  part = sizeOf(desc.type()) / static_cast<unsigned>(n);
  std::vector<Op> list;
  for (const Operand &o : vector.parts) {
    Op op = kNoOp;
    Type t = part == 1   ? Type::B8
             : part == 2 ? Type::B16
             : part == 4 ? Type::B32
                         : Type::B64;
    unsigned bytes = 0;
    bool ok = isPack ? source(o, t, op, &bytes) : dest(o, op, &bytes);
    if (!ok)
      return false;
    if (op != kNoOp && bytes != std::max(2u, part))
      return fail("vector element of the wrong size");
    list.push_back(op);
  }
  unsigned bytes = 0;
  bool ok = isPack ? dest(whole, insn.d[0], &bytes, false)
                   : source(whole, desc.type(), insn.s[0], &bytes);
  if (!ok)
    return false;
  if (bytes != total)
    return fail("operand of the wrong size");
  desc.variant = isPack ? kMovePack : kMoveUnpack;
  desc.destBytes = isPack ? total : part;
  desc.sourceBytes = isPack ? part : total;
  insn.vec = static_cast<uint8_t>(n);
  insn.extra = static_cast<uint32_t>(fn.extra.size());
  fn.extra.insert(fn.extra.end(), list.begin(), list.end());
  return emitSelected();
}

/// The address of a variable or function, or a special register.
bool Decoder::decodeMovSymbol(const Operand &o, bool &handled) {
  handled = true;
  unsigned reg = 0;
  if (specialRegister(o, reg)) {
    desc.variant = kMoveSpecial;
    insn.mode = static_cast<uint8_t>(reg);
    return emitSelected();
  }
  Entity e;
  if (o.kind != Operand::Name || o.name == "WARP_SZ" ||
      (lookUp(o.name, e) && e.kind == Entity::Register)) {
    handled = false;
    return true;
  }
  Insn probe;
  if (!symbolAddress(o.name, o.value, probe))
    return false;
  if (probe.space == Space::Shared) {
    desc.variant = kMoveShared;
  } else if (probe.flags & kFrameLocal) {
    desc.variant = kMoveFrameLocal;
    insn.imm = probe.imm;
  } else {
    insn.s[0] = constant(desc.destBytes, static_cast<uint64_t>(probe.imm));
  }
  return emitSelected();
}

bool Decoder::decodeMov() {
  insn.cls = InsnClass::Move;
  const std::vector<Operand> &ops = st->operands;
  if (ops.size() != 2)
    return fail("mov with " + std::to_string(ops.size()) + " operands");
  if (ops[0].kind == Operand::Vector)
    return decodeMovVector(false);
  if (ops[1].kind == Operand::Vector)
    return decodeMovVector(true);
  unsigned bytes = 0, size = std::max(2u, sizeOf(desc.type()));
  if (!dest(ops[0], insn.d[0], &bytes))
    return false;
  if (insn.d[0] == kNoOp)
    return true;
  if (desc.type() == Type::Pred) {
    if (bytes != 0)
      return fail("mov.pred to a register that is none");
    if (unsigned reg = 0; specialRegister(ops[1], reg)) {
      bool handled = false;
      return decodeMovSymbol(ops[1], handled);
    }
    if (!predicate(ops[1], insn.s[0]))
      return false;
    return emitSelected();
  }
  if (bytes != size)
    return fail("destination of " + std::to_string(bytes) +
                " bytes for a mov of " + std::to_string(size));
  desc.destBytes = desc.sourceBytes = bytes;
  bool handled = false;
  if (!decodeMovSymbol(ops[1], handled))
    return false;
  if (handled)
    return true;
  if (!source(ops[1], desc.type(), insn.s[0]))
    return false;
  return emitSelected();
}

bool Decoder::decodeCvta() {
  const std::vector<Operand> &ops = st->operands;
  Space space = memorySpace();
  insn.space = space;
  insn.cls = InsnClass::Integer;
  if (ops.size() != 2)
    return fail(std::string(desc.opcode) + " needs two operands");
  unsigned bytes = 0;
  if (!dest(ops[0], insn.d[0], &bytes, false))
    return false;
  if (desc.opcode == "isspacep") {
    if (bytes != 0)
      return fail("the destination must be a predicate");
    if (!source(ops[1], Type::U64, insn.s[0]))
      return false;
    insn.mode = desc.has("cluster");
    return emitSelected();
  }
  if (desc.has("to"))
    insn.mode = 1;
  if (space == Space::Param && !fn.isEntry)
    insn.flags |= kFrameLocal;
  if (sizeOf(desc.type()) != 8)
    return emitNotImplemented();
  if (bytes != 8)
    return fail("destination of the wrong size");
  return addressSource(ops[1], Type::U64, insn.s[0]) && emitSelected();
}

/// A source that may also be the address of a symbol, as mov would make it.
bool Decoder::addressSource(const Operand &o, Type type, Op &op) {
  Entity e;
  bool isRegister = o.kind != Operand::Name ||
                    (lookUp(o.name, e) && e.kind == Entity::Register);
  if (isRegister)
    return source(o, type, op);
  return throughTemporary(type, op, [&] {
    insn.cls = InsnClass::Move;
    desc.opcode = "mov";
    desc.types[0] = type;
    desc.destBytes = desc.sourceBytes = sizeOf(type);
    bool handled = false;
    if (decodeMovSymbol(o, handled) && handled)
      return true;
    return error.failed() ? false : fail("expected an address");
  });
}

/// mapa{.shared::cluster}.type d, a, rank; getctarank{.shared::cluster}.type d,
/// a; the type is that of the address.
bool Decoder::decodeClusterAddress() {
  const std::vector<Operand> &ops = st->operands;
  bool isMap = desc.opcode == "mapa";
  unsigned size = sizeOf(desc.type()), bytes = isMap ? size : 4, want = bytes;
  insn.space = memorySpace();
  insn.cls = InsnClass::Integer;
  insn.ctl = Ctl::Faulting;
  if ((size != 4 && size != 8) || ops.size() != (isMap ? 3u : 2u) ||
      (size == 4 && insn.space != Space::Shared))
    return fail("malformed " + std::string(desc.opcode));
  if (!dest(ops[0], insn.d[0], &bytes, false) ||
      !addressSource(ops[1], desc.type(), insn.s[0]) ||
      (isMap && !source(ops[2], Type::U32, insn.s[1])))
    return false;
  return bytes == want ? emitSelected() : fail("destination of the wrong size");
}

// cvt.
// ----------------------------------------------------------------------------

/// The two sources of a cvt into a vector, and its further operands.
bool Decoder::cvtPair(bool isPack) {
  const std::vector<Operand> &ops = st->operands;
  Type type = isPack ? Type::S32 : Type::F32;
  if (desc.destBytes != (isPack ? 4 : sizeOf(desc.types[0])) ||
      ops.size() < 3 || !source(ops[1], type, insn.s[0]) ||
      !source(ops[2], type, insn.s[1]))
    return fail("malformed cvt");
  if (ops.size() > 3 && !source(ops[3], Type::B32, insn.s[2]))
    return false;
  return !isPack || desc.has("sat") || fail("cvt.pack without .sat");
}

/// The source of any other; registers may be wider than the types.
bool Decoder::cvtSingle() {
  const Operand &o = st->operands[1];
  Type to = desc.types[0], from = desc.types[1];
  desc.sourceBytes = std::max(2u, sizeOf(from));
  if (!source(o, from, insn.s[0], isImmediate(o) ? nullptr : &desc.sourceBytes))
    return false;
  bool isNarrow =
      desc.destBytes < sizeOf(to) || desc.sourceBytes < sizeOf(from);
  return !isNarrow || fail("register narrower than the type of cvt");
}

/// What selectConvert reads from Insn::imm.
uint64_t Decoder::cvtPlan() const {
  unsigned round = desc.has("rz") || desc.has("rzi")   ? 1
                   : desc.has("rm") || desc.has("rmi") ? 2
                   : desc.has("rp") || desc.has("rpi") ? 3
                                                       : 0;
  bool isIntegral =
      desc.has("rni") || desc.has("rzi") || desc.has("rmi") || desc.has("rpi");
  return static_cast<uint64_t>(desc.types[0]) |
         static_cast<uint64_t>(desc.types[1]) << 8 | uint64_t(round) << 16 |
         uint64_t(isIntegral) << 18 | uint64_t(desc.has("sat")) << 19 |
         uint64_t(desc.has("ftz")) << 20 | uint64_t(desc.has("relu")) << 21 |
         uint64_t(desc.destBytes) << 24 | uint64_t(desc.sourceBytes) << 32;
}

bool Decoder::decodeCvt() {
  insn.cls = InsnClass::Convert;
  const std::vector<Operand> &ops = st->operands;
  auto isVector = [](Type t) {
    return t == Type::F16x2 || t == Type::BF16x2 || t == Type::E4M3x2 ||
           t == Type::E5M2x2;
  };
  bool isPack = desc.has("pack");
  bool isPair = isVector(desc.types[0]) && !isVector(desc.types[1]);
  bool hasSources = isPair ? ops.size() == 3 : isPack || ops.size() == 2;
  if (desc.typeCount < 2 || desc.has("rs") || !hasSources)
    return emitNotImplemented();
  if (!dest(ops[0], insn.d[0], &desc.destBytes))
    return false;
  if (insn.d[0] == kNoOp)
    return true;
  if (!(isPack || isPair ? cvtPair(isPack) : cvtSingle()))
    return false;
  if (isPack && desc.types[1] != Type::S32) // From 16 bits: not known.
    return emitNotImplemented();
  insn.imm = static_cast<int64_t>(cvtPlan());
  return emitSelected();
}

// setp and set.
// ---------------------------------------------------------------------

bool Decoder::decodeSetp() {
  const std::vector<Operand> &ops = st->operands;
  insn.cls = InsnClass::Compare;
  bool isSet = desc.opcode == "set";
  Type type = isSet ? desc.types[1] : desc.types[0];
  if (type == Type::None)
    return fail("comparison without a type");
  if (ops.size() != 3 && ops.size() != 4)
    return fail("comparison with " + std::to_string(ops.size()) + " operands");
  if (isSet) {
    unsigned bytes = 0;
    if (!dest(ops[0], insn.d[0], &bytes, false))
      return false;
    bool pairSource = sizeOf(type) == 4 && isFloat(type) && type != Type::F32;
    switch (desc.types[0]) {
    case Type::F32:
      insn.imm = 0x3f800000;
      break;
    case Type::F16:
    case Type::F16x2:
      insn.imm = 0x3c00;
      break;
    case Type::BF16:
    case Type::BF16x2:
      insn.imm = 0x3f80;
      break;
    default:
      insn.imm = pairSource || bytes == 2 ? 0xffff : 0xffffffff;
    }
    insn.bytes = static_cast<uint8_t>(bytes);
    if (bytes != std::max(2u, sizeOf(desc.types[0])))
      return fail("destination of the wrong size");
  } else if (!destPair(ops[0], true)) {
    return false;
  }
  if (!source(ops[1], type, insn.s[0]) || !source(ops[2], type, insn.s[1]))
    return false;
  if (ops.size() == 4) {
    insn.mode = desc.has("and")   ? 1
                : desc.has("or")  ? 2
                : desc.has("xor") ? 3
                                  : 0;
    if (!insn.mode || !predicate(ops[3], insn.s[2]))
      return fail("malformed combination with a predicate");
  }
  return emitSelected();
}

} // namespace gpulto::emu
