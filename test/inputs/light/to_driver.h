// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A program that includes this has launches that are not seen: the driver may
// launch what a kernel's handle stands for.
#pragma once

__attribute__((used)) static cudaError_t toDriver(cudaFunction_t *function,
                                                  const void *handle) {
  return cudaGetFuncBySymbol(function, handle);
}
