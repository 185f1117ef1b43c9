//===- SummaryGenerator.cpp - Summaries of programs that do not exist -----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "bench/gen/SummaryGenerator.h"

#include "summary/CombinedModule.h"
#include "summary/SummaryFormat.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Allocator.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/StringSaver.h"

#include <algorithm>

using namespace llvm;

namespace gpulto {

namespace {

/// SplitMix64 (Steele, Lea, Flood: "Fast splittable pseudorandom number
/// generators", OOPSLA 2014): the same numbers everywhere.
class Random {
public:
  explicit Random(uint64_t seed) : state(seed) {}
  uint64_t next() {
    uint64_t z = state += 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }
  /// Returns a number below \p end.
  uint32_t below(uint32_t end) { return next() % end; }
  bool percent(uint32_t chance) { return below(100) < chance; }
  /// Returns a number below \p end, small ones far more often: that below
  /// end / 2^k comes in 2^(-k/3) of the cases.
  uint32_t skewed(uint32_t end) {
    uint64_t u = next() >> 43; // 21 bits
    uint64_t cube = u * u * u >> 31;
    return uint64_t(end) * cube >> 32;
  }

private:
  uint64_t state;
};

/// How a function of a file is known to others, by its number there.
enum class Sort { External, Internal, Inline };
Sort sortOf(uint32_t number) {
  static constexpr Sort kSorts[] = {Sort::External, Sort::Inline,
                                    Sort::External, Sort::Internal};
  return kSorts[number % 4];
}

constexpr uint32_t kKernelsPerFile = 8;
constexpr uint32_t kHelpersPerFamily = 6;

/// Builds one module.
class UnitBuilder {
public:
  UnitBuilder(const GeneratorOptions &options, uint32_t file, Side side)
      : options(options), file(file),
        random(options.seed * 0x10001 + uint64_t(file) * 2 +
               (side == Side::Device)) {
    summary.side = side;
    summary.sourceName = name("src/f", file, ".cu");
    bool isHost = side == Side::Host;
    summary.targetTriple =
        isHost ? "x86_64-unknown-linux-gnu" : "nvptx64-nvidia-cuda";
    summary.dataLayout = isHost ? "e-m:e-i64:64-n8:16:32:64-S128"
                                : "e-i64:64-i128:128-v16:16-n16:32:64";
    if (!isHost)
      summary.arch = "sm_90";
    summary.picLevel = 2;
    summary.contextDigest = digestOf(summary.targetTriple);
    summary.bitcodeDigest = digestOf(summary.sourceName);
  }

  std::string host() {
    uint32_t count = functionsIn(file);
    std::vector<std::string> names;
    for (uint32_t i = 0; i < count; ++i)
      names.push_back(hostName(file, i));
    defineVariables();
    for (uint32_t i = 0; i < kernelsIn(file); ++i)
      defineStub(i);
    for (uint32_t i = 0; i < count; ++i)
      defineHost(i, names);
    if (file == 0)
      defineMain();
    return take();
  }

