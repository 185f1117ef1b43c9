#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures what interprocedural optimization gains in device code, without a GPU.

    bench/ipa.py --build build/release --peer-cuda DIR
    bench/ipa.py --build build/release --peer-cuda DIR --only gemm,spmv PROGRAMS

PROGRAMS (default: bench/ipa) has a programs.toml as for run.py. Each
program is built by gpulto and by the peers of the suite "cuda" in suites.toml;
the device code of each whole link, as PTX, runs on the emulator:

    gpulto             what --gpulto-save-temps leaves
    clang-foffload-lto what the linker wrapper's --save-temps leaves
    nvcc-dlto          nvcc -dlto -dlink -ptx
    clang-rdc          the PTX of each file, joined (there is no whole-link PTX)

Counted are dynamic warp instructions and 32-byte sectors of global memory, over
all launches. ptxas gives registers, stack, spills and bytes of machine code of
the same PTX; with -c, and registers after the device linker, for clang-rdc, of
each file on its own, and for ours where the link did so. All figures are exact and repeat. The outputs
of all variants must agree: texts exactly, numbers to one part in 100,000 or to
1e-6 (the compilers fuse multiplications and additions differently); lines in
which the expression `ignore` of programs.toml is found do not count.

Kernels of ours that spill more than clang-rdc's, or of which fewer blocks fit on
a multiprocessor at the sizes that were launched, are listed; and how much the
link knows of launches is counted, beside what LLVM alone would (llvm_alone.py).
"""

import argparse
import collections
import concurrent.futures
import json
import math
import os
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import building  # noqa: E402
import comparing  # noqa: E402
import llvm_alone  # noqa: E402
import measuring  # noqa: E402
import occupancy  # noqa: E402

OURS = "gpulto"
PLAIN = "clang-rdc"
ORDER = ["clang-rdc", "clang-foffload-lto", "nvcc-dlto", OURS]
SUMS = ("registers", "stack", "spills", "text")


def run(command, cwd, environment, limit=measuring.TIMEOUT_SECONDS):
    """Returns the output of `command`; raises measuring.Failure with it, or when
    it takes more than `limit` seconds."""
    words = [str(word) for word in command]
    try:
        done = subprocess.run(words, cwd=cwd, env=environment, text=True,
                              errors="replace", stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              check=False, timeout=limit)
    except subprocess.TimeoutExpired as failure:
        raise measuring.Failure(
            f"{' '.join(words)}\nerror: ran for more than {limit:.0f} s"
        ) from failure
    if done.returncode:
        raise measuring.Failure(f"{' '.join(words)}\nerror: exit status "
                                f"{done.returncode}\n{done.stdout}")
    return done.stdout


def link(build, extra):
    """Links in the build's own directory, where temporary files stay."""
    words = building.expand(build.variant["link"],
                         dict(build.values, objects=build.objects, shared=[],
                              libraries=build.libraries(),
                              output=str(build.output)))
    run(words + extra, build.work, build.environment)


# Whole-link PTX -------------------------------------------------------------


def device_of_gpulto(build):
    build.compile()
    link(build, [f"--gpulto-save-temps={build.work}/temps",
                 f"--gpulto-stats={build.work}/stats.json"])
    return [build.work / "temps" / f"sm_{build.values['arch']}.ptx"]


def device_of_clang_lto(build):
    build.compile()
    link(build, ["-Wl,--save-temps"])
    return sorted(build.work.glob("*.nvptx64.*.s"))


def device_of_nvcc(build):
    build.compile()
    link(build, [])
    target = build.work / "all.ptx"
    run([build.values["peercuda"] + "/bin/nvcc", "-dlto", "-dlink", "-ptx",
         f"-arch=sm_{build.values['arch']}", *build.objects, "-o", target],
        build.work, build.environment)
    return [target]


def linked_registers(build):
    """Returns the registers of each kernel in the linked program: ptxas -c does
    not know those of functions that it calls, the device linker does."""
    text = run([build.values["gpulto"], "images", build.output], build.work, None)
    return {name: int(registers) for name, registers in
            re.findall(r"^  kernel (\S+): .*?(\d+) registers", text, re.M)}


