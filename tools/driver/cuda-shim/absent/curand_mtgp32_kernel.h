//===- curand_mtgp32_kernel.h - In place of cuRAND's ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// clang includes this header in each CUDA source, for what it declares anew. A
// toolkit without cuRAND does not have it: then this one, which is searched for
// last, is included. It declares nothing.