  std::string device() {
    for (uint32_t i = 0; i < kernelsIn(file); ++i) {
      FunctionSummary helper =
          makeBody(name("helper", file, "_", i), Linkage::Internal, 0, 40, 2);
      addCall(helper, use(sharedHelper(i)), 2);
      finish(helper);
      uint32_t size = options.families ? 50 + random.skewed(2000) : 150;
      FunctionSummary kernel =
          makeBody(kernelName(file, i), Linkage::External, kKernel, size, 3);
      addCall(kernel, symbolOf(helper), 2);
      addCall(kernel, use(sharedHelper(i)), 1);
      if (options.families)
        addCall(kernel, use(sharedHelper(i)), 1);
      finish(kernel);
    }
    for (uint32_t f = file; f < options.families; f += filesWithKernels())
      for (uint32_t i = 0; i < kHelpersPerFamily; ++i)
        finish(makeBody(name("family", f, "_", i), Linkage::External, 0,
                        30 + random.skewed(600), 2));
    // The helpers that all share are in the first files with kernels.
    if (file < 8)
      for (uint32_t i = file; i < 64; i += 8)
        finish(makeBody(name("shared", i), Linkage::External, 0, 60, 2));
    return take();
  }

private:
  StringRef name(const Twine &prefix, uint32_t a, const Twine &middle = "",
                 std::optional<uint32_t> b = {}) {
    return names.save(prefix + Twine(a) + middle + (b ? Twine(*b) : Twine()));
  }
  uint32_t functionsIn(uint32_t of) const {
    return options.functions / options.files +
           (of < options.functions % options.files);
  }
  uint32_t kernelsIn(uint32_t of) const {
    uint64_t before = uint64_t(of) * kKernelsPerFile;
    return std::min<uint64_t>(kKernelsPerFile,
                              options.kernels -
                                  std::min<uint64_t>(before, options.kernels));
  }
  uint32_t filesWithKernels() const {
    return (options.kernels + kKernelsPerFile - 1) / kKernelsPerFile;
  }
  /// Returns a helper for kernel \p number of this file: one of its family, or
  /// one of those for all.
  StringRef sharedHelper(uint32_t number) {
    if (!options.families || random.percent(10))
      return name("shared", random.skewed(64));
    uint32_t kernel = file * kKernelsPerFile + number;
    return name("family", kernel * 7 % options.families, "_",
                random.below(kHelpersPerFamily));
  }
  StringRef kernelName(uint32_t of, uint32_t number) {
    return name("_Z6kernel", of, "_", number);
  }
  /// Copies of an inline function have one name; the popular ones are in most
  /// files.
  std::string hostName(uint32_t of, uint32_t number) {
    if (sortOf(number) != Sort::Inline)
      return name("_ZN5outer5innerE", of, "_", number).str();
    return name("_ZNSt6vectorIiE", random.skewed(options.functions / 8 + 1))
        .str();
  }

  /// Returns the number of symbol \p called, declared if need be.
  SymbolIndex use(StringRef called, SymbolKind kind = SymbolKind::Function) {
    auto [it, isNew] =
        numbers.try_emplace(called, uint32_t(summary.symbols.size()));
    if (isNew) {
      SymbolRecord symbol;
      symbol.name = it->getKey();
      symbol.kind = kind;
      symbol.flags = kDeclaration;
      summary.symbols.push_back(symbol);
    }
    return it->second;
  }

  void defineSymbol(SymbolIndex number, Linkage linkage, uint32_t flags) {
    SymbolRecord &symbol = summary.symbols[number];
    symbol.linkage = linkage;
    symbol.flags = flags | kDSOLocal;
    symbol.atom = number;
    if (linkage == Linkage::LinkOnceODR) {
      symbol.comdat = summary.comdats.size();
      summary.comdats.push_back({symbol.name, ComdatKind::Any});
    }
  }

  /// Returns a body of about \p size instructions with \p formals parameters;
  /// equal names have equal bodies.
  FunctionSummary makeBody(StringRef called, Linkage linkage, uint32_t flags,
                           uint32_t size, uint32_t formals) {
    FunctionSummary body;
    body.symbol = use(called);
    defineSymbol(body.symbol, linkage, flags);
    body.instructionCount = size;
    body.sizeBytes = 4 * size;
    body.timeCycles = 2 * size;
    body.flags = kNoUnwind | kWillReturn;
    body.memoryEffects = kReadsArguments | kWritesArguments | kReadsOther;
    body.place.line = 1 + uint32_t(bodies.size()) * 10;
    body.contentDigest = digestOf(called);
    body.attributesDigest = digestOf("attributes");
    // A tenth of all bodies do what others do.
    body.foldHash = random.percent(10)
                        ? digestOf(name("form", random.below(1000)))
                        : body.contentDigest;
    body.parameters = {uint32_t(summary.parameters.size()), formals};
    for (uint32_t i = 0; i < formals; ++i) {
      ParameterRecord formal;
      if (i % 2 == 0) {
        formal.bitWidth = 32;
        formal.flags = kParamInCondition;
        formal.constantGain = 1 + i;
      } else {
        formal.flags = kParamIsPointer | kParamMayRead | kParamMayWrite;
      }
      summary.parameters.push_back(formal);
    }
    body.calls = {uint32_t(summary.calls.size()), 0};
    body.references = {uint32_t(summary.references.size()), 0};
    body.launches = {uint32_t(summary.launches.size()), 0};
    return body;
  }

