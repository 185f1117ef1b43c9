//===- DeviceCheckPropagate.cpp - Checks of device code -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// 1. findUndefined: names that live definitions or native code use, and that
//    neither a module of the image nor native code defines.
// 2. addReferences: every object that refers to one, dead code included, since
//    the user who looks for a missing library needs all of them.
// 3. checkCode: a kernel must be in the image of every architecture, or its
//    launch fails on some. CUDA forbids programs in which that depends on
//    __CUDA_ARCH__, but they exist, with launches guarded by hand. So that is a
//    warning, and an error only if no object has device code.
// 4. checkKernelParameters: a stub passes its arguments by address, so the
//    runtime copies as many bytes as the device code takes, wherever they end.
//
//===----------------------------------------------------------------------===//

#include "ipa/symbols/DeviceCheck.h"
#include "summary/CombinedModule.h"
#include "summary/WpaContext.h"
#include "support/UnitNames.h"

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <algorithm>

using namespace llvm;

namespace gpulto {

//===----------------------------------------------------------------------===//
// Undefined symbols
//===----------------------------------------------------------------------===//

namespace {
struct UndefinedSymbol {
  SmallVector<ImageIndex, 1> images;
  /// One line for each object.
  MapVector<StringRef, std::string> users;
};
using UndefinedSymbols = MapVector<StringRef, UndefinedSymbol>;
} // namespace

bool isDeviceBuiltin(StringRef name) {
  static const StringLiteral kBuiltins[] = {"vprintf", "malloc", "free",
                                            "__assertfail", "__nvvm_reflect"};
  // The driver provides what libcudadevrt calls by such names.
  return is_contained(kBuiltins, name) || name.starts_with("llvm.") ||
         name.starts_with("__cuda_syscall_") || name.starts_with("cnp");
}

/// Returns whether a use of \p symbol, which nothing defines, is an error.
static bool mustBeDefined(const SymbolRecord &symbol) {
  if (symbol.linkage == Linkage::ExternalWeak || isDeviceBuiltin(symbol.name))
    return false;
  // An external shared array is the kernel's dynamic shared memory.
  return symbol.kind != SymbolKind::Variable || symbol.addressSpace != 3;
}

/// Calls \p visit with each symbol that definition \p id uses.
static void forEachUse(const CombinedSummary &program, GlobalId id,
                       function_ref<void(SymbolIndex)> visit) {
  const ModuleSummary &summary = program.moduleRef(id).summary;
  Range references;
  if (const FunctionSummary *function = program.function(id)) {
    for (const CallEdge &call : slice(summary.calls, function->calls))
      if (call.callee != kNone)
        visit(call.callee);
    references = function->references;
  } else if (const VariableSummary *variable = program.variable(id)) {
    references = variable->references;
  }
  for (const ReferenceEdge &use : slice(summary.references, references))
    visit(use.symbol);
}

/// Adds what native code uses and nothing defines.
static void findUndefinedNatively(const CombinedSummary &program,
                                  UndefinedSymbols &undefined) {
  for (ImageIndex image = kHostImage + 1; image < program.images().size();
       ++image)
    for (const NativeCode &code : program.nativeCode()) {
      if (code.arch != program.images()[image].arch)
        continue;
      for (const NativeSymbol &symbol : code.symbols) {
        if (symbol.isDefined || symbol.isWeak || isDeviceBuiltin(symbol.name) ||
            program.lookup(image, symbol.name) != kNone ||
            program.nativeDefinition(image, symbol.name))
          continue;
        auto &images = undefined[symbol.name].images;
        if (!is_contained(images, image))
          images.push_back(image);
      }
    }
}

static UndefinedSymbols findUndefined(const WpaContext &context) {
  const CombinedSummary &program = context.program;
  UndefinedSymbols undefined;
  findUndefinedNatively(program, undefined);
  for (GlobalId id : context.decisions.live.set_bits()) {
    ImageIndex image = program.imageOf(id);
    if (image == kHostImage)
      continue;
    const CombinedModule &module = program.moduleRef(id);
    forEachUse(program, id, [&](SymbolIndex used) {
      const SymbolRecord &symbol = module.summary.symbols[used];
      if (program.definition(module.firstSymbol + used) != kNone ||
          program.nativeDefinition(module.firstSymbol + used) ||
          !mustBeDefined(symbol))
        return;
      auto &images = undefined[symbol.name].images;
      if (!is_contained(images, image))
        images.push_back(image);
    });
  }
  return undefined;
}

static std::string quotedName(StringRef name) {
  return "'" + demangled(name) + "'";
}

/// Notes for each object a function or variable that refers to one of
/// \p undefined, a live one where there is one.
static void addReferences(const WpaContext &context,
                          UndefinedSymbols &undefined) {
  const CombinedSummary &program = context.program;
  std::vector<std::string> places;
  for (const CombinedModule &module : program.modules())
    places.push_back(module.location.str());
  for (const NativeCode &code : program.nativeCode())
    places.push_back(code.location.str());
  for (bool wantLive : {true, false})
    for (GlobalId id = 0; id < program.symbolCount(); ++id) {
      if (program.imageOf(id) == kHostImage ||
          context.decisions.live.test(id) != wantLive)
        continue;
      const CombinedModule &module = program.moduleRef(id);
      StringRef place = places[program.moduleOf(id)];
      forEachUse(program, id, [&](SymbolIndex used) {
        auto found = undefined.find(module.summary.symbols[used].name);
        if (found == undefined.end() ||
            program.definition(module.firstSymbol + used) != kNone ||
            found->second.users.count(place))
          return;
        found->second.users[place] =
            ("\n>>> used by " + quotedName(program.symbol(id).name) + " in " +
             place)
                .str();
      });
    }
  for (auto [i, code] : enumerate(program.nativeCode()))
    for (const NativeSymbol &symbol : code.symbols) {
      auto found = undefined.find(symbol.name);
      StringRef place = places[program.modules().size() + i];
      if (found != undefined.end() && !symbol.isDefined)
        found->second.users[place] = ("\n>>> used in " + place).str();
    }
}

static Error undefinedError(const CombinedSummary &program, StringRef name,
                            const UndefinedSymbol &symbol) {
  std::vector<std::string> architectures;
  for (ImageIndex image : symbol.images)
    architectures.push_back(program.images()[image].arch);
  std::string text = "undefined device symbol " + quotedName(name) + " for " +
                     join(architectures, ", ");
  for (const auto &[place, line] : symbol.users)
    text += line;
  for (ImageIndex i = kHostImage + 1; i < program.images().size(); ++i)
    if (GlobalId id = program.lookup(i, name);
        id != kNone && !is_contained(symbol.images, i))
      text += "\n>>> " + program.moduleRef(id).location.str() +
              " defines it for " + program.images()[i].arch +
              " only; compile it for " + join(architectures, " and ") +
              " as well";
  if (name.starts_with("__cudaCDP2"))
    text += "\n>>> kernels launch kernels by it; the toolkit's libcudadevrt "
            "defines it: link with -lcudadevrt";
  return inputError(InputLocation(), text);
}

static Error checkSymbols(const WpaContext &context) {
  UndefinedSymbols undefined = findUndefined(context);
  if (undefined.empty())
    return Error::success();
  addReferences(context, undefined);
  Error errors = Error::success();
  for (const auto &[name, symbol] : undefined)
    errors = joinErrors(std::move(errors),
                        undefinedError(context.program, name, symbol));
  return errors;
}

//===----------------------------------------------------------------------===//
// Images that lack a kernel
//===----------------------------------------------------------------------===//

/// Checks that kernel \p stub of \p module, \p name on the device, is in every
/// image.
static Error checkCode(const WpaContext &context, const CombinedModule &module,
                       GlobalId stub, StringRef name) {
  const CombinedSummary &program = context.program;
  ArrayRef<Image> images = ArrayRef(program.images()).drop_front();
  std::string kernel = "kernel " + quotedName(name);
  if (images.empty())
    return inputError(module.location,
                      kernel + " has no device code, nor has any object of "
                               "this link; recompile this one with "
                               "gpulto-clang++ -flto=gpu");
  SmallVector<StringRef> present, absent;
  BitVector isPresent(images.size() + 1);
  for (GlobalId id : program.deviceCounterparts(stub))
    isPresent.set(program.imageOf(id));
  for (auto [i, image] : enumerate(images))
    (isPresent.test(i + 1) ? present : absent).push_back(image.arch);
  if (!absent.empty())
    context.diagnostics.warning(
        module.location,
        kernel + " has no device code for " + join(absent, ", ") +
            (present.empty() ? "" : ", only for " + join(present, ", ")) +
            "; its launches fail there");
  return Error::success();
}

//===----------------------------------------------------------------------===//
// Parameters of kernels
//===----------------------------------------------------------------------===//

/// Returns the bytes of a parameter; 0 when they are not known.
static uint64_t sizeOf(const ParameterRecord &parameter) {
  constexpr uint64_t kPointerBytes = 8;
  if (parameter.flags & kParamByVal)
    return parameter.byValBytes;
  if (parameter.flags & kParamIsPointer)
    return kPointerBytes;
  return (parameter.bitWidth + 7) / 8;
}

/// Returns the bytes of the piece that \p argument describes; 0 when they are
/// not known (a class that is passed by reference).
static uint64_t sizeOf(const StubArgument &argument,
                       ArrayRef<ParameterRecord> formals) {
  if (argument.formal >= formals.size())
    return 0;
  const ParameterRecord &formal = formals[argument.formal];
  if (argument.isAggregate && !(formal.flags & kParamByVal))
    return 0;
  return sizeOf(formal);
}

/// Returns what is wrong between a stub, whose formal parameters are \p formals
/// and go where \p pieces say, and the kernel's \p parameters; empty if nothing
/// is that is certain: an empty class has no piece.
static std::string compareParameters(ArrayRef<StubArgument> pieces,
                                     ArrayRef<ParameterRecord> formals,
                                     ArrayRef<ParameterRecord> parameters) {
  // Larger classes are passed in memory, as one piece.
  constexpr uint64_t kMostInRegisters = 16;
  std::vector<uint64_t> ends(parameters.size(), 0);
  for (const StubArgument &piece : pieces) {
    if (piece.kernelArgument >= parameters.size())
      return "takes " + utostr(parameters.size()) +
             " parameters, but its stub passes " +
             utostr(pieces.back().kernelArgument + 1);
    uint64_t size = sizeOf(piece, formals);
    uint64_t taken = sizeOf(parameters[piece.kernelArgument]);
    if (!size || !taken)
      return "";
    uint64_t &end = ends[piece.kernelArgument];
    end = std::max<uint64_t>(end, piece.byteOffset + size);
    bool isWhole = piece.isAggregate;
    if (end > taken || (isWhole && end != taken))
      return "takes " + utostr(taken) + " bytes as parameter " +
             utostr(piece.kernelArgument + 1) + ", but its stub passes " +
             utostr(end);
  }
  for (auto [i, parameter] : enumerate(parameters)) {
    uint64_t taken = sizeOf(parameter);
    if (ends[i] && taken > std::max(ends[i], kMostInRegisters))
      return "takes " + utostr(taken) + " bytes as parameter " + utostr(i + 1) +
             ", but its stub passes " + utostr(ends[i]);
  }
  return "";
}

static Error checkKernel(const CombinedSummary &program, GlobalId stub,
                         GlobalId kernel) {
  const FunctionSummary *host = program.function(stub);
  const FunctionSummary *device = program.function(kernel);
  if (!host || !device)
    return Error::success();
  const CombinedModule &hostModule = program.moduleRef(stub);
  const CombinedModule &deviceModule = program.moduleRef(kernel);
  std::string problem = compareParameters(
      slice(hostModule.summary.stubArguments, host->stubArguments),
      slice(hostModule.summary.parameters, host->parameters),
      slice(deviceModule.summary.parameters, device->parameters));
  if (problem.empty())
    return Error::success();
  return inputError(
      deviceModule.location,
      "kernel " + quotedName(program.symbol(kernel).name) + " for " +
          deviceModule.summary.arch.str() + " " + problem +
          "; host and device code differ in the types of its parameters" +
          (deviceModule.location == hostModule.location
               ? ""
               : "\n>>> stub in " + hostModule.location.str()));
}

static Error checkKernelParameters(const WpaContext &context) {
  const CombinedSummary &program = context.program;
  Error errors = Error::success();
  for (ModuleIndex m : program.images()[kHostImage].modules)
    for (const OffloadEntry &entry :
         program.modules()[m].summary.offloadEntries) {
      if (entry.kind != OffloadEntry::Kind::Kernel || entry.hostSymbol == kNone)
        continue;
      GlobalId stub = program.id(m, entry.hostSymbol);
      if (program.definition(stub) != stub ||
          !context.decisions.live.test(stub))
        continue;
      errors =
          joinErrors(std::move(errors), checkCode(context, program.modules()[m],
                                                  stub, entry.deviceName));
      for (GlobalId kernel : program.deviceCounterparts(stub))
        errors =
            joinErrors(std::move(errors), checkKernel(program, stub, kernel));
    }
  return errors;
}

Error checkDeviceProgram(const WpaContext &context) {
  return joinErrors(checkSymbols(context), checkKernelParameters(context));
}

} // namespace gpulto
