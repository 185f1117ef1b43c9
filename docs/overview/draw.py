#!/usr/bin/env python3
"""Draws the picture of README.md: what a link with -flto=gpu sees.

  docs/overview/draw.py      writes overview.svg beside itself

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
from html import escape
from pathlib import Path

WIDTH, HEIGHT = 760, 300
INK, HOST, DEVICE, BOTH = "#333", "#dbe9ff", "#ffe2b8", "#e4f3dc"


def box(x, y, width, height, fill, title, lines, mono=True):
    """A box with a title and lines of text."""
    font = ' font-family="monospace"' if mono else ""
    out = [f'<rect x="{x}" y="{y}" width="{width}" height="{height}" rx="6" '
           f'fill="{fill}" stroke="{INK}"/>',
           f'<text x="{x + 10}" y="{y + 18}" font-weight="bold">{escape(title)}</text>']
    out += [f'<text x="{x + 10}" y="{y + 38 + 16 * i}"{font} '
            f'xml:space="preserve">{escape(line)}</text>'
            for i, line in enumerate(lines)]
    return out


def arrow(x1, y1, x2, y2):
    return [f'<line x1="{x1}" y1="{y1}" x2="{x2}" y2="{y2}" stroke="{INK}" '
            'stroke-width="1.5" marker-end="url(#head)"/>']


def main():
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" '
           f'width="{WIDTH}" height="{HEIGHT}" font-family="sans-serif" font-size="12">',
           '<title>The call graph crosses kernel launches</title>',
           '<defs><marker id="head" markerWidth="8" markerHeight="8" refX="7" refY="4" '
           f'orient="auto"><path d="M0,0 L8,4 L0,8 z" fill="{INK}"/></marker></defs>',
           f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>']
    out += box(10, 10, 300, 100, HOST, "main.cpp, host",
               ["cudaMalloc(&x, 1000 * 4);", "launch(x, 2, 1000);"])
    out += box(450, 10, 300, 100, DEVICE, "scale.cu, device",
               ["scale(float *x, float by, int n)", "if (i < n)", "  x[i] *= by;"])
    out += arrow(310, 50, 450, 50)
    out += ['<text x="380" y="42" text-anchor="middle">launch</text>',
            '<text x="380" y="70" text-anchor="middle">by is 2, n is 1000,</text>',
            '<text x="380" y="86" text-anchor="middle">x aligned, block 256</text>']
    stages = [("LGEN", "in each compile", ["bitcode and", "a summary"]),
              ("WPA", "once, in the link", ["decides on", "summaries alone"]),
              ("LTRANS", "parallel jobs", ["optimize, and", "generate code"]),
              ("program", "", ["host code, PTX", "and cubins"])]
    for i, (name, when, lines) in enumerate(stages):
        x = 10 + 190 * i
        out += box(x, 190, 170, 90, BOTH, name, [when] + lines if when else lines,
                   mono=False)
        if i:
            out += arrow(x - 20, 235, x, 235)
    out += arrow(160, 110, 80, 190) + arrow(600, 110, 110, 190)
    out.append("</svg>")
    Path(__file__).with_name("overview.svg").write_text("\n".join(out) + "\n")


if __name__ == "__main__":
    main()
