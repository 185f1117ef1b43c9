//===- ModuleDigest.cpp - Digest of what optimization depends on ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "lto/partition/ModuleDigest.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/TimeProfiler.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace gpulto {

std::string nextSuffix(Module &module) {
  Type *type = Type::getInt8Ty(module.getContext());
  GlobalVariable *probes[2];
  for (GlobalVariable *&probe : probes)
    probe = new GlobalVariable(module, type, /*isConstant=*/true,
                               GlobalValue::ExternalLinkage, nullptr,
                               "gpulto.probe");
  std::string suffix = probes[1]->getName().str();
  for (GlobalVariable *probe : probes)
    probe->eraseFromParent();
  return suffix;
}

Digest digestOfModule(const Module &module, StringRef suffix) {
  TimeTraceScope trace("Digest of bodies");
  SmallString<0> bytes;
  raw_svector_ostream stream(bytes);
  WriteBitcodeToFile(module, stream, /*ShouldPreserveUseListOrder=*/true);
  StableHasher hasher;
  hasher.add(digestOf(bytes));
  hasher.add(suffix);
  return hasher.finish();
}

} // namespace gpulto
