#!/usr/bin/env python3
"""Draws the pictures of docs/memory.md: which sectors the threads of a warp touch.

  docs/memory/draw.py      writes NAME.svg beside itself

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
from pathlib import Path

LANES = 16  # drawn of 32
WORD = 14  # width of 4 bytes
SECTOR_WORDS = 8


def picture(title, words, sectors):
    """words: by lane, the 4-byte word that it accesses; sectors: how many to draw."""
    gap = 10
    width = sectors * (SECTOR_WORDS * WORD + gap) + 20

    def wordX(word):
        return 10 + word * WORD + word // SECTOR_WORDS * gap

    def laneX(lane):
        step = min(36, (width - 40) // LANES)
        return 20 + lane * step

    touched = {word // SECTOR_WORDS for word in words}
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} 150" '
           f'width="{width}" height="150" font-family="sans-serif" font-size="11">',
           f'<title>{title}</title>',
           f'<rect width="{width}" height="150" fill="white"/>']
    for lane, word in enumerate(words):
        out.append(f'<line x1="{laneX(lane) + 8}" y1="46" x2="{wordX(word) + 7}" '
                   'y2="104" stroke="#777"/>')
    for lane in range(len(words)):
        out.append(f'<rect x="{laneX(lane)}" y="28" width="16" height="18" rx="3" '
                   'fill="#dbe9ff" stroke="#3465a4"/>'
                   f'<text x="{laneX(lane) + 8}" y="41" text-anchor="middle">'
                   f'{lane}</text>')
    for sector in range(sectors):
        x = wordX(sector * SECTOR_WORDS)
        color = "#ffe2b8" if sector in touched else "#f4f4f4"
        out.append(f'<rect x="{x}" y="104" width="{SECTOR_WORDS * WORD}" height="20" '
                   f'fill="{color}" stroke="#999"/>')
        for word in range(sector * SECTOR_WORDS, (sector + 1) * SECTOR_WORDS):
            if word in words:
                out.append(f'<rect x="{wordX(word) + 1}" y="106" width="{WORD - 2}" '
                           'height="16" fill="#f57900"/>')
    out.append(f'<text x="10" y="18">threads</text>'
               f'<text x="10" y="142">sectors of 32 bytes: {len(touched)} moved'
               f', {-(-len(set(words)) // SECTOR_WORDS)} needed</text></svg>')
    return "\n".join(out) + "\n"


PICTURES = {
    "coalesced": ("neighbors side by side", list(range(16)), 3),
    "broadcast": ("one address", [3] * 16, 2),
    "misaligned": ("side by side, but not from the start of a sector",
                   [lane + 3 for lane in range(16)], 3),
    "strided": ("every second element", [2 * lane for lane in range(16)], 4),
    "uncoalesced": ("four rows of four threads",
                    [lane % 4 + lane // 4 * 16 for lane in range(16)], 8),
    "irregular": ("where data says",
                  [41, 2, 17, 50, 9, 33, 60, 5, 26, 11, 57, 38, 20, 45, 29, 1], 8),
}


def main():
    for name, (title, words, sectors) in PICTURES.items():
        (Path(__file__).parent / f"{name}.svg").write_text(
            picture(title, words, sectors))


if __name__ == "__main__":
    main()
