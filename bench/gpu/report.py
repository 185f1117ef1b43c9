# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes a table of what gpu-check found. Needs Python 3.9 only."""

import math

OURS = "gpulto"
# Verdicts that are ours to explain.
WRONG = ("differs", "failed")
SHOWN_LINES = 6


def geomean(values):
    logs = [math.log(value) for value in values if value]
    return math.exp(sum(logs) / len(logs)) if logs else None


def full_name(program):
    return f"{program['group']}/{program['name']}"


def ratios(program):
    """Returns ours relative to each other variant, by time of kernels."""
    us = program.get("timing", {}).get("us", {})
    return {name: us[OURS] / value for name, value in us.items()
            if name != OURS and value and OURS in us}


def counter_ratios(program, key, source):
    """Returns ours relative to each other variant, by a counter of "emulator"
    or "hardware"."""
    counts = {name: entry.get(source, {}).get(key)
              for name, entry in program["variants"].items()}
    return {name: counts[OURS] / value for name, value in counts.items()
            if name != OURS and value and counts.get(OURS)}


def means(programs, function):
    """Returns the geometric means over programs of what `function` gives."""
    found = {}
    for program in programs:
        for name, value in function(program).items():
            found.setdefault(name, []).append(value)
    return {name: {"mean": geomean(values), "programs": len(values)}
            for name, values in found.items()}


def summarize(programs):
    """Returns counts of verdicts, "wrong" (names), and geometric means."""
    verdicts = {}
    for program in programs:
        verdicts[program["verdict"]] = verdicts.get(program["verdict"], 0) + 1
    groups = sorted({program["group"] for program in programs})
    return {"verdicts": verdicts,
            "wrong": [full_name(program) for program in programs
                      if program["verdict"] in WRONG],
            "other-than-emulated": [full_name(program) for program in programs
                                    if program.get("as-emulated") is False],
            "time": means(programs, ratios),
            "time-by-group": {
                group: means([program for program in programs
                              if program["group"] == group], ratios)
                for group in groups},
            "counters": {
                f"{key}, {source}": means(
                    programs, lambda p, k=key, s=source:
                    counter_ratios(p, k, s))
                for key in ("warp-instructions", "sectors")
                for source in ("emulator", "hardware")}}


def lines_of(text):
    lines = text.strip().splitlines()
    return "".join(f"\n    {line[:160]}" for line in lines[-SHOWN_LINES:])


def findings(programs):
    """Returns lines of what is not as it should be."""
    result = []
    for program in programs:
        name = full_name(program)
        if program["verdict"] not in ("same", "not compared"):
            result.append(f"- {name}: {program['verdict']}" + "".join(
                f"\n  - {variant} ({run['status']}):{lines_of(run['output'])}"
                for variant, run in program.get("evidence", {}).items()))
        for variant, run in program.get("peers-that-differ", {}).items():
            result.append(f"- {name}: {variant}: {run['status']}")
        for variant, text in program.get("errors", {}).items():
            first = text.strip().splitlines() or [""]
            result.append(f"- {name}: {variant}: not in the folder, or with an "
                          f"error there: {first[0][:160]}")
        if program.get("as-emulated") is False and \
                program["verdict"] in ("same", "not compared"):
            result.append(f"- {name}: prints something else than on the "
                          "emulator")
        result += [f"- {name}: timing: {note}" for note in
                   dict.fromkeys(program.get("timing", {}).get("notes", []))]
        for variant, entry in program["variants"].items():
            hardware = entry.get("hardware", {})
            of = entry.get("emulator", {}).get("launches")
            if "error" in hardware:
                result.append(f"- {name}: {variant}: not counted: "
                              f"{hardware['error']}")
            elif hardware and hardware["launches"] != of:
                result.append(f"- {name}: {variant}: CUPTI counted "
                              f"{hardware['launches']} of {of} launches")
        if program.get("sanitizer", "ok") != "ok":
            result.append(f"- {name}: compute-sanitizer: {program['sanitizer']}"
                          f"{lines_of(program['sanitizer-output'])}")
    return result


