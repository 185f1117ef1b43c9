//===- SymbolizeCommand.cpp - gpulto symbolize ----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "tools/SymbolizeCommand.h"

#include "lto/FrameNames.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

#include <optional>

using namespace llvm;

namespace gpulto {

namespace {

const char kUsage[] =
    "usage: gpulto symbolize [--base=ADDRESS] PROGRAM [ADDRESS...]\n"
    "\n"
    "Names the frames of a stack trace, innermost first, also where functions\n"
    "share a body. Without addresses, standard input is read, a frame a line:\n"
    "  0x1234                       an address\n"
    "  PROGRAM(+0x1234) [0x...]     glibc's backtrace_symbols\n"
    "  #1 0x... in f (PROGRAM+0x1234)   sanitizers\n"
    "  #1  0x... in f () ...        gdb; --base says where the program lies\n"
    "A frame that several functions may be is printed with all of them.\n"
    "\n"
    "  --base=ADDRESS  where a position-independent program was loaded\n";

struct Frame {
  uint64_t address = 0;
  /// It lies in another file.
  bool isForeign = false;
};

/// Returns the hexadecimal number that follows \p prefix in \p text.
std::optional<uint64_t> numberAfter(StringRef text, StringRef prefix) {
  size_t at = text.find(prefix);
  if (at == StringRef::npos)
    return std::nullopt;
  StringRef digits = text.drop_front(at + prefix.size()).take_while(isHexDigit);
  uint64_t value = 0;
  if (digits.empty() || digits.getAsInteger(16, value))
    return std::nullopt;
  return value;
}

/// Reads one line of a trace of the program named \p file.
std::optional<Frame> parseFrame(StringRef line, StringRef file, uint64_t base) {
  // Sanitizers: (FILE+0x1234), glibc: FILE(+0x1234): addresses of the file.
  for (StringRef join : {"(+0x", "+0x"}) {
    StringRef before = line.take_front(line.find(join));
    if (before == line)
      continue;
    StringRef path = before.drop_front(before.find_last_of(" (") + 1);
    std::optional<uint64_t> address = numberAfter(line, join);
    if (address && sys::path::filename(path) == file)
      return Frame{*address, false};
    if (address && (join == "(+0x" || path.contains('/')))
      return Frame{*address, true};
  }
  // FILE(FUNCTION+0x12) [0x1234], or no more than the address.
  std::optional<uint64_t> address = numberAfter(line, "[0x");
  if (!address)
    address = numberAfter(line, "0x");
  if (!address)
    return std::nullopt;
  return Frame{*address - base, *address < base};
}

void printFrame(size_t number, uint64_t address, const FrameName &names) {
  outs() << '#' << number << ' ' << format_hex(address, 1) << ' ';
  if (names.size() > 1)
    outs() << "one of: ";
  if (names.empty())
    outs() << "??";
  ListSeparator separator(" | ");
  for (const std::string &name : names)
    outs() << separator << demangle(name);
  outs() << '\n';
}

Error symbolize(StringRef program, std::vector<Frame> frames) {
  ErrorOr<std::unique_ptr<MemoryBuffer>> file = MemoryBuffer::getFile(
      program, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (!file)
    return inputError(InputLocation(program), file.getError().message());
  Expected<FrameNames> names =
      FrameNames::read((*file)->getMemBufferRef(), InputLocation(program));
  if (!names)
    return names.takeError();
  // No address of the program: its frames neither name nor are named.
  constexpr uint64_t kForeign = ~uint64_t(0);
  std::vector<uint64_t> addresses;
  for (const Frame &frame : frames)
    addresses.push_back(frame.isForeign ? kForeign : frame.address);
  for (auto [i, name] : enumerate(names->name(addresses)))
    printFrame(i, frames[i].address, name);
  return Error::success();
}

} // namespace

int symbolizeCommand(ArrayRef<const char *> arguments) {
  uint64_t base = 0;
  SmallVector<StringRef> words;
  for (StringRef argument : arguments) {
    StringRef value = argument;
    if (argument == "--help") {
      outs() << kUsage;
      return 0;
    }
    if (value.consume_front("--base=")) {
      value.consume_front("0x");
      if (!value.getAsInteger(16, base))
        continue;
    }
    if (argument.starts_with("-")) {
      errs() << "gpulto symbolize: unknown option '" << argument << "'\n"
             << kUsage;
      return 2;
    }
    words.push_back(argument);
  }
  if (words.empty()) {
    errs() << kUsage;
    return 2;
  }
  std::unique_ptr<MemoryBuffer> input;
  SmallVector<StringRef> lines(drop_begin(words));
  if (lines.empty()) {
    auto text = MemoryBuffer::getSTDIN();
    if (!text) {
      errs() << "gpulto symbolize: standard input: "
             << text.getError().message() << '\n';
      return 1;
    }
    input = std::move(*text);
    input->getBuffer().split(lines, '\n', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  }
  std::vector<Frame> frames;
  for (StringRef line : lines)
    if (auto frame = parseFrame(line, sys::path::filename(words.front()), base))
      frames.push_back(*frame);
    else if (!input) {
      errs() << "gpulto symbolize: '" << line << "' is no address\n";
      return 2;
    }
  if (Error error = symbolize(words.front(), std::move(frames))) {
    logAllUnhandledErrors(std::move(error), errs(), "gpulto symbolize: ");
    return 1;
  }
  return 0;
}

} // namespace gpulto
