//===- NativeInputs.cpp - Inputs that are not optimized -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// The compiler of an object is read from its .comment section, which compilers
// sign; assemblers do not. What is read here only affects texts: the linker
// reports objects that cannot be read.
//
//===----------------------------------------------------------------------===//

#include "linker-plugin/NativeInputs.h"

#include "fatobj/DeviceImage.h"
#include "fatobj/FatObjectReader.h"
#include "lto/read/LinkStamp.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/Twine.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/BinaryFormat/Magic.h"
#include "llvm/Object/ELF.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/GlobPattern.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

#include <cstddef>
#include <tuple>

using namespace llvm;

namespace gpulto {
namespace {

/// Properties of an object from its sections.
struct ObjectTraits {
  bool hasCode = false;
  bool hasGccBitcode = false;
  DeviceSections deviceCode;
  std::string producer; ///< the first that signed
  std::vector<StampDevice> devices;
};

/// Returns the first name in \p comment, the contents of .comment.
std::string firstProducer(StringRef comment) {
  while (!comment.empty()) {
    auto [name, rest] = comment.split('\0');
    if (!name.trim().empty() && !name.starts_with("Linker:"))
      return name.trim().str();
    comment = rest;
  }
  return "";
}

/// Adds the images of the fat binary \p bytes to \p traits.
void addImages(StringRef bytes, ObjectTraits &traits) {
  auto images = readFatbinary(bytes, InputLocation());
  if (!images)
    return consumeError(images.takeError());
  for (const DeviceImage &image : *images) {
    StampDevice device{image.arch.name(), /*isNative=*/true};
    if (!is_contained(traits.devices, device))
      traits.devices.push_back(std::move(device));
  }
}

/// Notes what one section tells.
void readSection(StringRef name, uint64_t flags, StringRef contents,
                 ObjectTraits &traits) {
  constexpr uint64_t kCode = ELF::SHF_ALLOC | ELF::SHF_EXECINSTR;
  if ((flags & kCode) == kCode && !contents.empty())
    traits.hasCode = true;
  else if (name.starts_with(".gnu.lto_"))
    traits.hasGccBitcode = true;
  else if (isDeviceSection(name)) {
    traits.deviceCode[name.str()] += contents.size();
    addImages(contents, traits);
  } else if (name == ".comment" && traits.producer.empty())
    traits.producer = firstProducer(contents);
}

Expected<ObjectTraits> readTraits(StringRef file) {
  Expected<object::ELF64LEFile> elf = object::ELF64LEFile::create(file);
  if (!elf)
    return elf.takeError();
  auto sections = elf->sections();
  if (!sections)
    return sections.takeError();
  ObjectTraits traits;
  for (const auto &section : *sections) {
    if (section.sh_type != ELF::SHT_PROGBITS)
      continue;
    Expected<StringRef> name = elf->getSectionName(section);
    if (!name)
      return name.takeError();
    Expected<ArrayRef<uint8_t>> contents = elf->getSectionContents(section);
    if (!contents)
      return contents.takeError();
    readSection(*name, section.sh_flags, toStringRef(*contents), traits);
  }
  return traits;
}

constexpr StringLiteral kNoCode = "holds no code";

std::string reasonOf(const ObjectTraits &traits) {
  if (traits.hasGccBitcode)
    return "compiled with -flto of GCC, which gpulto cannot read";
  if (!traits.deviceCode.empty())
    return "compiled by nvcc, or for the device without -flto=gpu";
  if (!traits.producer.empty())
    return "compiled without -flto=gpu by '" + traits.producer + "'";
  if (!traits.hasCode)
    return kNoCode.str();
  return "assembly, or compiled with -fno-ident";
}

/// Whether \p name is like those of CUDA's runtime and driver.
bool isOfCuda(StringRef name) {
  return name.starts_with("cuda") || name.starts_with("__cuda") ||
         (name.starts_with("cu") && name.size() > 2 && isUpper(name[2]));
}

/// Returns the names like those of CUDA in what the object or shared library
/// \p file shows others.
CudaNames cudaNamesOf(StringRef file) {
  CudaNames found;
  Expected<object::ELF64LEFile> elf = object::ELF64LEFile::create(file);
  if (!elf)
    return consumeError(elf.takeError()), found;
  auto sections = elf->sections();
  if (!sections)
    return consumeError(sections.takeError()), found;
  uint32_t wanted = elf->getHeader().e_type == ELF::ET_DYN ? ELF::SHT_DYNSYM
                                                           : ELF::SHT_SYMTAB;
  for (const auto &section : *sections) {
    if (section.sh_type != wanted)
      continue;
    auto symbols = elf->symbols(&section);
    auto names = elf->getStringTableForSymtab(section);
    if (!symbols || !names) {
      consumeError(joinErrors(symbols.takeError(), names.takeError()));
      continue;
    }
    for (const auto &symbol : *symbols) {
      Expected<StringRef> name = symbol.getName(*names);
      if (!name)
        consumeError(name.takeError());
      else if (symbol.getBinding() != ELF::STB_LOCAL && isOfCuda(*name))
        (symbol.isUndefined() ? found.used : found.defined)
            .push_back(name->str());
    }
  }
  return found;
}

/// Whether \p text, an input that is not an object, may be a script with
/// inputs.
bool mayHaveInputs(StringRef text) {
  return any_of(ArrayRef<StringRef>{"INPUT", "GROUP"},
                [&](StringRef word) { return text.contains(word); });
}

/// Returns the record of what \p object keeps for the link of the program.
void describeJoined(const FatObject &object, StampInput &input) {
  input.treatment = StampTreatment::Joined;
  input.form = formOf(object);
  for (const FatRecord &record : object.records)
    for (const DeviceRecord &from : record.devices)
      input.add({from.arch, /*isNative=*/false});
}

} // namespace

StampInput describeNative(MemoryBufferRef file, const InputLocation &where,
                          bool isJoined, StringRef why,
                          DeviceSections *deviceCode) {
  StampInput input;
  input.path = where.path;
  input.member = where.member;
  input.treatment = StampTreatment::Native;
  input.reason = why.str();
  Expected<FatObject> object = readFatObject(file, where);
  bool isOurs = object && (!object->units.empty() || !object->records.empty());
  if (!object)
    consumeError(object.takeError());
  else if (isOurs && isJoined) {
    describeJoined(*object, input);
    return input;
  }
  Expected<ObjectTraits> traits = readTraits(file.getBuffer());
  if (!traits) {
    consumeError(traits.takeError());
    input.reason = "no ELF object of 64 bits";
    return input;
  }
  if (input.reason.empty())
    input.reason = isOurs ? "only generated code needs it" : reasonOf(*traits);
  input.devices = std::move(traits->devices);
  if (deviceCode)
    for (const auto &[section, bytes] : traits->deviceCode)
      (*deviceCode)[section] += bytes;
  return input;
}

//===----------------------------------------------------------------------===//
// Whose files
//===----------------------------------------------------------------------===//

static std::string realPath(StringRef path) {
  SmallString<128> real;
  if (sys::fs::real_path(path, real))
    return path.str();
  return real.str().str();
}

static bool isBelow(StringRef path, StringRef root) {
  return path.consume_front(root) &&
         (path.empty() || path.front() == '/' || root.ends_with("/"));
}

SystemFiles::SystemFiles(StringRef cudaPath, StringRef sysroot) {
  for (StringRef root : {StringRef(""), sysroot})
    for (StringRef directory :
         {"/lib", "/lib32", "/lib64", "/libx32", "/usr/lib", "/usr/lib32",
          "/usr/lib64", "/usr/libx32"}) {
      std::string path = (root.rtrim('/') + directory).str();
      roots.push_back(path);
      roots.push_back(realPath(path));
    }
  if (!cudaPath.empty())
    roots.push_back(realPath(cudaPath));
}

bool SystemFiles::contains(StringRef path) {
  StringRef directory = sys::path::parent_path(path);
  auto [entry, isNew] = known.try_emplace(directory);
  if (!isNew)
    return entry->second;
  std::string real = realPath(directory.empty() ? "." : directory);
  StringRef found = real;
  entry->second =
      any_of(roots, [&](StringRef root) { return isBelow(found, root); }) ||
      found.contains("/lib/gcc/") || found.contains("/lib/clang/");
  return entry->second;
}

/// Returns where the input \p path was in the link that is repeated.
static std::string originalPath(StringRef path,
                                const ParsedLinkOptions &options) {
  SmallString<128> absolute(path);
  if (options.inputCopies.empty() || sys::fs::make_absolute(absolute) ||
      !isBelow(absolute, options.inputCopies))
    return path.str();
  return absolute.substr(options.inputCopies.size()).str();
}

std::string stampName(StringRef path, const ParsedLinkOptions &options,
                      StringRef directory) {
  std::string name = path.str();
  for (const auto &[from, to] : options.prefixMaps)
    if (StringRef(name).starts_with(from))
      name = to + name.substr(from.size());
  StringRef relative = name;
  if (!directory.empty() && directory != "/" && isBelow(relative, directory))
    return relative.drop_front(directory.size()).ltrim('/').str();
  return name;
}

//===----------------------------------------------------------------------===//
// The inputs of a link
//===----------------------------------------------------------------------===//

void NativeInputs::add(StampInput input, bool isReported) {
  inputs.push_back({std::move(input), isReported, {}});
}

void NativeInputs::addObject(MemoryBufferRef file, const InputLocation &where,
                             bool isJoined, StringRef why) {
  StringRef bytes = file.getBuffer();
  bool isOurKind = bytes.size() >= sizeof(ELF::Elf64_Ehdr) &&
                   bytes[ELF::EI_CLASS] == ELF::ELFCLASS64 &&
                   bytes[ELF::EI_DATA] == ELF::ELFDATA2LSB;
  if (!isOurKind)
    otherKind = true;
  else if (!elfMachine)
    elfMachine = support::endian::read16le(
        bytes.data() + offsetof(ELF::Elf64_Ehdr, e_machine));
  add(describeNative(file, where, isJoined, why, &deviceCode),
      /*isReported=*/!why.empty());
  if (isOurKind)
    inputs.back().names = cudaNamesOf(bytes);
}

Error NativeInputs::addLibraries(ArrayRef<LinkerInput> files,
                                 const ParsedLinkOptions &options,
                                 StringRef sysroot) {
  SystemFiles system(options.link.cudaPath, sysroot);
  for (const LinkerInput &file : files) {
    StringRef name = sys::path::filename(file.path);
    if (system.contains(originalPath(file.path, options)) ||
        name.starts_with("libcudart.") || name.starts_with("libcuda."))
      continue;
    ErrorOr<std::unique_ptr<MemoryBuffer>> contents = MemoryBuffer::getFile(
        file.path, /*IsText=*/false, /*RequiresNullTerminator=*/false);
    if (mayBeThere(contents.getError()))
      return inputError(InputLocation(file.path),
                        contents.getError().message());
    if (!contents)
      continue; // no input, or the linker's to report
    StringRef bytes = (*contents)->getBuffer();
    switch (identify_magic(bytes)) {
    case file_magic::elf_shared_object:
      libraries.push_back({file.path, cudaNamesOf(bytes)});
      break;
    case file_magic::unknown:
      if (mayHaveInputs(bytes))
        libraries.push_back({file.path, {}});
      break;
    default: // an object, or an archive of some: the linker tells
      break;
    }
  }
  return Error::success();
}

/// Whether --gpulto-allow-native= names \p input: in full, by its path, or by
/// its file name.
static bool isAllowed(const StampInput &input,
                      const std::vector<std::string> &patterns) {
  return any_of(patterns, [&](const std::string &text) {
    // Checked when options were read.
    GlobPattern pattern = cantFail(GlobPattern::create(text));
    return pattern.match(input.name()) || pattern.match(input.path) ||
           pattern.match(sys::path::filename(input.path));
  });
}

void NativeInputs::report(const ParsedLinkOptions &options, StringRef sysroot,
                          Diagnostics &diagnostics) const {
  bool areErrors = options.skipped.mode == SkippedMode::Error;
  if (!areErrors && options.skipped.mode != SkippedMode::Warn)
    return;
  SystemFiles system(options.link.cudaPath, sysroot);
  for (const Entry &entry : inputs) {
    const StampInput &input = entry.input;
    if (input.treatment != StampTreatment::Native || input.reason == kNoCode ||
        system.contains(originalPath(input.path, options)) ||
        isAllowed(input, options.skipped.allowed))
      continue;
    InputLocation where(input.path, input.member);
    std::string message =
        "is linked without link-time optimization: " + input.reason;
    if (areErrors)
      diagnostics.error(where, message + " [-Werror=gpulto-skipped]");
    else if (!entry.isReported)
      diagnostics.warning(where, message + " [-Wgpulto-skipped]");
  }
}

std::string NativeInputs::foreignCode(const ParsedLinkOptions &options,
                                      StringRef sysroot) const {
  SystemFiles system(options.link.cudaPath, sysroot);
  for (const Entry &entry : inputs)
    if (entry.input.treatment == StampTreatment::Native &&
        entry.input.reason != kNoCode &&
        !system.contains(originalPath(entry.input.path, options)))
      return "'" + entry.input.name() + "' is linked as native code";
  if (!libraries.empty())
    return "'" + sys::path::filename(libraries.front().path).str() +
           "' is linked, which is no library of the system";
  return "";
}

void NativeInputs::forEachForeign(
    const ParsedLinkOptions &options, StringRef sysroot,
    function_ref<void(const CudaNames &)> visit) const {
  SystemFiles system(options.link.cudaPath, sysroot);
  for (const Entry &entry : inputs)
    if (!sys::path::filename(entry.input.path).starts_with("libcudart") &&
        !system.contains(originalPath(entry.input.path, options)))
      visit(entry.names);
  for (const Library &library : libraries)
    visit(library.names);
}

std::set<std::string>
NativeInputs::runtimeFunctions(const ParsedLinkOptions &options,
                               StringRef sysroot) const {
  std::set<std::string> names;
  forEachForeign(options, sysroot, [&](const CudaNames &found) {
    names.insert(found.defined.begin(), found.defined.end());
  });
  return names;
}

std::set<std::string>
NativeInputs::usedFunctions(const ParsedLinkOptions &options,
                            StringRef sysroot) const {
  std::set<std::string> names;
  forEachForeign(options, sysroot, [&](const CudaNames &found) {
    names.insert(found.used.begin(), found.used.end());
  });
  return names;
}

void NativeInputs::complete(Stamp &stamp, const ParsedLinkOptions &options,
                            StringRef sysroot) const {
  SystemFiles system(options.link.cudaPath, sysroot);
  SmallString<128> directory;
  (void)sys::fs::current_path(directory);
  if (!options.inputCopies.empty())
    directory = options.inputDirectory;
  std::vector<StampInput> result = std::move(stamp.inputs);
  for (const Entry &entry : inputs)
    result.push_back(entry.input);
  StringMap<size_t> systemInputs;
  std::vector<StampInput> kept;
  for (StampInput &input : result) {
    input.path = originalPath(input.path, options);
    bool isSystem = system.contains(input.path);
    input.path = isSystem ? sys::path::filename(input.path).str()
                          : stampName(input.path, options, directory);
    if (!isSystem || input.treatment != StampTreatment::Native) {
      kept.push_back(std::move(input));
      continue;
    }
    auto [at, isNew] = systemInputs.try_emplace(input.path, kept.size());
    if (!isNew) {
      ++kept[at->second].count;
      continue;
    }
    StampInput &first = kept.emplace_back();
    first.path = input.path;
    first.treatment = StampTreatment::System;
  }
  llvm::stable_sort(kept, [](const StampInput &a, const StampInput &b) {
    return std::tie(a.treatment, a.path, a.member) <
           std::tie(b.treatment, b.path, b.member);
  });
  stamp.inputs = std::move(kept);
}

} // namespace gpulto
