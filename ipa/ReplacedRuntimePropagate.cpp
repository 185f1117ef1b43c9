//===- ReplacedRuntimePropagate.cpp - Own functions for the runtime's -----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Memory pools and layers that record launches define cudaMalloc or
// cudaLaunchKernel themselves, or have the linker wrap them. What they do need
// not be what the runtime does: blocks may overlap, copies come later, launches
// have another geometry.
//
//===----------------------------------------------------------------------===//

#include "ipa/Handles.h"
#include "ipa/ReplacedRuntime.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/ADT/StringSwitch.h"

using namespace llvm;

namespace gpulto {

/// Whether some pass knows what the function \p name of the runtime does.
static bool isKnown(StringRef name) {
  if (!name.consume_back("_ptsz"))
    name.consume_back("_ptds");
  // Arguments that are handles of kernels; see attributeUse.
  constexpr unsigned kHandleArguments = 2;
  return launchKindOf(name) || name == "cudaGraphAddKernelNode" ||
         any_of(seq(kHandleArguments),
                [&](unsigned i) { return attributeUse(name, i) != 0; }) ||
         StringSwitch<bool>(name)
#define RUNTIME_FUNCTION(name) .Case(#name, true)
#define RUNTIME_STREAM_FUNCTION(name, argument) .Case(#name, true)
#define RUNTIME_LAUNCH(name) .Case(#name, true)
#include "ipa/RuntimeFunctions.def"
             .Cases("cudaMallocAsync", "cudaMallocFromPoolAsync",
                    "cudaFreeAsync", true)
             .Default(false);
}

StringRef findReplacedRuntime(const WpaContext &context) {
  const CombinedSummary &program = context.program;
  for (ModuleIndex m : program.images()[kHostImage].modules) {
    const CombinedModule &module = program.modules()[m];
    for (auto [s, symbol] : enumerate(module.summary.symbols)) {
      StringRef name = symbol.name;
      bool isWrapped = name.consume_front("__wrap_");
      if (!symbol.isDeclaration() ||
          !(name.starts_with("cuda") || name.starts_with("__cuda")))
        continue;
      GlobalId id = module.firstSymbol + uint32_t(s);
      bool isOther = isWrapped || program.definition(id) != kNone ||
                     (program.resolution(id) & kLinkerRedefined) ||
                     context.nativeRuntime.count(name.str()) != 0;
      if (isOther && isKnown(name))
        return symbol.name;
    }
  }
  return {};
}

} // namespace gpulto
