//===- CudaRuntime.cpp - What functions of CUDA's runtime do --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "ipa/runtime/CudaRuntime.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"

using namespace llvm;

namespace gpulto {

namespace {

/// The rows; among the names of RuntimeFunction, which they use.
struct RuntimeTable : RuntimeFunction {
  static constexpr RuntimeFunction kRows[] = {
#define RUNTIME(NAME, ...) RuntimeFunction{.name = #NAME, __VA_ARGS__},
#include "ipa/runtime/CudaRuntime.def"
  };
};

} // namespace

static StringLiteral suffixOf(RuntimeFunction::Form form) {
  return form == RuntimeFunction::Ptds ? StringLiteral("_ptds")
                                       : StringLiteral("_ptsz");
}

static StringMap<RuntimeFunction> indexRows() {
  StringMap<RuntimeFunction> index;
  for (const RuntimeFunction &row : runtimeFunctions()) {
    index.try_emplace(row.name, row);
    if (row.perThread == RuntimeFunction::None)
      continue;
    RuntimeFunction form = row;
    form.isPerThread = true;
    index.try_emplace((row.name + suffixOf(row.perThread)).str(), form);
  }
  return index;
}

const RuntimeFunction *findRuntimeFunction(StringRef name) {
  static const StringMap<RuntimeFunction> kIndex = indexRows();
  auto found = kIndex.find(name);
  return found == kIndex.end() ? nullptr : &found->second;
}

bool RuntimeFunction::isQuiet() const {
  if (has(PushesLaunch) || has(PopsLaunch))
    return true;
  return order == Serial && target == kNone && !has(Allocates) && !has(Frees) &&
         !has(FreesInStream) && !has(Resets) && !name.contains("Memcpy") &&
         !name.contains("Memset") && !name.starts_with("cuMem") &&
         name != "cudaFreeHost";
}

ReferenceFlags attributeUse(StringRef callee, unsigned index) {
  const RuntimeFunction *function = findRuntimeFunction(callee);
  return function && function->handle == int(index) ? function->handleUse : 0;
}

std::optional<LaunchKind> launchKindOf(StringRef callee) {
  const RuntimeFunction *function = findRuntimeFunction(callee);
  return function ? function->launch : std::nullopt;
}

ArrayRef<RuntimeFunction> runtimeFunctions() { return RuntimeTable::kRows; }

bool isRuntimeName(StringRef name) {
  return name.starts_with("cuda") || name.starts_with("__cuda");
}

bool isDriverName(StringRef name) {
  return name.consume_front("cu") && !name.empty() && isUpper(name.front());
}

/// Whether \p name begins with `cuda` or `cu`, and then with \p rest.
static bool isOfFamily(StringRef name, StringRef rest) {
  return (name.consume_front("cuda") || name.consume_front("cu")) &&
         name.starts_with(rest);
}

bool endsCapture(StringRef name) {
  return isOfFamily(name, "StreamEndCapture");
}

bool changesGraphs(StringRef name) {
  return isOfFamily(name, "Graph") &&
         (name.contains("Param") || name.contains("Update") ||
          name.contains("Attribute"));
}

bool addsToGraphs(StringRef name) { return isOfFamily(name, "GraphAdd"); }

} // namespace gpulto
