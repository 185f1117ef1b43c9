#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Draws results of bench/run.py as SVG.

    bench/plot.py RESULT.json > RESULT.svg

One panel for each measure: programs side by side, a dot with its spread for
each variant, on a logarithmic scale. Dots of a variant are joined when the suite is
of one program in several sizes.
"""

import html
import json
import math
import pathlib
import sys

PANELS = [("cpu", "link CPU", 1, "s"), ("wall", "link wall time", 1, "s"),
          ("memory", "peak memory", 1e6, "MB"),
          ("device-text-bytes", "device code", 1e3, "KB"),
          ("host-text-bytes", "host code", 1e3, "KB")]
# Okabe and Ito's colors: told apart by everybody.
COLOURS = ["#d55e00", "#0072b2", "#56b4e9", "#009e73", "#cc79a7", "#e69f00",
           "#000000"]
WIDTH, HEIGHT, LEFT, TOP, GAP = 420, 240, 60, 46, 60


def value_of(entry, key):
    """Returns a figure and its spread."""
    found = entry.get(key)
    if isinstance(found, dict):
        return found["median"], found["spread"]
    return found, 0


def text(x, y, words, anchor="middle", size=11):
    return (f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" '
            f'font-size="{size}">{html.escape(str(words))}</text>')


def line(x1, y1, x2, y2, colour, width):
    return (f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" '
            f'stroke="{colour}" stroke-width="{width}"/>')


class Panel:
    """One measure of all variants of all programs."""

    def __init__(self, report, variants, key, title, scale, unit):
        self.report, self.variants, self.key = report, variants, key
        self.title, self.scale, self.unit = title, scale, unit
        self.programs = list(report["programs"])
        values = [value_of(entry, key)[0] for result in
                  report["programs"].values() for entry in result.values()]
        values = [value / scale for value in values if value]
        self.is_empty = not values
        if values:
            self.low = math.log10(min(values)) - 0.08
            self.high = math.log10(max(values)) + 0.08

    def y(self, value, top):
        share = (math.log10(value) - self.low) / (self.high - self.low)
        return top + HEIGHT * (1 - share)

    def x(self, program, variant):
        step = WIDTH / len(self.programs)
        inner = step * 0.6 / max(len(self.variants), 1)
        middle = (len(self.variants) - 1) / 2
        return LEFT + step * (program + 0.5) + inner * (variant - middle)

    def ticks(self):
        """Returns 1, 2 and 5 times powers of ten that are in the panel."""
        return [factor * 10.0 ** power
                for power in range(math.floor(self.low) - 1,
                                   math.ceil(self.high) + 1)
                for factor in (1, 2, 5)
                if self.low <= math.log10(factor * 10.0 ** power) <= self.high]

    def draw(self, top):
        parts = [text(LEFT, top - 10, f"{self.title} ({self.unit})", "start",
                      13)]
        for tick in self.ticks():
            y = self.y(tick, top)
            parts += [line(LEFT, y, LEFT + WIDTH, y, "#ddd", 1),
                      text(LEFT - 6, y + 4, f"{tick:g}", "end")]
        for number, name in enumerate(self.programs):
            middle = LEFT + WIDTH / len(self.programs) * (number + 0.5)
            parts.append(text(middle, top + HEIGHT + 16, name))
        for number, variant in enumerate(self.variants):
            parts += self.dots(number, variant, top)
        return parts

    def dots(self, number, variant, top):
        """Returns a variant's dots with their spread, joined if they grow."""
        colour, parts, previous = COLOURS[number % len(COLOURS)], [], None
        for index, program in enumerate(self.programs):
            value, spread = value_of(
                self.report["programs"][program].get(variant, {}), self.key)
            if not value:
                previous = None
                continue
            value /= self.scale
            x, y = self.x(index, number), self.y(value, top)
            if previous and self.report["suite"].startswith("scale"):
                parts.append(line(*previous, x, y, colour, 1))
            if spread and spread < 1:
                parts.append(line(x, self.y(value * (1 - spread), top), x,
                                  self.y(value * (1 + spread), top), colour, 2))
            parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3.5" '
                         f'fill="{colour}"/>')
            previous = x, y
        return parts


def draw(report):
    """Returns the SVG of a report of run.py."""
    variants = list({name: None for result in report["programs"].values()
                     for name in result})
    panels = [Panel(report, variants, *panel) for panel in PANELS]
    panels = [panel for panel in panels if not panel.is_empty]
    parts, top = [], TOP + 18 * len(variants)
    for number, variant in enumerate(variants):
        y = 40 + 18 * number
        parts += [f'<circle cx="{LEFT + 6}" cy="{y - 4}" r="4" '
                  f'fill="{COLOURS[number % len(COLOURS)]}"/>',
                  text(LEFT + 18, y, variant, "start", 12)]
    for panel in panels:
        top += 20
        parts += panel.draw(top)
        top += HEIGHT + GAP - 20
    machine = report["machine"]
    title = (f"{report['suite']}: {machine['cpu']}, {machine['cores']} cores, "
             f"{report['repetitions']} repetitions")
    return "\n".join([
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{LEFT + WIDTH + 20}" '
        f'height="{top}" font-family="sans-serif">',
        '<rect width="100%" height="100%" fill="white"/>',
        text(LEFT, 20, title, "start", 13), *parts, "</svg>", ""])


def main():
    if len(sys.argv) != 2 or sys.argv[1].startswith("-"):
        print(__doc__, file=sys.stderr)
        return 2
    print(draw(json.loads(pathlib.Path(sys.argv[1]).read_text("utf-8"))),
          end="")
    return 0


if __name__ == "__main__":
    sys.exit(main())
