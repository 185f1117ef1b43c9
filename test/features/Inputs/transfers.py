#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints what `gpulto-run --transfers=LOG` has written, by the functions of the program
that copied and waited:

  transfers.py LLVM LOG

Numbers that are 0 are left out."""

import collections
import json
import subprocess
import sys

COPIES = ("bytes", "redundant", "redundant_part", "coincident", "dead", "dead_part",
          "unseen")
WAITS = ("with_work", "unneeded", "movable")


def function_of(llvm, row):
    """Returns the innermost function that is not one of CUDA's headers."""
    for place in row["stack"]:
        done = subprocess.run(
            [f"{llvm}/bin/llvm-symbolizer", "--output-style=JSON",
             f"--obj={place['file']}", hex(place["address"])],
            text=True, capture_output=True, check=True)
        for symbol in json.loads(done.stdout)[0]["Symbol"]:
            if "cuda" not in symbol["FileName"].rsplit("/", 1)[-1]:
                return symbol["FunctionName"].split("(")[0]
    return "?"


def add(into, row, names):
    into.update({name: row[name] for name in names})
    into.update({f"seen by {name}": count
                 for name, count in row.get("observers", {}).items()})


def main():
    llvm, path = sys.argv[1:]
    with open(path, encoding="utf-8") as file:
        log = json.load(file)
    rows = collections.defaultdict(collections.Counter)
    for row in log["copies"]:
        add(rows[function_of(llvm, row), row["call"], row.get("direction", "fill")], row,
            COPIES)
    for row in log["waits"]:
        add(rows[function_of(llvm, row), row["call"], "wait"], row, WAITS)
    for (function, call, what), numbers in rows.items():
        text = "".join(f", {name} {value}" for name, value in numbers.items() if value)
        print(f"{function}: {call}, {what}{text}")


if __name__ == "__main__":
    main()
