//===- TransferTable.cpp - A program's table of copies --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "lto/tables/TransferTable.h"

#include "ipa/runtime/CudaRuntime.h"
#include "lto/tables/ProgramTable.h"
#include "summary/CombinedModule.h"
#include "summary/Remarks.h"
#include "support/BinaryArchive.h"

using namespace llvm;

namespace gpulto {

/// Begins the section; the digit is the version.
static constexpr StringLiteral kMagic = "GTR1";

template <typename A> static void transfer(A &a, TransferTableRow &row) {
  a.field(row.function);
  a.field(row.callee);
  a.field(row.file);
  a.field(row.line);
  a.field(row.column);
  a.enumerator(row.verdict, TransferVerdict::Last);
  a.field(row.isChanged);
  a.field(row.reason);
}

TransferTable makeTransferTable(const WpaContext &context) {
  const CombinedSummary &program = context.program;
  TransferTable table;
  table.rows.reserve(context.decisions.transfers.size());
  for (const TransferRow &decided : context.decisions.transfers) {
    const ModuleSummary &module = program.moduleRef(decided.function).summary;
    const CallEdge &call = slice(
        module.calls, program.function(decided.function)->calls)[decided.call];
    StringRef callee = module.symbols[call.callee].name;
    // Names that belong to one default stream or the other are one function.
    if (const RuntimeFunction *known = findRuntimeFunction(callee))
      callee = known->name;
    SourceLocation where = locationOf(program, decided.function, call.place);
    table.rows.push_back({program.symbol(decided.function).name.str(),
                          callee.str(), where.file, where.line, where.column,
                          decided.verdict,
                          decided.verdict != TransferVerdict::Needed &&
                              !isOfWait(decided.verdict) &&
                              context.options.removesCopies,
                          decided.reason});
  }
  return table;
}

std::string encodeTransferTable(const TransferTable &table) {
  ArchiveWriter writer;
  TransferTable copy = table; // transfer() serves the reader too, which writes
  writer.list(copy.rows);
  return packTable(kMagic, writer.out.str());
}

Expected<TransferTable> decodeTransferRows(StringRef rows,
                                           const InputLocation &where) {
  ArchiveReader reader{BinaryReader(rows, where)};
  TransferTable table;
  reader.list(table.rows);
  if (Error error = reader.in.finish())
    return std::move(error);
  return table;
}

Expected<TransferTable> decodeTransferTable(StringRef bytes,
                                            const InputLocation &where) {
  Expected<std::string> rows = unpackTable(kMagic, "copies", bytes, where);
  if (!rows)
    return rows.takeError();
  return decodeTransferRows(*rows, where);
}

Expected<TransferTable> readTransferTable(MemoryBufferRef file,
                                          const InputLocation &where) {
  auto found = requireTable(file, kTransferSection,
                            "it copies nothing between host and device", where);
  if (!found)
    return found.takeError();
  return decodeTransferTable(found->bytes, found->where);
}

} // namespace gpulto
