/*===- Unsupported.h - Entry points that are not implemented --------------===*\
|*                                                                            *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|* Every name that the real library exports gets a weak definition from the   *|
|* list in symbols-*.txt; an implementation overrides it. So a program always *|
|* loads, and a call of something missing says what is missing.               *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#ifndef GPULTO_EMULATOR_RUNTIME_UNSUPPORTED_H
#define GPULTO_EMULATOR_RUNTIME_UNSUPPORTED_H

/* Name the function once on standard error; return cudaErrorNotSupported, which
   is CUDA_ERROR_NOT_SUPPORTED as well. */
int gpultoEmuNotSupported(const char *name);
int gpultoEmuDriverNotSupported(const char *name);

#define GPULTO_EMU_UNSUPPORTED(name)                                           \
  int name(void);                                                              \
  __attribute__((weak)) int name(void) { return gpultoEmuNotSupported(#name); }

#define GPULTO_EMU_DRIVER_UNSUPPORTED(name)                                    \
  int name(void);                                                              \
  __attribute__((weak)) int name(void) {                                       \
    return gpultoEmuDriverNotSupported(#name);                                 \
  }

/* The form of a function whose default stream is one of the thread; that of an
   implemented function overrides it (DriverPerThread.cpp). */
#define GPULTO_EMU_DRIVER_PER_THREAD(form, name)                               \
  __asm__(".text\n"                                                            \
          ".weak " #form "\n"                                                  \
          ".type " #form ", @function\n" #form ":\n"                           \
          "\tjmp " #name "@PLT\n"                                              \
          ".size " #form ", .-" #form "\n");

#endif /* GPULTO_EMULATOR_RUNTIME_UNSUPPORTED_H */
