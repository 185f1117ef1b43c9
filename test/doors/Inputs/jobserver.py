"""A jobserver that knows who has which token, for tests of its clients.

Each token is a different byte; make itself knows `+` only. The clients run with
token-recorder.so, which writes down what they read and write, so that check()
can follow every token:

  - whoever writes a token back has read that very token before, once;
  - at the end all tokens lie in the pipe again;
  - a link never runs more jobs than it holds tokens, and one;
  - a token that a link returns goes to another one that waits.

Forms: `pipe`, two descriptors as GNU make up to 4.3 announces them, and `fifo`,
a path as make 4.4 does, which ninja 1.13 and newer understands, too.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import array
import atexit
import collections
import fcntl
import glob
import json
import os
import signal
import struct
import subprocess
import sys
import termios
import time

Event = collections.namedtuple("Event", "seconds process what token client")
RECORD = struct.Struct("=QIcccx")


def fail(message):
    sys.exit(f"jobserver: {message}")


def wait_for(what, condition, seconds=60):
    """Waits until condition() holds, and returns what it returned."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if result := condition():
            return result
        time.sleep(0.002)
    fail(f"{what}: does not come to it")


class Server:
    def __init__(self, form, tokens, recorder):
        self.tokens = tokens
        if form == "fifo":
            path = os.path.abspath("job server.fifo")
            if os.path.exists(path):
                os.remove(path)
            os.mkfifo(path)
            self.ends = [os.open(path, os.O_RDWR)] * 2
            quoted = path.replace(" ", "\\ ")
            self.flags = f" -j{len(tokens) + 1} --jobserver-auth=fifo:{quoted}"
        else:
            self.ends = os.pipe()
            # -j without a number is how a make that is one of several is told.
            self.flags = " -j --jobserver-auth={},{}".format(*self.ends)
        os.write(self.ends[1], self.tokens.encode())
        self.record = os.path.abspath("tokens.record")
        open(self.record, "w").close()
        self.environment = dict(
            os.environ, MAKEFLAGS=self.flags, LD_PRELOAD=recorder,
            TOKEN_RECORD=self.record,
            TOKEN_INODE=str(os.fstat(self.ends[0]).st_ino))
        self.sessions = set()
        atexit.register(self.end)

    def start(self, command, client="-", reachable=True, **more):
        """Starts a client as make does, which has a slot by being started; not
        reachable: as for a recipe without `+`."""
        fds = self.ends if reachable else ()
        environment = dict(self.environment, TOKEN_CLIENT=client)
        process = subprocess.Popen(command, env=environment, pass_fds=fds,
                                   start_new_session=True, **more)
        self.sessions.add(process.pid)
        return process

    def end(self):
        """Ends what a test that fails has left, which would hold its output
        open, and says what that is waiting for."""
        for number, process in processes().items():
            if process.session not in self.sessions:
                continue
            try:
                with open(f"/proc/{number}/wchan") as file:
                    where = file.read()
                os.kill(number, signal.SIGKILL)
            except OSError:
                continue
            print(f"jobserver: left behind: {number} {process} in {where}",
                  file=sys.stderr)

    def free(self):
        """How many tokens lie in the pipe."""
        count = array.array("i", [0])
        fcntl.ioctl(self.ends[0], termios.FIONREAD, count)
        return count[0]

    def events(self):
        with open(self.record, "rb") as file:
            data = file.read()
        return [Event(ns / 1e9, process, *(part.decode() for part in parts))
                for ns, process, *parts in RECORD.iter_unpack(data)]

    def check(self):
        """Follows each token; returns how often each client took one."""
        if self.free() != len(self.tokens):
            fail(f"{self.free()} of {len(self.tokens)} tokens are back")
        back = os.read(self.ends[0], 100).decode()
        if sorted(back) != sorted(self.tokens):
            fail(f"other tokens are back: {back}")
        os.write(self.ends[1], back.encode())
        holder = {}
        takes = collections.Counter()
        for event in self.events():
            if event.what == "r":
                if event.token in holder or event.token not in self.tokens:
                    fail(f"token in two hands: {event}")
                holder[event.token] = event.process
                takes[event.client] += 1
            elif (had := holder.pop(event.token, None)) != event.process:
                fail(f"not this one's token, but of {had}: {event}")
        if holder:
            fail(f"not written back: {holder}")
        return takes


def jobs_of(trace):
    """When the jobs of a link ran, from its time trace: [(begin, end)]."""
    with open(trace) as file:
        data = json.load(file)
    begin = data["beginningOfTime"]
    spans = [event for event in data["traceEvents"]
             if event.get("ph") == "X" and event["name"] == "LTRANS"]
    return sorted(((begin + e["ts"]) / 1e6, (begin + e["ts"] + e["dur"]) / 1e6)
                  for e in spans)


def peak(spans):
    """The most spans at a time."""
    moments = [(b, 1) for b, _ in spans] + [(e, -1) for _, e in spans]
    running = most = 0
    for _, step in sorted(moments):
        running += step
        most = max(most, running)
    return most


def check_covered(spans, events):
    """Fails if a link with these jobs and tokens ever ran more jobs than it
    held tokens, and one."""
    moments = [(b, 1, 0) for b, _ in spans] + [(e, -1, 0) for _, e in spans]
    moments += [(e.seconds, 0, 1 if e.what == "r" else -1) for e in events]
    running = held = 0
    for _, job, token in sorted(moments):
        running += job
        held += token
        if running > held + 1:
            fail(f"{running} jobs run with {held} tokens")


def check_shared(jobs, events):
    """Fails if links take the tokens again that they have just returned while
    others, which have jobs to start, wait for one. jobs: client -> spans."""
    last = {}
    again = handed_over = 0
    for event in events:
        if event.what == "w":
            last[event.token] = event.client
            continue
        waiting = [client for client, spans in jobs.items()
                   if client != event.client
                   and spans[0][0] < event.seconds < spans[-1][0]]
        if event.token in last and waiting:
            again += last[event.token] == event.client
            handed_over += last[event.token] != event.client
    # On a busy machine who wakes up late seems to wait; a link that takes a
    # token again at once keeps three of four.
    if again > 2 * handed_over:
        fail(f"links keep {again} tokens that others wait for, and hand over "
             f"{handed_over}")


Process = collections.namedtuple("Process", "name state parent group session")


def processes():
    """The processes that there are, but for those that only wait to be reaped."""
    found = {}
    for path in glob.glob("/proc/[0-9]*/stat"):
        try:
            with open(path) as file:
                number, rest = file.read().split(" (", 1)
        except OSError:
            continue
        name, rest = rest.rsplit(") ", 1)
        state, *numbers = rest.split()[:4]
        if state != "Z":
            found[int(number)] = Process(name, state, *map(int, numbers))
    return found


def job_processes(session):
    """The processes of LTRANS jobs of a session: forks of the linker that lead
    a group of their own."""
    found = {number: process for number, process in processes().items()
             if process.session == session}
    return [number for number, process in found.items()
            if process.group == number and process.parent in found
            and found[process.parent].name == process.name]
