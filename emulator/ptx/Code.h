//===- Code.h - Decoded code ----------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The output of the decoder, which a machine runs: functions of instructions
// with selected handlers and operands at known places.
//
//===----------------------------------------------------------------------===//

#ifndef GPULTO_EMULATOR_PTX_CODE_H
#define GPULTO_EMULATOR_PTX_CODE_H

#include "emulator/ptx/MatrixShapes.h"
#include "emulator/ptx/Types.h"

#include <cstdint>
#include <cstdlib>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace gpulto::emu {

constexpr unsigned kLanes = 32;
constexpr uint32_t kAllLanes = 0xffffffffu;

struct Warp;
struct Insn;
struct InsnDesc;
struct Function;

/// Executes one instruction for the lanes in the mask (never empty).
using Handler = void (*)(Warp &, const Insn &, uint32_t);
/// Selects a handler; returns null if there is no such instruction.
using Selector = Handler (*)(const InsnDesc &);

/// An operand: byte offset into the frame (bit 0 clear) or into the function's
/// pool of broadcast constants (bit 0 set), shifted left by one.
using Op = uint32_t;
constexpr Op kNoOp = ~0u;
constexpr uint32_t kNoGuard = ~0u;

/// How the run loop treats an instruction.
enum class Ctl : uint8_t {
  Normal,   ///< Calls the handler.
  Faulting, ///< The same, then looks for a fault.
  Spin,     ///< Faulting, and a sign that the loop around may be waiting;
            ///< mode2 is its weight.
  Branch,
  BranchIndex, ///< brx.idx
  Exit,
  Return,
  Call,
  Barrier,        ///< bar and barrier; mode is a BarrierOp
  ClusterBarrier, ///< barrier.cluster; mode 1 is .wait
  WarpBarrier,    ///< bar.warp.sync
  WarpSync,       ///< Handler runs when all lanes of the member mask are here.
  Yield,          ///< nanosleep: gives up the slice.
  Trap,
  Breakpoint,
  NotImplemented,
};

enum class BarrierOp : uint8_t { Sync, Arrive, Popc, And, Or };

/// Classes of the counters; names in Counters.cpp.
enum class InsnClass : uint8_t {
  Integer,
  Float32,
  Float64,
  Half,
  Move,
  Convert,
  Compare,
  Branch,
  Call,
  LoadGlobal,
  StoreGlobal,
  LoadShared,
  StoreShared,
  Local,
  LoadConstant,
  Param,
  Generic,
  Texture, ///< Surfaces, too.
  Atomic,
  Barrier,
  WarpOp,
  Matrix, ///< mma and wmma.mma
  Special,
  Fence,
  Other,
  Count
};

/// Flags of an instruction.
enum : uint8_t {
  kAddress32 = 1, ///< The address operand is a 32-bit register.
  kIsStore = 2,
  kIsKernel = 4,   ///< In an .entry: .param means the kernel's parameters.
  kFrameLocal = 8, ///< The address is relative to the frame's local base.
  kGuardNegated = 16,
  kReadOnly = 32,    ///< ld.global.nc
  kSystemScope = 64, ///< An atomic that threads of the host may see.
};

/// A decoded instruction; one cache line.
struct alignas(64) Insn {
  Handler fn = nullptr;
  int64_t imm = 0;           ///< Address offset or immediate.
  uint32_t guard = kNoGuard; ///< Byte offset of the predicate in the frame.
  uint32_t target = 0;       ///< Branch target, call site or table.
  Op d[2] = {kNoOp, kNoOp};
  Op s[4] = {kNoOp, kNoOp, kNoOp, kNoOp};
  Ctl ctl = Ctl::Normal;
  InsnClass cls = InsnClass::Other;
  uint8_t flags = 0;
  uint8_t mode = 0;
  uint8_t mode2 = 0;
  uint8_t vec = 1;   ///< Elements of a vector access.
  uint8_t bytes = 0; ///< Bytes of one element in memory.
  Space space = Space::Generic;
  uint32_t extra = 0; ///< First of more operands in Function::extra.
};
static_assert(sizeof(Insn) == 64);

/// Where an instruction comes from.
struct InsnInfo {
  uint32_t line = 0; ///< In the PTX source.
  uint32_t file = 0; ///< .loc file; 0: none.
  uint32_t sourceLine = 0;
  uint32_t text = 0;  ///< Index into Function::texts (opcode).
  uint32_t place = 0; ///< Index into Function::places.
};

/// A place in the source; file 0: none.
struct SourcePlace {
  uint32_t file = 0, line = 0, column = 0;
  std::string function;   ///< Inlined there; empty: none is known.
  uint32_t inlinedAt = 0; ///< Index into Function::places; 0: nowhere.
};

