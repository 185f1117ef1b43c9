//===- Externals.cpp - printf, assert, malloc and free of device code -----===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// CUDA C++ Programming Guide 13.0, "Formatted Output", "Assertion", "Dynamic
// Global Memory Allocation". What printf prints is kept by block and written
// when the grid has ended, blocks in order.
//
//===----------------------------------------------------------------------===//

#include "emulator/machine/DeviceCalls.h"
#include "emulator/machine/DeviceImpl.h"
#include "emulator/machine/Machine.h"

#include <cstdio>
#include <cstring>

namespace gpulto::emu {

namespace {

/// What a lane reads through a generic address; \p bytes is what can be read
/// from there on. Null: nothing.
const uint8_t *readable(Warp &w, unsigned lane, uint64_t address,
                        uint64_t &bytes) {
  const Launch &launch = *w.block->launch;
  uint64_t offset = address - launch.localWindow;
  if (offset < w.localBytes) {
    bytes = w.localBytes - offset;
    return w.local.get() + size_t(lane) * w.localStride + offset;
  }
  offset = address - launch.sharedWindow;
  if (offset < launch.sharedBytes) {
    bytes = launch.sharedBytes - offset;
    return w.block->shared + offset;
  }
  offset = address - launch.paramWindow;
  if (offset < launch.params.size()) {
    bytes = launch.params.size() - offset;
    return launch.params.data() + offset;
  }
  CachedRange range;
  if (!findRange(w, address, range))
    return nullptr;
  bytes = range.end - address;
  return reinterpret_cast<const uint8_t *>(address);
}

/// A string of device memory; false when it runs out of its allocation.
bool readString(Warp &w, unsigned lane, uint64_t address, std::string &out) {
  uint64_t bytes = 0;
  const uint8_t *p = readable(w, lane, address, bytes);
  if (!p)
    return false;
  const void *end = memchr(p, 0, bytes);
  if (!end)
    return false;
  out.assign(reinterpret_cast<const char *>(p), static_cast<const char *>(end));
  return true;
}

/// Walks the buffer of arguments: each at its natural alignment.
struct Arguments {
  const uint8_t *at;
  uint64_t left, offset = 0;
  bool overrun = false;

