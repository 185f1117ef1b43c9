//===- ReplacedRuntimePropagate.cpp - Own functions for the runtime's -----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Memory pools and layers that record launches define cudaMalloc or
// cudaLaunchKernel themselves, or have the linker wrap them. They need not
// behave like the runtime: blocks may overlap, copies may come later, launches
// may have another geometry.
//
//===----------------------------------------------------------------------===//

#include "ipa/runtime/CudaRuntime.h"
#include "ipa/runtime/ReplacedRuntime.h"
#include "summary/CombinedModule.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace gpulto {

StringRef findReplacedRuntime(const WpaContext &context) {
  const CombinedSummary &program = context.program;
  for (ModuleIndex m : program.images()[kHostImage].modules) {
    const CombinedModule &module = program.modules()[m];
    for (auto [s, symbol] : enumerate(module.summary.symbols)) {
      StringRef name = symbol.name;
      bool isWrapped = name.consume_front("__wrap_");
      if (!symbol.isDeclaration() ||
          !(isRuntimeName(name) || isDriverName(name)))
        continue;
      GlobalId id = module.firstSymbol + uint32_t(s);
      bool isOther = isWrapped || program.definition(id) != kNone ||
                     (program.resolution(id) & kLinkerRedefined) ||
                     context.native.runtime.count(name.str()) != 0;
      const RuntimeFunction *known = findRuntimeFunction(name);
      if (isOther && known && known->isReliedOn())
        return symbol.name;
    }
  }
  return {};
}

} // namespace gpulto
