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

/* Names the function once on standard error; returns cudaErrorNotSupported. */
int gpultoEmuNotSupported(const char *name);

#define GPULTO_EMU_UNSUPPORTED(name)                                           \
  int name(void);                                                              \
  __attribute__((weak)) int name(void) { return gpultoEmuNotSupported(#name); }

#endif /* GPULTO_EMULATOR_RUNTIME_UNSUPPORTED_H */
