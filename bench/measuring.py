# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the benchmarks measure with: a command with all processes below it, the
machine, versions; and how results are written."""

import json
import os
import platform
import shlex
import statistics
import subprocess
import tempfile
import threading
import time

SAMPLE_SECONDS = 0.05
TIMEOUT_SECONDS = 1800
# Of the beginning and of the end of what a failed command printed.
SHOWN_CHARACTERS = 3000


class Failure(Exception):
    """A compile or link that did not succeed; the text is its output."""


def children_of(pid):
    """Returns the processes that the threads of `pid` started."""
    found = []
    try:
        for thread in os.listdir(f"/proc/{pid}/task"):
            with open(f"/proc/{pid}/task/{thread}/children",
                      encoding="ascii") as file:
                found += map(int, file.read().split())
    except OSError:
        pass  # it has ended
    return found


def proportional_bytes(pid):
    """Returns the memory of one process (PSS): a page that processes share is
    divided among them, so that forks and libraries are not counted again."""
    try:
        with open(f"/proc/{pid}/smaps_rollup", encoding="ascii") as file:
            for line in file:
                if line.startswith("Pss:"):
                    return int(line.split()[1]) * 1024
    except OSError:
        pass
    return 0


def tree_memory(root):
    """Returns the bytes that process `root` and all below it occupy. A child
    that has not become another program yet (vfork) is its parent."""
    total, queue = 0, [(root, 0)]
    while queue:
        pid, of_parent = queue.pop()
        own = proportional_bytes(pid)
        if own != of_parent:
            total += own
        queue += [(child, own) for child in children_of(pid)]
    return total


class MemorySampler(threading.Thread):
    """Follows the memory of a process tree; peaks shorter than SAMPLE_SECONDS
    may be missed."""

    def __init__(self, pid):
        super().__init__()
        self.pid, self.peak, self.stopping = pid, 0, threading.Event()
        self.start()

    def run(self):
        is_end = False
        while not is_end:
            self.peak = max(self.peak, tree_memory(self.pid))
            is_end = self.stopping.wait(SAMPLE_SECONDS)

    def stop(self):
        self.stopping.set()
        self.join()
        return self.peak


def measure(command, cwd, environment, with_tree=False):
    """Runs `command`; returns its wall and CPU seconds, the peak memory of its
    largest process in bytes, and its standard output; `with_tree` also the peak
    memory of its process tree. Raises Failure with all its output."""
    with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as errors:
        start = time.monotonic()
        process = subprocess.Popen([str(word) for word in command], cwd=cwd,
                                   env=environment, stdin=subprocess.DEVNULL,
                                   stdout=output, stderr=errors)
        sampler = MemorySampler(process.pid) if with_tree else None
        killer = threading.Timer(TIMEOUT_SECONDS, process.kill)
        killer.start()
        _, status, usage = os.wait4(process.pid, 0)
        wall = time.monotonic() - start
        killer.cancel()
        peak = sampler.stop() if sampler else None
        process.returncode = os.waitstatus_to_exitcode(status)
        texts = []
        for file in (output, errors):
            file.seek(0)
            texts.append(file.read().decode(errors="replace"))
        if process.returncode != 0:
            text = "".join(texts)
            if len(text) > 2 * SHOWN_CHARACTERS:
                text = (text[:SHOWN_CHARACTERS] + "\n...\n" +
                        text[-SHOWN_CHARACTERS:])
            raise Failure(f"{shlex.join(map(str, command))}\n{text}")
    result = {"wall": wall, "cpu": usage.ru_utime + usage.ru_stime,
              "process-memory": usage.ru_maxrss * 1024, "output": texts[0]}
    if with_tree: # of what ended before it was looked at, that of one process
        result["memory"] = peak or result["process-memory"]
    return result


def summarize(values):
    """Returns median and spread of `values`: half the range between the
    quartiles, as a share of the median; of less than four, half the range."""
    middle = statistics.median(values)
    if len(values) < 4:
        spread = (max(values) - min(values)) / 2
    else:
        quartiles = statistics.quantiles(values, n=4)
        spread = (quartiles[2] - quartiles[0]) / 2
    return {"median": middle, "spread": spread / middle if middle else 0}


def version_of(command, line=0):
    """Returns a line of what a command says of its version, or nothing."""
    try:
        output = subprocess.run(command, capture_output=True, text=True,
                                check=True).stdout.strip().splitlines()
        return output[line]
    except (OSError, subprocess.CalledProcessError, IndexError):
        return None


def versions(values):
    """Returns the versions of what builds; `values` as in building.py."""
    return {"clang": version_of(["clang-22", "--version"]),
            "gcc": version_of(["gcc", "--version"]),
            "nvcc": version_of([values["cuda"] + "/bin/nvcc", "--version"], -1),
            "gpulto": version_of([values["bin"] + "/gpulto-clang++",
                                  "--version"], -1)}


def machine():
    """Returns what the machine is, and how busy with other things."""
    model = ""
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        for line in file:
            if line.startswith("model name"):
                model = line.split(":", 1)[1].strip()
                break
    return {"cpu": model, "cores": os.cpu_count(),
            "kernel": platform.release(), "load": os.getloadavg()[0]}


def check_release(build):
    cache = (build / "CMakeCache.txt").read_text(encoding="utf-8")
    if "CMAKE_BUILD_TYPE:STRING=Release" not in cache:
        raise SystemExit(f"{build} is not a Release build: nothing measured on "
                         "it would mean anything")


def write_report(report, path):
    """Writes `report` as JSON, if there is a path to write to."""
    if path:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")
