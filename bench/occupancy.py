# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How many blocks of a kernel a multiprocessor holds, and which kernels of a
build are worse than those of another."""

import re

# A multiprocessor of sm_90; lto/check/Occupancy.cpp has the sources and all others.
WARPS, BLOCKS, REGISTERS, SHARED = 64, 32, 65536, 228 * 1024
SCHEDULERS, REGISTER_UNIT, SHARED_UNIT, RESERVED_SHARED = 4, 256, 128, 1024
# What a kernel that was not launched is compared at, unless it says itself.
USUAL_THREADS = 256


def align(value, unit):
    return -(-value // unit) * unit


def resident_blocks(threads, registers, shared):
    """Returns how many blocks of `threads` threads are resident at a time when
    a thread has so many registers and a block so many bytes of shared memory.
    0: a launch fails."""
    warps = -(-threads // 32)
    of_warp = align(max(registers, 1) * 32, REGISTER_UNIT)
    if of_warp * align(warps, SCHEDULERS) > REGISTERS:
        return 0
    of_scheduler = REGISTERS // SCHEDULERS // of_warp
    return min(BLOCKS, WARPS // warps, of_scheduler * SCHEDULERS // warps,
               SHARED // align(shared + RESERVED_SHARED, SHARED_UNIT))


def original(name):
    """Returns the kernel that `name` is, or is a clone of."""
    return re.sub(r"\$cp\d+$", "", name)


def compare(kernels, plain):
    """Returns what is worse of `kernels` than of `plain`, {name: figures}: a
    list of {kernel, and what it has and the plain one had}; and how many were
    compared. Occupancy is compared at the sizes that launches had."""
    worse, compared = [], 0
    for name, kernel in sorted(kernels.items()):
        other = plain.get(original(name))
        if not other:
            continue
        compared += 1
        sizes = kernel.get("sizes") or [
            (kernel.get("threads") or USUAL_THREADS, kernel["shared"])]
        entry = {"kernel": name, "launched": "sizes" in kernel}
        if kernel["spills"] > other["spills"]:
            entry["spills"] = [kernel["spills"], other["spills"]]
        for threads, shared in sizes:
            blocks = [resident_blocks(threads, one["registers"], shared)
                      for one in (kernel, other)]
            if blocks[0] < blocks[1]:
                entry.setdefault("resident-blocks", []).append(
                    {"threads": threads, "shared": shared, "blocks": blocks,
                     "registers": [kernel["registers"], other["registers"]]})
        if len(entry) > 2:
            worse.append(entry)
    return worse, compared
