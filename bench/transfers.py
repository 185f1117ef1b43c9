#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Counts copies and waits that need not be, on the emulator.

    bench/transfers.py draw
"""

import argparse
import pathlib
import random
import sys
import tomllib

HERE = pathlib.Path(__file__).resolve().parent
LIST = HERE / "transfers.toml"
SEED = 20261130
COUNT = 64
SOURCES = ("accesses.toml", "rodinia.toml")


def draw(options):
    """Writes the list: --count programs of those of the SOURCES, by --seed."""
    names = []
    for source in SOURCES:
        with open(HERE / source, "rb") as file:
            names += [(source, table["name"]) for table in tomllib.load(file)["program"]]
    drawn = random.Random(options.seed).sample(sorted(names), options.count)
    lines = ["# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception",
             "# Written by bench/transfers.py draw: the programs of other lists, by a seed.",
             f"seed = {options.seed}"]
    for source in SOURCES:
        lines += ["", "[[from]]", f'list = "{source}"', "names = ["]
        lines += [f'    "{name}",' for of, name in drawn if of == source] + ["]"]
    options.list.write_text("\n".join(lines) + "\n", encoding="utf-8")


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("step", choices=("draw",))
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--count", type=int, default=COUNT)
    parser.add_argument("--list", type=pathlib.Path, default=LIST)
    draw(parser.parse_args())
    return 0


if __name__ == "__main__":
    sys.exit(main())
