//===- LldNatives.cpp - Native objects in a link by lld -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Three functions of lld are replaced, as in LldLinker.cpp, by --wrap:
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
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include <cassert>
#include <utility>
#include <vector>

using namespace llvm;

namespace lld::elf {
class InputFile;
class BitcodeCompiler;
struct Ctx;
} // namespace lld::elf

namespace gpulto {

using lld::elf::BitcodeCompiler;
using lld::elf::InputFile;

namespace {

/// lld's functions have no place for it; set only by setLldHooks.
const LldHooks *current = nullptr;
/// Objects that no symbol has needed yet.
DenseMap<InputFile *, MemoryBufferRef> *lazyObjects = nullptr;
/// While LTO makes objects.
bool isCompiling = false;
/// Of the link that runs: noted with its first file.
lld::elf::Ctx *lldContext = nullptr;

/// Notes that lld has made \p object of \p file.
void noteObject(InputFile *object, MemoryBufferRef file, bool isLazy) {
  if (!current || isCompiling)
    return;
  if (isLazy)
    lazyObjects->try_emplace(object, file);
  else
    current->onNative(file);
}

/// Notes that a symbol needs \p file.
void noteNeeded(InputFile *file) {
  if (!current)
    return;
  auto found = lazyObjects->find(file);
  if (found == lazyObjects->end())
    return;
  current->onNative(found->second);
  lazyObjects->erase(found);
}

/// What is to be linked behind the objects of LTO.
std::vector<MemoryBufferRef> addedObjects() {
  return current && lldContext ? current->addedObjects()
                               : std::vector<MemoryBufferRef>();
}

} // namespace

void setLldHooks(const LldHooks *hooks) {
  current = hooks;
  delete lazyObjects;
  lazyObjects = hooks ? new DenseMap<InputFile *, MemoryBufferRef>() : nullptr;
}

#define GPULTO_REAL(name) asm("__real_" name)
#define GPULTO_WRAP(name) asm("__wrap_" name)

// lld returns a class derived from InputFile, which is its first base.

using lld::elf::Ctx;

/// As std::unique_ptr<InputFile> in memory and in calls, of a class that is not
/// known here. Who gets one of lld's hands it on to lld.
class OwnedFile {
public:
  OwnedFile(OwnedFile &&other) : file(std::exchange(other.file, nullptr)) {}
  OwnedFile &operator=(OwnedFile &&other) {
    std::swap(file, other.file);
    return *this;
  }
  ~OwnedFile() { assert(!file && "only lld destroys its files"); }
  InputFile *get() const { return file; }

private:
  InputFile *file;
};

OwnedFile realCreateObject(Ctx &context, MemoryBufferRef file,
                           StringRef archive, bool isLazy)
    GPULTO_REAL(GPULTO_LLD_CREATE_OBJECT);
OwnedFile wrapCreateObject(Ctx &context, MemoryBufferRef file,
                           StringRef archive, bool isLazy)
    GPULTO_WRAP(GPULTO_LLD_CREATE_OBJECT);
void realParseFile(Ctx &context, InputFile *file)
    GPULTO_REAL(GPULTO_LLD_PARSE_FILE);
void wrapParseFile(Ctx &context, InputFile *file)
    GPULTO_WRAP(GPULTO_LLD_PARSE_FILE);
SmallVector<OwnedFile, 0> realCompile(BitcodeCompiler *self)
    GPULTO_REAL(GPULTO_LLD_COMPILE);
SmallVector<OwnedFile, 0> wrapCompile(BitcodeCompiler *self)
    GPULTO_WRAP(GPULTO_LLD_COMPILE);

OwnedFile wrapCreateObject(Ctx &context, MemoryBufferRef file,
                           StringRef archive, bool isLazy) {
  lldContext = &context;
  OwnedFile object = realCreateObject(context, file, archive, isLazy);
  noteObject(object.get(), file, isLazy);
  return object;
}

void wrapParseFile(Ctx &context, InputFile *file) {
  lldContext = &context;
  noteNeeded(file);
  realParseFile(context, file);
}

SmallVector<OwnedFile, 0> wrapCompile(BitcodeCompiler *self) {
  isCompiling = true;
  SmallVector<OwnedFile, 0> objects = realCompile(self);
  for (MemoryBufferRef added : addedObjects())
    objects.push_back(
        realCreateObject(*lldContext, added, "", /*isLazy=*/false));
  isCompiling = false;
  return objects;
}

} // namespace gpulto
