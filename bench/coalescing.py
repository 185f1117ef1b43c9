#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Scores the report on memory accesses against the emulator's counters.

    bench/accesses.py run --build build/release --work DIR HeCBench
    bench/coalescing.py --build build/release --work DIR

reads what `accesses.py run` left of the programs of each --list in DIR: the program and
the rows of its access instructions. The unit is a line of the source in a kernel, for one
shape of its blocks. What the emulator counts is the truth; of blocks that are no multiple
of a warp, the last warps are left out.

A line *wastes* if it moved more sectors than its bytes need, and is *irregular* if a
tainted address was used, or tainted values chose the lanes of a request: the emulator
tells, not the analysis.

  found   lines that waste and are not irregular, of which the report says so
  false   lines of which the report says so, that ran and do not waste
  known   accesses (line, column, kind and size) that are not irregular, of kernels whose
          blocks are known
  exact   those of them for which the report's sectors of a request are the counted ones:
          of all requests, or of those by whole warps, since the report counts the warps
          of which all lanes may be there
  unseen  lines that ran and have no row, and so are in no other column: the compiler
          lost the place of an access (line 0), and PTX lets it follow on that before.
          Instructions of a size that the rows of their line do not have are astray in
          the same way, and left out.

--paper scores in the terms of GPUDrano (CAV 2017): the unit is an access of the source
(line, column, load or store), which is uncoalesced if it touches more than one line of
128 bytes on average. Seconds are those of the report in the link of a program, of all
threads together.
"""

import argparse
import collections
import json
import math
import pathlib
import subprocess
import sys
import tomllib

HERE = pathlib.Path(__file__).resolve().parent
WHOLE, LAST = ("full", "partial"), ("last_full", "last_partial")
# Real, reported, reported and real, and false ones, of Table 1 of the paper, and those of
# its dynamic analysis, "" where it tells none.
PAPER = {
    "backprop": (7, 0, 0, 0, "7"), "bfs": (7, 7, 7, 0, "0-7"),
    "b+tree": (19, 19, 19, 0, "7"), "CFD": (0, 22, 0, 22, ""),
    "dwt2d": (0, 16, 0, 16, ""), "gaussian": (6, 6, 6, 0, "5-6"),
    "heartwall": (8, 25, 8, 17, ""), "hotspot": (3, 2, 0, 2, "3"),
    "hotspot3D": (2, 12, 2, 10, "2"), "huffman": (21, 26, 21, 5, "3"),
    "lavaMD": (9, 9, 9, 0, "5"), "lud": (3, 0, 0, 0, "3"),
    "myocyte": (19, 19, 19, 0, "0"), "nn": (4, 4, 4, 0, "2"),
    "nw": (7, 2, 2, 0, "6"), "particlefilter": (4, 3, 2, 1, "4"),
    "pathfinder": (3, 0, 0, 0, "3"), "srad_v1": (2, 14, 2, 12, "2"),
    "srad_v2": (9, 0, 0, 0, "9"), "streamcluster": (10, 10, 10, 0, ""),
}
# Seconds that its analysis takes; where the paper tells nothing, below 1.4.
PAPER_SECONDS = {"CFD": 12.41, "dwt2d": 5.99, "heartwall": 39.87, "myocyte": 1813.72}

TROUBLE = ("unseen", "missed", "false", "inexact")


class Count:
    """What the emulator counted at one unit."""

    def __init__(self):
        self.groups = {group: collections.Counter() for group in WHOLE + LAST}

    def add(self, row):
        for group, sums in self.groups.items():
            sums.update({key: number for key, number in row.get(group, {}).items()
                         if not key.startswith(("min_", "max_"))})

    def __add__(self, other):
        both = Count()
        for group in both.groups:
            both.groups[group] = self.groups[group] + other.groups[group]
        return both

    def total(self):
        """The warps of 32 threads; all, if the block is smaller."""
        total = sum((self.groups[group] for group in WHOLE), collections.Counter())
        return total if total["requests"] else sum(
            (self.groups[group] for group in LAST), collections.Counter())

    def averages(self, key):
        """What a request of all warps, one by whole warps, and one of warps of 32
        threads had on average."""
        everything = sum(self.groups.values(), collections.Counter())
        return [sums[key] / sums["requests"]
                for sums in (everything, self.groups["full"], self.total())
                if sums["requests"]]


def place_of(source):
    """Returns the file's name, the line and the column of "dir/file.cu:3:7"."""
    file, line, column = source.rsplit(":", 2)
    return pathlib.PurePath(file).name, int(line), int(column)


def rows_of(program, options):
    """Returns the report's rows of a program, each once."""
    command = [options.build / "bin/gpulto", "explain", "--memory", "--all", "--json",
               program]
    text = subprocess.run([str(word) for word in command], check=True,
                          capture_output=True, text=True).stdout
    return next(iter(json.loads(text).values()))


