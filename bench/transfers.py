#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Counts copies and waits that need not be, on the emulator.

    bench/transfers.py draw
    bench/transfers.py run --build build/release --work DIR HeCBench gpu-rodinia [NAME...]
    bench/transfers.py show --work DIR [--list] [NAME...]

`draw` writes transfers.toml: --count programs in the order of a sample with --seed, from
those that accesses.toml and rodinia.toml list; sources, flags, edits and arguments stand
there. It has to be committed before results are looked at.

`run` builds the programs with -fgpulto-trace-host, runs them with gpulto-run
--transfers, and leaves what that writes in DIR/NAME.json, with lines for addresses. The
checkouts are those of accesses.py; rodinia_inputs.py makes inputs. --again runs those,
too, that have a result.

Then it builds them as a release is built, without tracing, and leaves in
DIR/made/NAME.json which copies are made there, and what `gpulto explain --transfers`
says of each.

`show` prints four tables: what there is, in bytes, then shares of the sum; what goes, of
what is redundant or dead for a reason; why the rest stays, the most bytes first; and what
is said of waits, beside what a run shows of them.
docs/transfers.md defines the columns. --list prints the places of what there is to win,
--json all of this.
"""

import argparse
import collections
import concurrent.futures
import json
import pathlib
import random
import shutil
import statistics
import subprocess
import sys
import time
import tomllib

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import accesses  # noqa: E402
import coalescing  # noqa: E402
import hecbench  # noqa: E402

LIST = HERE / "transfers.toml"
SEED = 20261130
COUNT = 64
SOURCES = ("accesses.toml", "rodinia.toml")
SECONDS = 240
COPY_COLUMNS = ("executions", "bytes", "redundant", "redundant_part", "coincident",
                "dead", "dead_part", "unseen")
WAIT_COLUMNS = ("with_work", "unneeded", "movable")
# Frames outside of the programs, and of wrappers in CUDA's headers.
FOREIGN_FILES = ("cuda_runtime.h", "libc_start_call_main.h", "libc-start.c", "start.S")


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
    options.programs.write_text("\n".join(lines) + "\n", encoding="utf-8")


def read_programs(options):
    """Returns tables of programs in the order of the list, by the file that has them."""
    with open(options.programs, "rb") as file:
        parts = tomllib.load(file)["from"]
    result = []
    for part in parts:
        options_of = argparse.Namespace(list=HERE / part["list"])
        named = {table["name"]: table
                 for table in accesses.read_list(options_of)["program"]}
        result += [(part["list"], named[name]) for name in part["names"]
                   if not options.names or name in options.names]
    return result


def symbolizer():
    for name in ("llvm-symbolizer-22", "llvm-symbolizer",
                 "/usr/lib/llvm-22/bin/llvm-symbolizer"):
        if shutil.which(name):
            return name
    raise SystemExit("llvm-symbolizer is missing")


def lines_of(places):
    """Returns the lines of addresses, innermost first, by (file, address)."""
    by_file = collections.defaultdict(set)
    for place in places:
        by_file[place["file"]].add(place["address"])
    found = {}
    for file, addresses in by_file.items():
        done = subprocess.run(
            [symbolizer(), "--output-style=JSON", "--basenames", f"--obj={file}"],
            input="\n".join(map(hex, sorted(addresses))), text=True,
            capture_output=True, check=True)
        for row in done.stdout.splitlines():
            row = json.loads(row)
            found[file, int(row["Address"], 16)] = [
                f"{symbol['FileName']}:{symbol['Line']}"
                for symbol in row.get("Symbol", [])
                if symbol["Line"] and not symbol["FileName"].endswith(FOREIGN_FILES)]
    return found


def add_lines(log):
    """Gives the rows of a log the lines of their stacks in place of addresses."""
    rows = log["copies"] + log["waits"] + log["objects"]
    lines = lines_of([place for row in rows for place in row["stack"]])
    for row in rows:
        row["lines"] = [line for place in row.pop("stack")
                        for line in lines.get((place["file"], place["address"]), [])]


def run_one(table, tree, options):
    """Builds and runs a program. Returns what became of it."""
    begin = time.monotonic()
    here = argparse.Namespace(**vars(options), gpulto_run=None, limit=options.seconds)
    result = options.work / (table["name"] + ".json")
    if result.exists() and not options.again:
        return "is there"
    try:
        program = accesses.build(table, tree, here, ["-fgpulto-trace-host"])
        log = accesses.emulate(table, program, tree, here, "--transfers")
    except hecbench.Discarded as why:
        return str(why)
    # What was written first has addresses.
    result.unlink(missing_ok=True)
    if log is None:
        return f"does not end in {options.seconds:g} seconds"
    add_lines(log)
    result.write_text(json.dumps(log, indent=1) + "\n", encoding="utf-8")
    return f"{len(log['copies'])} sites, {time.monotonic() - begin:.0f} s"


def run_made(table, tree, options):
    """Builds a program as a release is built and runs it. Returns what became of it."""
    work = options.work / "made"
    work.mkdir(exist_ok=True)
    here = argparse.Namespace(**vars(options) | {"work": work}, gpulto_run=None,
                              limit=options.seconds)
    result = work / (table["name"] + ".json")
    if result.exists() and not options.again:
        return "is there"
    try:
        program = accesses.build(table, tree, here, options.flag)
        log = accesses.emulate(table, program, tree, here, "--transfers")
    except hecbench.Discarded as why:
        return str(why)
    result.unlink(missing_ok=True)
    if log is None:
        return f"does not end in {options.seconds:g} seconds"
    explained = subprocess.run(
        [options.build / "bin/gpulto", "explain", "--transfers", "--all", "--json",
         program], text=True, capture_output=True, check=True)
    said = json.loads(explained.stdout)[str(program)]
    rows = said["copies"]
    add_lines(log)
    result.write_text(json.dumps({"log": log, "rows": rows, "waits": said["waits"]},
                                 indent=1) + "\n", encoding="utf-8")
    return f"{sum(1 for row in rows if row['changed'])} of {len(rows)} calls change"


def run_all(options):
    programs = read_programs(options)
    trees = {source: accesses.Tree(checkout.resolve(), options.work / checkout.name)
             for source, checkout in zip(SOURCES, (options.hecbench, options.rodinia))}
    for tree in trees.values():
        tree.root.mkdir(parents=True, exist_ok=True)
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for run in (run_one, run_made):
            results = pool.map(
                lambda one, run=run: run(one[1], trees[one[0]], options), programs)
            for (_, table), what in zip(programs, results):
                print(table["name"], what, flush=True)


def merge(rows, numbers):
    """Adds up rows of one place: a loop that is unrolled has several."""
    merged = {}
    for row in rows:
        key = (row.get("kind"), row["call"], row.get("direction"), tuple(row["lines"]))
        into = merged.setdefault(key, collections.Counter())
        into.update({name: row[name] for name in numbers})
        into.update({f"seen by {name}": count
                     for name, count in row.get("observers", {}).items()})
    return merged


def sums_of(log):
    """Returns the sums of a program: of copies, fills and waits."""
    def add(rows, numbers):
        return {name: sum(row[name] for row in rows) for name in numbers}
    copies = [row for row in log["copies"] if row["kind"] == "copy"]
    fills = [row for row in log["copies"] if row["kind"] == "fill"]
    # What else waits cannot be left for later, but for copies of page-locked memory.
    waits = add([row for row in log["waits"] if "Synchronize" in row["call"]], WAIT_COLUMNS)
    waits["movable"] = sum(row["movable"] for row in log["waits"])
    return {"copies": add(copies, COPY_COLUMNS), "fills": add(fills, COPY_COLUMNS),
            "waits": waits}


def places_of(log):
    """Returns the places of a program as rows."""
    return [{"kind": kind or "wait", "call": call, "direction": direction,
             "lines": list(lines[:4])} | {word: n for word, n in count.items() if n}
            for rows, numbers in ((log["copies"], COPY_COLUMNS),
                                  (log["waits"], WAIT_COLUMNS))
            for (kind, call, direction, lines), count in merge(rows, numbers).items()]


def print_sites(name, log):
    """Prints the places of a program that have something to win, most bytes first."""
    copies = merge(log["copies"], COPY_COLUMNS)
    waits = merge(log["waits"], WAIT_COLUMNS)
    def won(item):
        return item[1]["redundant"] + item[1]["dead"]
    for (kind, call, direction, lines), count in sorted(copies.items(), key=won,
                                                        reverse=True):
        if won((None, count)):
            print(f"{name}: {lines[0] if lines else '?'}: {call}, {direction or kind}: "
                  f"{count['executions']} times, {count['bytes']} bytes, "
                  f"{count['redundant']} redundant, {count['dead']} dead; "
                  f"from {' < '.join(lines[1:3])}")
    for (_, call, _, lines), count in waits.items():
        if count["unneeded"]:
            seen = ", ".join(word for word in count if word.startswith("seen by"))
            print(f"{name}: {lines[0] if lines else '?'}: {call}: waited "
                  f"{count['with_work']} times, {count['unneeded']} unneeded, "
                  f"{count['movable']} movable; {seen}")


def bytes_of(log):
    return sum(row["bytes"] for row in log["copies"])


def won_of(log):
    """Returns the bytes that are redundant or dead for a reason, copies and fills."""
    return sum(row["redundant"] + row["dead"] for row in log["copies"])


def print_gone(logs, made):
    """Prints what is not copied any more, of what there is to win."""
    rows, shares, gone_of_all, won_of_all = [], [], 0, 0
    for name, log in logs.items():
        won = won_of(log)
        if not won or name not in made:
            continue
        gone = bytes_of(log) - bytes_of(made[name]["log"])
        shares.append(gone / won)
        gone_of_all += gone
        won_of_all += won
        rows.append([name, bytes_of(log), won, gone, coalescing.share(gone, won)])
    rows.sort(key=lambda row: -row[2])
    rows.append(["sum", "", won_of_all, gone_of_all,
                 coalescing.share(gone_of_all, won_of_all)])
    print("\nWhat goes\n")
    coalescing.print_table(["program", "bytes", "to win", "gone", "share"], rows)
    if shares:
        print(f"\nmedian {statistics.median(shares):.0%} of {len(shares)} programs, "
              f"{coalescing.share(gone_of_all, won_of_all)} of all bytes")


def reason_of(lines, rows):
    """Returns what is said of the copy at the innermost of these lines that has one."""
    for line in lines:
        file, _, number = line.rpartition(":")
        for row in rows:
            if row["file"].endswith(file) and row["line"] == int(number):
                return row["reason"]
    return "?"


def print_kept(logs, made):
    """Prints why copies stay that need not have been made."""
    rows = []
    for name, log in logs.items():
        for (_, call, _, lines), count in merge(log["copies"], COPY_COLUMNS).items():
            won = count["redundant"] + count["dead"]
            reason = reason_of(lines, made[name]["rows"]) if name in made else "?"
            if won and not reason.startswith("is not made"):
                rows.append((won, name, lines[0] if lines else "?", call, reason))
    print("\nWhy the rest stays\n")
    coalescing.print_table(["program", "place", "call", "bytes", "reason"],
                           [[name, place, call, won, reason] for
                            won, name, place, call, reason in sorted(rows, reverse=True)])


def print_waits(logs, made):
    """Prints of which waits it is said that nobody needs them, or needs them yet."""
    rows = []
    for name, of in made.items():
        waits = merge(logs[name]["waits"], WAIT_COLUMNS)
        for row in of["waits"]:
            place = f"{row['file'].rpartition('/')[2]}:{row['line']}"
            here = [count for (_, _, _, lines), count in waits.items() if place in lines]
            rows.append([name, place, row["callee"], row["verdict"]] +
                        [sum(count[word] for count in here) for word in WAIT_COLUMNS])
    print("\nWhat is said of waits\n")
    coalescing.print_table(["program", "place", "call", "said to be", "waits", "unneeded",
                            "movable"], rows)


def show(options):
    programs = [table["name"] for _, table in read_programs(options)]
    logs = {name: json.loads((options.work / f"{name}.json").read_text())
            for name in programs if (options.work / f"{name}.json").exists()}
    sums = {name: sums_of(log) for name, log in logs.items()}
    made = {name: json.loads((options.work / "made" / f"{name}.json").read_text())
            for name in logs if (options.work / "made" / f"{name}.json").exists()}
    if options.json:
        places = {name: places_of(log) for name, log in logs.items()}
        left = {name: {"bytes": bytes_of(logs[name]), "won": won_of(logs[name]),
                       "left": bytes_of(of["log"]), "rows": of["rows"], "waits": of["waits"]}
                for name, of in made.items()}
        print(json.dumps({"sums": sums, "places": places, "made": left}))
        return
    if options.list:
        for name, log in logs.items():
            print_sites(name, log)
        return
    total = {"copies": collections.Counter(), "waits": collections.Counter()}
    rows = []
    for name, of in sums.items():
        for kind, count in total.items():
            count.update(of[kind])
        rows.append([name] + [of["copies"][word] for word in COPY_COLUMNS[:-1]] +
                    [of["waits"][word] for word in WAIT_COLUMNS])
    rows.append(["sum"] + [total["copies"][word] for word in COPY_COLUMNS[:-1]] +
                [total["waits"][word] for word in WAIT_COLUMNS])
    coalescing.print_table(
        ["program", "copies", "bytes", "redundant", "in part", "by coincidence", "dead",
         "in part", "waits", "unneeded", "movable"], rows)
    copied = total["copies"]["bytes"]
    winning = [name for name, of in sums.items()
               if of["copies"]["redundant"] + of["copies"]["dead"]]
    print(f"\nof {copied} bytes: redundant "
          f"{coalescing.share(total['copies']['redundant'], copied)}, by coincidence "
          f"{coalescing.share(total['copies']['coincident'], copied)}, dead "
          f"{coalescing.share(total['copies']['dead'], copied)}; "
          f"{len(winning)} of {len(sums)} programs have some; "
          f"{sum(1 for of in sums.values() if of['waits']['movable'])} have movable waits")
    print_gone(logs, made)
    print_kept(logs, made)
    print_waits(logs, made)
    missing = [name for name in programs if name not in logs]
    if missing:
        print(f"\nnot run: {', '.join(missing)}")


def add_common(parser):
    parser.add_argument("--work", type=pathlib.Path, required=True,
                        help="directory for what is built and written")
    parser.add_argument("--programs", type=pathlib.Path, default=LIST,
                        help="the list of programs (transfers.toml)")
    parser.add_argument("names", nargs="*", help="programs (all of the list)")


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    steps = parser.add_subparsers(dest="step", required=True)
    one = steps.add_parser("draw")
    one.add_argument("--seed", type=int, default=SEED)
    one.add_argument("--count", type=int, default=COUNT)
    one.add_argument("--programs", type=pathlib.Path, default=LIST)
    one = steps.add_parser("run")
    one.add_argument("hecbench", type=pathlib.Path)
    one.add_argument("rodinia", type=pathlib.Path)
    add_common(one)
    one.add_argument("--build", type=pathlib.Path, required=True,
                     help="build directory of gpulto")
    one.add_argument("--cuda", default="/usr/local/cuda", help="toolkit")
    one.add_argument("--seconds", type=float, default=SECONDS,
                     help="that a program may run")
    one.add_argument("--jobs", type=int, default=1, help="programs at a time")
    one.add_argument("--again", action="store_true")
    one.add_argument("--flag", action="append", default=[],
                     help="another one of the build without tracing: "
                          "--flag=-fgpulto-transfer-epochs")
    one = steps.add_parser("show")
    add_common(one)
    one.add_argument("--list", action="store_true", help="places in the sources")
    one.add_argument("--json", action="store_true")
    options = parser.parse_args()
    if options.step == "draw":
        draw(options)
        return 0
    options.work = options.work.resolve()
    if options.step == "run":
        options.build = options.build.resolve()
        run_all(options)
    else:
        show(options)
    return 0


if __name__ == "__main__":
    sys.exit(main())
