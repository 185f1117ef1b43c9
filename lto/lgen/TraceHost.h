//===- TraceHost.h - Host code that tells what it accesses ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// -fgpulto-trace-host, for the emulator's log of copies and waits. Host code
// calls functions of libgpulto-trace.a (emulator/trace) before it does what the
// log is about:
//
//   x = p[i]               __gpulto_trace_load(&p[i], 4)
//   memset(p, 0, n)        __gpulto_trace_store(p, n)
//   { float f; use(&f); }  __gpulto_trace_end(&f, 4), at both ends
//   free(p)                __gpulto_trace_free(p, 0)
//   g(p), g not traced     __gpulto_trace_pointer(p, 0, &traced.g)
//                          __gpulto_trace_observe(kUntraced, &traced.g)
//   t = clock()            __gpulto_trace_observe(kClock, null)
//   check(cudaMemcpy())    __gpulto_trace_observe(kErrorCode, null)
//
// A variable of a function whose address stays there is nobody else's, and is
// left out, as are constants. Whether a function of another unit is traced
// shows at the link: units that define it also define a marker, to which calls
// refer weakly.
//
// Limits: what functions that are not traced read behind pointers that they
// find in memory, or keep, is not seen.
//
//===----------------------------------------------------------------------===//
#ifndef GPULTO_LTO_LGEN_TRACEHOST_H
#define GPULTO_LTO_LGEN_TRACEHOST_H

namespace llvm {
class Module;
class TargetLibraryInfo;
class Function;
} // namespace llvm

#include "llvm/ADT/STLFunctionalExtras.h"

namespace gpulto {

/// Makes the host module \p module tell what it accesses. Once is enough: a
/// module that does is left as it is. Returns whether it has changed.
bool traceHost(
    llvm::Module &module,
    llvm::function_ref<const llvm::TargetLibraryInfo &(llvm::Function &)>
        libraryOf);

} // namespace gpulto

#endif
