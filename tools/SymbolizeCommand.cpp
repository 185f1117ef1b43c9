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
    "       gpulto symbolize [--base=ADDRESS] --kernel=NAME|HANDLE PROGRAM\n"
    "\n"
    "Names the frames of a stack trace, innermost first, also where functions\n"
    "share a body. Without addresses, standard input is read, a frame a line:\n"
    "  0x1234                       an address\n"
    "  PROGRAM(+0x1234) [0x...]     glibc's backtrace_symbols\n"
    "  #1 0x... in f (PROGRAM+0x1234)   sanitizers\n"
    "  #1  0x... in f () ...        gdb; --base says where the program lies\n"
    "A frame that several functions may be is printed with all of them.\n"
    "\n"
    "  --base=ADDRESS  where a position-independent program was loaded\n"
    "  --kernel=NAME   all kernels that a profiler shows as NAME (mangled)\n"
    "  --kernel=0x...  the kernel that is launched by this handle\n";

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

void printNames(const FrameName &names) {
  if (names.size() > 1)
    outs() << "one of: ";
  if (names.empty())
    outs() << "??";
  ListSeparator separator(" | ");
  for (const std::string &name : names)
    outs() << separator << demangle(name);
  outs() << '\n';
}

Expected<FrameNames> readNames(StringRef program) {
  ErrorOr<std::unique_ptr<MemoryBuffer>> file = MemoryBuffer::getFile(
      program, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (!file)
    return inputError(InputLocation(program), file.getError().message());
  return FrameNames::read((*file)->getMemBufferRef(), InputLocation(program));
}

/// Prints the kernels that \p kernel, a name or an address, may mean.
Error showKernel(StringRef program, StringRef kernel, uint64_t base) {
  Expected<FrameNames> names = readNames(program);
  if (!names)
    return names.takeError();
  uint64_t address = 0;
  StringRef digits = kernel;
  bool isAddress =
      digits.consume_front("0x") && !digits.getAsInteger(16, address);
  FrameName found = isAddress ? names->kernelsOfHandle(address - base)
                              : names->kernelsNamed(kernel);
  if (found.empty())
    return inputError(InputLocation(program),
                      "no handle of a kernel at " + kernel);
  printNames(found);
  return Error::success();
}

Error symbolize(StringRef program, std::vector<Frame> frames) {
  Expected<FrameNames> names = readNames(program);
  if (!names)
    return names.takeError();
  // No address of the program: its frames neither name nor are named.
  constexpr uint64_t kForeign = ~uint64_t(0);
  std::vector<uint64_t> addresses;
  for (const Frame &frame : frames)
    addresses.push_back(frame.isForeign ? kForeign : frame.address);
  for (auto [i, name] : enumerate(names->name(addresses))) {
    outs() << '#' << i << ' ' << format_hex(frames[i].address, 1) << ' ';
    printNames(name);
  }
  return Error::success();
}

} // namespace

int symbolizeCommand(ArrayRef<const char *> arguments) {
  uint64_t base = 0;
  StringRef kernel;
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
    if (value.consume_front("--kernel=") && !value.empty()) {
      kernel = value;
      continue;
    }
    if (argument.starts_with("-")) {
      errs() << "gpulto symbolize: unknown option '" << argument << "'\n"
             << kUsage;
      return 2;
    }
    words.push_back(argument);
  }
  if (words.empty() || (!kernel.empty() && words.size() > 1)) {
    errs() << kUsage;
    return 2;
  }
  auto statusOf = [](Error error) {
    if (!error)
      return 0;
    logAllUnhandledErrors(std::move(error), errs(), "gpulto symbolize: ");
    return 1;
  };
  if (!kernel.empty())
    return statusOf(showKernel(words.front(), kernel, base));
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
  return statusOf(symbolize(words.front(), std::move(frames)));
}

} // namespace gpulto
