//===- DeviceLaunchesAnalyze.cpp - Kernels that launch kernels (LGEN) -----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Goal: find the edges from device code into kernels.
//
//   child<<<n, 64>>>(p, 7)  becomes in device IR
//   %b = call ptr @__cudaCDP2GetParameterBuffer(i64 64, i64 12)
//   store ptr %p, ptr %b
//   store i32 7, ptr (%b + 8)
//   call i32 @__cudaCDP2LaunchDevice(ptr @child, ptr %b,
//                                    ptr byval(%dim3) %grid,
//                                    ptr byval(%dim3) %block, i32 0, ptr null)
//   launch of child: grid (n, 1, 1), block (64, 1, 1), arguments (p, 7)
//
// The call must name the kernel: an address that goes elsewhere counts as taken
// (ipa/effects/EffectsAnalyze). Arguments lie like the parameters of a kernel,
// each at the next multiple of its alignment; if they do not end where the
// buffer does, nothing is known of them.
//
// Linear in instructions.
//
// Source: CUDA C++ Programming Guide, "Kernel launch from PTX".
//
//===----------------------------------------------------------------------===//

#include "ipa/bodies/Passes.h"
#include "ipa/launches/LaunchGeometry.h"
#include "ipa/runtime/CudaRuntime.h"
#include "ipa/runtime/KernelAnnotations.h"
#include "ipa/values/JumpFunctionBuilder.h"
#include "ipa/values/RuntimeCalls.h"
#include "ipa/values/ValueShapes.h"
#include "summary/ModuleSummary.h"

#include "llvm/IR/DataLayout.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

#include <optional>

namespace gpulto {

namespace {

/// Operands of the device runtime's launch function.
enum Operand : unsigned { Kernel, Buffer, Grid, Block, SharedBytes, Stream };

/// Where a parameter of a kernel is among its arguments.
struct Place {
  uint64_t offset = 0;
  uint64_t size = 0;
};

class Collector {
public:
  Collector(LgenContext &context, size_t body)
      : context(context), layout(context.module.getDataLayout()),
        function(*context.bodies[body]),
        summary(context.summary.functions[body]), builder(context, function) {}

  void run();

private:
  void add(const llvm::CallBase &call, uint32_t number,
           EntryFrequencies &frequencies);
  llvm::SmallVector<JumpFunction, 8> geometry(const llvm::CallBase &call);
  llvm::SmallVector<JumpFunction, 8> arguments(const llvm::CallBase &call,
                                               const llvm::Function &kernel);
  std::optional<llvm::SmallVector<Place, 8>>
  placesOf(const llvm::Function &kernel, uint64_t bufferBytes) const;

