//===- LinkReader.cpp - The summaries of a link's inputs ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "lto/read/LinkReader.h"

#include "fatobj/FatObjectReader.h"
#include "fatobj/Format.h"
#include "ipa/symbols/DeviceCheck.h"
#include "lto/host/HostCodegen.h"
#include "lto/lgen/Lgen.h"
#include "lto/lgen/StockObject.h"
#include "lto/partition/WrappedSymbols.h"
#include "lto/read/Architectures.h"
#include "lto/read/LinkStamp.h"
#include "summary/ModuleSummary.h"
#include "summary/SummaryFormat.h"
#include "support/Parallel.h"
#include "support/Subprocess.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/BinaryFormat/Magic.h"
#include "llvm/Object/ELFObjectFile.h"

#include <chrono>

using namespace llvm;

namespace gpulto {

namespace {
/// What one input object gave. Modules are numbered by translation unit, from
/// 0, in CombinedModule::object, until all inputs have been read.
struct LoadedObject {
  std::unique_ptr<MemoryBuffer> file;
  std::vector<WpaModule> modules;
  std::vector<std::unique_ptr<std::string>> computed;
  std::vector<std::unique_ptr<std::string>> names;
  NvccCode nvcc; // of an archive member
  uint32_t units = 0;
  double summaryMs = 0; // spent on computing summaries
  StampInput described;
  std::vector<Stamp> stamps; // of the links that made it
  Error error = Error::success();

