//===- GccObject.cpp - Objects of GCC's link-time optimizer ---------------===//
//
// Part of gpulto.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// GCC's code is in sections .gnu.lto_*. If the object has no other code, it has
// a common symbol __gnu_lto_slim (gcc/toplev.cc), by which the GNU binutils
// recognize it.
//
//===----------------------------------------------------------------------===//

#include "fatobj/GccObject.h"

#include "fatobj/RelocatableObject.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"

using namespace llvm;

namespace gpulto {

/// Returns whether \p name exists, is not an error and starts with \p prefix.
static bool startsWith(Expected<StringRef> name, StringRef prefix) {
  if (name)
    return name->starts_with(prefix);
  consumeError(name.takeError());
  return false;
}

static bool hasGccCode(const object::ObjectFile &object) {
  return any_of(object.sections(), [](const object::SectionRef &section) {
    return startsWith(section.getName(), ".gnu.lto_");
  });
}

bool isGccLtoObject(MemoryBufferRef file) {
  auto object = openRelocatableObject(file);
  if (object)
    return hasGccCode(**object);
  consumeError(object.takeError());
  return false;
}

bool isSlimGccObject(MemoryBufferRef file) {
  auto object = openRelocatableObject(file);
  if (!object) {
    consumeError(object.takeError());
    return false;
  }
  return hasGccCode(**object) &&
         any_of((*object)->symbols(), [](const object::SymbolRef &symbol) {
           return startsWith(symbol.getName(), "__gnu_lto_slim");
         });
}

} // namespace gpulto
