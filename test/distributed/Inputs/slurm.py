"""slurm.py DIRECTORY COMMAND [ARGUMENT...]: runs COMMAND beside a Slurm cluster
of this machine, two nodes of one processor each, with its files in DIRECTORY
and SLURM_CONF set; ends the daemons behind it. They are the user's own and read
no configuration of the machine. The pid of the daemon of node N is in
DIRECTORY/slurmd-N.pid. Ends as COMMAND does; if no cluster can be run here, with
the reason.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import getpass
import os
import pathlib
import socket
import subprocess
import sys
import time

NODES = ("n1", "n2")
PATH = os.environ["PATH"] + ":/usr/sbin:/sbin"
START_SECONDS = 60


def free_ports(count):
    sockets = [socket.socket() for _ in range(count)]
    for each in sockets:
        each.bind(("127.0.0.1", 0))
    ports = [each.getsockname()[1] for each in sockets]
    for each in sockets:
        each.close()
    return ports


def configuration(directory, munge):
    """Returns the text of slurm.conf."""
    host, *nodes = free_ports(1 + len(NODES))
    name = socket.gethostname().split(".")[0]
    user = getpass.getuser()
    lines = [
        "ClusterName=gpulto", f"SlurmctldHost={name}(127.0.0.1)",
        f"SlurmctldPort={host}", f"SlurmUser={user}", f"SlurmdUser={user}",
        "AuthType=auth/munge", f"AuthInfo=socket={munge}",
        "CredType=cred/munge", "MpiDefault=none",
        "ProctrackType=proctrack/linuxproc", "TaskPlugin=task/none",
        "SelectType=select/cons_tres", "SelectTypeParameters=CR_CPU",
        "SwitchType=switch/none", "JobAcctGatherType=jobacct_gather/none",
        "ReturnToService=2", "SlurmdTimeout=3", "SlurmctldTimeout=5",
        "KillWait=1", "MessageTimeout=3", "JobRequeue=0",
        "SchedulerParameters=batch_sched_delay=0",  # not 3 s
        f"StateSaveLocation={directory}/state",
        f"SlurmdSpoolDir={directory}/spool-%n",
        f"SlurmctldLogFile={directory}/slurmctld.log",
        f"SlurmdLogFile={directory}/slurmd-%n.log",
        f"SlurmctldPidFile={directory}/slurmctld.pid",
        f"SlurmdPidFile={directory}/slurmd-%n.pid"]
    lines += [f"NodeName={node} NodeHostname={name} NodeAddr=127.0.0.1 "
              f"Port={port} CPUs=1" for node, port in zip(NODES, nodes)]
    lines.append(f"PartitionName=all Nodes={','.join(NODES)} Default=YES "
                 "MaxTime=INFINITE State=UP")
    return "\n".join(lines) + "\n"


class Cluster:
    def __init__(self, directory):
        self.directory = directory
        self.daemons = []

    def start(self):
        os.environ.update(PATH=PATH, SLURM_CONF=f"{self.directory}/slurm.conf")
        self.directory.mkdir(mode=0o755)
        (self.directory / "state").mkdir()
        # munged wants its own place to be writable for nobody else.
        key = self.directory / "munge.key"
        key.touch(0o600)
        key.write_bytes(os.urandom(1024))
        munge = f"{self.directory}/munge.socket"
        (self.directory / "slurm.conf").write_text(
            configuration(self.directory, munge))
        self.spawn("munged", "--foreground", "--force", f"--key-file={key}",
                   f"--socket={munge}", f"--pid-file={self.directory}/munge.pid",
                   f"--seed-file={self.directory}/munge.seed",
                   f"--log-file={self.directory}/munge.log")
        self.wait_for("munged", lambda: os.path.exists(munge))
        self.spawn("slurmctld", "-D")
        for node in NODES:
            (self.directory / f"spool-{node}").mkdir()
            self.spawn("slurmd", "-D", "-N", node)
        self.wait_for("the nodes", self.is_idle)

    def spawn(self, *command):
        log = open(self.directory / (command[0] + ".out"), "a",
                   encoding="utf-8")
        self.daemons.append(subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
            start_new_session=True))

    def is_idle(self):
        if any(daemon.poll() is not None for daemon in self.daemons):
            return False
        done = subprocess.run(["sinfo", "-h", "-N", "-o", "%T"],
                              capture_output=True, text=True, check=False)
        return done.stdout.split() == ["idle"] * len(NODES)

    def wait_for(self, what, condition):
        for _ in range(START_SECONDS * 10):
            if condition():
                return
            time.sleep(0.1)
        logs = [f"{log.name}: {log.read_text(errors='replace')[-800:]}"
                for log in sorted(self.directory.glob("*.log"))]
        self.stop()
        sys.exit(f"{what} did not come up\n" + "\n".join(logs))

    def stop(self):
        # The controller would wait for a node that is gone.
        for daemon in reversed(self.daemons):
            if daemon.args[0] == "slurmctld":
                daemon.kill()
            else:
                daemon.terminate()
        for daemon in reversed(self.daemons):
            try:
                daemon.wait(10)
            except subprocess.TimeoutExpired:
                daemon.kill()
                daemon.wait()


def main():
    cluster = Cluster(pathlib.Path(sys.argv[1]).absolute())
    cluster.start()
    try:
        done = subprocess.run(sys.argv[2:], check=False)
    finally:
        cluster.stop()
    return done.returncode


if __name__ == "__main__":
    sys.exit(main())
