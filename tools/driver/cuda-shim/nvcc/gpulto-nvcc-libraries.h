//===- gpulto-nvcc-libraries.h - Code for libraries that test for nvcc ----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Where the command line says that the compiler is nvcc (gpulto-nvcc does),
// before each source. Libraries believe it, but for what nvcc alone can do:
// CCCL asks in two headers, which learn here that the compiler is clang, and
// asks for nvcc's lambdas, which are none of clang's. Host sources beside CUDA
// sources are not relocatable device code.
//
//===----------------------------------------------------------------------===//
#ifndef GPULTO_NVCC_LIBRARIES_H
#define GPULTO_NVCC_LIBRARIES_H
#if defined(__NVCC__) && defined(__cplusplus)
#pragma clang system_header

#ifndef __CUDA__
#undef __CUDACC_RDC__
#endif

#pragma push_macro("__NVCC__")
#undef __NVCC__
#if __has_include(<nv/target>)
#include <nv/target>
#endif
#if __has_include(<cuda/std/__cccl/compiler.h>)
#include <cuda/std/__cccl/compiler.h>
#endif
#pragma pop_macro("__NVCC__")

#define __nv_is_extended_device_lambda_closure_type(...) false
#define __nv_is_extended_host_device_lambda_closure_type(...) false
#define __nv_is_extended_device_lambda_with_preserved_return_type(...) false

#endif
#endif