def sort_of(row):
    """What kind of instruction a row of the emulator or of the report is for."""
    kind = row["kind"]
    if kind == "async_copy":
        kind = "load" if row["space"] == "global" else "store"
    return kind, row.get("size", row.get("bytes"))


def counts_of(counters, space, key):
    """Returns counts by key(row, place) and sort, and how many requests have no
    place."""
    counts, lost = collections.defaultdict(lambda: collections.defaultdict(Count)), 0
    for row in counters["accesses"]:
        if row["space"] != space or row["kind"] == "bulk_copy":
            continue
        place = place_of(row["source"]) if row.get("source") else ("", 0, 0)
        if place[1]:
            counts[key(row, place)][sort_of(row)].add(row)
        else:
            lost += sum(row[group]["requests"] for group in WHOLE + LAST
                        if group in row)
    return counts, lost


def reported_by(rows, space, key):
    """Returns the report's rows by key(row, place)."""
    reported = collections.defaultdict(list)
    for row in rows:
        if row["space"] == space and row["line"]:
            place = pathlib.PurePath(row["file"]).name, row["line"], row["column"]
            reported[key(row, place)].append(row)
    return reported


def expected(rows, key="sectors"):
    """Returns what the report expects of a request on average; None if unknown."""
    if any("sectors" not in row for row in rows):
        return None
    requests = sum(row["requests"] for row in rows)
    amount = sum(row["sectors"]["expected"] if key == "sectors" else row[key]
                 for row in rows)
    return amount / requests if requests else None


def by_line(row, place):
    return row["kernel"], tuple(row["block"]), place[:2]


def by_access(row, place):
    return row["kernel"], tuple(row["block"]), place, sort_of(row)


def text_of(row):
    """What the report says, in short."""
    text = f"{row['kind']} {row['verdict']}"
    if "sectors" in row:
        least, most, average = (row["sectors"][key] / row["requests"]
                                for key in ("least", "most", "expected"))
        text += f" {average:.2f} ({least:.2f}..{most:.2f})"
    return text


def score(rows, counters, space):
    """Scores one program. Returns counts by word, and the lines that are not as
    reported: (word, unit, text)."""
    waste, needed = ("sectors", "ideal_sectors") if space == "global" else \
        ("bank_conflicts", None)
    reported = reported_by(rows, space, by_line)
    for (kernel, _, place), of_line in list(reported.items()):
        if of_line[0]["example"]:
            reported[kernel, None, place] += of_line
    counts, lost = counts_of(counters, space, by_line)
    seen, trouble = collections.Counter(lost=lost), []
    for unit, by_sort in counts.items():
        here = reported.get(unit) or reported.get((unit[0], None, unit[2]), [])
        sorts = {sort_of(row) for row in here}
        count = sum((one for sort, one in by_sort.items() if sort in sorts or not sorts),
                    Count())
        total = count.total()
        if not total["requests"]:
            continue
        ideal = total[needed] if needed else 0
        wastes = total[waste] > ideal
        irregular = total["tainted"] + total["chosen"] > 0
        alarm = any(row["alarm"] for row in here)
        words = ["lines"]
        if not here:
            words.append("unseen")
        elif irregular:
            words.append("irregular")
        elif wastes:
            words += ["real", "found" if alarm else "missed"]
        if alarm:
            words += ["alarms"] if wastes else ["alarms", "false"]
        seen.update(words)
        text = (f"counted {total[waste] / total['requests']:.2f} of a request, "
                f"ideal {ideal / total['requests']:.2f}; reported "
                f"{', '.join(map(text_of, here)) or 'nothing'}")
        trouble += [(word, unit, text) for word in words if word in TROUBLE]
    seen["not run"] = len([unit for unit in reported if unit[1] and unit not in counts])
    reported = reported_by(rows, space, by_access)
    for unit, by_sort in counts_of(counters, space, by_access)[0].items():
        count, here = by_sort[unit[-1]], reported.get(unit)
        total = count.total()
        if not here or not total["requests"] or here[0]["example"] or \
                total["tainted"] + total["chosen"]:
            continue
        average, counted = expected(here), count.averages(waste)
        exact = average is not None and any(map(math.isclose, counted,
                                                [average] * len(counted)))
        seen.update(["known", "exact" if exact else "inexact"])
        if not exact:
            trouble.append(("inexact", unit, f"counted {counted[0]:.2f}; reported "
                            f"{', '.join(map(text_of, here))}"))
    return seen, trouble


def paper_key(row, place):
    """An access of the source, in all instances and shapes of its kernel."""
    return place, row["kind"]


