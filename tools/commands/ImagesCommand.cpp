//===- ImagesCommand.cpp - gpulto images ----------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Known parts of a cubin: one .text.NAME section per function, one
// .nv.constant0.NAME per kernel, and in .nv.info a list of attributes {u8
// format, u8 kind, u16 bytes, payload}, of which REGCOUNT, FRAME_SIZE and
// MIN_STACK_SIZE hold {u32 symbol, u32 value}.
//
//===----------------------------------------------------------------------===//

#include "tools/commands/ImagesCommand.h"

#include "fatobj/DeviceImage.h"
#include "support/BinaryStream.h"
#include "support/Error.h"
#include "support/StableHash.h"
#include "support/Subprocess.h"
#include "tools/commands/FileArguments.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/BinaryFormat/Magic.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

#include <map>
#include <set>
#include <string>
#include <vector>

using namespace llvm;

namespace gpulto {

namespace {
struct DeviceFunction {
  uint64_t textBytes = 0;
  Digest textDigest;
  uint32_t registers = 0;
  uint32_t stackBytes = 0;
  bool isKernel = false;
};

/// Functions by name: the order of output.
using CubinFunctions = std::map<std::string, DeviceFunction>;

enum InfoKind : uint8_t {
  kFrameSize = 0x11,
  kMinStack = 0x12,
  kRegCount = 0x2f
};
constexpr uint8_t kSizedFormat = 4;
} // namespace

static Expected<object::ELF64LEFile> openElf(StringRef bytes,
                                             const InputLocation &where) {
  Expected<object::ELF64LEFile> file = object::ELF64LEFile::create(bytes);
  if (!file)
    return inputError(where, toString(file.takeError()));
  return file;
}

/// Reads the attributes of \p info into \p functions; \p names are those of the
/// symbol table.
static void readInfo(ArrayRef<uint8_t> info, ArrayRef<std::string> names,
                     CubinFunctions &functions) {
  while (info.size() >= 4) {
    uint8_t format = info[0], kind = info[1];
    uint16_t bytes = support::endian::read16le(&info[2]);
    info = info.drop_front(4);
    if (format != kSizedFormat)
      continue;
    if (bytes > info.size())
      return;
    if (bytes >= 8) {
      uint32_t symbol = support::endian::read32le(&info[0]);
      uint32_t value = support::endian::read32le(&info[4]);
      auto found = symbol < names.size() ? functions.find(names[symbol])
                                         : functions.end();
      if (found != functions.end()) {
        if (kind == kRegCount)
          found->second.registers = value;
        if (kind == kFrameSize || kind == kMinStack)
          found->second.stackBytes = std::max(found->second.stackBytes, value);
      }
    }
    info = info.drop_front(bytes);
  }
}

static Expected<CubinFunctions> readCubin(StringRef bytes,
                                          const InputLocation &where) {
  Expected<object::ELF64LEFile> file = openElf(bytes, where);
  if (!file)
    return file.takeError();
  auto sections = file->sections();
  if (!sections)
    return inputError(where, toString(sections.takeError()));
  CubinFunctions functions;
  std::vector<std::string> names;
  ArrayRef<uint8_t> info;
  for (const auto &section : *sections) {
    Expected<StringRef> name = file->getSectionName(section);
    if (!name)
      return inputError(where, toString(name.takeError()));
    StringRef rest = *name;
    if (rest.consume_front(".text.")) {
      Expected<ArrayRef<uint8_t>> text = file->getSectionContents(section);
      if (!text)
        return inputError(where, toString(text.takeError()));
      functions[rest.str()].textBytes = text->size();
      functions[rest.str()].textDigest = digestOf(toStringRef(*text));
    } else if (rest.consume_front(".nv.constant0."))
      functions[rest.str()].isKernel = true;
    else if (*name == ".nv.info") {
      Expected<ArrayRef<uint8_t>> contents = file->getSectionContents(section);
      if (!contents)
        return inputError(where, toString(contents.takeError()));
      info = *contents;
    } else if (section.sh_type == ELF::SHT_SYMTAB) {
      auto symbols = file->symbols(&section);
      Expected<StringRef> strings = file->getStringTableForSymtab(section);
      if (!symbols || !strings)
        return inputError(where, toString(joinErrors(symbols.takeError(),
                                                     strings.takeError())));
      for (const auto &symbol : *symbols) {
        Expected<StringRef> text = symbol.getName(*strings);
        names.push_back(text ? text->str() : "");
        consumeError(text.takeError());
      }
    }
  }
  readInfo(info, names, functions);
  return functions;
}

/// Returns the images of \p bytes: a cubin, a fat binary, or an ELF file with a
/// .nv_fatbin section.
static Expected<std::vector<DeviceImage>> readImages(StringRef bytes,
                                                     StringRef path) {
  InputLocation where(path);
  if (!bytes.starts_with("\x7f"
                         "ELF"))
    return readFatbinary(bytes, where);
  Expected<object::ELF64LEFile> file = openElf(bytes, where);
  if (!file)
    return file.takeError();
  if (file->getHeader().e_machine == ELF::EM_CUDA) {
    DeviceImage image;
    image.kind = DeviceImage::Kind::Cubin;
    image.bytes = bytes.str();
    return std::vector<DeviceImage>{std::move(image)};
  }
  auto sections = file->sections();
  if (!sections)
    return inputError(where, toString(sections.takeError()));
  for (const auto &section : *sections) {
    Expected<StringRef> name = file->getSectionName(section);
    if (!name)
      return inputError(where, toString(name.takeError()));
    if (*name != ".nv_fatbin")
      continue;
    Expected<ArrayRef<uint8_t>> contents = file->getSectionContents(section);
    if (!contents)
      return inputError(where, toString(contents.takeError()));
    return readFatbinary(toStringRef(*contents), where.inSection(".nv_fatbin"));
  }
  return std::vector<DeviceImage>();
}

static void printImage(const DeviceImage &image,
                       const CubinFunctions &functions) {
  bool isCubin = image.kind == DeviceImage::Kind::Cubin;
  outs() << (isCubin ? "cubin " : "ptx ") << image.arch.name() << ' '
         << image.bytes.size() << " bytes\n";
  for (const auto &[name, function] : functions)
    outs() << (function.isKernel ? "  kernel " : "  function ") << name << ": "
           << function.textBytes << " bytes, " << function.registers
           << " registers, " << function.stackBytes << " bytes of stack\n";
}

static json::Object describe(ArrayRef<DeviceImage> images,
                             ArrayRef<CubinFunctions> functions) {
  int64_t text = 0, kernels = 0, registers = 0, most = 0, stack = 0, ptx = 0;
  int64_t duplicateText = 0;
  for (auto [image, bodies] : zip(images, functions)) {
    ptx += image.kind == DeviceImage::Kind::Ptx;
    std::set<Digest> seen;
    for (const auto &[name, function] : bodies) {
      int64_t bytes = static_cast<int64_t>(function.textBytes);
      text += bytes;
      if (!seen.insert(function.textDigest).second)
        duplicateText += bytes;
      if (!function.isKernel)
        continue;
      ++kernels;
      registers += function.registers;
      most = std::max<int64_t>(most, function.registers);
      stack += function.stackBytes;
    }
  }
  return json::Object{
      {"device-text-bytes", text}, {"duplicate-text-bytes", duplicateText},
      {"kernels", kernels},        {"registers", registers},
      {"registers-max", most},     {"stack-bytes", stack},
      {"ptx-images", ptx},         {"cubins", int64_t(images.size()) - ptx}};
}

namespace {
/// The images of a file, and the functions of each, none of PTX.
struct FileImages {
  std::vector<DeviceImage> images;
  std::vector<CubinFunctions> functions;
};
} // namespace

static Expected<FileImages> readFile(StringRef path) {
  Expected<std::unique_ptr<MemoryBuffer>> file = readWholeFile(path);
  if (!file)
    return file.takeError();
  Expected<std::vector<DeviceImage>> images =
      readImages((*file)->getBuffer(), path);
  if (!images)
    return images.takeError();
  FileImages result{std::move(*images), {}};
  for (const DeviceImage &image : result.images) {
    result.functions.emplace_back();
    if (image.kind != DeviceImage::Kind::Cubin)
      continue;
    Expected<CubinFunctions> bodies =
        readCubin(image.bytes, InputLocation(path));
    if (!bodies)
      return bodies.takeError();
    result.functions.back() = std::move(*bodies);
  }
  return result;
}

Expected<std::vector<KernelFigures>> kernelFigures(StringRef path) {
  Expected<FileImages> file = readFile(path);
  if (!file)
    return file.takeError();
  std::vector<KernelFigures> figures;
  for (auto [image, bodies] : zip(file->images, file->functions))
    for (const auto &[name, body] : bodies)
      if (body.isKernel)
        figures.push_back({image.arch.name(), name, body.textBytes,
                           body.registers, body.stackBytes});
  return figures;
}

static Error showFile(StringRef path, bool asJson) {
  Expected<FileImages> file = readFile(path);
  if (!file)
    return file.takeError();
  if (asJson) {
    outs() << formatv("{0:2}\n",
                      json::Value(describe(file->images, file->functions)));
    return Error::success();
  }
  for (auto [image, bodies] : zip(file->images, file->functions))
    printImage(image, bodies);
  return Error::success();
}

int imagesCommand(ArrayRef<const char *> arguments) {
  FileArguments read = readFileArguments(
      "images", "Prints the device images that objects and programs hold.",
      arguments);
  for (StringRef file : read.files) {
    if (read.files.size() > 1)
      outs() << file << ":\n";
    if (Error error = showFile(file, read.asJson)) {
      errs() << "gpulto images: error: " << toString(std::move(error)) << '\n';
      return 1;
    }
  }
  return read.status;
}

} // namespace gpulto
