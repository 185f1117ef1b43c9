//===- ProgramBuilder.h - Small programs as summaries, for tests ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_TEST_UNIT_PROGRAMBUILDER_H
#define GPULTO_TEST_UNIT_PROGRAMBUILDER_H

#include "gtest/gtest.h"
#include "summary/CallGraph.h"
#include "summary/CombinedModule.h"
#include "summary/CombinedSummary.h"
#include "summary/WpaContext.h"

#include <memory>
#include <string>
#include <vector>

namespace gpulto {

/// Builds one module; names must outlive the program (use literals).
class ModuleBuilder {
public:
  explicit ModuleBuilder(Side side = Side::Host, llvm::StringRef arch = "") {
    result.summary.side = side;
    result.summary.arch = arch;
  }

  /// Adds a declaration.
  SymbolIndex declare(llvm::StringRef name, uint8_t resolution = 0) {
    SymbolRecord symbol;
    symbol.name = name;
    symbol.flags = kDeclaration;
    return add(symbol, resolution);
  }

  /// Adds a function that calls \p callees.
  SymbolIndex define(llvm::StringRef name, uint8_t resolution,
                     std::vector<SymbolIndex> callees,
                     uint32_t instructions = 10, uint32_t flags = 0,
                     Linkage linkage = Linkage::External) {
    SymbolRecord symbol;
    symbol.name = name;
    symbol.linkage = linkage;
    symbol.flags = flags;
    SymbolIndex index = add(symbol, resolution);
    FunctionSummary function;
    function.symbol = index;
    function.instructionCount = instructions;
    function.calls = {uint32_t(result.summary.calls.size()),
                      uint32_t(callees.size())};
    for (SymbolIndex callee : callees) {
      CallEdge call;
      call.callee = callee;
      result.summary.calls.push_back(call);
    }
    result.summary.functions.push_back(function);
    return index;
  }

  /// Adds a variable whose initializer refers to \p uses.
  SymbolIndex variable(llvm::StringRef name, uint8_t resolution,
                       uint32_t flags = 0, uint8_t addressSpace = 0,
                       std::vector<SymbolIndex> uses = {},
                       Linkage linkage = Linkage::External) {
    SymbolRecord symbol;
    symbol.name = name;
    symbol.kind = SymbolKind::Variable;
    symbol.linkage = linkage;
    symbol.flags = flags;
    symbol.addressSpace = addressSpace;
    SymbolIndex index = add(symbol, resolution);
    VariableSummary variable;
    variable.symbol = index;
    variable.sizeBytes = 4;
    variable.references = {uint32_t(result.summary.references.size()),
                           uint32_t(uses.size())};
    for (SymbolIndex use : uses)
      result.summary.references.push_back({use, kTakesAddress});
    result.summary.variables.push_back(variable);
    return index;
  }

  /// Lets the last function refer to \p symbol.
  void refer(SymbolIndex symbol, ReferenceFlags flags = kReads) {
    FunctionSummary &function = result.summary.functions.back();
    if (function.references.empty())
      function.references.first = result.summary.references.size();
    ++function.references.count;
    result.summary.references.push_back({symbol, flags});
  }

  void offload(SymbolIndex host, llvm::StringRef deviceName,
               OffloadEntry::Kind kind = OffloadEntry::Kind::Kernel) {
    OffloadEntry entry;
    entry.kind = kind;
    entry.hostSymbol = host;
    entry.deviceName = deviceName;
    result.summary.offloadEntries.push_back(entry);
  }

  SymbolRecord &symbol(SymbolIndex index) {
    return result.summary.symbols[index];
  }
  ModuleSummary &summary() { return result.summary; }

  CombinedModule take(uint32_t object) {
    result.object = object;
    result.location = InputLocation("m" + std::to_string(object) + ".o");
    result.tag = "t" + std::to_string(object);
    return std::move(result);
  }

private:
  SymbolIndex add(SymbolRecord symbol, uint8_t resolution) {
    result.summary.symbols.push_back(symbol);
    result.resolution.push_back(resolution);
    return result.summary.symbols.size() - 1;
  }

  CombinedModule result;
};

/// A resolved program with what WPA needs around it.
struct TestProgram {
  CombinedSummary summary;
  std::unique_ptr<CallGraph> graph;
  Params params;
  Diagnostics diagnostics;
  std::unique_ptr<WpaContext> context;

  /// Resolves and builds the graph; modules must have been added.
  llvm::Error finish() {
    if (llvm::Error error = summary.resolve())
      return error;
    graph = std::make_unique<CallGraph>(summary);
    context.reset(
        new WpaContext{summary, *graph, params, diagnostics, false, {}});
    return llvm::Error::success();
  }

  /// Finishes the program of the one host module \p module. Everything in it is
  /// live, the definitions in \p visible can be named from outside.
  void finishWith(ModuleBuilder &module,
                  llvm::ArrayRef<SymbolIndex> visible = {}) {
    summary.addModule(module.take(0));
    EXPECT_FALSE(finish());
    Decisions &decisions = context->decisions;
    decisions.live.resize(summary.symbolCount(), true);
    decisions.visibleOutside.resize(summary.symbolCount());
    for (SymbolIndex symbol : visible)
      decisions.visibleOutside.set(symbol);
  }

  GlobalId host(llvm::StringRef name) const {
    return summary.lookup(kHostImage, name);
  }
  GlobalId device(llvm::StringRef name, ImageIndex image = 1) const {
    return summary.lookup(image, name);
  }
};

} // namespace gpulto

#endif
