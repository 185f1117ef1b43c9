//===- Params.cpp - Thresholds of all passes ------------------------------===//
//
// Part of gpulto.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "support/Params.h"

#include "support/Error.h"

#include "llvm/ADT/StringRef.h"

#include <string>
#include <type_traits>

using namespace gpulto;

static constexpr ParamInfo kParams[] = {
#define GPULTO_PARAM(NAME, TYPE, DEFAULT, MIN, MAX, UNIT, TEXT, SOURCE)        \
  {#NAME,                                                                      \
   #TYPE,                                                                      \
   static_cast<int64_t>(DEFAULT),                                              \
   static_cast<int64_t>(MIN),                                                  \
   static_cast<int64_t>(MAX),                                                  \
   UNIT,                                                                       \
   TEXT,                                                                       \
   SOURCE},
#include "support/Params.def"
};

// A default outside its own range would be accepted nowhere else.
#define GPULTO_PARAM(NAME, TYPE, DEFAULT, MIN, MAX, UNIT, TEXT, SOURCE)        \
  static_assert(static_cast<int64_t>(DEFAULT) >= static_cast<int64_t>(MIN) &&  \
                    static_cast<int64_t>(DEFAULT) <=                           \
                        static_cast<int64_t>(MAX),                             \
                #NAME);
#include "support/Params.def"

llvm::ArrayRef<ParamInfo> gpulto::allParams() { return kParams; }

static llvm::Error unknownName(llvm::StringRef name) {
  const ParamInfo *nearest = nullptr;
  unsigned best = static_cast<unsigned>(name.size()) / 2 + 1;
  for (const ParamInfo &info : kParams) {
    unsigned distance = name.edit_distance_insensitive(info.name);
    if (distance < best) {
      best = distance;
      nearest = &info;
    }
  }
  std::string hint =
      nearest ? std::string("; did you mean '") + nearest->name + "'?" : "";
  return makeError("unknown parameter '" + name + "'" + hint);
}

llvm::Error Params::set(llvm::StringRef assignment) {
  auto [name, text] = assignment.split('=');
  if (name.size() == assignment.size())
    return makeError("parameter '" + assignment +
                     "' has no value, expected "
                     "NAME=VALUE");
  const ParamInfo *found = nullptr;
  for (const ParamInfo &info : kParams)
    if (name == info.name)
      found = &info;
  if (!found)
    return unknownName(name);
  int64_t value = 0;
  if (text.getAsInteger(10, value))
    return makeError("parameter '" + name + "': '" + text +
                     "' is not a number");
  if (value < found->minimum || value > found->maximum)
    return makeError("parameter '" + name + "': " + llvm::Twine(value) +
                     " is outside of " + llvm::Twine(found->minimum) + " to " +
                     llvm::Twine(found->maximum) + " " + found->unit);
#define GPULTO_PARAM(NAME, TYPE, DEFAULT, MIN, MAX, UNIT, TEXT, SOURCE)        \
  if (name == #NAME)                                                           \
    this->NAME = static_cast<TYPE>(value);
#include "support/Params.def"
  return llvm::Error::success();
}

void Params::addTo(StableHasher &hasher) const {
#define GPULTO_PARAM(NAME, TYPE, DEFAULT, MIN, MAX, UNIT, TEXT, SOURCE)        \
  hasher.add(#NAME);                                                           \
  hasher.add(NAME);
#include "support/Params.def"
}