def link_plain(build):
    """Links the program of clang-rdc, or with clang's device LTO what nvlink
    does not link."""
    build.compile()
    try:
        link(build, [])
        build.registers = linked_registers(build)
    except measuring.Failure:
        variant = building.read_variants("cuda", ["clang-foffload-lto"])[0]
        other = building.Build(build.program, variant, build.work,
                               build.values, build.compile_jobs)
        other.compile()
        link(other, [])
        build.output = other.output


def device_of_clang(build):
    """The PTX of each file. clang declares kernels of other files as plain
    functions, at which nvlink stops, and keeps them in a list for its LTO:
    both are dropped."""
    link_plain(build)
    texts = {}
    for source in build.program.sources:
        if not source.endswith(".cu"):
            continue
        target = build.work / (source.replace("/", "_") + ".ptx")
        words = building.expand(build.variant["compile-cuda"],
                             dict(build.values, source=source,
                                  object=str(target), flags=build.flags()))
        words[words.index("-c")] = "-S"
        run(words + ["--cuda-device-only"], build.program.directory,
            build.environment)
        texts[target] = target.read_text(encoding="utf-8")
    kernels = set(re.findall(r"\.entry (\w+)", "".join(texts.values())))
    for target, text in texts.items():
        text = re.sub(r"^.*\b__clang_gpu_used_external\b.*\n", "", text,
                      flags=re.M)
        target.write_text(
            re.sub(r"\.extern \.func[^;]*?\b(\w+)\s*\n\([^;]*;\n",
                   lambda found: "" if found[1] in kernels else found[0],
                   text), encoding="utf-8")
    return sorted(texts)


def join(files, target):
    """Joins PTX files into one module: one header, no `.extern` in front of
    what is defined in another of them, and no prototype after a definition.
    Files that define variables and nothing of the others come first by name
    only: ptxas reports a wrong order."""
    texts = [file.read_text(encoding="utf-8") for file in files]
    defined = {name for text in texts for name in
               re.findall(r"^\.visible [^;({]*?\b(\w+)(?:\[\d*\])?(?:;| =)",
                          text, re.M)}
    result = []
    for number, text in enumerate(texts):
        if number:
            text = re.sub(r"^\.(version|target|address_size).*\n", "", text,
                          flags=re.M)
        before = "\n".join(result)
        text = re.sub(r"\.extern \.func[^;]*?\b(\w+)\s*\n\([^;]*;\n",
                      lambda found: "" if re.search(
                          rf"^\.visible \.func[^;{{]*\b{found[1]}\([^;{{]*\{{",
                          before, re.M) else found[0], text)
        text = text.replace(".extern .func", ".visible .func")
        text = re.sub(r"^\.extern [^;(]*?\b(\w+)(\[\d*\])?;\n",
                      lambda found: "" if found[1] in defined else found[0],
                      text, flags=re.M)
        result.append(text)
    target.write_text("\n".join(result), encoding="utf-8")


DEVICE = {OURS: device_of_gpulto, "clang-foffload-lto": device_of_clang_lto,
          "nvcc-dlto": device_of_nvcc, PLAIN: device_of_clang}

# Figures --------------------------------------------------------------------


