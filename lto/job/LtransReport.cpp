//===- LtransReport.cpp - What a job has to say ---------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "lto/job/LtransReport.h"

#include "support/BinaryArchive.h"
#include "support/Error.h"
#include "support/Subprocess.h"

#include "llvm/Support/Errc.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace llvm;

namespace gpulto {

/// Begins the file; the digit is the version.
static constexpr StringLiteral kMagic = "GRP5";

using Counter = std::pair<std::string, uint64_t>;

template <typename A> static void transfer(A &a, std::string &text) { a.field(text); }

template <typename A> static void transfer(A &a, Counter &counter) {
  a.field(counter.first);
  a.field(counter.second);
}

template <typename A> static void transfer(A &a, InputLocation &location) {
  a.field(location.path);
  a.field(location.member);
  a.field(location.section);
  a.field(location.offset);
  a.field(location.hasOffset);
}

template <typename A> static void transfer(A &a, Remark &remark) {
  a.enumerator(remark.kind, RemarkKind::Analysis);
  a.field(remark.pass);
  a.field(remark.name);
  a.field(remark.function);
  a.field(remark.where.file);
  a.field(remark.where.line);
  a.field(remark.where.column);
  transfer(a, remark.input);
  a.field(remark.text);
}

template <typename A> static void transfer(A &a, JobWarning &warning) {
  a.field(warning.text);
  a.field(warning.needsJob);
}

template <typename A> static void transfer(A &a, FoldMismatch &mismatch) {
  a.field(mismatch.tag);
  a.field(mismatch.name);
  a.field(mismatch.text);
}

template <typename A>
static void transfer(A &a, LtransReport &report, std::vector<Counter> &counters) {
  a.list(report.remarks);
  a.list(report.warnings);
  a.list(report.output);
  a.list(report.mishaps);
  a.list(counters);
  a.list(report.accesses);
  a.list(report.mismatches);
}

std::string encodeReport(const LtransReport &report) {
  ArchiveWriter writer;
  writer.out.bytes(kMagic);
  LtransReport copy = report; // transfer() serves the reader too, which writes
  std::vector<Counter> counters(copy.counters.begin(), copy.counters.end());
  transfer(writer, copy, counters);
  return writer.out.take();
}

Expected<LtransReport> decodeReport(StringRef bytes, StringRef path) {
  LtransReport report;
  ArchiveReader reader{BinaryReader(bytes, InputLocation(path))};
  if (reader.in.bytes(kMagic.size()) != kMagic)
    reader.in.fail("no report of a job, or one of another version");
  std::vector<Counter> counters;
  transfer(reader, report, counters);
  report.counters.insert(counters.begin(), counters.end());
  if (Error error = reader.in.finish())
    return error;
  return report;
}

Error writeReport(const LtransReport &report, StringRef path) {
  if (!report.empty())
    return writeFileAtomically(path, encodeReport(report));
  if (std::error_code code = sys::fs::remove(path))
    return inputError(InputLocation(path), code.message());
  return Error::success();
}

Expected<LtransReport> readReport(StringRef path) {
  auto file = MemoryBuffer::getFile(path);
  if (file.getError() == errc::no_such_file_or_directory)
    return LtransReport(); // nothing to say
  if (!file)
    return inputError(InputLocation(path), file.getError().message());
  return decodeReport((*file)->getBuffer(), path);
}

} // namespace gpulto
