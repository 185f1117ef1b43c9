//===- SymbolizeCommand.cpp - gpulto symbolize ----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "tools/commands/SymbolizeCommand.h"

#include "lto/tables/FrameNames.h"
#include "support/Error.h"
#include "support/Subprocess.h"
#include "support/UnitNames.h"
#include "tools/commands/StackTrace.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

#include <optional>

using namespace llvm;

namespace gpulto {

namespace {

const char kUsage[] =
    "usage: gpulto symbolize [--base=ADDRESS] [--short] PROGRAM [ADDRESS...]\n"
    "       gpulto symbolize [--base=ADDRESS] --kernel=NAME|HANDLE PROGRAM\n"
    "\n"
    "Names the frames of a stack trace, innermost first, also where functions\n"
    "share a body. Without addresses, standard input is read, a frame a line,\n"
    "and an empty line or frame #0 between stacks:\n"
    "  0x1234                       an address\n"
    "  PROGRAM(+0x1234) [0x...]     glibc's backtrace_symbols\n"
    "  #1 0x... in f (PROGRAM+0x1234)   sanitizers\n"
    "  #1  0x... in f () ...        gdb; --base says where the program lies\n"
    "  \t5581... f+0x16 (/.../PROGRAM)   perf script, printed as it is but "
    "for\n"
    "                               the names\n"
    "A frame that several functions may be is printed with all of them.\n"
    "\n"
    "  --base=ADDRESS  where a position-independent program was loaded\n"
    "  --short         names without parameters and return types\n"
    "  --kernel=NAME   all kernels that a profiler shows as NAME (mangled)\n"
    "  --kernel=0x...  the kernel that is launched by this handle\n";

void printNames(const FrameName &names, bool isShort = false) {
  SmallVector<std::string, 4> shown;
  for (const std::string &name : names) {
    std::string text = isShort ? shortName(name) : demangled(name);
    if (!is_contained(shown, text)) // the C1 and C2 of a constructor
      shown.push_back(std::move(text));
  }
  if (shown.size() > 1)
    outs() << "one of: ";
  if (shown.empty())
    outs() << "??";
  ListSeparator separator(" | ");
  for (const std::string &name : shown)
    outs() << separator << name;
}

Expected<FrameNames> readNames(StringRef program) {
  Expected<std::unique_ptr<MemoryBuffer>> file = readWholeFile(program);
  if (!file)
    return file.takeError();
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
  outs() << '\n';
  return Error::success();
}

/// Prints the names of the frames of traces as they are read.
class Symbolizer {
public:
  Symbolizer(StringRef program, uint64_t base, bool isShort,
             const FrameNames &names)
      : reader(program, base, names), names(names), isShort(isShort) {}

  /// Returns false if \p line has no frame.
  bool add(StringRef line);
  void finish();

private:
  void printPerf(StringRef line, const TraceFrame &frame,
                 const FrameName &name) const;

  TraceReader reader;
  const FrameNames &names;
  bool isShort;
  /// Of the stack at hand.
  std::vector<std::pair<StringRef, TraceFrame>> frames;
  /// What stands before the first frame.
  std::vector<StringRef> heads;
  bool isPerf = false;
  bool isFirstStack = true;
};

bool Symbolizer::add(StringRef line) {
  std::optional<TraceFrame> frame = reader.read(line);
  bool ends = frame ? frame->isFirst : line.trim().empty() || isPerf;
  if (ends)
    finish();
  if (frame) {
    isPerf |= !frame->name.empty();
    frames.push_back({line, *frame});
  }
  if (isPerf) {
    for (StringRef text : heads)
      outs() << text << '\n';
    heads.clear();
    if (!frame)
      outs() << line << '\n';
  } else if (!frame) {
    heads.push_back(line);
  }
  return frame.has_value();
}

/// Prints a frame of perf's, with its name replaced if it is another.
void Symbolizer::printPerf(StringRef line, const TraceFrame &frame,
                           const FrameName &name) const {
  bool isShown = !frame.name.contains('(') && !frame.name.starts_with("_Z");
  bool isKnown = name.empty() || name.front() == frame.name ||
                 demangle(name.front()) == frame.name ||
                 shortName(name.front()) == frame.name;
  if (frame.isForeign || (name.size() < 2 && isKnown)) {
    outs() << line << '\n';
    return;
  }
  outs() << line.take_front(frame.name.data() - line.data());
  printNames(name, isShown);
  outs() << line.drop_front(frame.name.end() - line.data()) << '\n';
}

/// Names the frames of one stack.
void Symbolizer::finish() {
  if (frames.empty())
    return;
  // No address of the program: its frames neither name nor are named.
  constexpr uint64_t kForeign = ~uint64_t(0);
  std::vector<uint64_t> addresses;
  for (const auto &[line, frame] : frames)
    addresses.push_back(frame.isForeign ? kForeign : frame.address);
  if (!isFirstStack && !isPerf)
    outs() << '\n';
  isFirstStack = false;
  for (auto [i, name] : enumerate(names.name(addresses))) {
    const auto &[line, frame] = frames[i];
    if (!frame.name.empty()) {
      printPerf(line, frame, name);
      continue;
    }
    outs() << '#' << i << ' ' << format_hex(frame.address, 1) << ' ';
    printNames(name, isShort);
    outs() << '\n';
  }
  frames.clear();
}

/// Names the frames in \p lines; \p areArguments: each must have one.
Error symbolize(StringRef program, uint64_t base, bool isShort,
                ArrayRef<StringRef> lines, bool areArguments) {
  Expected<FrameNames> names = readNames(program);
  if (!names)
    return names.takeError();
  Symbolizer symbolizer(program, base, isShort, *names);
  for (StringRef line : lines)
    if (!symbolizer.add(line) && areArguments)
      return makeError("'" + line + "' is no address");
  symbolizer.finish();
  return Error::success();
}

} // namespace

int symbolizeCommand(ArrayRef<const char *> arguments) {
  uint64_t base = 0;
  bool isShort = false;
  StringRef kernel;
  SmallVector<StringRef> words;
  for (StringRef argument : arguments) {
    StringRef value = argument;
    if (argument == "--help") {
      outs() << kUsage;
      return 0;
    }
    if (argument == "--short") {
      isShort = true;
      continue;
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
    input->getBuffer().split(lines, '\n');
    if (lines.back().empty())
      lines.pop_back();
  }
  return statusOf(
      symbolize(words.front(), base, isShort, lines, /*areArguments=*/!input));
}

} // namespace gpulto
