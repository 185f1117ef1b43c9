//===- PtxFuzzer.cpp - Hostile PTX in the emulator ------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Parses a module and decodes every body. Instructions are not run: all of
// them have one handler, which nobody calls.
//
//===----------------------------------------------------------------------===//

#include "emulator/ptx/Decoder.h"

#include <cstdint>
#include <string_view>

using namespace gpulto::emu;

namespace {

/// Names lead to something of every kind, by their length.
struct Symbols : SymbolSource {
  explicit Symbols(Function &function) : function(function) {}
  Symbol lookup(std::string_view name) override {
    Symbol symbol;
    switch (name.size() % 5) {
    case 0:
      break;
    case 1:
      symbol.kind = Symbol::Variable;
      symbol.address = 0x1000;
      break;
    case 2:
      symbol.kind = Symbol::Shared;
      break;
    default:
      symbol.kind = Symbol::Function;
      symbol.function = &function;
      break;
    }
    return symbol;
  }
  uint32_t addShared(const VariableDecl &) override { return 0; }
  uint64_t addVariable(const VariableDecl &) override { return 0x2000; }
  Function &function;
};

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  std::string_view text(reinterpret_cast<const char *>(data), size);
  SourceDecl source;
  if (parseSource(text, source).failed())
    return 0;
  const Selector select = [](const InsnDesc &) {
    return Handler(+[](Warp &, const Insn &, uint32_t) {});
  };
  for (const FunctionDecl &decl : source.functions) {
    if (!decl.hasBody)
      continue;
    FunctionBody body;
    if (parseBody(decl, body).failed())
      continue;
    Function function;
    layoutParameters(decl, function);
    Symbols symbols(function);
    Decoder(decl, body, function, symbols, select).run();
  }
  return 0;
}
