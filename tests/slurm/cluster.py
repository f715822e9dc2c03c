"""A Slurm of its own on this host, for a test: munged, slurmctld and several slurmd, in one folder, on the loopback."""

import os
import pathlib
import secrets
import shutil
import signal
import socket
import subprocess
import time

PROGRAMS = ["munged", "slurmctld", "slurmd", "sbatch", "squeue", "scancel", "scontrol", "sinfo"]

CONFIGURATION = """
ClusterName=warptime
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={port}
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
CryptoType=crypto/munge
AuthInfo=socket={folder}/munge/socket
StateSaveLocation={folder}/state
SlurmctldPidFile={folder}/slurmctld.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdPidFile={folder}/slurmd-%n.pid
SlurmdLogFile={folder}/slurmd-%n.log
SlurmdSpoolDir={folder}/spool-%n
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
MpiDefault=none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerType=sched/builtin
SchedulerParameters=sched_interval=1,batch_sched_delay=0,sched_min_interval=0
SlurmdParameters=config_overrides
PropagateResourceLimits=NONE
ReturnToService=2
SlurmdTimeout=5
MessageTimeout=5
KillWait=2
PreemptType=preempt/partition_prio
PreemptMode=CANCEL
NodeName=n[1-{nodes}] NodeHostname={host} NodeAddr=127.0.0.1 Port=[{first_port}-{last_port}] CPUs={slots} RealMemory=1000 State=UNKNOWN
PartitionName=main Nodes=n[1-{nodes}] Default=YES MaxTime=INFINITE State=UP PriorityTier=1
PartitionName=urgent Nodes=n[1-{nodes}] MaxTime=INFINITE State=UP PriorityTier=2
"""


def find(program):
    return shutil.which(program, path=os.environ["PATH"] + ":/usr/sbin:/sbin")


def missing():
    """Why there can be no cluster here; empty: there can."""
    absent = [program for program in PROGRAMS if not find(program)]
    if absent:
        return "not installed: " + ", ".join(absent)
    return "" if os.geteuid() == 0 else "slurmd needs root"


def free_ports(count):
    """A run of free ports."""
    for first in range(20000 + os.getpid() % 20000, 60000, count):
        sockets = []
        try:
            for port in range(first, first + count):
                sockets.append(socket.socket())
                sockets[-1].bind(("127.0.0.1", port))
            return first
        except OSError:
            continue
        finally:
            for one in sockets:
                one.close()
    raise RuntimeError("no free ports")


def kill_tree(pid):
    """A daemon with what it started, as when a node loses its power."""
    children = []
    try:
        for thread in os.listdir(f"/proc/{pid}/task"):
            children += pathlib.Path(f"/proc/{pid}/task/{thread}/children").read_text().split()
        os.kill(pid, signal.SIGKILL)
    except (OSError, ProcessLookupError):
        pass
    for child in children:
        kill_tree(int(child))