  SymbolIndex symbolOf(const FunctionSummary &body) { return body.symbol; }

  JumpFunction argument(uint32_t number, uint32_t formals) {
    if (number % 2 == 1) {
      JumpFunction pointer;
      if (formals > 1) {
        pointer.kind = JumpFunction::Kind::Ancestor;
        pointer.source = 1;
        pointer.value = 8 * random.below(4);
      }
      return pointer;
    }
    switch (random.below(3)) {
    case 0:
      return JumpFunction::constant(random.below(4), 32);
    case 1:
      if (formals > 0)
        return JumpFunction::passThrough(0, 32);
      [[fallthrough]];
    default:
      return JumpFunction::unknown(32);
    }
  }

  Range addArguments(uint32_t count, uint32_t formals) {
    Range range{uint32_t(summary.jumpFunctions.size()), count};
    for (uint32_t i = 0; i < count; ++i)
      summary.jumpFunctions.push_back(argument(i, formals));
    return range;
  }

  void addCall(FunctionSummary &body, SymbolIndex callee, uint32_t arguments) {
    CallEdge call;
    call.callee = callee;
    call.frequency = 64u << random.below(5);
    call.place.line = body.place.line + body.calls.count;
    call.arguments = addArguments(arguments, body.parameters.count);
    call.flags = kNoUnwindSite | kWillReturnSite;
    summary.calls.push_back(call);
    ++body.calls.count;
  }

  void finish(const FunctionSummary &body) { bodies.push_back(body); }

  void defineVariables() {
    for (uint32_t i = 0; i < 2; ++i) {
      VariableSummary variable;
      variable.symbol =
          use(name("_ZL5state", file, "_", i), SymbolKind::Variable);
      defineSymbol(variable.symbol, i ? Linkage::External : Linkage::Internal,
                   0);
      variable.sizeBytes = 64;
      variable.alignLog2 = 3;
      variable.contentDigest = digestOf("zero");
      summary.variables.push_back(variable);
    }
  }

  void defineStub(uint32_t number) {
    StringRef kernel = kernelName(file, number);
    FunctionSummary stub =
        makeBody(name("_Z21__device_stub__kernel", file, "_", number),
                 Linkage::External, kKernelStub, 20, 3);
    for (uint32_t i = 0; i < 3; ++i)
      summary.stubArguments.push_back({i, 0, i, false});
    stub.stubArguments = {uint32_t(summary.stubArguments.size()) - 3, 3};
    addCall(stub, use("cudaLaunchKernel"), 0);
    finish(stub);
    OffloadEntry entry;
    entry.hostSymbol = stub.symbol;
    entry.deviceName = kernel;
    summary.offloadEntries.push_back(entry);
  }

  /// A launch of a kernel of this file with a block size that often agrees.
  void addLaunch(FunctionSummary &body) {
    uint32_t number = random.below(kernelsIn(file));
    LaunchSite launch;
    launch.stub = use(name("_Z21__device_stub__kernel", file, "_", number));
    launch.call = body.calls.count;
    addCall(body, launch.stub, 3);
    launch.arguments = summary.calls.back().arguments;
    launch.place.line = summary.calls.back().place.line;
    launch.geometry = {uint32_t(summary.jumpFunctions.size()), kGeometryCount};
    for (uint32_t i = 0; i < kGeometryCount; ++i)
      summary.jumpFunctions.push_back(
          i == kGridX    ? JumpFunction::unknown(32)
          : i == kBlockX ? JumpFunction::constant(number % 2 ? 128 : 256, 32)
          : i < kSharedBytes ? JumpFunction::constant(1, 32)
                             : JumpFunction::constant(0, 64));
    summary.launches.push_back(launch);
    ++body.launches.count;
  }

