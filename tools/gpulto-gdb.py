# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Frames of folded functions in gdb.

  (gdb) source PREFIX/share/gpulto/gpulto-gdb.py
  (gdb) backtrace

Of functions that do the same gpulto keeps one, and gdb shows its name in the
frames of all of them. This filter asks `gpulto symbolize` who was called, and
shows that; "one of: f | g" where a tail call or a pointer left no trace. Where a
frame is in the source, and its arguments, are those of the function that stayed.

  (gdb) set gpulto-program PATH        the gpulto that is asked; default: the one
                                       beside this file, or on PATH
  (gdb) disable frame-filter global gpulto
"""

import os
import re
import shutil
import struct
import subprocess

import gdb
from gdb.FrameDecorator import FrameDecorator

# A stack that is deeper, of a recursion without end, is left as it is.
MOST_FRAMES = 20000

# What `source` runs has a name while it is read only.
BESIDE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..",
                      "bin", "gpulto")


class ProgramParameter(gdb.Parameter):
    """The gpulto that names the frames of folded functions."""

    def __init__(self):
        super().__init__("gpulto-program", gdb.COMMAND_FILES,
                         gdb.PARAM_OPTIONAL_FILENAME)
        self.value = ""

    def path(self):
        if self.value:
            return self.value
        return BESIDE if os.access(BESIDE, os.X_OK) else shutil.which("gpulto")


PROGRAM = ProgramParameter()


def sections_of(path):
    """Returns names and addresses of the sections of an ELF file; none of
    anything else."""
    with open(path, "rb") as file:
        data = file.read()
    if data[:6] != b"\x7fELF\x02\x01":
        return {}
    (table,) = struct.unpack_from("<Q", data, 0x28)
    size, count, names = struct.unpack_from("<HHH", data, 0x3A)
    headers = [struct.unpack_from("<IIQQQ", data, table + i * size)
               for i in range(count)]
    if names >= count:
        return {}
    strings = headers[names][4]
    return {
        data[strings + name:data.index(b"\0", strings + name)].decode(): address
        for name, _, _, address, _ in headers
    }


class FoldedFiles:
    """The program and the libraries of it that have a table of call sites."""

    def __init__(self):
        self.cache = {}  # (path, time, size): sections

    def sections(self, path):
        try:
            status = os.stat(path)
            key = (path, status.st_mtime_ns, status.st_size)
            if key not in self.cache:
                self.cache[key] = sections_of(path)
            return self.cache[key]
        except (OSError, struct.error, ValueError):
            return {}

    def texts(self):
        """Returns (first address, end, file, where it was loaded) of the code of
        each of them."""
        program = gdb.current_progspace().filename
        result = []
        pattern = re.compile(r"^\s*0x(\w+) - 0x(\w+) is \.text(?: in (.*))?$")
        for line in gdb.execute("info files", to_string=True).splitlines():
            match = pattern.match(line)
            path = match and (match.group(3) or program)
            if not path:
                continue
            sections = self.sections(path)
            if ".gpulto.callsites" not in sections:
                continue
            first, end = int(match.group(1), 16), int(match.group(2), 16)
            result.append((first, end, path, first - sections[".text"]))
        return result


FILES = FoldedFiles()


def symbolize(path, base, addresses):
    """Returns a name for each address; None where gpulto has none."""
    program = PROGRAM.path()
    if not program:
        raise gdb.GdbError("gpulto is not found: set gpulto-program PATH")
    result = subprocess.run(
        [program, "symbolize", "--short", f"--base={base:#x}", path],
        input="".join(f"{address:#x}\n" for address in addresses),
        capture_output=True, text=True, check=False)
    if result.returncode:
        raise gdb.GdbError(result.stderr.strip())
    names = [line.split(" ", 2)[2] for line in result.stdout.splitlines()]
    return [None if name == "??" else name for name in names]


class FoldedFrame(FrameDecorator):
    """A frame with another name."""

    def __init__(self, frame, name):
        super().__init__(frame)
        self.name = name

    def function(self):
        return self.name


class FoldedFrames:
    """The frame filter."""

    def __init__(self):
        self.name = "gpulto"
        self.priority = 90
        self.enabled = True
        gdb.frame_filters[self.name] = self

    def filter(self, frames):
        texts = FILES.texts()
        if not texts:
            return frames
        decorators = []
        for decorator in frames:
            decorators.append(decorator)
            if len(decorators) > MOST_FRAMES:
                return self.chain(decorators, frames)
        return iter(self.rename(decorators, texts))

    @staticmethod
    def chain(first, rest):
        yield from first
        yield from rest

    @staticmethod
    def rename(decorators, texts):
        # Functions that were inlined have no address of their own.
        places = [i for i, decorator in enumerate(decorators)
                  if decorator.inferior_frame().type() != gdb.INLINE_FRAME]
        addresses = [decorators[i].inferior_frame().pc() for i in places]
        for path, base in sorted({(path, base) for _, _, path, base in texts}):
            inside = [
                any(first <= address < end and file == path
                    for first, end, file, _ in texts) for address in addresses
            ]
            if not any(inside):
                continue
            # No address of the file, so that frames of others stay in place.
            asked = [address if known else base + (1 << 63)
                     for address, known in zip(addresses, inside)]
            for i, known, name in zip(places, inside,
                                      symbolize(path, base, asked)):
                if known and name and name != str(decorators[i].function()):
                    decorators[i] = FoldedFrame(decorators[i], name)
        return decorators


FoldedFrames()