class Cluster:
    def __init__(self, folder, nodes=4, slots=2):
        self.folder = pathlib.Path(folder)
        self.nodes, self.slots = nodes, slots
        self.daemons = {}

    def __enter__(self):
        try:
            self.start()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        for job in self.call(["squeue", "-h", "-o", "%A"]).stdout.split() if self.daemons else []:
            self.call(["scancel", job])
        for name in sorted(self.daemons, key=lambda name: name == "munged"):  # that one last
            self.stop(name)
        for pid in self.left_over():
            kill_tree(pid)

    def left_over(self):
        """Step daemons of this cluster: they leave their slurmd, but have its folder in their environment or name."""
        for entry in pathlib.Path("/proc").iterdir():
            try:
                environment = (entry / "environ").read_bytes()
                if f"SLURM_CONF={self.folder}/".encode() in environment and b"slurmstepd" in (entry / "comm").read_bytes():
                    yield int(entry.name)
            except (OSError, ValueError):
                continue

    def environment(self):
        paths = os.environ["PATH"] + ":/usr/sbin:/sbin"
        return {**os.environ, "SLURM_CONF": str(self.folder / "slurm.conf"), "PATH": paths}

    def call(self, words, **more):
        return subprocess.run(words, env=self.environment(), capture_output=True, text=True, timeout=60, **more)

    def launch(self, name, words, before=None):
        log = open(self.folder / f"{name}.out", "ab")
        self.daemons[name] = subprocess.Popen(words, env=self.environment(), stdin=subprocess.DEVNULL, stdout=log,
                                              stderr=log, preexec_fn=before, start_new_session=True)
        log.close()

    def start(self):
        munge = self.folder / "munge"
        for part in ["munge", "state", *(f"spool-n{i}" for i in range(1, self.nodes + 1))]:
            (self.folder / part).mkdir(parents=True, exist_ok=True)
        munge.chmod(0o755)
        key = munge / "key"
        key.touch(0o600)
        key.write_bytes(secrets.token_bytes(1024))
        first = free_ports(self.nodes + 1)
        host = socket.gethostname().split(".")[0]
        (self.folder / "slurm.conf").write_text(CONFIGURATION.format(folder=self.folder, host=host, port=first,
            nodes=self.nodes, slots=self.slots, first_port=first + 1, last_port=first + self.nodes))
        # slurmd 22.05 needs a cgroup plugin that exists, though nothing uses it.
        version = "v1" if os.path.isdir("/sys/fs/cgroup/freezer") else "v2"
        (self.folder / "cgroup.conf").write_text(f"CgroupPlugin=cgroup/{version}\nCgroupAutomount=no\n"
                                                 + ("IgnoreSystemd=yes\n" if version == "v2" else ""))
        self.launch("munged", [find("munged"), "--foreground", "--force", "--key-file", key, "--socket", munge / "socket",
            "--pid-file", munge / "pid", "--log-file", munge / "log", "--seed-file", munge / "seed"])
        self.wait(lambda: (munge / "socket").exists(), "munged")
        self.launch("slurmctld", [find("slurmctld"), "-D", "-c", "-f", self.folder / "slurm.conf"])
        for node in range(1, self.nodes + 1):
            self.start_node(node)
        self.wait(lambda: self.idle() == self.nodes, "the nodes")

    def start_node(self, node, before=None):
        self.launch(f"slurmd-n{node}", [find("slurmd"), "-D", "-N", f"n{node}", "-f", self.folder / "slurm.conf"], before)

    def idle(self):
        return sum(line.split()[1] == "idle" for line in self.call(["sinfo", "-h", "-N", "-o", "%N %t"]).stdout.splitlines()
                   if line.endswith("idle")) // 2  # each is in two partitions

    def stop(self, name):
        daemon = self.daemons.pop(name)
        daemon.terminate()
        try:
            daemon.wait(10)
        except subprocess.TimeoutExpired:
            daemon.kill()
            daemon.wait()

    def kill_node(self, node):
        """The node dies: its slurmd, and everything of the jobs on it."""
        daemon = self.daemons.pop(f"slurmd-n{node}")
        for step in self.steps_of(node):
            kill_tree(step)
        kill_tree(daemon.pid)
        daemon.wait()

    def steps_of(self, node):
        for entry in pathlib.Path("/proc").iterdir():
            try:
                if b"slurmstepd" not in (entry / "comm").read_bytes():
                    continue
                children = [pathlib.Path(f"/proc/{child}/environ").read_bytes()
                            for child in (entry / "task" / entry.name / "children").read_text().split()]
                if any(f"SLURMD_NODENAME=n{node}\0".encode() in one and f"SLURM_CONF={self.folder}/".encode() in one
                       for one in children):
                    yield int(entry.name)
            except (OSError, ValueError):
                continue

    def wait(self, condition, what, seconds=60):
        end = time.monotonic() + seconds
        while not condition():
            if time.monotonic() > end:
                raise RuntimeError(f"waited {seconds} s for {what}\n{self.logs()}")
            time.sleep(0.1)

    def wait_for_queue(self, seconds=240):
        self.wait(lambda: self.call(["squeue", "-h"]).stdout == "", "the queue to be empty", seconds)

    def logs(self):
        return "\n".join(f"== {log}\n" + "\n".join(log.read_text(errors="replace").splitlines()[-15:])
                         for log in sorted(self.folder.glob("*.log")) + sorted(self.folder.glob("*.out")))
