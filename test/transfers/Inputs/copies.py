#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Counts the copies and fills that each case of a program has executed:

  copies.py LLVM LOG SOURCE            it is as many as its CASE says
  copies.py --may-go LLVM LOG SOURCE   it is no more than what may be left

LOG is what `gpulto-run --transfers=LOG` has written. What a function does that a case
calls counts as the case's."""

import collections
import json
import re
import subprocess
import sys

CASE = re.compile(r"^CASE\((\w+), (\d+)(?:-(\d+))?(?:, (\d+))?\)", re.MULTILINE)


def functions_at(llvm, places):
    """Returns the name of the function at each (file, address)."""
    names = {}
    for file in sorted({file for file, _ in places}):
        addresses = sorted({address for of, address in places if of == file})
        done = subprocess.run(
            [f"{llvm}/bin/llvm-symbolizer", "--output-style=JSON", "--no-inlines",
             f"--obj={file}", *map(hex, addresses)],
            text=True, capture_output=True, check=True)
        for address, found in zip(addresses, json.loads(done.stdout)):
            symbols = found.get("Symbol") or [{}]
            names[file, address] = symbols[0].get("FunctionName", "")
    return names


def executed(llvm, log, cases):
    """Returns how many copies and fills each case has executed."""
    stacks = [([(place["file"], place["address"]) for place in row["stack"]],
               row["executions"]) for row in log["copies"]]
    names = functions_at(llvm, {place for stack, _ in stacks for place in stack})
    counts = collections.Counter()
    for stack, executions in stacks:
        words = [word for place in stack for word in re.findall(r"\w+", names[place])]
        counts[next((word for word in words if word in cases), "others")] += executions
    return counts


def main():
    may_go = sys.argv[1] == "--may-go"
    llvm, log, source = sys.argv[1 + may_go:]
    with open(source, encoding="utf-8") as file:
        cases = {name: (int(least), int(most or least), int(rest) if rest else None)
                 for name, least, most, rest in CASE.findall(file.read())}
    with open(log, encoding="utf-8") as file:
        counts = executed(llvm, json.load(file), cases)
    is_wrong = False
    for name in [*cases, *(counts.keys() - cases.keys())]:
        least, most, rest = cases.get(name, (0, 0, 0))
        if may_go:
            least, most = 0, counts[name] if rest is None else rest
        is_right = least <= counts[name] <= most
        is_wrong |= not is_right
        expected = (f"at most {most}" if may_go else
                    str(most) if least == most else f"{least} to {most}")
        print(f"{name}: copies executed: {counts[name]}" +
              ("" if is_right else f", expected {expected}"))
    sys.exit(is_wrong)


if __name__ == "__main__":
    main()
