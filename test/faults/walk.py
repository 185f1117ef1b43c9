#!/usr/bin/env python3
"""Makes every system call of a small link fail, one call a run.

  walk.py --shim SHIM --driver gpulto-clang++ [--cuda DIR] [--sample N]
          [--first N] [--last N] [--options TEXT] [--signal NAME] WORK

Links once to count the calls of FaultShim.c, then again for each of them (or
for N of them, evenly spread). A run must either give the same bytes as the
undisturbed link, or exit with status 1 and one message and leave what was there
before. Either way: no crash, no hang, no process, no file in TMPDIR or beside
the output, and every token of the jobserver given back. With --signal, the
linker gets that signal before the call instead, and must end by it or, if it
was too late, with the same bytes. Prints what breaks these rules and exits with
status 1 if anything does.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import argparse
import ctypes
import os
import pathlib
import re
import shlex
import shutil
import signal
import struct
import subprocess
import sys

SOURCES = {
    "main.cu": """
#include <cstdio>
__device__ int scale(int);
extern int host(int);
__global__ void kernel(int *out) { out[threadIdx.x] = scale(threadIdx.x); }
__global__ void second(int *out) { out[0] = 1; }
int main(int c, char **) {
  kernel<<<1, 4>>>(nullptr);
  second<<<1, 4>>>(nullptr);
  printf("%d\\n", host(c));
}
""",
    "device.cu": "__device__ int scale(int x) { return x * 7; }\n",
    "host.cpp": "int host(int x) { return x + 41; }\n",
}
HANG_SECONDS = 60
PR_SET_CHILD_SUBREAPER = 36


def prepare(options):
    """Compiles the program; returns the command that links it to `out/app`."""
    shutil.rmtree(options.work, ignore_errors=True)
    os.makedirs(options.work + "/out")
    os.makedirs(options.work + "/tmp")
    os.chdir(options.work)
    sources = dict(SOURCES)
    libraries = []
    if options.cuda:
        libraries = [f"-L{options.cuda}/lib64", "-lcudart"]
        light = pathlib.Path(__file__).resolve().parents[1] / "inputs/light"
        cuda = [f"--cuda-path={options.cuda}", "--offload-arch=sm_90",
                "-nocudainc", f"-I{light}", f"-I{options.cuda}/include",
                "-include", "cuda_runtime.h"]
    else:
        del sources["device.cu"]
        del sources["main.cu"]
        sources["main.cpp"] = ("extern int host(int);\n"
                               "int main(int c, char **) "
                               "{ return host(c) != 42; }\n")
    for name, text in sources.items():
        with open(name, "w", encoding="utf-8") as file:
            file.write(text)
        subprocess.run([options.driver, "-flto=gpu", "-O2", "-c", name,
                        *(cuda if name.endswith(".cu") else [])], check=True)
    objects = sorted(name.rsplit(".", 1)[0] + ".o" for name in sources)
    objects.remove("host.o")
    subprocess.run(["llvm-ar", "rc", "host.a", "host.o"], check=True)
    given = shlex.split(options.options)
    link = [options.driver, "-flto=gpu", *objects, "host.a", "-o", "out/app",
            *([] if "-r" in given else libraries), *given]
    shown = subprocess.run([*link, "-###"], check=True, capture_output=True,
                           text=True).stderr
    if options.through_driver:
        return link
    # -### of gpulto-clang++ prints clang's call, that of clang the linker's.
    if "--ld-path=" not in shown:
        sys.exit(f"no link command: {shown}")
    clang = shlex.split(shown.strip().splitlines()[-1])
    shown = subprocess.run([*clang, "-###"], check=True, capture_output=True,
                           text=True).stderr
    return shlex.split(shown.strip().splitlines()[-1])


class Link:
    """Runs the link under the shim with a jobserver of one token."""

    def __init__(self, command, shim, number):
        self.command = command
        self.signal = number
        self.shim = shim
        self.counter = os.path.abspath("counter")
        self.tokens = os.pipe()
        self.outputs = ["out/app"]

    def run(self, at):
        """Returns exit status (negative: signal, None: hang) and stderr."""
        with open(self.counter, "wb") as file:
            file.write(bytes(4096))
        read_end, write_end = self.tokens
        os.write(write_end, b"t")
        environment = dict(
            os.environ, LD_PRELOAD=self.shim, GPULTO_FAULT_AT=str(at),
            GPULTO_FAULT_COUNTER=self.counter, TMPDIR=os.path.abspath("tmp"),
            GPULTO_FAULT_SIGNAL=str(self.signal),
            MAKEFLAGS=f" -j2 --jobserver-auth={read_end},{write_end}")
        with open("stderr", "wb") as messages:
            child = subprocess.Popen(
                self.command, env=environment, stdout=subprocess.DEVNULL,
                stderr=messages, stdin=subprocess.DEVNULL,
                pass_fds=self.tokens, start_new_session=True)
            try:
                status = child.wait(HANG_SECONDS)
            except subprocess.TimeoutExpired:
                os.killpg(child.pid, signal.SIGKILL)
                child.wait()
                status = None
        with open("stderr", encoding="utf-8", errors="replace") as file:
            return status, file.read()

    def fault(self):
        """Returns the calls counted and what failed."""
        with open(self.counter, "rb") as file:
            data = file.read()
        return (struct.unpack("<Q", data[:8])[0],
                data[8:].split(b"\0")[0].decode(errors="replace"))

    def tokens_left(self):
        read_end, _ = self.tokens
        os.set_blocking(read_end, False)
        try:
            return len(os.read(read_end, 100))
        except BlockingIOError:
            return 0
        finally:
            os.set_blocking(read_end, True)


def orphans():
    """Reaps what the link left behind; returns how many still ran."""
    running = 0
    while True:
        try:
            pid, _ = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return running
        if pid == 0:
            # A child that was just killed may take a moment.
            try:
                pid, _ = wait_briefly()
            except ChildProcessError:
                return running
            if pid == 0:
                running += 1
                kill_children()


def wait_briefly():
    import time
    for _ in range(50):
        pid, status = os.waitpid(-1, os.WNOHANG)
        if pid:
            return pid, status
        time.sleep(0.01)
    return 0, 0


def kill_children():
    me = str(os.getpid())
    for entry in os.listdir("/proc"):
        if not entry.isdigit():
            continue
        try:
            with open(f"/proc/{entry}/stat", encoding="utf-8") as file:
                parent = file.read().rsplit(")", 1)[1].split()[1]
            if parent == me:
                os.kill(int(entry), signal.SIGKILL)
        except OSError:
            pass


def read_outputs():
    found = {}
    for base, _, names in os.walk("out"):
        for name in names:
            path = os.path.join(base, name)
            with open(path, "rb") as file:
                found[path] = file.read()
    return found


def reset_outputs(before):
    shutil.rmtree("out")
    os.makedirs("out")
    for path, data in before.items():
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(data)


def problems(status, messages, tokens, before, reference, number, by_clang):
    """Yields what is wrong with a run."""
    if status is None:
        yield "hangs"
        return
    after = read_outputs()
    app = after.pop("out/app", None)
    if status == 0:
        if app != reference["out/app"]:
            yield "success, but other bytes"
    elif number and status == -number:
        if app != before["out/app"]:
            yield "ended by the signal, but the output was touched"
        if messages:
            yield f"ended by the signal with a message: {messages!r}"
    elif status == 1 and not number:
        errors = re.findall(r"(?:^|: )(?:fatal )?error: ", messages, re.M)
        driver = messages.count("linker command failed")
        if len(errors) - driver < 1:
            yield f"no error message: {messages!r}"
        elif len(errors) - driver > 1:
            yield f"{len(errors)} messages: {messages!r}"
        # clang removes the output of a link that failed.
        if app != before["out/app"] and not (by_clang and app is None):
            yield "an error, but the output was touched"
    else:
        yield f"ends with {status}: {messages!r}"
    if "Stack dump" in messages or "PLEASE submit" in messages:
        yield f"crashes: {messages!r}"
    for path in after:
        if path not in before and path not in reference:
            yield f"leaves {path}"
    left = os.listdir("tmp")
    if left:
        yield f"leaves {left} in TMPDIR"
    if orphans():
        yield "leaves a process"
    if tokens != 1:
        yield f"{tokens} tokens of 1"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--shim", required=True)
    parser.add_argument("--driver", required=True)
    parser.add_argument("--cuda", default="")
    parser.add_argument("--options", default="")
    parser.add_argument("--through-driver", action="store_true",
                        help="disturb the compiler driver, too")
    parser.add_argument("--sample", type=int, default=0)
    parser.add_argument("--first", type=int, default=1)
    parser.add_argument("--last", type=int, default=0)
    parser.add_argument("--signal", default="")
    parser.add_argument("--verbose", action="store_true")
    parser.add_argument("work")
    options = parser.parse_args()
    # A shell starts what runs in the background with SIGINT ignored.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    options.shim = os.path.abspath(options.shim)
    options.driver = os.path.abspath(options.driver)
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    # One thread in lld: the order of calls hardly varies then.
    link = Link(prepare(options) + (
        ["-Wl,--threads=1"] if options.through_driver else ["--threads=1"]),
        options.shim,
        getattr(signal, "SIG" + options.signal) if options.signal else 0)
    status, messages = link.run(0)
    if status != 0:
        sys.exit(f"the undisturbed link fails: {messages}")
    reference = read_outputs()
    before = {"out/app": b"an older program"}
    total = link.fault()[0]
    link.tokens_left()
    last = options.last or total
    numbers = range(options.first, last + 1)
    if options.sample:
        step = max(1, len(numbers) // options.sample)
        numbers = numbers[step // 2::step]
    bad = tried = failed = 0
    for at in numbers:
        reset_outputs(before)
        shutil.rmtree("tmp", ignore_errors=True)
        os.makedirs("tmp")
        status, messages = link.run(at)
        what = link.fault()[1]
        if not what:
            link.tokens_left()
            continue
        tried += 1
        failed += status != 0
        found = list(problems(status, messages, link.tokens_left(), before,
                              reference, link.signal,
                              options.through_driver))
        for problem in found:
            print(f"{at} {what}: {problem}", flush=True)
        bad += bool(found)
        if options.verbose:
            print(f"{at} {what}: {status} {messages.strip()}", flush=True)
    what = "signals sent" if link.signal else "faults tried"
    print(f"{total} calls, {tried} {what}, {failed} made the link fail, "
          f"{bad} broke a rule")
    if tried == 0 or bad:
        sys.exit(1)


main()