/// How values flow through an instruction, and what it accesses, for
/// Accesses.cpp.
enum class FlowKind : uint8_t {
  Data, ///< Each lane's results are made of its sources.
  Load,
  Store,
  Atomic,
  AsyncCopy,
  BulkCopy,
  MatrixRows, ///< ldmatrix and stmatrix
  Fragment,   ///< wmma.load and store
  Image,      ///< tex and suld
  Shuffle,
  Lanes, ///< Results are made of all lanes' sources.
};
struct Flow {
  uint32_t first = 0; ///< In Function::flowOffsets: results, then sources.
  uint16_t results = 0, sources = 0;
  FlowKind kind = FlowKind::Data;
  bool readsCarry = false, writesCarry = false;
};

/// Argument or result of a call: bytes between frames' local areas.
struct CallCopy {
  uint32_t callerOffset = 0;
  uint32_t sizeBytes = 0;
};

/// Functions without a body in PTX; those from GetParameterBuffer on belong to
/// the device runtime (DeviceCalls.h).
enum class External : uint8_t {
  None,
  Printf,
  Assert,
  Malloc,
  Free,
  GetParameterBuffer,
  GetParameterBufferV2,
  LaunchDevice,
  LaunchDeviceV2,
  MemcpyAsync,
  Memcpy2DAsync,
  MemsetAsync,
  Memset2DAsync,
  StreamCreate,
  StreamDestroy,
  StreamWaitEvent,
  EventCreate,
  EventRecord,
  EventDestroy,
  GetLastError,
  PeekAtLastError,
  GetErrorString,
  GetErrorName,
  GetDevice,
  GetDeviceCount,
  DeviceGetAttribute,
  DeviceGetLimit,
  DeviceGetZero, ///< Settings that have no effect.
  RuntimeGetVersion,
  FuncGetAttributes,
  RuntimeMalloc,
  RuntimeFree,
  Occupancy,
};

struct CallSite {
  Function *callee = nullptr; ///< Null: indirect, through s[0].
  External external = External::None;
  std::vector<CallCopy> arguments, results;
};

/// A use of a shared variable; patched into Insn::imm per kernel, since each
/// kernel lays out the shared variables it reaches.
struct SharedUse {
  uint32_t insn = 0;
  uint32_t variable = 0; ///< Index into the module's shared variables.
  int64_t addend = 0;
};

/// Memory for broadcast constants, 64-byte aligned.
struct AlignedFree {
  void operator()(uint8_t *p) const { ::free(p); }
};
using AlignedBytes = std::unique_ptr<uint8_t[], AlignedFree>;
/// Returns zeroed memory; null if there is none left.
AlignedBytes allocateAligned(size_t bytes);

/// A decoded function or kernel.
struct Function {
  std::string name;
  uint32_t id = 0;       ///< Index in the module.
  uint32_t globalId = 0; ///< Index among all functions of the device.
  uint64_t handle = 0;   ///< Its address for function pointers.
  bool isEntry = false;
  const std::string *sourceName = nullptr;
  const std::vector<std::string> *files = nullptr;
  const std::map<std::string_view, std::string, std::less<>> *debugStrings =
      nullptr;

  std::vector<Insn> code;
  std::vector<InsnInfo> info; ///< Parallel to code.
  std::vector<Flow> flows;    ///< Parallel to code.
  /// Parallel to code, or empty: who is behind where lanes part; see Blocks.h.
  std::vector<uint32_t> ranks;
  /// Offsets in the frame of the registers that instructions write and read,
  /// their guards excepted.
  std::vector<uint32_t> flowOffsets;
  std::vector<SourcePlace> places{SourcePlace{}};
  std::vector<std::string> texts;
  AlignedBytes constants;
  std::vector<Op> extra;
  std::deque<CallSite> callSites;
  std::vector<std::vector<uint32_t>> branchTables;
  std::vector<SharedUse> sharedUses;
  std::vector<MatrixOp> matrices;

  uint32_t frameBytes = 0; ///< Registers, all lanes.
  uint32_t localBytes = 0; ///< Per lane: returns, parameters, .local, .param.
  uint32_t depotBytes = 0; ///< What of it is .local.
  uint32_t liveRegisters = 0; ///< 32-bit registers live at once, at most.
  std::vector<CallCopy> params, returns; ///< callerOffset: in own local area.
  std::vector<Function *> callees;
  std::vector<Function *> takenAddresses;
  bool callsIndirectly = false;
};

} // namespace gpulto::emu

#endif // GPULTO_EMULATOR_PTX_CODE_H
