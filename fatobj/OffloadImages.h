//===- OffloadImages.h - Device code as stock clang stores it ---*- C++ -*-===//
//
// Part of gpulto.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GPULTO_FATOBJ_OFFLOADIMAGES_H
#define GPULTO_FATOBJ_OFFLOADIMAGES_H

#include "support/Error.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Object/OffloadBinary.h"
#include "llvm/Support/Error.h"

#include <vector>

namespace gpulto {

/// One image of a section `.llvm.offloading`; points into the section.
struct OffloadImage {
  llvm::object::ImageKind kind = llvm::object::IMG_None;
  llvm::object::OffloadKind producer = llvm::object::OFK_None;
  llvm::StringRef triple;
  llvm::StringRef arch;  ///< `sm_90`
  llvm::StringRef bytes; ///< the image itself
  InputLocation location;
};

/// Returns the images in \p section, the contents of `.llvm.offloading`: a
/// sequence of llvm::object::OffloadBinary, padded with zeros in between.
/// Errors: malformed, an unknown version.
llvm::Expected<std::vector<OffloadImage>>
readOffloadImages(llvm::StringRef section, const InputLocation &where);

/// Returns the name of \p kind in messages: "bitcode", "cubin", ...
llvm::StringRef nameOf(llvm::object::ImageKind kind);

} // namespace gpulto

#endif // GPULTO_FATOBJ_OFFLOADIMAGES_H