def machine_code(build, ptx, relocatable):
    """Returns {kernel: registers, stack, spills, shared memory, threads if it
    requires so many} and bytes of text, as ptxas makes them of `ptx`."""
    cubin = ptx.with_suffix(".cubin")
    command = [build.values["cuda"] + "/bin/ptxas", "-v",
               f"-arch=sm_{build.values['arch']}", ptx, "-o", cubin]
    text = run(command + (["-c"] if relocatable else []), build.work, None)
    required = {name: math.prod(map(int, threads.split(","))) for name, threads
                in re.findall(r"\.entry ([\w$]+)\([^{]*?\.reqntid ([\d, ]+)",
                              ptx.read_text(encoding="utf-8"))}
    kernels = {}
    for block in text.split("Compiling entry function '")[1:]:
        name = block.split("'", 1)[0]
        frame = re.search(
            rf"properties for {re.escape(name)}\s+(\d+) bytes stack frame, (\d+) bytes "
            r"spill stores, (\d+) bytes spill loads", block)
        used = re.search(r"Used (\d+) registers", block)
        shared = re.search(r"(\d+) bytes smem", block)
        kernels[name] = {"registers": int(used[1]), "stack": int(frame[1]),
                         "spills": int(frame[2]) + int(frame[3]),
                         "shared": int(shared[1]) if shared else 0,
                         "threads": required.get(name)}
    sections = run(["readelf", "-SW", cubin], build.work, None)
    size = sum(int(found[1], 16) for found in
               re.finditer(r"\.text\.\S+\s+PROGBITS\s+\w+\s+\w+\s+(\w+)",
                           sections))
    return kernels, size


def emulate(build, ptx, limit):
    """Runs the program with the device code `ptx` (None: its own); returns its
    output and the counters of all launches."""
    counters = build.work / "counters.json"
    command = [build.values["bin"] + "/gpulto-run", "--emulate",
               f"--counters={counters}"]
    if ptx:
        command.append(f"--device-code={ptx}")
    environment = dict(os.environ,
                       LD_LIBRARY_PATH=build.values["cuda"] + "/lib64")
    output = run(command + [build.output] + (build.program.run or [])[1:],
                 build.program.directory, environment, limit)
    output = output.replace(str(build.output), "program")  # it prints argv[0]
    # What it says of the device code, not what the program prints.
    output = re.sub(r"^gpulto emulator: .*\n", "", output, flags=re.MULTILINE)
    if not counters.exists():  # it has used no device
        return output, []
    with open(counters, encoding="utf-8") as file:
        return output, json.load(file)["launches"]


def measure(build, limit):
    """Builds the program and runs it on the emulator; returns its figures and
    its output."""
    build.registers = {}  # of kernels, where the device linker tells
    files = DEVICE[build.variant["name"]](build)
    if not files or not all(file.exists() for file in files):
        raise measuring.Failure("no PTX of the whole link")
    kernels, text = {}, 0
    is_plain = build.variant["name"] == PLAIN
    is_ours = build.variant["name"] == OURS
    counters = {}
    if is_ours:
        with open(build.work / "stats.json", encoding="utf-8") as file:
            counters = json.load(file)["counters"]
        if counters.get("partitions-assembled-separately"):
            build.registers = linked_registers(build)
    for file in files:
        some, size = machine_code(build, file, is_plain or build.registers)
        kernels.update(some)
        text += size
    for name, registers in build.registers.items():
        kernels[name]["registers"] = registers
    whole = files[0]
    if len(files) > 1:
        whole = build.work / "whole.ptx"
        join(files, whole)
    output, launches = "", []
    if limit:
        output, launches = emulate(build, None if is_ours else whole, limit)
    for launch in launches:
        kernel = kernels.get(launch["kernel"])
        if not kernel:
            raise measuring.Failure("error: the PTX of the whole link lacks "
                                    f"kernel {launch['kernel']}")
        size = math.prod(launch["block"]), launch["shared_bytes"]
        if size not in kernel.setdefault("sizes", []):
            kernel["sizes"].append(size)
        for key, name in (("warp-instructions", "warp_instructions"),
                          ("sectors", "global_sectors")):
            kernel[key] = kernel.get(key, 0) + launch[name]
    result = {key: sum(kernel.get(key, 0) for kernel in kernels.values())
              for key in ("warp-instructions", "sectors", *SUMS[:3])}
    result.update(text=text, kernels=kernels)
    if is_plain:
        result["joined"] = machine_code(build, whole, False)[0]
    if is_ours:
        result["knowledge"] = {key: value for key, value in counters.items()
                               if key.startswith(("launch-", "kernels-"))}
    return result, output


# Programs -------------------------------------------------------------------


