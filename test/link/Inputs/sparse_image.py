#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes an object for x86-64 with one section of zeros that takes no place on
disk, and a symbol at its start: sparse_image.py OBJECT SECTION SYMBOL BYTES."""
import struct
import sys

ALLOC, PROGBITS, SYMTAB, STRTAB = 2, 1, 2, 3
EHDR, SHDR, SYM, PAGE = 64, 64, 24, 4096


def main():
    path, section, symbol, size = *sys.argv[1:4], int(sys.argv[4])
    names = b"\0"
    offsets = []
    for name in (section, ".symtab", ".strtab", ".note.GNU-stack"):
        offsets.append(len(names))
        names += name.encode() + b"\0"
    text = len(names)
    names += symbol.encode() + b"\0"
    symbols = bytes(SYM) + struct.pack("<IBBHQQ", text, 0x11, 0, 1, 0, size)
    tables = EHDR + 5 * SHDR
    headers = [
        (0,) * 10,
        (offsets[0], PROGBITS, ALLOC, 0, PAGE, size, 0, 0, 8, 0),
        (offsets[1], SYMTAB, 0, 0, tables, len(symbols), 3, 1, 8, SYM),
        (offsets[2], STRTAB, 0, 0, tables + len(symbols), len(names), 0, 0, 1,
         0),
        (offsets[3], PROGBITS, 0, 0, PAGE, 0, 0, 0, 1, 0)]
    with open(path, "wb") as file:
        file.write(struct.pack("<16sHHIQQQIHHHHHH", b"\x7fELF\2\1\1", 1, 62, 1,
                               0, 0, EHDR, 0, EHDR, 0, 0, SHDR, 5, 3))
        for header in headers:
            file.write(struct.pack("<IIQQQQIIQQ", *header))
        file.write(symbols + names)
        file.truncate(PAGE + size)


if __name__ == "__main__":
    main()
