# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Whether two builds of a program print the same. Needs Python 3.9 only: it goes
to machines with a GPU (gpu/runner.py)."""

import math
import re

TOLERANCE = 1e-5
# Below this are rounding errors, which programs print too.
ROUNDING = 1e-6
NUMBER = re.compile(r"[-+]?\d+\.?\d*(?:e[-+]?\d+)?")


def agree(a, b, ignore):
    """Whether two outputs are the same but for the last digits of numbers, and
    lines in which the expression `ignore` is found, or that the emulator adds:
    it names kernels, of which ours may have clones."""
    a, b = ("\n".join(line for line in text.splitlines()
                      if not line.startswith("gpulto emulator: ") and
                      not (ignore and re.search(ignore, line)))
            for text in (a, b))
    if NUMBER.sub("#", a) != NUMBER.sub("#", b):
        return False
    return all(math.isclose(float(x), float(y), rel_tol=TOLERANCE,
                            abs_tol=ROUNDING)
               for x, y in zip(NUMBER.findall(a), NUMBER.findall(b)))


def without_path(output, program):
    """Returns `output` without the place of the program, which many print."""
    return output.replace(program, "program")
