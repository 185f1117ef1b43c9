//===- StockObject.cpp - Objects that stock clang made --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "lto/lgen/StockObject.h"

#include "fatobj/Format.h"
#include "fatobj/OffloadImages.h"

#include "llvm/Config/llvm-config.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Module.h"
#include "llvm/TargetParser/Triple.h"

using namespace llvm;

namespace gpulto {

/// Refuses \p bitcode of an LLVM newer than this one: a plainer message than
/// the errors of this one's reader.
static Error checkProducer(MemoryBufferRef bitcode,
                           const InputLocation &where) {
  Expected<std::string> producer = getBitcodeProducerString(bitcode);
  if (!producer)
    return inputError(where, toString(producer.takeError()));
  StringRef release = *producer; // LLVM22.1.8
  unsigned major = 0;
  if (!release.consume_front("LLVM") ||
      StringRef(release).consumeInteger(10, major) ||
      major <= LLVM_VERSION_MAJOR)
    return Error::success();
  return inputError(where, "bitcode of LLVM " + release +
                               ", this linker reads that of LLVM " +
                               Twine(LLVM_VERSION_MAJOR) +
                               " and older; recompile the object");
}

Expected<BitcodeModule> findSingleModule(MemoryBufferRef bitcode,
                                         const InputLocation &where) {
  if (Error error = checkProducer(bitcode, where))
    return std::move(error);
  Expected<std::vector<BitcodeModule>> modules = getBitcodeModuleList(bitcode);
  if (!modules)
    return inputError(where, toString(modules.takeError()));
  if (modules->size() != 1)
    return inputError(where,
                      "bitcode of " + Twine(modules->size()) +
                          " modules, expected one; recompile without "
                          "-fwhole-program-vtables and -fsplit-lto-unit");
  return modules->front();
}

Expected<std::string> readEmbeddedOffloading(StringRef bitcode,
                                             const InputLocation &where) {
  LLVMContext context;
  Expected<std::unique_ptr<Module>> module =
      getLazyBitcodeModule(MemoryBufferRef(bitcode, where.str()), context,
                           /*ShouldLazyLoadMetadata=*/true);
  if (!module)
    return inputError(where, toString(module.takeError()));
  std::string contents;
  for (const GlobalVariable &variable : (*module)->globals()) {
    if (variable.getSection() != kOffloadingSection ||
        !variable.hasInitializer())
      continue;
    if (auto *data =
            dyn_cast<ConstantDataSequential>(variable.getInitializer()))
      contents += data->getRawDataValues();
  }
  return contents;
}

Expected<std::vector<StockDevice>>
readStockDevices(StringRef section, const InputLocation &where) {
  auto images = readOffloadImages(section, where);
  if (!images)
    return images.takeError();
  std::vector<StockDevice> devices;
  for (const OffloadImage &image : *images) {
    if (image.producer != object::OFK_Cuda || !Triple(image.triple).isNVPTX())
      return inputError(image.location,
                        "device code for '" + image.triple +
                            "' of another offloading model than CUDA is not "
                            "supported");
    if (image.kind != object::IMG_Bitcode)
      return inputError(image.location,
                        "the device code for " + image.arch + " is " +
                            nameOf(image.kind) +
                            ", expected bitcode; recompile the object with "
                            "gpulto-clang++ -flto=gpu, or with clang "
                            "-foffload-lto");
    devices.push_back({image.arch.str(), image.bytes, image.location});
  }
  return devices;
}

} // namespace gpulto