def row(cells):
    return "| " + " | ".join(cells) + " |"


def time_table(programs):
    timed = [program for program in programs
             if program.get("timing", {}).get("us")]
    if not timed:
        return ["No kernel was timed."]
    variants = sorted({name for program in timed
                       for name in program["timing"]["us"]},
                      key=lambda name: (name == OURS, name))
    peers = [name for name in variants if name != OURS]
    lines = [row(["program", "arguments", "kernels", "launches timed",
                  *(f"{name}, us" for name in variants),
                  *(f"ours / {name}" for name in peers)])]
    lines.append("|---" * (4 + len(variants) + len(peers)) + "|")
    for program in timed:
        timing, ratio = program["timing"], ratios(program)
        kernels = timing["kernels"].values()
        lines.append(row([
            full_name(program), timing["arguments"], str(len(kernels)),
            f"{sum(len(kernel['launches']) for kernel in kernels)} of "
            f"{timing['launches']}",
            *(f"{timing['us'][name]:.1f}" if name in timing["us"] else ""
              for name in variants),
            *(f"{ratio[name]:.3f}" if name in ratio else ""
              for name in peers)]))
    return lines


def mean_lines(summary):
    lines = []
    for group, found in [*summary["time-by-group"].items(),
                         ("all", summary["time"])]:
        lines += [f"- {group}: ours / {name} {entry['mean']:.3f} "
                  f"({entry['programs']} programs)"
                  for name, entry in found.items()]
    return lines


def counter_table(programs):
    """Ours relative to the others on the emulator and on hardware, and what
    hardware counts relative to the emulator."""
    lines = []
    for program in programs:
        for name, entry in program["variants"].items():
            hardware, emulated = entry.get("hardware"), entry.get("emulator")
            if not hardware or "error" in hardware or not emulated:
                continue
            cells = [full_name(program), name]
            for key in ("warp-instructions", "sectors"):
                ratio = (f"{hardware[key] / emulated[key]:.3f}"
                         if emulated[key] else "")
                cells += [str(emulated[key]), str(hardware[key]), ratio]
            lines.append(row(cells))
    if not lines:
        return []
    return [row(["program", "build", "warp instructions, emulated",
                 "hardware", "ratio", "sectors, emulated", "hardware",
                 "ratio"]), "|---" * 8 + "|", *lines]


def table(report):
    """Returns the report as Markdown."""
    machine, summary = report["machine"], report["summary"]
    programs = report["programs"]
    lines = [f"# gpu-check on {machine['gpu']}", ""]
    lines.append(", ".join(
        f"{count} {verdict}" for verdict, count in
        sorted(summary["verdicts"].items())) +
        f" of {len(programs)} programs, in {report['seconds']:.0f} s.")
    if machine["gpu"] == "emulator":
        lines.append("Times are the emulator's, and mean nothing.")
    else:
        lines.append(f"sm_{machine['capability']}, driver for CUDA "
                     f"{machine['driver-cuda']}, code for "
                     f"sm_{report['folder']['arch']}.")
    clocks = report["clocks"]
    lines.append("Clocks (least, median, greatest MHz): " + (", ".join(
        f"{name.split('-')[0]} {'/'.join(f'{value:.0f}' for value in values)}"
        for name, values in clocks.items()) if clocks else "not known") + ".")
    lines += [f"Counters: {report['counters']}. "
              f"compute-sanitizer: {report['sanitizer']}.",
              "", "## Findings", ""]
    lines += findings(programs) or ["None."]
    lines += ["", "## Kernels", "",
              f"Medians of {report['repetitions']} repetitions with a cold "
              "cache, added up over the launches that were timed.", ""]
    lines += time_table(programs)
    found = mean_lines(summary)
    if found:
        lines += ["", "Geometric means:", "", *found]
    counted = counter_table(programs)
    if counted:
        lines += ["", "## Counters", "",
                  "Instructions of hardware are those of machine code, the "
                  "emulator's those of PTX.", "", *counted]
    return "\n".join(lines) + "\n"
