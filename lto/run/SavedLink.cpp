//===- SavedLink.cpp - What is needed to repeat a link's jobs -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "lto/run/SavedLink.h"

#include "lto/partition/LtransModule.h"
#include "support/Error.h"
#include "support/Subprocess.h"

#include "llvm/ADT/StringSet.h"

using namespace llvm;

namespace gpulto {

static std::string savedName(const JobInput &input) {
  return "inputs/" + input.digest.hex() + ".bc";
}

/// Returns \p input as it reads from the saved copy.
static JobInput savedInput(const JobInput &input) {
  JobInput saved = input;
  saved.path = savedName(input);
  saved.member.clear();
  saved.offset = 0;
  saved.storedBytes = input.rawBytes;
  saved.compressed = false;
  return saved;
}

Error saveJobs(const LinkJobs &jobs, StringRef directory) {
  std::string inputs = (directory + "/inputs").str();
  if (Error error = makeDirectories(inputs))
    return error;
  StringSet<> written;
  for (size_t i = 0; i < jobs.size(); ++i) {
    LtransJob saved = jobs.make(i);
    for (JobInput &input : saved.inputs) {
      if (written.insert(savedName(input)).second) {
        Expected<std::unique_ptr<MemoryBuffer>> bitcode = readJobInput(input);
        if (!bitcode)
          return bitcode.takeError();
        if (Error error =
                writeFileAtomically((directory + "/" + savedName(input)).str(),
                                    (*bitcode)->getBuffer()))
          return error;
      }
      input = savedInput(input);
    }
    if (Error error = writeFileAtomically(
            (directory + "/" + Twine(saved.index) + ".job.json").str(),
            writeJob(saved)))
      return error;
  }
  return Error::success();
}

std::string replayCommand(StringRef directory, uint32_t index) {
  return "cd " + shellQuote(directory) + " && gpulto ltrans " +
         std::to_string(index) + ".job.json -o out";
}

} // namespace gpulto