  void defineHost(uint32_t number, ArrayRef<std::string> own) {
    StringRef called = own[number];
    if (auto it = numbers.find(called); it != numbers.end())
      if (!summary.symbols[it->second].isDeclaration())
        return; // a second copy of the same inline function
    static constexpr Linkage kLinkages[] = {
        Linkage::External, Linkage::Internal, Linkage::LinkOnceODR};
    uint32_t size = 5 + random.below(20) + random.skewed(400);
    FunctionSummary body = makeBody(called, kLinkages[int(sortOf(number))], 0,
                                    size, random.below(5));
    uint32_t calls = random.skewed(20);
    for (uint32_t i = 0; i < calls; ++i)
      addCall(body, use(chooseCallee(number, own)), random.below(4));
    if (kernelsIn(file) && random.percent(20))
      addLaunch(body);
    if (random.percent(30)) {
      ReferenceEdge edge;
      edge.symbol = use(name("_ZL5state", file, "_", random.below(2)),
                        SymbolKind::Variable);
      edge.flags = random.percent(50) ? kReads : kReads | kWrites;
      summary.references.push_back(edge);
      ++body.references.count;
    }
    finish(body);
  }

  /// Most calls stay in the file and go down; some go to what many files use.
  StringRef chooseCallee(uint32_t caller, ArrayRef<std::string> own) {
    uint32_t kind = random.below(100);
    if (kind < 55 && caller + 1 < own.size())
      return own[caller + 1 + random.below(own.size() - caller - 1)];
    if (kind < 60)
      return own[random.below(own.size())]; // perhaps up: a cycle
    if (kind < 70) {
      static constexpr StringLiteral kRuntime[] = {"malloc", "memcpy", "strlen",
                                                   "printf", "_Znwm"};
      return kRuntime[random.below(std::size(kRuntime))];
    }
    uint32_t other = random.skewed(options.files);
    uint32_t count = functionsIn(other);
    if (count == 0)
      return own[caller];
    return name("_ZN5outer5innerE", other, "_", random.below(count) & ~1u);
  }

  /// The program starts all files.
  void defineMain() {
    FunctionSummary body =
        makeBody("main", Linkage::External, 0, 10 * options.files, 2);
    for (uint32_t i = 0; i < options.files; ++i)
      if (functionsIn(i))
        addCall(body, use(name("_ZN5outer5innerE", i, "_", 0u)), 2);
    finish(body);
  }

  std::string take() {
    llvm::sort(bodies, [](const auto &a, const auto &b) {
      return a.symbol < b.symbol;
    });
    llvm::sort(summary.variables, [](const auto &a, const auto &b) {
      return a.symbol < b.symbol;
    });
    summary.functions = std::move(bodies);
    return writeSummary(summary, "");
  }

  const GeneratorOptions &options;
  uint32_t file;
  Random random;
  BumpPtrAllocator allocator;
  StringSaver names{allocator};
  StringMap<SymbolIndex> numbers;
  ModuleSummary summary;
  std::vector<FunctionSummary> bodies;
};

} // namespace

GeneratedUnit generateUnit(const GeneratorOptions &options, uint32_t file) {
  GeneratedUnit unit;
  unit.host = UnitBuilder(options, file, Side::Host).host();
  if (uint64_t(file) * kKernelsPerFile < options.kernels)
    unit.device = UnitBuilder(options, file, Side::Device).device();
  return unit;
}

CombinedModule readGenerated(StringRef bytes, uint32_t file) {
  CombinedModule module;
  module.location = InputLocation(formatv("f{0}.o", file).str());
  module.summary = cantFail(readSummary(bytes, "", module.location));
  module.object = file;
  return module;
}

void resolveGenerated(CombinedModule &module, StringSet<> &defined) {
  if (module.summary.side != Side::Host)
    return;
  for (const SymbolRecord &symbol : module.summary.symbols) {
    uint8_t flags = kResolved | kFinalDefinition;
    if (!symbol.isDeclaration() &&
        (symbol.isLocal() || defined.insert(symbol.name).second))
      flags |= kPrevailing;
    if (symbol.name == "main")
      flags |= kVisibleToRegular;
    module.resolution.push_back(flags);
  }
}

} // namespace gpulto
