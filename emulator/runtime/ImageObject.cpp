//===- ImageObject.cpp - Texture and surface objects ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "emulator/runtime/ImageObject.h"

namespace gpulto::emu {

std::map<uint64_t, ImageObject> &imageObjects() {
  static auto *all = new std::map<uint64_t, ImageObject>;
  return *all;
}

const ImageObject *findImageObject(uint64_t handle, bool isTexture) {
  auto found = imageObjects().find(handle);
  return found != imageObjects().end() &&
                 found->second.texture.has_value() == isTexture
             ? &found->second
             : nullptr;
}

} // namespace gpulto::emu
