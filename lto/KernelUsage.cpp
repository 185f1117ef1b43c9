//===- KernelUsage.cpp - What ptxas says a kernel takes -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// `ptxas -v` (CUDA 11 to 13) writes for each kernel, in this order:
//
//   ptxas info    : Compiling entry function 'k' for 'sm_90'
//   ptxas info    : Function properties for k
//       368 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
//   ptxas info    : Used 32 registers, used 1 barriers, 368 bytes cumulative
//                   stack size, 512 bytes smem, 360 bytes cmem[0]
//   ptxas info    : Function properties for helper
//       0 bytes stack frame, 672 bytes spill stores, 684 bytes spill loads
//
// A function that is called is compiled into each kernel that calls it, under
// that kernel's limits: its lines follow the kernel's, and its spills are the
// kernel's. The kernel's frame holds the functions' as well.
//
//===----------------------------------------------------------------------===//

#include "lto/KernelUsage.h"

#include "support/Error.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/Object/ELFObjectFile.h"

using namespace llvm;

namespace gpulto {

/// Returns the number in front of \p unit in \p line, as in "12 bytes smem";
/// nothing when there is none.
static std::optional<uint64_t> numberBefore(StringRef line, StringRef unit) {
  size_t end = line.find(unit);
  if (end == StringRef::npos)
    return std::nullopt;
  StringRef before = line.take_front(end).rtrim();
  StringRef digits = before.take_back(
      before.size() - (before.find_last_not_of("0123456789") + 1));
  uint64_t number = 0;
  if (digits.getAsInteger(10, number))
    return std::nullopt;
  return number;
}

namespace {
/// Reads the lines in order; \c current is the kernel that they speak of.
class InfoParser {
public:
  Expected<KernelUsages> run(StringRef text);

private:
  bool readLine(StringRef line);
  bool finishKernel() { return !current || (hasProperties && hasRegisters); }

  KernelUsages usages;
  KernelUsage *current = nullptr;
  std::string name;
  bool hasProperties = false;
  bool hasRegisters = false;
};
} // namespace

/// Returns false when the kernel before ended without its figures.
bool InfoParser::readLine(StringRef line) {
  static constexpr StringLiteral kEntry = "Compiling entry function '";
  if (size_t at = line.find(kEntry); at != StringRef::npos) {
    if (!finishKernel())
      return false;
    name = line.substr(at + kEntry.size()).split('\'').first.str();
    current = &usages[name];
    *current = KernelUsage();
    hasProperties = hasRegisters = false;
    return true;
  }
  if (!current)
    return true;
  if (auto stores = numberBefore(line, " bytes spill stores")) {
    if (!hasProperties)
      current->stackBytes =
          numberBefore(line, " bytes stack frame").value_or(0);
    current->spillStoreBytes += *stores;
    current->spillLoadBytes +=
        numberBefore(line, " bytes spill loads").value_or(0);
    hasProperties = true;
    return true;
  }
  auto registers = numberBefore(line, " registers");
  if (!registers || hasRegisters || !line.contains(": Used "))
    return true;
  hasRegisters = true;
  current->registers = *registers;
  current->sharedBytes = numberBefore(line, " bytes smem").value_or(0);
  if (auto stack = numberBefore(line, " bytes cumulative stack size"))
    current->stackBytes = std::max(current->stackBytes, *stack);
  return true;
}

Expected<KernelUsages> InfoParser::run(StringRef text) {
  SmallVector<StringRef> lines;
  text.split(lines, '\n');
  bool complete = true;
  for (StringRef line : lines)
    if (!(complete = readLine(line)))
      break;
  if (!complete || !finishKernel())
    return makeError("ptxas -v gives no figures for '" + name +
                     "' in a form that is known here");
  return std::move(usages);
}

Expected<KernelUsages> parsePtxasInfo(StringRef text) {
  return InfoParser().run(text);
}

Error addCodeSizes(StringRef cubin, KernelUsages &usages) {
  auto file =
      object::ObjectFile::createELFObjectFile(MemoryBufferRef(cubin, "cubin"));
  if (!file)
    return file.takeError();
  for (const object::SectionRef &section : (*file)->sections()) {
    Expected<StringRef> name = section.getName();
    if (!name)
      return name.takeError();
    if (!name->consume_front(".text."))
      continue;
    if (auto usage = usages.find(name->str()); usage != usages.end())
      usage->second.codeBytes = section.getSize();
  }
  for (const auto &[name, usage] : usages)
    if (!usage.codeBytes)
      return makeError("the cubin has no code for '" + name + "'");
  return Error::success();
}

} // namespace gpulto