def score_as_paper(rows, counters):
    """Scores one program in the paper's terms."""
    reported = reported_by(rows, "global", paper_key)
    counts, _ = counts_of(counters, "global", paper_key)
    seen, trouble = collections.Counter(), []
    for unit, by_sort in counts.items():
        total = sum(by_sort.values(), Count()).total()
        here = reported.get(unit, [])
        if not total["requests"]:
            continue
        real = total["lines"] > total["requests"]
        average = expected(here, "lines") if here else None
        alarm = average is not None and average > 1
        seen["accesses"] += 1
        if not here:
            seen["unseen"] += 1
            continue
        if total["tainted"] + total["chosen"]:
            seen["irregular"] += 1
            seen["irregular real"] += real
            continue
        seen["real"] += real
        seen["found"] += real and alarm
        seen["false"] += alarm and not real
        if real != alarm:
            trouble.append(("missed" if real else "false", unit,
                            f"{total['lines'] / total['requests']:.2f} lines; reported " +
                            (f"{float(average):.2f}" if average is not None else
                             ", ".join(row["verdict"] for row in here) or "nothing")))
    return seen, trouble


def print_table(heads, lines):
    """Prints a table in Markdown."""
    print("| " + " | ".join(heads) + " |")
    print("|---|" + "--:|" * (len(heads) - 1))
    for line in lines:
        print("| " + " | ".join(str(cell) for cell in line) + " |")


def share(part, whole):
    return f"{100 * part / whole:.1f} %" if whole else "-"


def print_scores(scores):
    words = ["lines", "irregular", "real", "found", "alarms", "false", "known", "exact",
             "unseen", "not run"]
    total = sum(scores.values(), collections.Counter())
    lines = [[name] + [seen[word] for word in words] for name, seen in scores.items()]
    print_table(["program"] + words, lines + [["sum"] + [total[word] for word in words]])
    print(f"\nfound {share(total['found'], total['real'])}, "
          f"false {share(total['false'], total['alarms'])}, "
          f"exact {share(total['exact'], total['known'])}; "
          f"{total['lost']} requests have no line")


def seconds_of(name, options):
    """Returns the seconds that the report took in the link of a program, "" if that was
    not noted."""
    trace = options.work / f"{name}.trace"
    if not trace.exists():
        return ""
    events = json.loads(trace.read_text())["traceEvents"]
    return round(sum(event["dur"] for event in events
                     if event.get("name") == "Report accesses") / 1e6, 3)


def print_paper(scores, seconds):
    """The paper's columns beside ours."""
    words = ["accesses", "unseen", "irregular", "irregular real", "real", "found",
             "false"]
    lines, total = [], collections.Counter()
    theirs = [0, 0, 0, 0]
    for name, seen in scores.items():
        row = PAPER.get(name)
        if row:
            theirs = [a + b for a, b in zip(theirs, row[:4])]
        total.update(seen)
        known = PAPER_SECONDS.get(name, "< 1.4") if row else ""
        lines.append([name, *(row or [""] * 5), known, *(seen[word] for word in words),
                      seconds[name]])
    ours = sum((seen for name, seen in scores.items() if name in PAPER),
               collections.Counter())
    lines.append(["its programs", *theirs, "69", "", *(ours[word] for word in words), ""])
    lines.append(["sum", *[""] * 6, *(total[word] for word in words), ""])
    print_table(["program", "paper: real", "reported", "of them real", "false", "dynamic",
                 "seconds", *words, "seconds"], lines)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("names", nargs="*", help="programs (all of the lists)")
    parser.add_argument("--build", type=pathlib.Path, required=True,
                        help="build directory of gpulto")
    parser.add_argument("--work", type=pathlib.Path, required=True,
                        help="directory of `accesses.py run`")
    parser.add_argument("--list", type=pathlib.Path, action="append",
                        help="lists of programs (bench/accesses.toml)")
    parser.add_argument("--space", choices=("global", "shared"), default="global")
    parser.add_argument("--paper", action="store_true", help="in the paper's terms")
    parser.add_argument("--json", type=pathlib.Path,
                        help="file for the figures, by program")
    parser.add_argument("--trouble", action="store_true",
                        help="print the lines that are not as reported")
    options = parser.parse_args()
    names = []
    for path in options.list or [HERE / "accesses.toml"]:
        with open(path, "rb") as file:
            names += [table["name"] for table in tomllib.load(file)["program"]]
    scores, missing = {}, []
    for name in names:
        if options.names and name not in options.names:
            continue
        counters, program = (options.work / f"{name}.json", options.work / "bin" / name)
        if not counters.exists() or not program.exists():
            missing.append(name)
            continue
        rows, counted = rows_of(program, options), json.loads(counters.read_text())
        scores[name], trouble = score_as_paper(rows, counted) if options.paper else \
            score(rows, counted, options.space)
        for word, unit, text in trouble if options.trouble else []:
            print(name, word, *unit, text)
    if options.paper:
        print_paper(scores, {name: seconds_of(name, options) for name in scores})
    else:
        print_scores(scores)
    if options.json:
        options.json.write_text(json.dumps(scores, indent=1) + "\n")
    if missing:
        print(f"\nnot run: {', '.join(missing)}")
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
