//===- LinkReader.cpp - The summaries of a link's inputs ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "lto/LinkReader.h"

#include "fatobj/FatObjectReader.h"
#include "lto/Lgen.h"
#include "summary/SummaryFormat.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/BinaryFormat/Magic.h"
#include "llvm/Support/Parallel.h"

#include <chrono>

using namespace llvm;

namespace gpulto {

namespace {
/// What one input object gave.
struct LoadedObject {
  std::unique_ptr<MemoryBuffer> file;
  std::vector<WpaModule> modules;
  std::vector<std::unique_ptr<std::string>> computed;
  double summaryMs = 0; // spent on computing summaries
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
                        uint32_t object, bool deviceOnly,
                        std::vector<WpaModule> &modules) {
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
    modules.push_back(makeModule(
        std::move(*summary),
        inputAt(place, record.hostBitcodeOffset, record.hostBitcode.size(),
                record.hostBitcode.size(), false, record.hostBitcodeDigest),
        place, object));
  }
  for (const DeviceRecord &device : record.devices) {
    Expected<ModuleSummary> summary =
        readSummary(device.summary, {}, record.location);
    if (!summary)
      return summary.takeError();
    modules.push_back(
        makeModule(std::move(*summary),
                   inputAt(place, device.bitcode.offset,
                           device.bitcode.storedSize, device.bitcode.rawSize,
                           device.bitcode.compressed, device.bitcode.digest),
                   place, object));
  }
  return Error::success();
}

/// Summarises host bitcode that came without a summary.
static Error computeSummary(StringRef bitcode, const ObjectPlace &place,
                            uint32_t object, LoadedObject &loaded) {
  auto start = std::chrono::steady_clock::now();
  InputLocation where = locationOf(place);
  Expected<std::string> bytes =
      summarizeBitcode(MemoryBufferRef(bitcode, where.str()), LgenOptions());
  if (!bytes)
    return bytes.takeError();
  Expected<StrtabRange> names = findHostStrtab(bitcode, where);
  if (!names)
    return names.takeError();
  loaded.computed.push_back(std::make_unique<std::string>(std::move(*bytes)));
  Expected<ModuleSummary> summary =
      readSummary(*loaded.computed.back(),
                  bitcode.substr(names->offset, names->size), where);
  if (!summary)
    return summary.takeError();
  uint64_t offset = bitcode.data() - place.data.getBufferStart();
  loaded.modules.push_back(
      makeModule(std::move(*summary),
                 inputAt(place, offset, bitcode.size(), bitcode.size(), false,
                         digestOf(bitcode)),
                 place, object));
  std::chrono::duration<double, std::milli> spent =
      std::chrono::steady_clock::now() - start;
  loaded.summaryMs += spent.count();
  return Error::success();
}

static Error readObject(const ObjectPlace &place, uint32_t object,
                        bool deviceOnly, LoadedObject &loaded) {
  if (identify_magic(place.data.getBuffer()) == file_magic::bitcode)
    return computeSummary(place.data.getBuffer(), place, object, loaded);
  Expected<FatObject> fat = readFatObject(place.data, locationOf(place));
  if (!fat)
    return fat.takeError();
  if (fat->records.empty() && !fat->bitcodeSection.empty() && !deviceOnly) {
    if (!fat->offloadingSection.empty())
      return inputError(locationOf(place),
                        "device code of stock clang (.llvm.offloading) is not "
                        "supported yet; recompile the object with "
                        "gpulto-clang++ -flto=gpu");
    return computeSummary(fat->bitcodeSection, place, object, loaded);
  }
  if (fat->records.size() > 1)
    return inputError(fat->records[1].location,
                      "an object of several translation units (ld -r) is not "
                      "supported yet; link the original objects");
  for (const FatRecord &record : fat->records)
    if (Error error =
            readRecord(record, place, object, deviceOnly, loaded.modules))
      return error;
  return Error::success();
}

/// Opens \p input and reads what is in it.
static Error loadObject(const LinkObject &input, uint32_t object,
                        LoadedObject &loaded) {
  ObjectPlace place{input.path, input.member, input.memberOffset, {}};
  if (input.member.empty()) {
    ErrorOr<std::unique_ptr<MemoryBuffer>> file =
        MemoryBuffer::getFile(input.path, /*IsText=*/false,
                              /*RequiresNullTerminator=*/false);
    if (!file)
      return inputError(InputLocation(input.path), file.getError().message());
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
  return readObject(place, object, /*deviceOnly=*/false, loaded);
}

/// Hands the linker's resolutions to the host module of \p input.
static void attachResolutions(const LinkObject &input,
                              MutableArrayRef<WpaModule> modules) {
  StringMap<uint8_t> flags;
  for (const LinkSymbol &symbol : input.symbols) {
    uint8_t value = kResolved;
    if (symbol.prevailing)
      value |= kPrevailing;
    if (symbol.finalDefinition)
      value |= kFinalDefinition;
    if (symbol.visibleToRegularObject)
      value |= kVisibleToRegular;
    if (symbol.exportDynamic)
      value |= kExportDynamic;
    if (symbol.linkerRedefined)
      value |= kLinkerRedefined;
    flags[symbol.irName.empty() ? symbol.name : symbol.irName] |= value;
  }
  for (WpaModule &module : modules) {
    if (module.module.summary.side != Side::Host)
      continue;
    for (const SymbolRecord &symbol : module.module.summary.symbols)
      module.module.resolution.push_back(flags.lookup(symbol.name));
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

static void noteDeviceNames(const ModuleSummary &summary,
                            StringMap<DeviceNames> &names) {
  if (summary.side != Side::Device)
    return;
  DeviceNames &image = names[summary.arch];
  for (const SymbolRecord &symbol : summary.symbols) {
    if (isDefinition(symbol))
      image.defined.insert(symbol.name);
    else if (symbol.isDeclaration() && !symbol.has(kIntrinsic) &&
             symbol.linkage != Linkage::ExternalWeak)
      image.undefined.insert(symbol.name);
  }
}

/// Returns whether \p modules define a device symbol that is used and not yet
/// defined. A weak definition does not: an archive member is there for a name,
/// not for a copy of it.
static bool definesNeeded(ArrayRef<WpaModule> modules,
                          const StringMap<DeviceNames> &names) {
  for (const WpaModule &module : modules) {
    auto image = names.find(module.module.summary.arch);
    if (module.module.summary.side != Side::Device || image == names.end())
      continue;
    for (const SymbolRecord &symbol : module.module.summary.symbols)
      if (isDefinition(symbol) &&
          image->second.undefined.contains(symbol.name) &&
          !image->second.defined.contains(symbol.name))
        return true;
  }
  return false;
}

/// Reads the device halves of the members of \p path that are not inputs.
static Error readArchive(StringRef path, const StringSet<> &taken,
                         std::vector<LoadedObject> &candidates) {
  return forEachArchiveMember(path, [&](const ArchiveMember &member) -> Error {
    bool isThin = !member.path.empty();
    ObjectPlace place{isThin ? member.path : path.str(),
                      isThin ? "" : member.name, isThin ? 0 : member.dataOffset,
                      member.data};
    if (taken.contains(place.path + ":" + std::to_string(place.offset)) ||
        !hasFatObjectSection(place.data))
      return Error::success();
    LoadedObject candidate;
    candidate.file =
        MemoryBuffer::getMemBufferCopy(member.data.getBuffer(), member.name);
    place.data = candidate.file->getMemBufferRef();
    if (Error error = readObject(place, kNone, /*deviceOnly=*/true, candidate))
      return error;
    if (!candidate.modules.empty())
      candidates.push_back(std::move(candidate));
    return Error::success();
  });
}

static void takeModules(LoadedObject &loaded, LinkModules &result) {
  llvm::move(loaded.modules, std::back_inserter(result.modules));
  llvm::move(loaded.computed, std::back_inserter(result.computed));
  result.files.push_back(std::move(loaded.file));
}

/// Adds archive members for the sake of their device code, as nvlink would: the
/// host linker takes members for host symbols only. An archive is searched
/// until nothing more is found in it, archives in their order, then again while
/// something is found.
static Error extractDeviceMembers(const LinkInputs &inputs,
                                  LinkModules &result) {
  StringMap<DeviceNames> names;
  for (const WpaModule &module : result.modules)
    noteDeviceNames(module.module.summary, names);
  if (names.empty())
    return Error::success();
  StringSet<> taken;
  for (const LinkObject &object : inputs.objects)
    taken.insert(object.path + ":" + std::to_string(object.memberOffset));
  std::vector<LoadedObject> candidates;
  for (const std::string &archive : inputs.archives)
    if (Error error = readArchive(archive, taken, candidates))
      return error;
  uint32_t object = inputs.objects.size();
  for (bool found = true; found;) {
    found = false;
    for (LoadedObject &candidate : candidates) {
      if (candidate.modules.empty() || !definesNeeded(candidate.modules, names))
        continue;
      for (WpaModule &module : candidate.modules) {
        module.module.object = object;
        noteDeviceNames(module.module.summary, names);
      }
      ++object;
      takeModules(candidate, result);
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
                                     Diagnostics &diagnostics,
                                     Statistics &statistics) {
  std::vector<LoadedObject> loaded(inputs.objects.size());
  parallelFor(0, loaded.size(), [&](size_t i) {
    if (Error error = loadObject(inputs.objects[i], i, loaded[i]))
      loaded[i].error = std::move(error);
    else
      attachResolutions(inputs.objects[i], loaded[i].modules);
  });
  Error errors = Error::success();
  LinkModules result;
  for (auto [object, input] : zip(loaded, inputs.objects)) {
    errors = joinErrors(std::move(errors), std::move(object.error));
    if (!object.computed.empty()) {
      remarkComputed(object, input, diagnostics);
      statistics.add("summaries-computed", object.computed.size());
    }
    takeModules(object, result);
  }
  if (errors)
    return errors;
  if (Error error = extractDeviceMembers(inputs, result))
    return error;
  statistics.set("objects", inputs.objects.size());
  return result;
}

} // namespace gpulto