  template <class T> T take() {
    T value{};
    offset = (offset + sizeof(T) - 1) & ~uint64_t(sizeof(T) - 1);
    if (!at || offset + sizeof(T) > left) {
      overrun = true;
      return value;
    }
    memcpy(&value, at + offset, sizeof(T));
    offset += sizeof(T);
    return value;
  }
};

void append(std::string &out, const std::string &spec, auto value) {
  char small[256];
  int n = snprintf(small, sizeof(small), spec.c_str(), value);
  if (n < 0)
    return;
  if (static_cast<size_t>(n) < sizeof(small)) {
    out.append(small, static_cast<size_t>(n));
    return;
  }
  std::string large(static_cast<size_t>(n) + 1, '\0');
  snprintf(large.data(), large.size(), spec.c_str(), value);
  out.append(large, 0, static_cast<size_t>(n));
}

/// One conversion; \p spec is "%...", without length modifiers and letter.
void convert(Warp &w, unsigned lane, std::string &out, const std::string &spec,
             bool isLong, unsigned halves, char letter, Arguments &args) {
  switch (letter) {
  case 'd':
  case 'i':
  case 'u':
  case 'o':
  case 'x':
  case 'X': {
    bool isSignedLetter = letter == 'd' || letter == 'i';
    int64_t v = isLong           ? args.take<int64_t>()
                : isSignedLetter ? int64_t(args.take<int32_t>())
                                 : int64_t(args.take<uint32_t>());
    if (halves == 1)
      v = isSignedLetter ? int64_t(int16_t(v)) : int64_t(uint16_t(v));
    else if (halves == 2)
      v = isSignedLetter ? int64_t(int8_t(v)) : int64_t(uint8_t(v));
    append(out, spec + "ll" + letter, static_cast<long long>(v));
    return;
  }
  case 'c':
    append(out, spec + letter, static_cast<int>(args.take<int32_t>()));
    return;
  case 'f':
  case 'F':
  case 'e':
  case 'E':
  case 'g':
  case 'G':
  case 'a':
  case 'A':
    append(out, spec + letter, args.take<double>());
    return;
  case 'p':
    append(out, spec + letter, reinterpret_cast<void *>(args.take<uint64_t>()));
    return;
  case 's': {
    std::string text;
    uint64_t address = args.take<uint64_t>();
    if (!address)
      text = "(null)";
    else if (!readString(w, lane, address, text))
      text = "(invalid)";
    append(out, spec + letter, text.c_str());
    return;
  }
  default: // As hardware: what is not known is printed as it stands.
    out += spec + letter;
  }
}

std::string formatText(Warp &w, unsigned lane, const std::string &format,
                       Arguments args) {
  std::string out;
  for (size_t k = 0; k < format.size();) {
    if (format[k] != '%') {
      out += format[k++];
      continue;
    }
    if (k + 1 < format.size() && format[k + 1] == '%') {
      out += '%';
      k += 2;
      continue;
    }
    std::string spec = "%";
    bool isLong = false;
    unsigned halves = 0;
    for (++k; k < format.size(); ++k) {
      char c = format[k];
      if (c == '*')
        spec += std::to_string(args.take<int32_t>());
      else if (strchr("-+ #0123456789.", c))
        spec += c;
      else if (c == 'l' || c == 'j' || c == 'z' || c == 't')
        isLong = true;
      else if (c == 'h')
        ++halves;
      else
        break;
    }
    if (k >= format.size())
      break;
    convert(w, lane, out, spec, isLong, halves, format[k++], args);
  }
  return out;
}

uint8_t *lanesLocal(Warp &w, unsigned lane) {
  return w.local.get() + size_t(lane) * w.localStride + w.frame->localBase;
}
template <class T>
T argument(Warp &w, unsigned lane, const CallSite &site, size_t k) {
  T value{};
  if (k < site.arguments.size())
    memcpy(&value, lanesLocal(w, lane) + site.arguments[k].callerOffset,
           std::min<size_t>(sizeof(T), site.arguments[k].sizeBytes));
  return value;
}
template <class T>
void setResult(Warp &w, unsigned lane, const CallSite &site, T value) {
  if (!site.results.empty())
    memcpy(lanesLocal(w, lane) + site.results[0].callerOffset, &value,
           std::min<size_t>(sizeof(T), site.results[0].sizeBytes));
}

bool callPrintf(Warp &w, const Insn &insn, unsigned lane,
                const CallSite &site) {
  uint64_t format = argument<uint64_t>(w, lane, site, 0);
  uint64_t buffer = argument<uint64_t>(w, lane, site, 1);
  std::string text;
  if (!readString(w, lane, format, text)) {
    raiseFault(w, insn, lane, ErrorKind::IllegalAddress,
               "printf with a format that is not a string");
    return false;
  }
  Arguments args{nullptr, 0};
  if (buffer)
    args.at = readable(w, lane, buffer, args.left);
  w.block->output += formatText(w, lane, text, args);
  setResult<int32_t>(w, lane, site, 0);
  return true;
}

bool callAssert(Warp &w, const Insn &insn, unsigned lane,
                const CallSite &site) {
  std::string message, file, function;
  readString(w, lane, argument<uint64_t>(w, lane, site, 0), message);
  readString(w, lane, argument<uint64_t>(w, lane, site, 1), file);
  uint32_t line = argument<uint32_t>(w, lane, site, 2);
  readString(w, lane, argument<uint64_t>(w, lane, site, 3), function);
  const uint32_t *c = w.block->ctaid;
  char where[160];
  snprintf(where, sizeof(where), "block: [%u,%u,%u], thread: [%u,%u,%u]", c[0],
           c[1], c[2], w.tid[0][lane], w.tid[1][lane], w.tid[2][lane]);
  std::string text = file + ":" + std::to_string(line) + ": " + function +
                     ": " + where + " Assertion `" + message + "` failed.";
  raiseFault(w, insn, lane, ErrorKind::Assert, text);
  return false;
}

bool callMalloc(Warp &w, unsigned lane, const CallSite &site) {
  DeviceImpl &device = *w.block->launch->device;
  uint64_t size = argument<uint64_t>(w, lane, site, 0);
  setResult<uint64_t>(w, lane, site, size ? device.allocateHeap(size, 16) : 0);
  return true;
}

bool callFree(Warp &w, const Insn &insn, unsigned lane, const CallSite &site) {
  uint64_t address = argument<uint64_t>(w, lane, site, 0);
  if (!address ||
      w.block->launch->memory->release(address, AllocationKind::DeviceHeap))
    return true;
  raiseFault(w, insn, lane, ErrorKind::IllegalAddress,
             "free of what malloc did not return, or twice");
  return false;
}

} // namespace

bool callExternal(Warp &w, const Insn &insn, uint32_t mask,
                  const CallSite &site) {
  for (; mask; mask &= mask - 1) {
    unsigned lane = static_cast<unsigned>(__builtin_ctz(mask));
    bool ok = true;
    switch (site.external) {
    case External::Printf:
      ok = callPrintf(w, insn, lane, site);
      break;
    case External::Assert:
      ok = callAssert(w, insn, lane, site);
      break;
    case External::Malloc:
      ok = callMalloc(w, lane, site);
      break;
    case External::Free:
      ok = callFree(w, insn, lane, site);
      break;
    case External::None:
      break;
    default:
      ok = callRuntime({w, insn, lane, site});
    }
    if (!ok)
      return false;
  }
  return true;
}

} // namespace gpulto::emu