  LgenContext &context;
  const llvm::DataLayout &layout;
  llvm::Function &function;
  FunctionSummary &summary;
  JumpFunctionBuilder builder;
};

} // namespace

llvm::SmallVector<JumpFunction, 8>
Collector::geometry(const llvm::CallBase &call) {
  llvm::SmallVector<JumpFunction, 8> result = unknownGeometry();
  for (auto [operand, first] : {std::pair(Grid, kGridX), {Block, kBlockX}})
    for (const AggregatePart &part :
         builder.partsOf(*call.getArgOperand(operand), kDim3Bytes, call))
      setDimensions(llvm::MutableArrayRef(result).drop_front(first), part, 0,
                    builder);
  result[kSharedBytes] = builder.of(*call.getArgOperand(SharedBytes));
  result[kStream] = builder.of(*call.getArgOperand(Stream));
  return result;
}

/// Returns where the parameters of \p kernel are in a buffer of \p bufferBytes,
/// if they fill it.
std::optional<llvm::SmallVector<Place, 8>>
Collector::placesOf(const llvm::Function &kernel, uint64_t bufferBytes) const {
  llvm::SmallVector<Place, 8> places;
  uint64_t end = 0;
  for (const llvm::Argument &formal : kernel.args()) {
    llvm::Type *type =
        formal.hasByValAttr() ? formal.getParamByValType() : formal.getType();
    llvm::Align align = layout.getABITypeAlign(type);
    if (formal.hasByValAttr())
      align = formal.getParamAlign().value_or(align);
    uint64_t offset = llvm::alignTo(end, align);
    places.push_back({offset, layout.getTypeAllocSize(type).getFixedValue()});
    end = offset + places.back().size;
  }
  if (end != bufferBytes)
    return std::nullopt;
  return places;
}

llvm::SmallVector<JumpFunction, 8>
Collector::arguments(const llvm::CallBase &call, const llvm::Function &kernel) {
  constexpr uint64_t kByteBits = 8;
  llvm::SmallVector<JumpFunction, 8> result(kernel.arg_size());
  auto *buffer = llvm::dyn_cast<llvm::CallBase>(call.getArgOperand(Buffer));
  std::optional<uint64_t> bytes =
      buffer ? launchBufferBytes(*buffer) : std::nullopt;
  if (!bytes)
    return result;
  std::optional<llvm::SmallVector<Place, 8>> places = placesOf(kernel, *bytes);
  if (!places)
    return result;
  llvm::SmallVector<AggregatePart, 8> parts =
      builder.partsOf(*buffer, *bytes, call);
  for (const llvm::Argument &formal : kernel.args()) {
    const Place &place = (*places)[formal.getArgNo()];
    llvm::SmallVector<AggregatePart, 8> own;
    for (const AggregatePart &part : parts)
      if (part.byteOffset >= place.offset &&
          part.byteOffset < place.offset + place.size)
        appendPart(own, part.byteOffset - place.offset, part.value);
    if (own.empty())
      continue;
    if (formal.hasByValAttr()) {
      result[formal.getArgNo()] = context.jumpFunctions.aggregate(own);
      continue;
    }
    const JumpFunction &value = own.front().value;
    bool isWhole = own.size() == 1 && own.front().byteOffset == 0 &&
                   (formal.getType()->isPointerTy()
                        ? value.bitWidth == 0
                        : value.bitWidth == place.size * kByteBits);
    if (isWhole)
      result[formal.getArgNo()] = value;
  }
  return result;
}

void Collector::add(const llvm::CallBase &call, uint32_t number,
                    EntryFrequencies &frequencies) {
  auto *kernel = llvm::dyn_cast<llvm::Function>(
      call.getArgOperand(Kernel)->stripPointerCasts());
  // The declaration of a kernel does not say that it is one.
  if (!kernel ||
      !(kernel->isDeclaration() || KernelAnnotations(*kernel).isKernel()))
    return; // its address is taken
  LaunchSite site;
  site.kind = LaunchKind::Device;
  site.stub = context.indexOf(*kernel);
  site.call = number;
  site.frequency = frequencies.of(*call.getParent());
  site.place = context.places.of(call);
  site.geometry = context.jumpFunctions.add(geometry(call));
  site.arguments = context.jumpFunctions.addTrimmed(arguments(call, *kernel));
  context.summary.launches.push_back(site);
}

void Collector::run() {
  auto first = static_cast<uint32_t>(context.summary.launches.size());
  std::optional<EntryFrequencies> frequencies;
  for (uint32_t i = 0; i < summary.calls.count; ++i) {
    const llvm::CallBase *call =
        context.callInstructions[summary.calls.first + i];
    if (launchKindOf(*call) != LaunchKind::Device)
      continue;
    if (!frequencies)
      frequencies.emplace(context, function);
    add(*call, i, *frequencies);
  }
  auto end = static_cast<uint32_t>(context.summary.launches.size());
  summary.launches = end == first ? Range() : Range{first, end - first};
}

void analyzeDeviceLaunches(LgenContext &context) {
  for (size_t body = 0; body < context.bodies.size(); ++body)
    Collector(context, body).run();
}

} // namespace gpulto
