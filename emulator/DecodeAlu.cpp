//===- DecodeAlu.cpp - Arithmetic, moves, conversions, comparisons --------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "emulator/Decoder.h"

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

bool Decoder::decodeAlu() {
  const std::vector<Operand> &ops = st->operands;
  std::string_view op = desc.opcode, shape;
  for (const Shape &s : kShapes)
    if (s.opcode == op)
      shape = s.operands;
  if ((op == "mul" || op == "mad") && desc.has("wide"))
    shape = op == "mul" ? "wss" : "wssW";
  if (op == "min" || op == "max")
    shape = ops.size() == 4 ? "dsss" : "dss";
  if (op == "lop3" && ops.size() == 6) // The form that also writes a predicate.
    shape = {};
  // Operations of two float formats (sm_100) have two types.
  bool mixed = desc.typeCount > 1 && isFloat(desc.types[0]) && op != "slct" &&
               op != "set";
  if (shape.empty() || mixed) {
    // Nothing but hints and fences remain, or it is not known.
    if (ops.empty() || op == "prefetch" || op == "prefetchu" ||
        op == "discard" || op == "applypriority" || op == "pmevent" ||
        op == "setmaxnreg") {
      refs.uses.clear();
      if (insn.guard != kNoGuard)
        refs.uses.push_back(insn.guard >> 1);
      return emitSelected();
    }
    emitNotImplemented();
    return true;
  }
  Type type = desc.type();
  if (type == Type::None) { // One that is not known.
    emitNotImplemented();
    return true;
  }
  if (ops.size() != shape.size())
    return fail(std::string(op) + " with " + std::to_string(ops.size()) +
                " operands instead of " + std::to_string(shape.size()));
  unsigned next = 0;
  for (size_t k = 0; k < shape.size(); ++k) {
    const Operand &o = ops[k];
    bool ok = true;
    unsigned bytes = 0, want = std::max(2u, sizeOf(type));
    switch (shape[k]) {
    case 'd':
    case 'D':
    case 'w':
      ok = dest(o, insn.d[0], &bytes);
      want = shape[k] == 'D' ? 4 : shape[k] == 'w' ? 2 * want : want;
      if (ok && insn.d[0] != kNoOp && bytes != want)
        return fail("destination of " + std::to_string(bytes) +
                    " bytes, the result has " + std::to_string(want));
      break;
    case 'p':
      bytes = 1;
      ok = dest(o, insn.d[0], &bytes, false);
      if (ok && bytes != 0)
        return fail("the destination must be a predicate");
      break;
    case 's':
      ok = source(o, type, insn.s[next++]);
      break;
    case 'u':
      ok = source(o, Type::U32, insn.s[next++]);
      break;
    case 'W':
      ok = source(o, widened(type), insn.s[next++]);
      break;
    case 't':
      ok = source(o, desc.types[1], insn.s[next++]);
      break;
    case 'q':
      ok = predicate(o, insn.s[next++]);
      break;
    case 'i':
      if (!isImmediate(o))
        return fail("expected an immediate");
      insn.imm = static_cast<int64_t>(o.value);
      break;
    default:
      break;
    }
    if (!ok)
      return false;
  }
  if (insn.d[0] == kNoOp) // Into '_': nothing to do.
    return true;
  if (op == "min" || op == "max")
    desc.variant = static_cast<unsigned>(shape.size() - 1);
  if (desc.has("rz"))
    insn.mode = 1;
  else if (desc.has("rm"))
    insn.mode = 2;
  else if (desc.has("rp"))
    insn.mode = 3;
  insn.mode2 = static_cast<uint8_t>((desc.has("ftz") ? 1 : 0) |
                                    (desc.has("sat") ? 2 : 0));
  return emitSelected();
}

