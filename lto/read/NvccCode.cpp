//===- NvccCode.cpp - Relocatable device code of nvcc ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// 1. readNvccObjects, readNvccMember: the code that waits for a device link,
//    and the names in it.
// 2. isShared: whether a name is common to this code and ours: one refers to
//    what the other defines, or both refer to it, or both define a variable, or
//    both define something strongly (an error, which WPA reports).
// 3. addParts: the code of every unit for an architecture: its cubin, else its
//    PTX for the latest architecture whose code runs there, as for our own
//    units (lto/read/Architectures).
// 4. checkNames: without our code, nothing else checks that all symbols are
//    defined once.
//
// PTX is joined with PTX, so a program has PTX only where each unit has some.
//
//===----------------------------------------------------------------------===//

#include "lto/read/NvccCode.h"

#include "fatobj/FatObjectReader.h"
#include "ipa/symbols/DeviceCheck.h"
#include "lto/device/DeviceCodegen.h"
#include "lto/devicelink/CubinSymbols.h"
#include "lto/ptx/PtxLexer.h"
#include "lto/read/Architectures.h"
#include "summary/ModuleSummary.h"
#include "support/UnitNames.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

#include <map>
#include <set>

using namespace llvm;

namespace gpulto {

//===----------------------------------------------------------------------===//
// Images
//===----------------------------------------------------------------------===//

/// Returns the image of \p kind in \p unit for the latest architecture whose
/// code runs on \p arch; null if there is none. A cubin runs only on its own
/// architecture.
static const DeviceImage *findImage(const NvccUnit &unit,
                                    DeviceImage::Kind kind, StringRef arch) {
  const DeviceImage *best = nullptr;
  for (const DeviceImage &image : unit.code.images) {
    std::string real = image.arch.realName();
    bool fits =
        kind == DeviceImage::Kind::Cubin ? real == arch : runsOn(real, arch);
    if (image.kind == kind && fits &&
        (!best || best->arch.number < image.arch.number || real == arch))
      best = &image;
  }
  return best;
}

/// Returns the text of \p image as PTX for \p arch; empty if it cannot be
/// joined with other PTX, for the debug information in it.
static Expected<std::string> retarget(const DeviceImage &image, StringRef arch,
                                      const InputLocation &where) {
  auto statements = parsePtx(image.bytes, where.str());
  if (!statements)
    return statements.takeError();
  auto target = find_if(*statements, [](const PtxStatement &statement) {
    return statement.kind == PtxStatementKind::Target;
  });
  if (target == statements->end())
    return inputError(where, "PTX without .target");
  if (target->argument.contains(','))
    return std::string();
  StringRef text = image.bytes;
  size_t at = target->argument.data() - text.data();
  return (text.take_front(at) + arch +
          text.drop_front(at + target->argument.size()))
      .str();
}

/// Assembles \p image of \p unit for \p arch, with the options that nvcc stored
/// with it.
static Expected<std::string> assemble(const NvccUnit &unit,
                                      const DeviceImage &image, StringRef arch,
                                      const CudaTools &tools) {
  if (tools.ptxas.empty())
    return inputError(unit.location,
                      "has only PTX for " + arch +
                          ", and no ptxas was found to assemble it; give "
                          "--gpulto-cuda-path=DIR");
  constexpr unsigned kLevel = 3;
  DeviceCodegenOptions options;
  options.ptxas = tools.ptxas;
  options.tool = tools.run;
  options.open = true;
  SmallVector<StringRef> words;
  SplitString(image.options, words);
  for (StringRef word : words)
    if (word != "--compile-only" && word != "-c" && !word.starts_with("-O"))
      options.ptxasArguments.push_back(word.str());
  auto assembled = assemblePtx(image.bytes, arch, options, kLevel);
  if (!assembled)
    return inputError(unit.location, toString(assembled.takeError()));
  return std::move(assembled->cubin);
}

/// Returns the architectures of \p unit for a message.
static std::string listArchitectures(const NvccUnit &unit) {
  std::vector<std::string> names;
  for (const DeviceImage &image : unit.code.images)
    if (std::string name = image.arch.name(); !is_contained(names, name))
      names.push_back(name);
  return join(names, ", ");
}

/// Returns the relocatable cubin of \p unit for \p arch. Errors: no code for
/// it.
static Expected<std::string> cubinFor(const NvccUnit &unit, StringRef arch,
                                      const CudaTools &tools) {
  if (auto *cubin = findImage(unit, DeviceImage::Kind::Cubin, arch))
    return cubin->bytes;
  if (auto *ptx = findImage(unit, DeviceImage::Kind::Ptx, arch))
    return assemble(unit, *ptx, arch, tools);
  StringRef digits = arch;
  digits.consume_front("sm_");
  return inputError(unit.location,
                    "no device code for " + arch +
                        ", for which other objects of this link have some; "
                        "there is code for " +
                        listArchitectures(unit) +
                        " only; compile it with -gencode arch=compute_" +
                        digits + ",code=" + arch + " too");
}

static Error addParts(const NvccCode &code, StringRef arch,
                      const CudaTools &tools, std::vector<NativePart> &parts) {
  Error errors = Error::success();
  for (const NvccUnit &unit : code.units) {
    auto addPart = [&]() -> Error {
      NativePart part;
      part.code.location = unit.location;
      part.code.arch = arch.str();
      Expected<std::string> cubin = cubinFor(unit, arch, tools);
      if (!cubin)
        return cubin.takeError();
      part.cubin = std::move(*cubin);
      if (auto *image = findImage(unit, DeviceImage::Kind::Ptx, arch)) {
        Expected<std::string> ptx = retarget(*image, arch, unit.location);
        if (!ptx)
          return ptx.takeError();
        part.ptx = std::move(*ptx);
      }
      part.code.hasPtx = !part.ptx.empty();
      auto symbols = readCubinSymbols(part.cubin, unit.location);
      if (!symbols)
        return symbols.takeError();
      part.code.symbols = std::move(*symbols);
      parts.push_back(std::move(part));
      return Error::success();
    };
    errors = joinErrors(std::move(errors), addPart());
  }
  return errors;
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

/// Reads the names in \p unit, of \p arch if it has code for it, else of any.
static Error readNames(NvccUnit &unit, StringRef arch, const CudaTools &tools) {
  std::string chosen = arch.str();
  if (!findImage(unit, DeviceImage::Kind::Cubin, arch)) {
    const DeviceImage &any = *min_element(
        unit.code.images, [](const DeviceImage &a, const DeviceImage &b) {
          return std::pair(a.kind != DeviceImage::Kind::Cubin, a.arch.number) <
                 std::pair(b.kind != DeviceImage::Kind::Cubin, b.arch.number);
        });
    chosen = any.arch.realName();
  }
  Expected<std::string> cubin = cubinFor(unit, chosen, tools);
  if (!cubin)
    return cubin.takeError();
  auto symbols = readCubinSymbols(*cubin, unit.location);
  if (!symbols)
    return symbols.takeError();
  unit.symbols = std::move(*symbols);
  return Error::success();
}

static Error refuseNvvm(const Fatbinary &fatbinary,
                        const InputLocation &where) {
  std::string digits = fatbinary.nvvm.front().digits();
  return inputError(
      where, "its device code is NVVM IR (lto_" + digits +
                 "), which nvcc -dlto alone can link; compile it with -gencode "
                 "arch=compute_" +
                 digits + ",code=[sm_" + digits + ",lto_" + digits +
                 "], or with gpulto-nvcc");
}

/// Adds the units of \p object, which lies at \p where, to \p code.
static Error addNvccObject(NvccObject object, const InputLocation &where,
                           StringRef arch, const CudaTools &tools,
                           NvccCode &code) {
  for (Fatbinary &fatbinary : object.code) {
    if (fatbinary.images.empty() && fatbinary.nvvm.empty())
      continue;
    if (fatbinary.images.empty())
      return refuseNvvm(fatbinary, where);
    NvccUnit &unit = code.units.emplace_back();
    unit.location = where;
    unit.code = std::move(fatbinary);
    if (Error error = readNames(unit, arch, tools))
      return error;
  }
  append_range(code.ids, object.waiting);
  return Error::success();
}

Expected<NvccCode> readNvccMember(MemoryBufferRef file,
                                  const InputLocation &where, StringRef arch,
                                  const CudaTools &tools) {
  NvccCode code;
  auto object = readNvccObject(file, where);
  if (!object)
    return object.takeError();
  bool hasImages = any_of(object->code, [](const Fatbinary &fatbinary) {
    return !fatbinary.images.empty();
  });
  // What cannot be linked serves nobody; the symbol stays undefined.
  if (!hasImages)
    return code;
  code.absent = object->waiting;
  if (Error error = addNvccObject(std::move(*object), where, arch, tools, code))
    return std::move(error);
  return code;
}

namespace {
struct ReadObject {
  InputLocation location;
  NvccObject object;
};
} // namespace

static Expected<ReadObject> readOne(const LinkObject &input) {
  ReadObject result;
  result.location = InputLocation(input.path, input.member);
  Expected<LocatedMember> file = locateMember(input.path, input.memberOffset);
  if (!file)
    return file.takeError();
  auto object = readNvccObject(file->data, result.location);
  if (!object)
    return object.takeError();
  result.object = std::move(*object);
  return result;
}

/// Returns those of \p objects that wait for a device link.
static Expected<std::vector<ReadObject>>
findWaiting(ArrayRef<LinkObject> objects) {
  Error errors = Error::success();
  std::vector<ReadObject> read;
  StringSet<> linked;
  for (const LinkObject &input : objects) {
    Expected<ReadObject> object = readOne(input);
    if (!object) {
      errors = joinErrors(std::move(errors), object.takeError());
      continue;
    }
    for (const std::string &id : object->object.linked)
      linked.insert(id);
    read.push_back(std::move(*object));
  }
  std::vector<ReadObject> waiting;
  for (ReadObject &candidate : read) {
    const std::vector<std::string> &ids = candidate.object.waiting;
    size_t done = count_if(
        ids, [&](const std::string &id) { return linked.contains(id); });
    if (done && done < ids.size())
      errors = joinErrors(
          std::move(errors),
          inputError(candidate.location,
                     "nvcc -dlink has linked a part of its device code; link "
                     "all of it by nvcc, or nothing"));
    else if (!done && !ids.empty())
      waiting.push_back(std::move(candidate));
  }
  if (errors)
    return std::move(errors);
  return waiting;
}

Error refuseWaiting(ArrayRef<LinkObject> objects) {
  auto waiting = findWaiting(objects);
  if (!waiting)
    return waiting.takeError();
  Error errors = Error::success();
  for (const ReadObject &object : *waiting)
    errors = joinErrors(
        std::move(errors),
        inputError(object.location,
                   "device code of nvcc -rdc=true, which gpulto links together "
                   "with objects of its own, and this link has none; link it "
                   "with nvcc -dlink"));
  return errors;
}

Expected<NvccCode> readNvccObjects(ArrayRef<LinkObject> objects, StringRef arch,
                                   const CudaTools &tools) {
  auto waiting = findWaiting(objects);
  if (!waiting)
    return waiting.takeError();
  NvccCode code;
  Error errors = Error::success();
  for (ReadObject &object : *waiting)
    errors = joinErrors(std::move(errors),
                        addNvccObject(std::move(object.object), object.location,
                                      arch, tools, code));
  if (errors)
    return std::move(errors);
  return code;
}

//===----------------------------------------------------------------------===//
// One program or two
//===----------------------------------------------------------------------===//

namespace {
/// How one side knows a name.
struct KnownName {
  bool isUsed = false;
  bool isDefined = false;
  bool isStrong = false;
  bool isVariable = false;
};
} // namespace

static StringMap<KnownName> namesOf(ArrayRef<WpaModule> modules) {
  StringMap<KnownName> names;
  for (const WpaModule &module : modules) {
    const ModuleSummary &summary = module.module.summary;
    if (summary.side != Side::Device)
      continue;
    for (const SymbolRecord &symbol : summary.symbols) {
      if (symbol.isLocal() || symbol.has(kRegistration))
        continue;
      KnownName &name = names[symbol.name];
      bool isUse = symbol.isDeclaration() ||
                   symbol.linkage == Linkage::AvailableExternally ||
                   symbol.linkage == Linkage::ExternalWeak;
      name.isUsed |= isUse;
      name.isDefined |= !isUse;
      name.isStrong |= !isUse && symbol.linkage == Linkage::External;
      name.isVariable |= symbol.kind == SymbolKind::Variable;
    }
  }
  return names;
}

/// Returns whether \p symbol of nvcc's code and \p ours have to be the same.
static bool isShared(const NativeSymbol &symbol, const KnownName &ours) {
  if (!symbol.isDefined)
    return ours.isDefined || (ours.isUsed && !isDeviceBuiltin(symbol.name));
  return ours.isUsed || (ours.isDefined && (ours.isVariable ||
                                            (ours.isStrong && !symbol.isWeak)));
}

static bool sharesNames(ArrayRef<WpaModule> modules, const NvccCode &code) {
  StringMap<KnownName> ours = namesOf(modules);
  for (const NvccUnit &unit : code.units)
    for (const NativeSymbol &symbol : unit.symbols)
      if (auto found = ours.find(symbol.name);
          found != ours.end() && isShared(symbol, found->second))
        return true;
  return false;
}

/// Returns the architectures of all images of \p code but those of libraries,
/// and, in \p common, those for which each unit has code.
static std::vector<std::string>
findArchitectures(const NvccCode &code, std::vector<std::string> &common) {
  std::set<DeviceArch, decltype([](const DeviceArch &a, const DeviceArch &b) {
             return std::pair(a.number, a.suffix) <
                    std::pair(b.number, b.suffix);
           })>
      cubins, texts;
  for (const NvccUnit &unit : code.units) {
    if (unit.isLibrary)
      continue;
    for (const DeviceImage &image : unit.code.images)
      (image.kind == DeviceImage::Kind::Cubin ? cubins : texts)
          .insert(image.arch);
  }
  std::vector<std::string> all;
  for (const DeviceArch &arch : cubins.empty() ? texts : cubins) {
    std::string name = arch.realName();
    all.push_back(name);
    if (all_of(code.units, [&](const NvccUnit &unit) {
          return findImage(unit, DeviceImage::Kind::Cubin, name) ||
                 findImage(unit, DeviceImage::Kind::Ptx, name);
        }))
      common.push_back(name);
  }
  return all;
}

/// Says which unit keeps the program from having code for \p arch.
static void warnLeftOut(const NvccCode &code, StringRef arch,
                        Diagnostics &diagnostics) {
  for (const NvccUnit &unit : code.units)
    if (!findImage(unit, DeviceImage::Kind::Cubin, arch) &&
        !findImage(unit, DeviceImage::Kind::Ptx, arch))
      return diagnostics.warning(
          unit.location, "no device code for " + arch + ", only for " +
                             listArchitectures(unit) +
                             "; the program gets none of nvcc's for " + arch);
}

/// Checks that \p parts, all for one architecture, define each symbol that one
/// of them uses, and none twice.
static Error checkNames(ArrayRef<NativePart> parts) {
  StringMap<const NativePart *> strong;
  StringSet<> defined;
  Error errors = Error::success();
  for (const NativePart &part : parts)
    for (const NativeSymbol &symbol : part.code.symbols) {
      if (symbol.isDefined)
        defined.insert(symbol.name);
      if (!symbol.isDefined || symbol.isWeak)
        continue;
      auto [it, isNew] = strong.try_emplace(symbol.name, &part);
      if (!isNew)
        errors = joinErrors(
            std::move(errors),
            inputError(part.code.location,
                       "duplicate device symbol '" + demangled(symbol.name) +
                           "' for " + part.code.arch + "; first defined in " +
                           it->second->code.location.str()));
    }
  std::map<std::string, std::string> undefined;
  for (const NativePart &part : parts)
    for (const NativeSymbol &symbol : part.code.symbols)
      if (!symbol.isDefined && !defined.contains(symbol.name) &&
          !isDeviceBuiltin(symbol.name))
        undefined[symbol.name] += "\n>>> used in " + part.code.location.str();
  for (const auto &[name, users] : undefined)
    errors = joinErrors(std::move(errors),
                        makeError("undefined device symbol '" + demangled(name) +
                                  "' for " + parts.front().code.arch + users));
  return errors;
}

/// Whether \p code is libcudadevrt, by which kernels launch kernels. It has no
/// PTX; who loads PTX that names it links it (cuLinkAddFile).
static bool isDeviceRuntime(const NativeCode &code) {
  return any_of(code.symbols, [](const NativeSymbol &symbol) {
    return symbol.isDefined && symbol.name == "__cudaCDP2LaunchDevice";
  });
}

/// Checks that the program can carry \p parts as the user wants.
static Error checkForms(ArrayRef<NativePart> parts, const LinkOptions &options,
                        EmbedKind embed, const CudaTools &tools) {
  bool needsPtx = embed == EmbedKind::Ptx ||
                  (embed == EmbedKind::Both && options.embedGiven) ||
                  tools.nvlink.empty();
  Error errors = Error::success();
  for (const NativePart &part : parts)
    if (needsPtx && !part.code.hasPtx &&
        !(options.embedGiven && isDeviceRuntime(part.code)))
      errors = joinErrors(
          std::move(errors),
          inputError(part.code.location,
                     "no PTX for " + part.code.arch +
                         (options.embedGiven
                              ? ", which --gpulto-embed asks for"
                              : ", and no nvlink was found to link its cubin; "
                                "give --gpulto-cuda-path=DIR")));
  return errors;
}

/// Plans a program for the architectures that all units of \p code have.
static Error planAlone(const NvccCode &code, const CudaTools &tools,
                       Diagnostics &diagnostics, NvccPlan &plan) {
  std::vector<std::string> common;
  std::vector<std::string> all = findArchitectures(code, common);
  if (common.empty())
    return addParts(code, all.back(), tools, plan.parts);
  Error errors = Error::success();
  for (const std::string &arch : all) {
    if (!is_contained(common, arch)) {
      warnLeftOut(code, arch, diagnostics);
      continue;
    }
    size_t before = plan.parts.size();
    if (Error error = addParts(code, arch, tools, plan.parts))
      return joinErrors(std::move(errors), std::move(error));
    errors = joinErrors(std::move(errors),
                        checkNames(ArrayRef(plan.parts).drop_front(before)));
  }
  return errors;
}

Expected<NvccPlan> planNvccLink(ArrayRef<WpaModule> modules,
                                const NvccCode &code,
                                const LinkOptions &options, EmbedKind embed,
                                const CudaTools &tools,
                                Diagnostics &diagnostics) {
  NvccPlan plan;
  if (code.units.empty())
    return plan;
  plan.isJoined = sharesNames(modules, code);
  Error errors = Error::success();
  if (plan.isJoined)
    for (StringRef arch : architecturesOf(modules))
      errors = joinErrors(std::move(errors),
                          addParts(code, arch, tools, plan.parts));
  else
    errors = planAlone(code, tools, diagnostics, plan);
  if (!errors)
    errors = checkForms(plan.parts, options, embed, tools);
  if (errors)
    return std::move(errors);
  return plan;
}

Expected<std::vector<DeviceProgram>> linkNvccCode(const NvccPlan &plan,
                                                  EmbedKind embed,
                                                  const CudaTools &tools,
                                                  StringRef tempDirectory) {
  std::vector<DeviceProgram> programs;
  ArrayRef<NativePart> rest = plan.parts;
  while (!rest.empty()) {
    const std::string &arch = rest.front().code.arch;
    ArrayRef<NativePart> parts = rest.take_while(
        [&](const NativePart &part) { return part.code.arch == arch; });
    rest = rest.drop_front(parts.size());
    bool hasPtx =
        all_of(parts, [](const NativePart &part) { return part.code.hasPtx; });
    auto program =
        linkDevicePartitions(arch, {}, parts, tools,
                             hasPtx ? embed : EmbedKind::Cubin, tempDirectory);
    if (!program)
      return program.takeError();
    programs.push_back(std::move(*program));
  }
  return programs;
}

} // namespace gpulto
