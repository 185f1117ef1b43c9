//===- DeviceAttributes.h - Attributes of the device ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GPULTO_EMULATOR_RUNTIME_DEVICEATTRIBUTES_H
#define GPULTO_EMULATOR_RUNTIME_DEVICEATTRIBUTES_H

#include "emulator/machine/Device.h"

#include <cuda_runtime_api.h>
#include <string>

namespace gpulto::emu {

/// Returns an attribute of the device in \p value; false for unknown codes.
/// Values that can change a program's behavior (limits, features) come from the
/// emulated device; the rest (clocks, caches, texture sizes) are an H100's.
bool deviceAttribute(const Device &device, cudaDeviceAttr attribute,
                     int &value);

/// Fills in the property record from the same source.
void deviceProperties(const Device &device, cudaDeviceProp &properties);

/// Returns the address of device \p ordinal on the PCI bus.
std::string pciBusId(unsigned ordinal);

} // namespace gpulto::emu

#endif // GPULTO_EMULATOR_RUNTIME_DEVICEATTRIBUTES_H