bool Decoder::decodePredicateLogic() {
  const std::vector<Operand> &ops = st->operands;
  std::string_view op = desc.opcode;
  size_t want = op == "not" ? 2 : 3;
  if (op != "and" && op != "or" && op != "xor" && op != "not") {
    emitNotImplemented();
    return true;
  }
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

bool Decoder::specialRegister(const Operand &o, unsigned &reg) const {
  std::string_view n = o.name;
  if (n.empty() || n[0] != '%')
    return false;
  if (o.kind == Operand::Special) {
    unsigned axis = o.element == "x"   ? 0
                    : o.element == "y" ? 1
                    : o.element == "z" ? 2
                                       : 3;
    struct Vector {
      std::string_view name;
      unsigned first;
    };
    static constexpr Vector kVectors[] = {{"%tid", kTidX},
                                          {"%ntid", kNtidX},
                                          {"%ctaid", kCtaidX},
                                          {"%nctaid", kNctaidX},
                                          {"%clusterid", kClusterIdX},
                                          {"%nclusterid", kNclusterIdX},
                                          {"%cluster_ctaid", kClusterCtaidX},
                                          {"%cluster_nctaid", kClusterNctaidX}};
    for (const Vector &v : kVectors)
      if (v.name == n) {
        reg = axis == 3 ? unsigned(kZero) : v.first + axis;
        return true;
      }
    return false;
  }
  struct Scalar {
    std::string_view name;
    unsigned reg;
  };
  static constexpr Scalar kScalars[] = {
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
  for (const Scalar &s : kScalars)
    if (s.name == n) {
      reg = s.reg;
      return true;
    }
  if (n.starts_with("%envreg") || n.starts_with("%pm")) {
    bool digits = n.back() >= '0' && n.back() <= '9';
    reg = kZero;
    return digits;
  }
  return false;
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
  Operand wrapped;
  wrapped.kind = Operand::Address;
  wrapped.value = o.value;
  wrapped.parts.push_back(o);
  Insn probe;
  bool found = false;
  if (!symbolAddress(wrapped, probe, found))
    return false;
  if (!found)
    return fail("undeclared name " + std::string(o.name));
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
  if (sizeOf(desc.type()) != 8) {
    emitNotImplemented();
    return true;
  }
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

bool Decoder::decodeCvt() {
  insn.cls = InsnClass::Convert;
  const std::vector<Operand> &ops = st->operands;
  bool pack = desc.has("pack");
  auto isPair = [](Type t) {
    return t == Type::F16x2 || t == Type::BF16x2 || t == Type::E4M3x2 ||
           t == Type::E5M2x2;
  };
  bool pair = isPair(desc.types[0]) && !isPair(desc.types[1]);
  if (desc.typeCount < 2 || desc.has("rs") || (pair && ops.size() != 3) ||
      (!pair && !pack && ops.size() != 2)) {
    emitNotImplemented();
    return true;
  }
  Type to = desc.types[0], from = desc.types[1];
  if (!dest(ops[0], insn.d[0], &desc.destBytes))
    return false;
  if (insn.d[0] == kNoOp)
    return true;
  if (pack || pair) {
    Type sourceType = pack ? Type::S32 : Type::F32;
    if (desc.destBytes != (pack ? 4 : sizeOf(to)) || ops.size() < 3 ||
        !source(ops[1], sourceType, insn.s[0]) ||
        !source(ops[2], sourceType, insn.s[1]))
      return fail("malformed cvt");
    if (ops.size() > 3 && !source(ops[3], Type::B32, insn.s[2]))
      return false;
    if (pack && !desc.has("sat"))
      return fail("cvt.pack without .sat");
    if (pack && from != Type::S32) { // From 16 bits: not known.
      emitNotImplemented();
      return true;
    }
  } else if (isImmediate(ops[1])) {
    desc.sourceBytes = std::max(2u, sizeOf(from));
    if (!source(ops[1], from, insn.s[0]))
      return false;
  } else if (!source(ops[1], from, insn.s[0], &desc.sourceBytes)) {
    return false;
  }
  if (!pack && (desc.destBytes < sizeOf(to) || desc.sourceBytes < sizeOf(from)))
    if (!pair)
      return fail("register narrower than the type of cvt");
  unsigned round = 0;
  if (desc.has("rz") || desc.has("rzi"))
    round = 1;
  else if (desc.has("rm") || desc.has("rmi"))
    round = 2;
  else if (desc.has("rp") || desc.has("rpi"))
    round = 3;
  bool integral =
      desc.has("rni") || desc.has("rzi") || desc.has("rmi") || desc.has("rpi");
  uint64_t plan =
      static_cast<uint64_t>(to) | static_cast<uint64_t>(from) << 8 |
      uint64_t(round) << 16 | uint64_t(integral) << 18 |
      uint64_t(desc.has("sat")) << 19 | uint64_t(desc.has("ftz")) << 20 |
      uint64_t(desc.has("relu")) << 21 | uint64_t(desc.destBytes) << 24 |
      uint64_t(desc.sourceBytes) << 32;
  insn.imm = static_cast<int64_t>(plan);
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
