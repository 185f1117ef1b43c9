/*===- OlderGlibc.c - What glibc 2.34 does not have ------------------------===
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *===----------------------------------------------------------------------===
 *
 * Programs of packages are built with glibc 2.36 and run with 2.34. Of what is
 * newer, LLVM and libstdc++ use one function, for seeds and for names of
 * temporary files.
 */
#include <stdint.h>
#include <stdlib.h>
#include <sys/random.h>

uint32_t arc4random(void) {
  uint32_t value = 0;
  /* No signal interrupts it for so few bytes. */
  if (getrandom(&value, sizeof value, 0) != sizeof value)
    abort(); /* as glibc's does */
  return value;
}
