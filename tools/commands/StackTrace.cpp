//===- StackTrace.cpp - Read stack traces of every kind -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "tools/commands/StackTrace.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/Support/Path.h"

#include <cstdlib>
#include <memory>

using namespace llvm;

namespace gpulto {

/// Returns the hexadecimal number that follows \p prefix in \p text.
static std::optional<uint64_t> numberAfter(StringRef text, StringRef prefix) {
  size_t at = text.find(prefix);
  if (at == StringRef::npos)
    return std::nullopt;
  StringRef digits = text.drop_front(at + prefix.size()).take_while(isHexDigit);
  uint64_t value = 0;
  if (digits.empty() || digits.getAsInteger(16, value))
    return std::nullopt;
  return value;
}

std::string shortName(const std::string &symbol) {
  ItaniumPartialDemangler demangler;
  if (demangler.partialDemangle(symbol.c_str()) || !demangler.isFunction())
    return symbol;
  std::unique_ptr<char, decltype(&std::free)> name(
      demangler.getFunctionName(nullptr, nullptr), &std::free);
  return name ? name.get() : symbol;
}

TraceReader::TraceReader(StringRef program, uint64_t base,
                         const FrameNames &names)
    : file(sys::path::filename(program)), base(base), names(names) {}

/// Returns the address of the only symbol called \p name, as perf shows it.
std::optional<uint64_t> TraceReader::addressOf(StringRef name) {
  if (addresses.empty())
    names.forEachSymbol([&](uint64_t address, const std::string &symbol) {
      for (const std::string &key :
           {symbol, demangle(symbol), shortName(symbol)}) {
        auto [entry, isNew] = addresses.try_emplace(key, address);
        if (!isNew && entry->second != address)
          entry->second = kAmbiguous;
      }
    });
  auto found = addresses.find(name);
  if (found == addresses.end() || found->second == kAmbiguous)
    return std::nullopt;
  return found->second;
}

/// Reads "  55d0c8a01136 name+0x16 (/path/program)".
std::optional<TraceFrame> TraceReader::readPerf(StringRef line) {
  StringRef rest = line.ltrim();
  StringRef digits = rest.take_while(isHexDigit);
  if (rest == line || digits.empty() ||
      !rest.drop_front(digits.size()).starts_with(" ") || !line.ends_with(")"))
    return std::nullopt;
  size_t open = rest.rfind(" (");
  if (open == StringRef::npos || open <= digits.size())
    return std::nullopt;
  StringRef path = rest.drop_front(open + 2).drop_back();
  StringRef name = rest.slice(digits.size() + 1, open);
  TraceFrame frame;
  frame.isForeign = true;
  size_t plus = name.rfind("+0x");
  uint64_t offset = 0;
  if (plus != StringRef::npos &&
      !name.drop_front(plus + 3).getAsInteger(16, offset))
    name = name.take_front(plus);
  frame.name = name;
  if (sys::path::filename(path) != file)
    return frame;
  if (std::optional<uint64_t> start = addressOf(name)) {
    frame.address = *start + offset;
    frame.isForeign = false;
  }
  return frame;
}

std::optional<TraceFrame> TraceReader::read(StringRef line) {
  if (std::optional<TraceFrame> frame = readPerf(line))
    return frame;
  TraceFrame frame;
  StringRef number = line.ltrim();
  frame.isFirst = number.consume_front("#0") && number.starts_with(" ");
  // Sanitizers: (FILE+0x1234), glibc: FILE(+0x1234): addresses of the file.
  for (StringRef join : {"(+0x", "+0x"}) {
    StringRef before = line.take_front(line.find(join));
    if (before == line)
      continue;
    StringRef path = before.drop_front(before.find_last_of(" (") + 1);
    std::optional<uint64_t> address = numberAfter(line, join);
    frame.isForeign = sys::path::filename(path) != file;
    if (address && (!frame.isForeign || join == "(+0x" || path.contains('/'))) {
      frame.address = *address;
      return frame;
    }
  }
  // FILE(FUNCTION+0x12) [0x1234], or no more than the address.
  std::optional<uint64_t> address = numberAfter(line, "[0x");
  if (!address)
    address = numberAfter(line, "0x");
  if (!address)
    return std::nullopt;
  frame.isForeign = *address < base;
  frame.address = *address - base;
  return frame;
}

} // namespace gpulto
