#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes inputs for the programs of Rodinia 3.1 that bench/rodinia.toml lists.

    git clone https://github.com/yuhc/gpu-rodinia
    bench/rodinia_inputs.py gpu-rodinia

The suite's own inputs are downloaded separately and are too large for an emulator. This
writes files of the same formats to gpu-rodinia/data, always the same ones; what is there
already is left alone.
"""

import argparse
import pathlib
import random
import struct

NAMES = ("ALBERTO", "BERYL", "CHRIS", "DEBBY", "ERNESTO", "FLORENCE", "GORDON")
# By how much the frames of a film move, in pixels.
MOVE = 2


def graph(draw, nodes=65536, edges=(2, 4)):
    """bfs: of each node its first edge and their number, the source, all edges."""
    neighbors = [[] for _ in range(nodes)]
    for node in range(nodes):
        for _ in range(draw.randint(*edges)):
            other, cost = draw.randrange(nodes), draw.randint(1, 10)
            neighbors[node].append((other, cost))
            neighbors[other].append((node, cost))
    lines, count = [f"{nodes}"], 0
    for some in neighbors:
        lines.append(f"{count} {len(some)}")
        count += len(some)
    lines += ["", f"{draw.randrange(nodes)}", "", f"{count}"]
    lines += [f"{other} {cost}" for some in neighbors for other, cost in some]
    return "\n".join(lines) + "\n"


def keys(draw, count=100000):
    """b+tree: the number of keys, and the keys."""
    return "\n".join(map(str, [count] + draw.sample(range(count), count))) + "\n"


def commands(draw):
    """b+tree: look-ups of ranges and of keys. The program reads on until a NUL."""
    return "j 600 600\nk 1000\n\0"


def mesh(draw, columns=64, rows=48):
    """CFD: of each element its area and four faces: the neighbor (from 1, or 0 at the
    wall and -1 far away) and the normal times the length. A grid around a body."""
    def number(column, row):
        if row < 0:
            return 0
        return row * columns + column % columns + 1 if row < rows else -1

    lines = [f"{columns * rows}"]
    for row in range(rows):
        for column in range(columns):
            size = 0.01 * draw.uniform(0.9, 1.1)
            words = [f"{size * size:.8f}"]
            for right, up in ((-1, 0), (1, 0), (0, -1), (0, 1)):
                words.append(f"{number(column + right, row + up)} "
                             f"{right * size:.8f} {up * size:.8f} 0.0")
            lines.append(" ".join(words))
    return "\n".join(lines) + "\n"


def bitmap(draw, size=192):
    """dwt2d: a header, which the program reads as pixels, and three bytes a pixel."""
    pixels = bytearray()
    for row in range(size):
        for column in range(size):
            light = (row + column) * 255 // (2 * size) ^ draw.randrange(16)
            pixels += bytes((light, light // 2, 255 - light))
    header = struct.pack("<2sIIIIiiHHIIiiII", b"BM", 54 + len(pixels), 0, 54, 40, size,
                         size, 1, 24, 0, len(pixels), 2835, 2835, 0, 0)
    return header + pixels


def chunk(name, data):
    return name + struct.pack("<I", len(data)) + data


def film(draw, frames=11, width=512, height=592):
    """heartwall: an AVI of uncompressed frames of a byte a pixel, bright spots that
    move."""
    spots = [(draw.randrange(width), draw.randrange(height), draw.randrange(60, 256))
             for _ in range(2000)]
    movie, index = b"movi", b""
    for frame in range(frames):
        picture = bytearray(b"\x20" * (width * height))
        for x, y, light in spots:
            for dx in range(12):
                for dy in range(12):
                    place = (y + dy) % height * width + (x + dx + MOVE * frame) % width
                    picture[place] = light
        index += struct.pack("<4sIII", b"00db", 16, len(movie), len(picture))
        movie += chunk(b"00db", bytes(picture))
    header = chunk(b"avih", struct.pack("<14I", 40000, 0, 0, 16, frames, 0, 1,
                                        width * height, width, height, 0, 0, 0, 0))
    stream = chunk(b"strh", struct.pack("<4s4sIIIIIIIIIIQ", b"vids", b"DIB ", 0, 0, 0, 1,
                                        25, 0, frames, width * height, 0, 0, 0))
    stream += chunk(b"strf", struct.pack("<IiiHHIIiiII", 40, width, height, 1, 8, 0,
                                         width * height, 0, 0, 0, 0))
    header += chunk(b"LIST", b"strl" + stream)
    return chunk(b"RIFF", b"AVI " + chunk(b"LIST", b"hdrl" + header) +
                 chunk(b"LIST", movie) + chunk(b"idx1", index))


def numbers(count, low, high):
    """A number in each line."""
    return lambda draw: "".join(f"{draw.uniform(low, high):.6f}\n" for _ in range(count))


def symbols(draw, size=1 << 20):
    """huffman: bytes, small ones more often."""
    return bytes(min(int(draw.expovariate(0.8)), 255) for _ in range(size))


def matrix(draw, size=64):
    """gaussian: the size, a matrix that can be solved, and the right side."""
    lines = [f"{size}", ""]
    for row in range(size):
        lines.append("\t".join(
            f"{draw.uniform(-1, 1) + (size if row == column else 0):.2f}"
            for column in range(size)))
    lines += ["", "\t".join(f"{draw.uniform(-1, 1):.2f}" for _ in range(size)), ""]
    return "\n".join(lines) + "\n"


def storms(draw, count=10690):
    """nn: records of 48 characters, with latitude and longitude."""
    return "".join(
        f"{draw.randint(1950, 2004):4} {draw.randint(1, 12):2} {draw.randint(1, 28):2} "
        f"{draw.choice((0, 6, 12, 18)):2} {draw.randint(1, 28):2} "
        f"{draw.choice(NAMES):9} {draw.uniform(7, 70):5.1f} {draw.uniform(0, 358):5.1f} "
        f"{draw.randint(10, 164):4} {draw.randint(0, 899):4}\n" for _ in range(count))


def picture(draw, rows=502, columns=458):
    """srad_v1: a PGM of text."""
    lines = [" ".join(str(draw.randint(20, 235)) for _ in range(columns))
             for _ in range(rows)]
    return f"P2\n{columns} {rows}\n255\n" + "\n".join(lines) + "\n"


FILES = {
    "b+tree/mil.txt": keys,
    "b+tree/command.txt": commands,
    "bfs/graph65536.txt": graph,
    "cfd/fvcorr.domn.003K": mesh,
    "dwt2d/192.bmp": bitmap,
    "gaussian/matrix64.txt": matrix,
    "heartwall/test.avi": film,
    "hotspot/temp_512": numbers(512 * 512, 320, 330),
    "hotspot/power_512": numbers(512 * 512, 0, 0.01),
    "hotspot3D/temp_128x8": numbers(128 * 128 * 8, 320, 330),
    "hotspot3D/power_128x8": numbers(128 * 128 * 8, 0, 0.01),
    "huffman/test1024.in": symbols,
    "myocyte/y.txt": numbers(91, 0.1, 1),
    "myocyte/params.txt": numbers(18, 1, 2),
    "nn/cane4_0.db": storms,
    "nn/cane4_1.db": storms,
    "nn/cane4_2.db": storms,
    "nn/cane4_3.db": storms,
    "srad/image.pgm": picture,
}


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("checkout", type=pathlib.Path)
    options = parser.parse_args()
    for name, make in FILES.items():
        path = options.checkout / "data" / name
        if path.exists():
            continue
        path.parent.mkdir(parents=True, exist_ok=True)
        data = make(random.Random(name))
        path.write_bytes(data.encode() if isinstance(data, str) else data)


if __name__ == "__main__":
    main()