  LoadedObject() { cantFail(std::move(error)); }
};

/// Where an object lies: a file, or a range of an archive.
struct ObjectPlace {
  std::string path;
  std::string member;
  uint64_t offset = 0;
  MemoryBufferRef data;
};

/// How inputs are read.
struct ReadContext {
  /// For device bitcode that stands in no file.
  StringRef directory;
  /// The -O level of the link, for modules that do not say theirs.
  uint8_t optLevel = 2;
  /// Only the device half of the object is wanted.
  bool deviceOnly = false;
  /// Some architecture of the program; may be empty.
  StringRef arch;
  const CudaTools *tools = nullptr;
};
} // namespace

static InputLocation locationOf(const ObjectPlace &place) {
  return InputLocation(place.path, place.member);
}

static JobInput inputAt(const ObjectPlace &place, uint64_t offset,
                        uint64_t storedBytes, uint64_t rawBytes,
                        bool compressed, const Digest &digest) {
  JobInput input;
  input.path = place.path;
  input.member = place.member;
  input.offset = place.offset + offset;
  input.storedBytes = storedBytes;
  input.rawBytes = rawBytes;
  input.compressed = compressed;
  input.digest = digest;
  return input;
}

static WpaModule makeModule(ModuleSummary summary, JobInput bitcode,
                            const ObjectPlace &place, uint32_t object) {
  WpaModule result;
  result.bitcode = std::move(bitcode);
  result.bitcode.fusesAll = summary.has(kFusesAll);
  result.module.summary = std::move(summary);
  result.module.object = object;
  result.module.location = locationOf(place);
  return result;
}

/// Refuses records of another LLVM: bitcode is read by newer releases only,
/// and a summary describes what one release's passes made.
static Error checkVersion(const FatRecord &record) {
  if (record.llvmMajor == LLVM_VERSION_MAJOR)
    return Error::success();
  return inputError(record.location, "made by LLVM " + Twine(record.llvmMajor) +
                                         ", this linker reads LLVM " +
                                         Twine(LLVM_VERSION_MAJOR) +
                                         "; recompile the object");
}

/// Adds the modules of one record: the host's unless \p deviceOnly, and one
/// for each architecture.
static Error readRecord(const FatRecord &record, const ObjectPlace &place,
                        bool deviceOnly, LoadedObject &loaded) {
  uint32_t unit = loaded.units++;
  if (Error error = checkVersion(record))
    return error;
  if (!deviceOnly && !record.hostSummary.empty()) {
    if (record.hostBitcodeLost)
      return inputError(record.location,
                        "the host bitcode of this record is gone from section "
                        ".llvm.lto; recompile the object");
    Expected<ModuleSummary> summary =
        readSummary(record.hostSummary, record.hostNames, record.location);
    if (!summary)
      return summary.takeError();
    loaded.modules.push_back(makeModule(
        std::move(*summary),
        inputAt(place, record.hostBitcodeOffset, record.hostBitcode.size(),
                record.hostBitcode.size(), false, record.hostBitcodeDigest),
        place, unit));
  }
  for (const DeviceRecord &device : record.devices) {
    Expected<ModuleSummary> summary =
        readSummary(device.summary, {}, record.location);
    if (!summary)
      return summary.takeError();
    loaded.modules.push_back(
        makeModule(std::move(*summary),
                   inputAt(place, device.bitcode.offset,
                           device.bitcode.storedSize, device.bitcode.rawSize,
                           device.bitcode.compressed, device.bitcode.digest),
                   place, unit));
  }
  return Error::success();
}

/// Computes the summary of \p bitcode, for which nobody has stored one, and
/// adds the module.
static Error addComputed(StringRef bitcode, StringRef arch, JobInput input,
                         const InputLocation &where, const ObjectPlace &place,
                         const ReadContext &context, uint32_t unit,
                         LoadedObject &loaded) {
  auto start = std::chrono::steady_clock::now();
  LgenOptions options;
  options.optLevel = context.optLevel;
  options.arch = arch.str();
  Expected<std::string> bytes =
      summarizeBitcode(MemoryBufferRef(bitcode, where.str()), options);
  if (!bytes)
    return bytes.takeError();
  loaded.computed.push_back(std::make_unique<std::string>(std::move(*bytes)));
  Expected<ModuleSummary> summary =
      readSummary(*loaded.computed.back(), {}, where);
  if (!summary)
    return summary.takeError();
  input.isStock = true;
  loaded.modules.push_back(
      makeModule(std::move(*summary), std::move(input), place, unit));
  std::chrono::duration<double, std::milli> spent =
      std::chrono::steady_clock::now() - start;
  loaded.summaryMs += spent.count();
  return Error::success();
}

/// Returns where LTRANS finds \p bytes: in \p section, a part of the object, or
/// in a file of its own.
static Expected<JobInput> placeDevice(StringRef bytes, StringRef section,
                                      const ObjectPlace &place,
                                      StringRef directory) {
  Digest digest = digestOf(bytes);
  size_t at = section.find(bytes);
  if (at != StringRef::npos)
    return inputAt(place, section.data() + at - place.data.getBufferStart(),
                   bytes.size(), bytes.size(), false, digest);
  std::string path = (directory + "/" + digest.hex() + ".bc").str();
  if (Error error = writeFileAtomically(path, bytes))
    return std::move(error);
  JobInput input;
  input.path = path;
  input.member = "device code of " + locationOf(place).str();
  input.storedBytes = input.rawBytes = bytes.size();
  input.digest = digest;
  return input;
}

/// Adds the device modules in \p offloading, which is \p section itself or a
/// copy that the host bitcode carries.
static Error addStockDevices(StringRef offloading, StringRef section,
                             const ObjectPlace &place,
                             const ReadContext &context, uint32_t unit,
                             LoadedObject &loaded) {
  auto devices = readStockDevices(
      offloading, locationOf(place).inSection(kOffloadingSection));
  if (!devices)
    return devices.takeError();
  for (const StockDevice &device : *devices) {
    auto input = placeDevice(device.bytes, section, place, context.directory);
    if (!input)
      return input.takeError();
    if (Error error =
            addComputed(device.bytes, device.arch, std::move(*input),
                        device.location, place, context, unit, loaded))
      return error;
  }
  return Error::success();
}

/// Reads a translation unit that stock clang compiled. Which device code
/// belongs to it is what its host bitcode says: \p section, the object's
/// .llvm.offloading, may hold that of several units.
static Error readStockUnit(StringRef bitcode, StringRef section,
                           const ObjectPlace &place, const ReadContext &context,
                           LoadedObject &loaded) {
  InputLocation where = locationOf(place);
  uint32_t unit = loaded.units++;
  if (!context.deviceOnly) {
    uint64_t offset = bitcode.data() - place.data.getBufferStart();
    if (Error error =
            addComputed(bitcode, "",
                        inputAt(place, offset, bitcode.size(), bitcode.size(),
                                false, digestOf(bitcode)),
                        where, place, context, unit, loaded))
      return error;
  }
  Expected<std::string> embedded = readEmbeddedOffloading(bitcode, where);
  if (!embedded)
    return embedded.takeError();
  return addStockDevices(*embedded, section, place, context, unit, loaded);
}

static bool makesAsmNames(const WpaModule &module) {
  return module.module.summary.has(kMakesAsmNames);
}

/// Refuses modules of \p loaded whose assembly makes names of parts: there is
/// no native half to tell them.
static Error refuseMadeNames(const LoadedObject &loaded,
                             const InputLocation &where) {
  if (none_of(loaded.modules, makesAsmNames))
    return Error::success();
  return inputError(where, "assembly makes names of parts, which are known in "
                           "native code only; recompile with "
                           "-ffat-lto-objects");
}

/// Adds to modules of \p loaded whose assembly makes names of parts all that
/// the native half of \p object does not define, or, if it is of several units,
/// all that one of them may mean. Errors: there is no native half.
static Error addNativeNames(MemoryBufferRef object, const InputLocation &where,
                            const FatObject &fat, LoadedObject &loaded) {
  if (any_of(fat.records, [](const FatRecord &record) { return record.slim; }))
    return refuseMadeNames(loaded, where);
  if (none_of(loaded.modules, makesAsmNames))
    return Error::success();
  auto file = object::ObjectFile::createELFObjectFile(object);
  if (!file)
    return inputError(where, toString(file.takeError()));
  for (const object::SymbolRef &symbol : (*file)->symbols()) {
    Expected<StringRef> name = symbol.getName();
    Expected<uint32_t> flags = symbol.getFlags();
    if (!name || !flags)
      return inputError(
          where, toString(joinErrors(name.takeError(), flags.takeError())));
    bool mayBeMeant =
        *flags & (fat.units.size() > 1 ? object::SymbolRef::SF_Global
                                       : object::SymbolRef::SF_Undefined);
    if (!mayBeMeant || name->empty())
      continue;
    loaded.names.push_back(std::make_unique<std::string>(*name));
    SymbolRecord record;
    record.name = *loaded.names.back();
    record.kind = SymbolKind::Assembly;
    record.flags = kDeclaration | kAssemblyReferenced;
    for (WpaModule &module : loaded.modules)
      if (makesAsmNames(module))
        module.module.summary.symbols.push_back(record);
  }
  return Error::success();
}

static Error readObject(const ObjectPlace &place, const ReadContext &context,
                        LoadedObject &loaded) {
  StringRef bytes = place.data.getBuffer();
  if (identify_magic(bytes) == file_magic::bitcode) {
    loaded.described = describeInput(locationOf(place), FatObject());
    if (Error error = readStockUnit(bytes, "", place, context, loaded))
      return error;
    return refuseMadeNames(loaded, locationOf(place));
  }
  Expected<FatObject> fat = readFatObject(place.data, locationOf(place));
  if (!fat)
    return fat.takeError();
  loaded.described = describeInput(locationOf(place), *fat);
  Expected<std::vector<Stamp>> stamps =
      stampsOfInput(*fat, place.data, locationOf(place));
  if (!stamps)
    return stamps.takeError();
  loaded.stamps = std::move(*stamps);
  std::vector<bool> done(fat->records.size());
  for (const HostUnit &unit : fat->units) {
    if (unit.record)
      done[*unit.record] = true;
    Error error = unit.record
                      ? readRecord(fat->records[*unit.record], place,
                                   context.deviceOnly, loaded)
                      : readStockUnit(unit.bitcode, fat->offloadingSection,
                                      place, context, loaded);
    if (error)
      return error;
  }
  for (auto [record, isDone] : zip(fat->records, done))
    if (!isDone)
      if (Error error = readRecord(record, place, context.deviceOnly, loaded))
        return error;
  return addNativeNames(place.data, locationOf(place), *fat, loaded);
}

/// Opens \p input and reads what is in it.
static Error loadObject(const LinkObject &input, const ReadContext &context,
                        LoadedObject &loaded) {
  ObjectPlace place{input.path, input.member, input.memberOffset, {}};
  if (input.member.empty()) {
    Expected<std::unique_ptr<MemoryBuffer>> file = readWholeFile(input.path);
    if (!file)
      return file.takeError();
    loaded.file = std::move(*file);
    place.data = loaded.file->getMemBufferRef();
  } else {
    Expected<LocatedMember> member =
        locateMember(input.path, input.memberOffset);
    if (!member)
      return member.takeError();
    loaded.file = std::move(member->owner);
    place.data = member->data;
  }
  return readObject(place, context, loaded);
}

static uint8_t resolutionFlags(const LinkSymbol &symbol) {
  uint8_t value = kResolved;
  if (symbol.prevailing)
    value |= kPrevailing;
  if (symbol.finalDefinition)
    value |= kFinalDefinition;
  if (symbol.visibleToRegularObject)
    value |= kVisibleToRegular;
  if (symbol.linkerRedefined)
    value |= kLinkerRedefined;
  return value;
}

/// Hands the linker's resolutions to the host modules of \p input.
static void attachResolutions(const LinkObject &input,
                              MutableArrayRef<WpaModule> modules) {
  std::vector<StringMap<uint8_t>> flags;
  for (const LinkSymbol &symbol : input.symbols) {
    if (symbol.unit >= flags.size())
      flags.resize(symbol.unit + 1);
    flags[symbol.unit][symbol.irName.empty() ? symbol.name : symbol.irName] |=
        resolutionFlags(symbol);
  }
  for (WpaModule &module : modules) {
    uint32_t unit = module.module.object;
    if (module.module.summary.side != Side::Host)
      continue;
    for (const SymbolRecord &symbol : module.module.summary.symbols)
      module.module.resolution.push_back(
          unit < flags.size() ? flags[unit].lookup(symbol.name) : 0);
  }
}

/// Renames what the host modules of \p loaded use and do not define.
static void wrapNames(LoadedObject &loaded, ArrayRef<std::string> wrapped) {
  if (wrapped.empty())
    return;
  for (WpaModule &module : loaded.modules) {
    if (module.module.summary.side != Side::Host)
      continue;
    for (SymbolRecord &symbol : module.module.summary.symbols) {
      if (symbol.isLocal() || !symbol.isDeclaration())
        continue;
      std::string name = nameUnderWrap(symbol.name, wrapped);
      if (name.empty())
        continue;
      loaded.names.push_back(std::make_unique<std::string>(std::move(name)));
      symbol.name = *loaded.names.back();
    }
  }
}

/// The device names of one architecture that some module uses or defines.
namespace {
struct DeviceNames {
  StringSet<> defined;
  StringSet<> undefined;
};
} // namespace

static bool isDefinition(const SymbolRecord &symbol) {
  return !symbol.isLocal() && !symbol.isDeclaration() &&
         symbol.linkage != Linkage::AvailableExternally &&
         symbol.linkage != Linkage::ExternalWeak;
}

static void noteDeviceNames(const ModuleSummary &summary, DeviceNames &image) {
  for (const SymbolRecord &symbol : summary.symbols) {
    if (isDefinition(symbol))
      image.defined.insert(symbol.name);
    else if (symbol.isDeclaration() && !isDeviceBuiltin(symbol.name) &&
             symbol.linkage != Linkage::ExternalWeak)
      image.undefined.insert(symbol.name);
  }
}

static void noteDeviceNames(const NvccCode &code, DeviceNames &image) {
  for (const NvccUnit &unit : code.units)
    for (const NativeSymbol &symbol : unit.symbols) {
      if (symbol.isDefined)
        image.defined.insert(symbol.name);
      else if (!isDeviceBuiltin(symbol.name))
        image.undefined.insert(symbol.name);
    }
}

/// Returns whether \p module may become part of the image for \p arch.
static bool serves(const WpaModule &module, StringRef arch) {
  return module.module.summary.side == Side::Device &&
         runsOn(module.module.summary.arch, arch);
}

/// Returns whether \p modules define a device symbol that is used and not yet
/// defined. A weak definition does not: an archive member is there for a name,
/// not for a copy of it.
static bool definesNeeded(ArrayRef<WpaModule> modules,
                          const StringMap<DeviceNames> &names) {
  auto isNeeded = [](const SymbolRecord &symbol, const DeviceNames &image) {
    return isDefinition(symbol) && image.undefined.contains(symbol.name) &&
           !image.defined.contains(symbol.name);
  };
  for (const WpaModule &module : modules)
    for (const auto &image : names)
      if (serves(module, image.getKey()))
        for (const SymbolRecord &symbol : module.module.summary.symbols)
          if (isNeeded(symbol, image.getValue()))
            return true;
  return false;
}

static bool definesNeeded(const NvccCode &code,
                          const StringMap<DeviceNames> &names) {
  for (const NvccUnit &unit : code.units)
    for (const NativeSymbol &symbol : unit.symbols)
      for (const auto &image : names)
        if (symbol.isDefined && !symbol.isWeak &&
            image.getValue().undefined.contains(symbol.name) &&
            !image.getValue().defined.contains(symbol.name))
          return true;
  return false;
}

/// Reads the device halves of the members of \p path that are not inputs.
static Error readArchive(StringRef path, const StringSet<> &taken,
                         const ReadContext &context,
                         std::vector<LoadedObject> &candidates) {
  return forEachArchiveMember(path, [&](const ArchiveMember &member) -> Error {
    bool isThin = !member.path.empty();
    ObjectPlace place{isThin ? member.path : path.str(),
                      isThin ? "" : member.name, isThin ? 0 : member.dataOffset,
                      member.data};
    if (taken.contains(place.path + ":" + std::to_string(place.offset)))
      return Error::success();
    LoadedObject candidate;
    if (isNvccObject(place.data)) {
      Expected<NvccCode> code = readNvccMember(place.data, locationOf(place),
                                               context.arch, *context.tools);
      if (!code)
        return code.takeError();
      candidate.nvcc = std::move(*code);
      if (!candidate.nvcc.units.empty())
        candidates.push_back(std::move(candidate));
      return Error::success();
    }
    if (!mayHoldDeviceCode(place.data))
      return Error::success();
    candidate.file =
        MemoryBuffer::getMemBufferCopy(member.data.getBuffer(), member.name);
    place.data = candidate.file->getMemBufferRef();
    if (Error error = readObject(place, context, candidate))
      return error;
    if (!candidate.modules.empty())
      candidates.push_back(std::move(candidate));
    return Error::success();
  });
}

/// Moves the modules of \p loaded to \p modules and what they point into to
/// \p result. \p units: of the objects taken so far.
static void takeModules(LoadedObject &loaded, uint32_t &units,
                        std::vector<WpaModule> &modules, LinkModules &result) {
  Stamp &stamp = result.stamps.front();
  stamp.inputs.push_back(std::move(loaded.described));
  addDevices(loaded.modules, stamp.inputs.back());
  llvm::move(loaded.stamps, std::back_inserter(result.stamps));
  for (WpaModule &module : loaded.modules)
    module.module.object += units;
  units += loaded.units;
  llvm::move(loaded.modules, std::back_inserter(modules));
  llvm::move(loaded.computed, std::back_inserter(result.computed));
  llvm::move(loaded.names, std::back_inserter(result.names));
  llvm::move(loaded.nvcc.units, std::back_inserter(result.nvcc.units));
  llvm::move(loaded.nvcc.ids, std::back_inserter(result.nvcc.ids));
  llvm::move(loaded.nvcc.absent, std::back_inserter(result.nvcc.absent));
  loaded.nvcc = NvccCode();
  result.files.push_back(std::move(loaded.file));
}

/// Returns whether some device symbol is used and nowhere defined.
static bool anyUndefined(const StringMap<DeviceNames> &names) {
  return llvm::any_of(names, [](const auto &image) {
    return llvm::any_of(image.second.undefined, [&](const auto &name) {
      return !image.second.defined.contains(name.getKey());
    });
  });
}

/// Adds archive members for the sake of their device code, as nvlink would: the
/// host linker takes members for host symbols only. An archive is searched
/// until nothing more is found in it, archives in their order, then again while
/// something is found. Appends the modules to \p members and what they point
/// into to \p result.
static Error extractDeviceMembers(const LinkInputs &inputs, ReadContext context,
                                  uint32_t units,
                                  std::vector<WpaModule> &members,
                                  LinkModules &result) {
  StringMap<DeviceNames> names;
  for (const WpaModule &module : result.modules)
    if (module.module.summary.side == Side::Device)
      noteDeviceNames(module.module.summary, names[module.module.summary.arch]);
  // Code of nvcc goes with any; alone it is a program of its own.
  for (StringRef arch : architecturesOf(result.modules))
    noteDeviceNames(result.nvcc, names[arch]);
  if (names.empty())
    noteDeviceNames(result.nvcc, names[""]);
  if (!anyUndefined(names))
    return Error::success();
  StringSet<> taken;
  for (const LinkObject &object :
       concat<const LinkObject>(inputs.objects, inputs.nvccObjects))
    taken.insert(object.path + ":" + std::to_string(object.memberOffset));
  context.deviceOnly = true;
  std::vector<LoadedObject> candidates;
  for (const std::string &archive : inputs.archives)
    if (Error error = readArchive(archive, taken, context, candidates))
      return error;
  for (bool found = true; found;) {
    found = false;
    for (LoadedObject &candidate : candidates) {
      if (!definesNeeded(candidate.modules, names) &&
          !definesNeeded(candidate.nvcc, names))
        continue;
      for (auto &image : names)
        noteDeviceNames(candidate.nvcc, image.getValue());
      for (const WpaModule &module : candidate.modules)
        for (auto &image : names)
          if (serves(module, image.getKey()))
            noteDeviceNames(module.module.summary, image.getValue());
      candidate.described.reason = "taken for its device code only";
      takeModules(candidate, units, members, result);
      candidate.modules.clear();
      found = true;
    }
  }
  return Error::success();
}

static void remarkComputed(const LoadedObject &loaded, const LinkObject &input,
                           Diagnostics &diagnostics) {
  Remark remark;
  remark.kind = RemarkKind::Analysis;
  remark.pass = "gpulto-lgen";
  remark.name = "SummaryAtLink";
  remark.input = InputLocation(input.path, input.member);
  remark.text = "has no gpulto summary; computed in " +
                std::to_string(static_cast<uint64_t>(loaded.summaryMs)) +
                " ms of this link";
  diagnostics.remark(std::move(remark));
}

Expected<LinkModules> readLinkInputs(const LinkInputs &inputs,
                                     StringRef directory,
                                     const CudaTools &tools, unsigned threads,
                                     Diagnostics &diagnostics,
                                     Statistics &statistics) {
  initializeTargets(); // for summaries that are computed here
  ReadContext context;
  context.directory = directory;
  context.tools = &tools;
  context.optLevel = inputs.codegen.optLevel;
  std::vector<LoadedObject> loaded(inputs.objects.size());
  forEachOf(threads, loaded.size(), [&](size_t i) {
    if (Error error = loadObject(inputs.objects[i], context, loaded[i]))
      loaded[i].error = std::move(error);
    else {
      attachResolutions(inputs.objects[i], loaded[i].modules);
      wrapNames(loaded[i], inputs.codegen.wrapped);
    }
  });
  Error errors = Error::success();
  LinkModules result;
  result.stamps.push_back(makeStamp(inputs.output));
  uint32_t units = 0;
  for (auto [object, input] : zip(loaded, inputs.objects)) {
    errors = joinErrors(std::move(errors), std::move(object.error));
    if (!object.computed.empty()) {
      remarkComputed(object, input, diagnostics);
      statistics.add("summaries-computed", object.computed.size());
    }
    takeModules(object, units, result.modules, result);
  }
  if (errors)
    return errors;
  std::vector<StringRef> architectures = architecturesOf(result.modules);
  if (Error error =
          completeArchitectures(result.modules, architectures, diagnostics))
    return error;
  // From here on every image has the device code of every unit.
  context.arch = architectures.empty() ? StringRef() : architectures.front();
  Expected<NvccCode> nvcc =
      readNvccObjects(inputs.nvccObjects, context.arch, tools);
  if (!nvcc)
    return nvcc.takeError();
  result.nvcc = std::move(*nvcc);
  std::vector<WpaModule> members;
  if (Error error =
          extractDeviceMembers(inputs, context, units, members, result))
    return error;
  if (Error error = completeArchitectures(members, architectures, diagnostics))
    return error;
  llvm::move(members, std::back_inserter(result.modules));
  statistics.set("objects", inputs.objects.size());
  return result;
}

} // namespace gpulto
