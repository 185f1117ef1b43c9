//===- PlainBuild.cpp - Plain builds of kernels, kept ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// What the host knows of a kernel changes more often than the kernel: its plain
// build is made again only when its own code has changed.
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
  hasher.add("plain build 3");
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

std::string encodePlainBuild(const DeviceVariant &variant) {
  BinaryWriter out;
  out.string(variant.ptx);
  out.uleb(variant.usages.size());
  for (const auto &[kernel, usage] : variant.usages) {
    out.string(kernel);
    for (uint64_t number :
         {uint64_t(usage.registers), usage.stackBytes, usage.spillStoreBytes,
          usage.spillLoadBytes, usage.sharedBytes, usage.codeBytes})
      out.uleb(number);
  }
  out.uleb(variant.lasting.size());
  for (const std::string &name : variant.lasting)
    out.string(name);
  return out.take();
}

std::optional<DeviceVariant> decodePlainBuild(StringRef bytes) {
  constexpr size_t kMinBytes = 7; // a name and six numbers
  BinaryReader in(bytes);
  DeviceVariant variant;
  variant.ptx = in.string().str();
  for (size_t left = in.count(kMinBytes); left; --left) {
    KernelUsage &usage = variant.usages[in.string().str()];
    usage.registers = in.uleb32();
    for (uint64_t *number :
         {&usage.stackBytes, &usage.spillStoreBytes, &usage.spillLoadBytes,
          &usage.sharedBytes, &usage.codeBytes})
      *number = in.uleb();
  }
  for (size_t left = in.count(/*minBytes=*/1); left; --left)
    variant.lasting.insert(in.string().str());
  if (Error error = in.finish()) {
    consumeError(std::move(error));
    return std::nullopt;
  }
  return variant;
}

} // namespace gpulto
