//===- PlainBuild.cpp - Plain builds of kernels, kept ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// The host's knowledge of a kernel changes more often than the kernel: its
// plain build is made again only if its own code has changed.
//
//===----------------------------------------------------------------------===//

#include "lto/check/PlainBuild.h"

#include "lto/job/CacheKey.h"
#include "lto/partition/ModuleDigest.h"
#include "support/BinaryStream.h"

using namespace llvm;

namespace gpulto {

Digest keyOfPlainBuild(const Module &cut, StringRef suffix,
                       const LtransJob &job) {
  StableHasher hasher;
  hasher.add("plain build 4");
  hasher.add(job.arch);
  LtransJob options = canonicalJob(job);
  options.remarks = {}; // it reports none
  forEachOption(options, [&](StringRef name, const Digest &value) {
    hasher.add(name);
    hasher.add(value);
  });
  hasher.add(digestOfModule(cut, suffix));
  return hasher.finish();
}

Digest keyOfFigures(const Digest &build, const std::set<std::string> &kernels) {
  StableHasher hasher;
  hasher.add(build);
  hasher.add(kernels.size());
  for (const std::string &kernel : kernels)
    hasher.add(kernel);
  return hasher.finish();
}

/// Returns \p value, which \p in has been read into; nothing if \p in is not
/// exactly that.
template <typename T>
static std::optional<T> unlessDamaged(BinaryReader &in, T value) {
  if (Error error = in.finish()) {
    consumeError(std::move(error));
    return std::nullopt;
  }
  return value;
}

std::string encodePlainBuild(const DeviceVariant &variant) {
  BinaryWriter out;
  out.string(variant.ptx);
  out.uleb(variant.lasting.size());
  for (const std::string &name : variant.lasting)
    out.string(name);
  return out.take();
}

std::optional<DeviceVariant> decodePlainBuild(StringRef bytes) {
  BinaryReader in(bytes);
  DeviceVariant variant;
  variant.ptx = in.string().str();
  for (size_t left = in.count(/*minBytesPerEntry=*/1); left; --left)
    variant.lasting.insert(in.string().str());
  return unlessDamaged(in, std::move(variant));
}

std::string encodeFigures(const KernelUsages &usages) {
  BinaryWriter out;
  out.uleb(usages.size());
  for (const auto &[kernel, usage] : usages) {
    out.string(kernel);
    for (uint64_t number :
         {uint64_t(usage.registers), usage.stackBytes, usage.spillStoreBytes,
          usage.spillLoadBytes, usage.sharedBytes, usage.codeBytes})
      out.uleb(number);
  }
  return out.take();
}

std::optional<KernelUsages> decodeFigures(StringRef bytes) {
  constexpr size_t kMinBytes = 7; // a name and six numbers
  BinaryReader in(bytes);
  KernelUsages usages;
  for (size_t left = in.count(kMinBytes); left; --left) {
    KernelUsage &usage = usages[in.string().str()];
    usage.registers = in.uleb32();
    for (uint64_t *number :
         {&usage.stackBytes, &usage.spillStoreBytes, &usage.spillLoadBytes,
          &usage.sharedBytes, &usage.codeBytes})
      *number = in.uleb();
  }
  return unlessDamaged(in, std::move(usages));
}

} // namespace gpulto