def bench_program(program, variants, arguments, values):
    """Returns the figures of all variants of `program`."""
    result, outputs = {}, {}
    # What the others print is compared with what plain clang's program does.
    for variant in sorted(variants, key=lambda v: v["name"] != PLAIN):
        name = variant["name"]
        build = building.Build(program, variant, arguments.work, values,
                            arguments.jobs)
        try:
            result[name], outputs[name] = measure(build, arguments.limit)
            if name == PLAIN:
                result[name]["knowledge"] = llvm_alone.count(
                    program, values, build.work / "host")
        except measuring.Failure as failure:
            result[name] = {"error": str(failure)}
    for name, output in outputs.items():
        other = next(iter(outputs))
        if not comparing.agree(outputs[other], output, program.ignore):
            result[name] = {"error": f"output differs from {other}'s\n"
                                     f"{outputs[other]}{output}"}
    ours, plain = result.get(OURS, {}), result.get(PLAIN, {})
    if "kernels" in ours and "kernels" in plain:
        ours["worse"], ours["compared"] = occupancy.compare(
            ours["kernels"], plain["kernels"])
        # ptxas -c allocates registers differently, for better or worse.
        ours["worse-than-joined"], _ = occupancy.compare(
            ours["kernels"], plain.pop("joined"))
    for name, entry in result.items():
        if name not in (OURS, PLAIN):
            entry.pop("kernels", None)  # nothing is compared with them
    return result


def best_peer(result, key):
    return min((entry[key] for name, entry in result.items()
                if name != OURS and key in entry), default=0)


def ratio(result, key):
    """Returns ours relative to the best peer."""
    best = best_peer(result, key)
    return result[OURS][key] / best if best and key in result[OURS] else None


def geomean(values):
    logs = [math.log(value) for value in values if value]
    return math.exp(sum(logs) / len(logs)) if logs else 0


def print_table(programs):
    """Prints a table in Markdown; cells list the variants in ORDER."""
    names = " / ".join(ORDER)
    print(f"\nEach cell: {names}. Registers, stack and spills are sums over "
          "the kernels.\n")
    print("| program | warp instructions, thousands | ours / best peer | "
          "sectors | ours / best | registers | stack | spills | text bytes | "
          "ours / best |")
    print("|---|---|---|---|---|---|---|---|---|---|")
    for name, result in programs.items():
        def cell(key, scale=1, digits=0):
            return " / ".join(
                "failed" if "error" in result[variant] else
                f"{result[variant][key] / scale:.{digits}f}"
                for variant in ORDER if variant in result)

        def share(key):
            value = ratio(result, key)
            return f"{value:.3f}" if value else ""

        print(f"| {name} | {cell('warp-instructions', 1000, 1)} | "
              f"{share('warp-instructions')} | {cell('sectors')} | "
              f"{share('sectors')} | {cell('registers')} | {cell('stack')} | "
              f"{cell('spills')} | {cell('text')} | {share('text')} |")


def summarize(programs):
    """Returns the geometric means of ours relative to the best peer and to
    each peer."""
    keys = ("warp-instructions", "sectors", "registers", "text")
    summary = {"best-peer": {
        key: geomean([ratio(result, key) for result in programs.values()])
        for key in keys}}
    for peer in ORDER[:-1]:
        summary[peer] = {
            key: geomean([result[OURS][key] / result[peer][key]
                          for result in programs.values()
                          if result.get(peer, {}).get(key) and
                          key in result.get(OURS, {})])
            for key in keys}
    return summary


# What is known of launches: counters to be added, and of what they are a part.
KNOWLEDGE = {
    "block size of kernels": (["kernels-block-known"], "kernels-launched"),
    "... or in each clone": (["kernels-block-known", "kernels-block-by-clone"],
                             "kernels-launched"),
    "block size at launches": (["launch-sites-block-known"], "launch-sites"),
    "grid of kernels": (["kernels-grid-known"], "kernels-launched"),
    "... or in each clone, or bounds": (
        ["kernels-grid-known", "kernels-grid-by-clone", "kernels-grid-bounded"],
        "kernels-launched"),
    "grid at launches": (["launch-sites-grid-known"], "launch-sites"),
    "numbers passed at launches": (["launch-scalars-known"], "launch-scalars"),
    "... or bounds": (["launch-scalars-known", "launch-scalars-bounded"],
                      "launch-scalars"),
    "an argument of kernels": (["kernels-argument-known"], "kernels-launched"),
    "... or a part of an aggregate, or in each clone": (
        ["kernels-argument-known", "kernels-argument-part-known",
         "kernels-argument-by-clone"], "kernels-launched"),
    "... or bounds of a number": (
        ["kernels-argument-known", "kernels-argument-part-known",
         "kernels-argument-by-clone", "kernels-argument-bounded"],
        "kernels-launched"),
}


