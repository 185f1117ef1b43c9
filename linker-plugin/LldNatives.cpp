//===- LldNatives.cpp - Native objects in a link by lld -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Three functions of lld's are taken over, as in LldLinker.cpp, by --wrap:
//
//   createObjFile             wrapCreateObject: an object that lld reads the
//                             native half of; lazy: if a symbol needs it
//   parseFile                 wrapParseFile: a symbol needs it
//   BitcodeCompiler::compile  wrapCompile: all of LTO, once in each link; what
//                             it returns is linked next
//
// Their classes are lld's own; pointers to them are only passed on.
//
//===----------------------------------------------------------------------===//

#include "linker-plugin/LldNatives.h"

#include "linker-plugin/LldSymbols.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringRef.h"

#include <vector>

using namespace llvm;

namespace lld::elf {
class InputFile;
class BitcodeCompiler;
} // namespace lld::elf

namespace gpulto {

using lld::elf::BitcodeCompiler;
using lld::elf::InputFile;

// lld returns a class derived from InputFile, which is its first base.
InputFile *
realCreateObject(MemoryBufferRef file, StringRef archive,
                 bool isLazy) asm("__real_" GPULTO_LLD_CREATE_OBJECT);
InputFile *
wrapCreateObject(MemoryBufferRef file, StringRef archive,
                 bool isLazy) asm("__wrap_" GPULTO_LLD_CREATE_OBJECT);
void realParseFile(InputFile *file) asm("__real_" GPULTO_LLD_PARSE_FILE);
void wrapParseFile(InputFile *file) asm("__wrap_" GPULTO_LLD_PARSE_FILE);
std::vector<InputFile *>
realCompile(BitcodeCompiler *self) asm("__real_" GPULTO_LLD_COMPILE);
std::vector<InputFile *>
wrapCompile(BitcodeCompiler *self) asm("__wrap_" GPULTO_LLD_COMPILE);

namespace {

/// lld's functions have no place for it; set only by setLldHooks.
const LldHooks *current = nullptr;
/// Objects that no symbol has needed yet.
DenseMap<InputFile *, MemoryBufferRef> *lazyObjects = nullptr;
/// While LTO makes objects.
bool isCompiling = false;

} // namespace

void setLldHooks(const LldHooks *hooks) {
  current = hooks;
  delete lazyObjects;
  lazyObjects = hooks ? new DenseMap<InputFile *, MemoryBufferRef>() : nullptr;
}

InputFile *wrapCreateObject(MemoryBufferRef file, StringRef archive,
                            bool isLazy) {
  InputFile *object = realCreateObject(file, archive, isLazy);
  if (!current || isCompiling)
    return object;
  if (isLazy)
    lazyObjects->try_emplace(object, file);
  else
    current->onNative(file);
  return object;
}

void wrapParseFile(InputFile *file) {
  if (current) {
    auto found = lazyObjects->find(file);
    if (found != lazyObjects->end()) {
      current->onNative(found->second);
      lazyObjects->erase(found);
    }
  }
  realParseFile(file);
}

std::vector<InputFile *> wrapCompile(BitcodeCompiler *self) {
  isCompiling = true;
  std::vector<InputFile *> objects = realCompile(self);
  if (current) {
    MemoryBufferRef added = current->addedObject();
    if (!added.getBuffer().empty())
      objects.push_back(realCreateObject(added, "", /*isLazy=*/false));
  }
  isCompiling = false;
  return objects;
}

} // namespace gpulto
