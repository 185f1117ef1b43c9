//===- Context.h - Contexts of the driver API ------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The object behind CUcontext. All contexts of a device share its memory and
/// its kernels' faults; a context is what owns allocations, modules, streams
/// and events until it is destroyed. The runtime API uses the primary context
/// of the thread's device, or whatever the driver API made current.
///
//===----------------------------------------------------------------------===//

#ifndef GPULTO_EMULATOR_RUNTIME_CONTEXT_H
#define GPULTO_EMULATOR_RUNTIME_CONTEXT_H

namespace gpulto::emu {

struct Context {
  unsigned device = 0;
  unsigned long long id = 0;
  unsigned flags = 0;
  bool isPrimary = false;
  /// False once destroyed; a primary one may come back.
  bool isAlive = false;
  /// For a primary context: by cuDevicePrimaryCtxRetain, and by the runtime
  /// API.
  unsigned retained = 0;
  bool isHeldByRuntime = false;
};

/// Returns the calling thread's current context, or null.
Context *currentContext();

/// Returns the primary context of a device, alive or not.
Context &primaryContext(unsigned device);

/// Makes a context. It is never freed, so that a handle used too late is
/// recognized.
Context *createContext(unsigned device, unsigned flags);

/// Returns the context of a handle, alive or not; null if it is not a context.
Context *findContext(const void *handle);

/// True if a non-primary context is alive on a device.
bool hasOtherContexts(unsigned device);

/// Replaces the thread's current context by \p context; null removes it.
void setCurrentContext(Context *context);
void pushContext(Context *context);
/// Pops the current context off the stack. There must be one.
void popContext();

/// If the thread has no context, makes the primary one of its device current,
/// for the runtime API; revives it after a reset.
void bindContext();

} // namespace gpulto::emu

#endif // GPULTO_EMULATOR_RUNTIME_CONTEXT_H
