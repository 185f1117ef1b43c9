"""What gpulto's distributors share: the file of jobs, and ending in time.

The file is that of LLVM's distributed ThinLTO: a command is common.args and the
job's args; it is done when it ended with status 0 and its outputs are there.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import ctypes
import dataclasses
import json
import os
import signal
import sys

PR_SET_PDEATHSIG = 1


@dataclasses.dataclass
class Job:
    """A command, and the files it makes."""
    name: str
    command: list[str]
    outputs: list[str]

    def is_done(self):
        return all(os.path.exists(path) for path in self.outputs)


def read_jobs(path):
    """Returns the jobs of the file at path."""
    with open(path, encoding="utf-8") as file:
        described = json.load(file)
    common = described["common"]["args"]
    return [Job(os.path.basename(job["inputs"][0]), common + job["args"],
                job["outputs"]) for job in described["jobs"]]


def take_number(arguments, option, default):
    """Removes `option=N` from arguments; returns the last N, or default."""
    for argument in [a for a in arguments if a.startswith(option + "=")]:
        arguments.remove(argument)
        text = argument.partition("=")[2]
        if not text.isdecimal() or int(text) == 0:
            sys.exit(f"{os.path.basename(sys.argv[0])}: {option}= needs a "
                     f"number from 1, not '{text}'")
        default = int(text)
    return default


def split_arguments(usage):
    """Returns the arguments before the file of jobs, and the file's name."""
    if len(sys.argv) < 2 or not sys.argv[-1].endswith(".json"):
        sys.exit(usage.strip())
    return sys.argv[1:-1], sys.argv[-1]


def say(text):
    print(f"{os.path.basename(sys.argv[0])}: {text}", file=sys.stderr,
          flush=True)


def end_with_parent():
    """Has SIGTERM sent to this process when the link is gone."""
    parent = os.getppid()
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
    if os.getppid() != parent:
        sys.exit(1)


def report(jobs):
    """Returns the exit status: 1 if some of jobs are not done."""
    missing = [job.name for job in jobs if not job.is_done()]
    if missing:
        say(f"{len(missing)} of {len(jobs)} jobs not done: "
            f"{', '.join(missing)}")
    return 1 if missing else 0
