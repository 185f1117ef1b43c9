//===- KernelUsage.cpp - Resources of kernels, from ptxas -----------------===//
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
// With -c each function is compiled once, before or after the kernels. Only the
// cubin's .nv.info has its registers: records of a format and an attribute, a
// byte each, and 16 bits that are a value or the number of bytes that follow.
//
//===----------------------------------------------------------------------===//

#include "lto/check/KernelUsage.h"

#include "support/Error.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/Endian.h"

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
  explicit InfoParser(bool isSeparate = false) : isSeparate(isSeparate) {}

  Expected<KernelUsages> run(StringRef text);
  /// Of all functions that are compiled by themselves.
  const KernelUsage &ofFunctions() const { return functions; }

private:
  bool readLine(StringRef line);
  void addFunction(StringRef line);
  bool finishKernel() { return !current || (hasProperties && hasRegisters); }

  bool isSeparate;
  KernelUsages usages;
  KernelUsage functions;
  bool isOfFunction = false;
  KernelUsage *current = nullptr;
  std::string name;
  bool hasProperties = false;
  bool hasRegisters = false;
};
} // namespace

void InfoParser::addFunction(StringRef line) {
  auto stores = numberBefore(line, " bytes spill stores");
  if (!stores)
    return;
  functions.stackBytes += numberBefore(line, " bytes stack frame").value_or(0);
  functions.spillStoreBytes += *stores;
  functions.spillLoadBytes +=
      numberBefore(line, " bytes spill loads").value_or(0);
  isOfFunction = false;
}

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
  static constexpr StringLiteral kProperties = "Function properties for ";
  if (size_t at = line.find(kProperties); at != StringRef::npos) {
    isOfFunction =
        isSeparate && line.substr(at + kProperties.size()).trim() != name;
    return true;
  }
  if (isOfFunction) {
    addFunction(line);
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

/// Returns how many registers the function or kernel of \p cubin takes that
/// takes most.
static Expected<unsigned> mostRegisters(StringRef cubin) {
  constexpr uint8_t kWithBytes = 4, kRegisterCount = 0x2f;
  constexpr size_t kHead = 4, kSymbol = 4, kCount = 4;
  auto file =
      object::ObjectFile::createELFObjectFile(MemoryBufferRef(cubin, "cubin"));
  if (!file)
    return file.takeError();
  unsigned most = 0;
  for (const object::SectionRef &section : (*file)->sections()) {
    Expected<StringRef> name = section.getName();
    if (!name)
      return name.takeError();
    if (*name != ".nv.info")
      continue;
    Expected<StringRef> records = section.getContents();
    if (!records)
      return records.takeError();
    for (StringRef left = *records; !left.empty();) {
      uint16_t size = left.size() < kHead
                          ? UINT16_MAX
                          : support::endian::read16le(left.data() + 2);
      bool hasBytes = left[0] == kWithBytes;
      if (left.size() < kHead + (hasBytes ? size : 0))
        return makeError("the cubin's .nv.info ends within a record, at " +
                         Twine(records->size() - left.size()));
      bool isCount = hasBytes && uint8_t(left[1]) == kRegisterCount &&
                     size == kSymbol + kCount;
      if (isCount)
        most = std::max<unsigned>(
            most, support::endian::read32le(left.data() + kHead + kSymbol));
      left = left.drop_front(kHead + (hasBytes ? size : 0));
    }
  }
  return most;
}

Expected<KernelUsages> parseSeparateInfo(StringRef text, StringRef cubin) {
  InfoParser parser(/*isSeparate=*/true);
  Expected<KernelUsages> usages = parser.run(text);
  if (!usages)
    return usages.takeError();
  Expected<unsigned> registers = mostRegisters(cubin);
  if (!registers)
    return registers.takeError();
  for (auto &[name, usage] : *usages) {
    usage.registers = std::max(usage.registers, *registers);
    usage.stackBytes += parser.ofFunctions().stackBytes;
    usage.spillStoreBytes += parser.ofFunctions().spillStoreBytes;
    usage.spillLoadBytes += parser.ofFunctions().spillLoadBytes;
  }
  return usages;
}

Expected<std::set<std::string>> kernelsWithFunctions(StringRef cubin) {
  auto file = object::ELFObjectFile<object::ELF64LE>::create(
      MemoryBufferRef(cubin, "cubin"));
  if (!file)
    return file.takeError();
  // By the section of their code, which is called .text.KERNEL.
  std::set<std::string> kernels, owners;
  for (const object::ELFSymbolRef &symbol : file->symbols()) {
    if (symbol.getELFType() != ELF::STT_FUNC)
      continue;
    auto section = symbol.getSection();
    if (!section)
      return section.takeError();
    if (*section == file->section_end())
      continue; // what it calls in other cubins
    Expected<StringRef> owner = (*section)->getName(), name = symbol.getName();
    if (!owner || !name)
      return joinErrors(owner.takeError(), name.takeError());
    owner->consume_front(".text.");
    (*owner == *name ? kernels : owners).insert(owner->str());
  }
  return std::ranges::includes(kernels, owners) ? owners : kernels;
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