def sum_knowledge(programs):
    """Returns the sums of what each knows of launches over the programs."""
    total = {OURS: collections.Counter(), PLAIN: collections.Counter()}
    for result in programs.values():
        for name, sums in total.items():
            sums.update(result.get(name, {}).get("knowledge", {}))
    return {name: dict(sorted(sums.items())) for name, sums in total.items()}


def print_knowledge(total):
    print("\n| what is constant | ours | LLVM alone |\n|---|---|---|")
    for what, (parts, whole) in KNOWLEDGE.items():
        cells = []
        for sums in (total[OURS], total[PLAIN]):
            known, of = sum(sums.get(part, 0) for part in parts), sums.get(whole)
            is_counted = of and parts[-1] in sums
            cells.append(f"{known} of {of}, {100 * known / of:.0f} %"
                         if is_counted else "")
        print(f"| {what} | {' | '.join(cells)} |")


def print_worse(programs):
    compared = sum(result.get(OURS, {}).get("compared", 0)
                   for result in programs.values())
    print(f"\n{compared} kernels of ours beside those of {PLAIN}")
    for key, peer in (("worse", "its link"),
                      ("worse-than-joined", "its PTX, compiled without -c")):
        print(f"worse than in {peer}:")
        for name, result in programs.items():
            for kernel in result.get(OURS, {}).get(key, []):
                print(f"  {name}: {json.dumps(kernel)}")


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("programs", type=pathlib.Path, nargs="?",
                        default=HERE / "ipa")
    building.add_arguments(parser, None)
    parser.add_argument("--limit", type=float,
                        default=measuring.TIMEOUT_SECONDS,
                        help="seconds that a program may run for; 0: it is "
                             "built and not run")
    parser.add_argument("--at-once", type=int, default=1,
                        help="programs at a time")
    arguments = parser.parse_args()
    values = building.make_values(arguments)
    chosen = arguments.variants.split(",") if arguments.variants else ORDER
    variants = building.read_variants("cuda", chosen)
    programs = building.read_programs(arguments.programs, arguments.only)
    report = {"suite": "ipa", "arch": f"sm_{arguments.arch}",
              "versions": measuring.versions(values),
              **building.read_choice(arguments.programs), "programs": {}}
    with tempfile.TemporaryDirectory(prefix="gpulto-bench-") as temporary:
        arguments.work = (arguments.work or pathlib.Path(temporary)).resolve()
        pool = concurrent.futures.ThreadPoolExecutor(arguments.at_once)
        results = pool.map(lambda program: bench_program(
            program, variants, arguments, values), programs)
        for program, result in zip(programs, results):
            report["programs"][program.name] = result
            measuring.write_report(report, arguments.output)
            for name, entry in result.items():
                if "error" in entry:
                    print(f"{program.name}: {name}: {entry['error']}",
                          file=sys.stderr, flush=True)
    print_table(report["programs"])
    report["geomeans"] = summarize(report["programs"])
    print()
    for peer, means in report["geomeans"].items():
        print(f"geometric mean of ours / {peer}: " + ", ".join(
            f"{key} {value:.3f}" for key, value in means.items()))
    report["knowledge"] = sum_knowledge(report["programs"])
    print_knowledge(report["knowledge"])
    print_worse(report["programs"])
    measuring.write_report(report, arguments.output)
    failed = any("error" in entry for result in report["programs"].values()
                 for entry in result.values())
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
