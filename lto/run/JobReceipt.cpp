//===- JobReceipt.cpp - Results of a job that ran elsewhere ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "lto/run/JobReceipt.h"

#include "lto/job/JobResults.h"
#include "lto/job/LtransReport.h"
#include "lto/link/TimeTrace.h"
#include "lto/link/Version.h"
#include "support/Error.h"
#include "support/StableHash.h"
#include "support/Subprocess.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

using namespace llvm;

namespace gpulto {

/// Who writes receipts: results of other versions may be other bytes.
static constexpr StringLiteral kProducer =
    "gpulto " GPULTO_VERSION ", LLVM " LLVM_VERSION_STRING;

static std::string receiptPath(StringRef prefix) {
  return (prefix + ".receipt").str();
}

std::vector<std::string> remoteOutputs(const JobHead &job, StringRef prefix,
                                       bool isTraced) {
  LtransResultPaths paths = resultPaths(job, prefix);
  std::vector<std::string> outputs = {paths.object, paths.ptx, paths.cubin,
                                      paths.report};
  if (isTraced)
    outputs.push_back(jobTracePath(prefix));
  llvm::erase(outputs, "");
  outputs.push_back(receiptPath(prefix));
  return outputs;
}

Error removeOutputs(const JobHead &job, StringRef prefix, bool isTraced) {
  for (const std::string &path : remoteOutputs(job, prefix, isTraced))
    if (std::error_code code = sys::fs::remove(path))
      return inputError(InputLocation(path),
                        "cannot remove: " + code.message());
  return Error::success();
}

/// Describes the file \p path; makes it if it is not there. \p empty: what a
/// file that says nothing holds.
static Expected<json::Object> describeOutput(StringRef path, StringRef empty) {
  if (!sys::fs::exists(path))
    if (Error error = writeFileAtomically(path, empty))
      return std::move(error);
  auto file = readWholeFile(path);
  if (!file)
    return file.takeError();
  StringRef bytes = (*file)->getBuffer();
  return json::Object{{"name", sys::path::filename(path)},
                      {"bytes", int64_t(bytes.size())},
                      {"digest", digestOf(bytes).hex()}};
}

static json::Array describePhases(ArrayRef<JobPhase> phases) {
  json::Array result;
  for (const JobPhase &phase : phases)
    result.push_back(
        json::Object{{"name", phase.name}, {"cpuSeconds", phase.cpuSeconds}});
  return result;
}

Error writeReceipt(const LtransJob &job, const Digest &jobFile,
                   StringRef prefix, bool isTraced, const JobReceipt &says) {
  std::string report = resultPaths(job, prefix).report;
  json::Array outputs;
  std::vector<std::string> paths = remoteOutputs(job, prefix, isTraced);
  for (const std::string &path : ArrayRef(paths).drop_back()) {
    Expected<json::Object> output = describeOutput(
        path, path == report ? encodeReport(LtransReport()) : "");
    if (!output)
      return output.takeError();
    outputs.push_back(std::move(*output));
  }
  const JobStatistics &used = says.used;
  json::Object receipt{{"producer", kProducer},
                       {"job", jobFile.hex()},
                       {"outputs", std::move(outputs)},
                       {"wallSeconds", used.wallSeconds},
                       {"cpuSeconds", used.cpuSeconds},
                       {"peakMemoryBytes", int64_t(used.peakMemoryBytes)},
                       {"phases", describePhases(used.phases)}};
  if (!says.bodies.isNone()) {
    receipt["optimizer"] = says.optimizer.hex();
    receipt["bodies"] = says.bodies.hex();
  }
  return writeFileAtomically(
      paths.back(), formatv("{0:2}\n", json::Value(std::move(receipt))).str());
}

//===----------------------------------------------------------------------===//
// Checking
//===----------------------------------------------------------------------===//

/// Compares the file \p path with what its job wrote there.
static Error checkOutput(StringRef path, const json::Object *written) {
  auto bytes = written ? written->getInteger("bytes") : std::nullopt;
  auto digest = written ? written->getString("digest") : std::nullopt;
  if (!bytes || !digest ||
      written->getString("name") != sys::path::filename(path))
    return inputError(InputLocation(path), "the receipt does not name it");
  auto file = readWholeFile(path);
  if (!file)
    return file.takeError();
  uint64_t size = (*file)->getBufferSize();
  if (size != static_cast<uint64_t>(*bytes))
    return inputError(InputLocation(path),
                      Twine(size) + " bytes, its job wrote " + Twine(*bytes));
  if (digestOf((*file)->getBuffer()).hex() != *digest)
    return inputError(InputLocation(path),
                      "the contents are not those that its job wrote");
  return Error::success();
}

static JobStatistics readStatistics(const json::Object &receipt) {
  JobStatistics used;
  used.place = JobPlace::Elsewhere;
  used.wallSeconds = receipt.getNumber("wallSeconds").value_or(0);
  used.cpuSeconds = receipt.getNumber("cpuSeconds").value_or(0);
  used.peakMemoryBytes = receipt.getInteger("peakMemoryBytes").value_or(0);
  if (const json::Array *phases = receipt.getArray("phases"))
    for (const json::Value &value : *phases)
      if (const json::Object *phase = value.getAsObject())
        used.phases.push_back({phase->getString("name").value_or("").str(),
                               phase->getNumber("cpuSeconds").value_or(0)});
  return used;
}

/// Returns the digest in \p receipt under \p name, if any.
static Digest readDigest(const json::Object &receipt, StringRef name) {
  Digest digest;
  auto text = receipt.getString(name);
  return text && Digest::fromHex(*text, digest) ? digest : Digest();
}

Expected<JobReceipt> checkReceipt(const LtransJob &job, StringRef prefix,
                                  bool isTraced) {
  std::vector<std::string> paths = remoteOutputs(job, prefix, isTraced);
  InputLocation where(paths.back());
  auto text = readWholeFile(paths.back());
  if (!text)
    return text.takeError();
  Expected<json::Value> parsed = json::parse((*text)->getBuffer());
  if (!parsed)
    return inputError(where, "not a receipt: " + toString(parsed.takeError()));
  const json::Object *receipt = parsed->getAsObject();
  auto producer = receipt ? receipt->getString("producer") : std::nullopt;
  const json::Array *outputs = receipt ? receipt->getArray("outputs") : nullptr;
  if (!producer || !outputs)
    return inputError(where, "not a receipt");
  if (*producer != kProducer)
    return inputError(where, "the job was run by " + *producer + ", this is " +
                                 kProducer);
  if (receipt->getString("job") != digestOf(writeJob(job)).hex())
    return inputError(where, "the job that was run is another one");
  paths.pop_back();
  if (outputs->size() != paths.size())
    return inputError(where, Twine(outputs->size()) + " outputs, expected " +
                                 Twine(paths.size()));
  for (auto [path, output] : zip_equal(paths, *outputs))
    if (Error error = checkOutput(path, output.getAsObject()))
      return std::move(error);
  return JobReceipt{readStatistics(*receipt), readDigest(*receipt, "optimizer"),
                    readDigest(*receipt, "bodies")};
}

} // namespace gpulto
