//===- ImageObject.h - Texture and surface objects -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GPULTO_EMULATOR_RUNTIME_IMAGEOBJECT_H
#define GPULTO_EMULATOR_RUNTIME_IMAGEOBJECT_H

#include <cstdint>
#include <cuda_runtime_api.h>
#include <map>
#include <optional>

namespace gpulto::emu {

/// The descriptors of an object, which programs can read back.
struct ImageObject {
  unsigned device = 0;
  cudaResourceDesc resource{};
  std::optional<cudaTextureDesc> texture; ///< None: a surface.
  std::optional<cudaResourceViewDesc> view;
};

/// All objects of the process by handle; guarded by the runtime's mutex.
std::map<uint64_t, ImageObject> &imageObjects();

/// Returns the object of that handle and kind, or null.
const ImageObject *findImageObject(uint64_t handle, bool isTexture);

} // namespace gpulto::emu

#endif // GPULTO_EMULATOR_RUNTIME_IMAGEOBJECT_H
