/*===- HostTrace.c - What traced host code calls --------------------------===//
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===//
 *
 * libgpulto-trace.a, which the driver links into programs that are traced.
 * Every load and store of the host comes here, and hardly any touches what a
 * copy has touched: the way out is one load and one test. Without the emulator
 * the test looks at a page of zeros.
 *
 *===----------------------------------------------------------------------===*/

#include "emulator/trace/HostTrace.h"

#include <dlfcn.h>
#include <malloc.h>
#include <string.h>

#define HIDDEN __attribute__((visibility("hidden")))

static const uint8_t nothing[1];
static const struct GpultoTraceHooks *hooks;
static const uint8_t *filter = nothing;
static uint8_t filterMask;
static uintptr_t entryMask;

/* Before constructors of the program, which may copy. */
__attribute__((constructor(101))) static void findEmulator(void) {
  const struct GpultoTraceHooks *(*find)(void) =
      (const struct GpultoTraceHooks *(*)(void))dlsym(
          RTLD_DEFAULT, "gpultoEmulatorTraceHooks");
  const struct GpultoTraceHooks *found = find ? find() : NULL;
  if (!found || found->version != kGpultoTraceVersion)
    return;
  filter = found->filter;
  filterMask = found->filterMask;
  entryMask = ((uintptr_t)1 << found->filterBits) - 1;
  hooks = found;
}

static int concerns(uintptr_t address, size_t bytes) {
  uintptr_t first = address >> kGpultoTracePageBits;
  uintptr_t last = (address + bytes - 1) >> kGpultoTracePageBits;
  if (last - first > 1)
    return hooks != NULL;
  return ((filter[first & entryMask] | filter[last & entryMask]) &
          filterMask) != 0;
}

static void access(const void *address, size_t bytes, int isStore) {
  if (bytes && concerns((uintptr_t)address, bytes) && hooks)
    hooks->access((uintptr_t)address, bytes, isStore);
}

/* NOLINTBEGIN(readability-identifier-naming): names that no program has */
HIDDEN void __gpulto_trace_load(const void *address, size_t bytes) {
  access(address, bytes, 0);
}

HIDDEN void __gpulto_trace_store(const void *address, size_t bytes) {
  access(address, bytes, 1);
}

/* A string that a function of C's library reads. */
HIDDEN void __gpulto_trace_load_string(const char *text) {
  if (text && hooks)
    access(text, strlen(text) + 1, 0);
}

/* Code that is not traced gets a pointer. `marker` is not null if it is. */
HIDDEN void __gpulto_trace_pointer(const void *address, int isReadOnly,
                                   const void *marker) {
  if (!marker && address && concerns((uintptr_t)address, 1) && hooks)
    hooks->pointer((uintptr_t)address, isReadOnly);
}

/* The contents of a variable are gone, or not there yet. */
HIDDEN void __gpulto_trace_end(const void *address, size_t bytes) {
  if (bytes && concerns((uintptr_t)address, bytes) && hooks)
    hooks->end((uintptr_t)address, bytes);
}

/* Memory of malloc is about to be freed; realloc reads it before. */
HIDDEN void __gpulto_trace_free(void *address, int isRead) {
  size_t bytes;
  if (!address || !hooks)
    return;
  bytes = malloc_usable_size(address);
  if (isRead)
    access(address, bytes, 0);
  __gpulto_trace_end(address, bytes);
}

HIDDEN void __gpulto_trace_observe(int observer, const void *marker) {
  /* That a result is used is said before the wait. */
  if (!marker && hooks &&
      (*hooks->isWaiting || observer == kGpultoTraceErrorCode))
    hooks->observe(observer);
}
/* NOLINTEND(readability-identifier-naming) */
