//===- FarDeviceCode.h - Where device code lies in a program ----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Device images are data with only 64-bit references. Linkers lay them out
// between code and data, which refer to each other by 32 bits, so with 2 GiB of
// images no program can be linked. Therefore they are put after everything
// else:
//
//   lld   by the flag SHF_X86_64_LARGE and `-z lrodata-after-bss`. A section of
//         the output has the flag if one of its inputs has, so empty ones do
//         (makeFarMarks), which leaves those of native objects as they are.
//   bfd   by an addition to its own linker script (far-device-code.ld),
//         which gpulto-clang++ names
//   gold  knows no such scripts, and makes sections of their own of those with
//   mold  the flag: there is a warning (nearDeviceCodeWarning)
//
//===----------------------------------------------------------------------===//
#ifndef GPULTO_LINKER_PLUGIN_FARDEVICECODE_H
#define GPULTO_LINKER_PLUGIN_FARDEVICECODE_H

#include "lto/Pipeline.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace gpulto {

/// How a linker puts device code after everything else.
enum class FarDeviceCode : uint8_t { Impossible, ByFlag, ByScript };

/// The linked sections with device images, and their bytes.
using DeviceSections = std::map<std::string, uint64_t, std::less<>>;

/// Returns whether sections called \p name hold device images.
bool isDeviceSection(llvm::StringRef name);

/// Returns objects for \p machine (an EM_ constant) with an empty section for
/// each of \p sections; linked by lld, they put it after everything else. None
/// for a machine without such sections. Errors: those of SectionObject.
llvm::Expected<std::vector<NativeObject>>
makeFarMarks(const DeviceSections &sections, uint16_t machine);

/// Returns why a linker that puts \p sections between code and data is likely
/// to fail; empty if it is not.
std::string nearDeviceCodeWarning(const DeviceSections &sections);

} // namespace gpulto

#endif // GPULTO_LINKER_PLUGIN_FARDEVICECODE_H
