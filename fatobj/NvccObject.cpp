//===- NvccObject.cpp - Objects that nvcc compiled ------------------------===//
//
// Part of gpulto.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fatobj/NvccObject.h"

#include "fatobj/RelocatableObject.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace gpulto {

static constexpr StringLiteral kModuleIdSection = "__nv_module_id";
static constexpr StringLiteral kCodeSection = "__nv_relfatbin";

/// Returns the first section of \p object called \p name, or its end.
static Expected<object::section_iterator>
findSection(const object::ObjectFile &object, StringRef name) {
  for (object::section_iterator at = object.section_begin();
       at != object.section_end(); ++at) {
    Expected<StringRef> found = at->getName();
    if (!found)
      return found.takeError();
    if (*found == name)
      return at;
  }
  return object.section_end();
}

bool isNvccObject(MemoryBufferRef file) {
  auto object = openRelocatableObject(file);
  if (!object) {
    consumeError(object.takeError());
    return false;
  }
  auto found = findSection(**object, kModuleIdSection);
  if (found)
    return *found != (*object)->section_end();
  consumeError(found.takeError());
  return false;
}

/// Fills the ids of \p result.
static Error readIds(const object::ObjectFile &object, NvccObject &result) {
  for (const object::SymbolRef &symbol : object.symbols()) {
    Expected<StringRef> name = symbol.getName();
    if (!name)
      return name.takeError();
    if (!name->consume_front(kNvccRegister))
      continue;
    Expected<uint32_t> flags = symbol.getFlags();
    if (!flags)
      return flags.takeError();
    if (*flags & object::SymbolRef::SF_Undefined)
      result.waiting.push_back(name->str());
    else if (*flags & object::SymbolRef::SF_Global)
      result.linked.push_back(name->str());
  }
  return Error::success();
}

Expected<NvccObject> readNvccObject(MemoryBufferRef file,
                                    const InputLocation &where) {
  NvccObject result;
  if (!isNvccObject(file))
    return result;
  auto object = openRelocatableObject(file);
  if (!object)
    return inputError(where, toString(object.takeError()));
  if (Error error = readIds(**object, result))
    return inputError(where, toString(std::move(error)));
  auto section = findSection(**object, kCodeSection);
  if (!section)
    return inputError(where, toString(section.takeError()));
  if (*section == (*object)->section_end())
    return result;
  Expected<StringRef> bytes = (*section)->getContents();
  if (!bytes)
    return inputError(where.inSection(kCodeSection),
                      toString(bytes.takeError()));
  auto code = readFatbinaries(*bytes, where.inSection(kCodeSection));
  if (!code)
    return code.takeError();
  result.code = std::move(*code);
  return result;
}

} // namespace gpulto
