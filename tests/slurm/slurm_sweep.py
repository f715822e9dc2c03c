#!/usr/bin/env python3
"""Sweeps on a real Slurm, on four nodes of this host: the bytes of a local run, also after each fault.

    slurm_sweep.py build/warptime           every case
    slurm_sweep.py build/warptime --smoke   one small sweep
    slurm_sweep.py build/warptime --measure the time of 200 points beside the time of the points alone
"""

import argparse
import os
import pathlib
import resource
import subprocess
import sys
import tempfile
import time

from cluster import Cluster, missing

SKIPPED = 77


class Failure(Exception):
    pass


def expect(condition, what):
    if not condition:
        raise Failure(what)


class Sweep:
    """One sweep in a folder of its own, with the file of a local run to compare with."""

    def __init__(self, cluster, program, folder, words):
        self.cluster, self.program, self.words = cluster, program, words
        self.folder = pathlib.Path(folder)
        self.folder.mkdir()
        self.rows, self.plan = self.folder / "rows.csv", self.folder / "rows.csv.plan"
        local = self.call("--csv", "local.csv", "--quiet")
        expect(local.returncode == 0, local.stderr)
        self.local = (self.folder / "local.csv").read_bytes()

    def run(self, *words):
        return self.cluster.call([self.program, *words], cwd=self.folder)

    def call(self, *more):
        return self.run("sweep", *self.words, *more)

    def submit(self, *more):
        outcome = self.call("--csv", "rows.csv", "--slurm", *more)
        expect(outcome.returncode == 0, f"submission: {outcome.stderr}")
        return outcome.stdout

    def status(self):
        outcome = self.run("sweep", "--status", "rows.csv.plan")
        expect(outcome.returncode == 0, f"--status: {outcome.stderr}")
        return outcome.stdout

    def done(self):
        return int(self.status().split(": ")[1].split()[0])

    def expect_local_bytes(self, where):
        if not self.rows.exists():
            raise Failure(f"{where}: no rows\n{self.logs()}\n{self.status()}")
        expect(self.rows.read_bytes() == self.local, f"{where}: other bytes than the local run")

    def resume(self, where):
        text = self.submit("--resume")
        self.cluster.wait_for_queue()
        self.expect_local_bytes(f"{where}, then --resume ({text.strip()})")

    def logs(self):
        return "\n".join(f"== {log.name}\n{log.read_text(errors='replace')[-2000:]}" for log in self.plan.glob("*.log"))


def short_points(count):
    """Points of some milliseconds each."""
    return ["vecadd", "--param", f"n=1000:{999 + count // 2}:+1", "--set", "memory.partitions=3,6"]


def long_points(count, size=224):
    """Points of some tenths of a second each; eight times that for twice the size."""
    return ["matmul:tiled", "--param", f"n={size}", "--no-check", "--set", f"dram.queue_entries=4:{3 + count}:+1"]


def local_bytes(cluster, program, folder, points):
    sweep = Sweep(cluster, program, folder / "plain", short_points(points))
    text = sweep.submit("--point-time", "0.5")
    expect("8 elements" in text if points >= 80 else "elements" in text, f"not a chunk for each slot: {text}")
    cluster.wait_for_queue()
    sweep.expect_local_bytes("200 points over the nodes")
    status = sweep.status()
    expect(f"{points} of {points} points are done" in status and " failed" not in status, status)
    again = sweep.call("--csv", "rows.csv", "--slurm")
    expect(again.returncode == 2 and "rows.csv exists" in again.stderr, f"an older file: {again.stderr}")
    # Whatever runs the parts: the same bytes.
    for part in range(1, 8):
        outcome = sweep.call("--shard", f"{part}/7", "--csv", f"part-{part}")
        expect(outcome.returncode == 0, outcome.stderr)
    outcome = sweep.run("sweep", "--merge", *(f"part-{part}" for part in range(1, 8)), "--csv", "merged.csv", "--quiet")
    expect(outcome.returncode == 0, outcome.stderr)
    expect((sweep.folder / "merged.csv").read_bytes() == sweep.local, "shards merged: other bytes")


def cancelled(cluster, program, folder):
    sweep = Sweep(cluster, program, folder / "cancelled", long_points(40))
    text = sweep.submit("--point-time", "1")
    cluster.wait(lambda: sweep.done() >= 4, "some points")
    cluster.call(["scancel", text.split()[1].rstrip(":")])
    cluster.wait_for_queue()
    expect(not sweep.rows.exists(), "rows of a sweep that was cancelled")
    expect("cancelled" in sweep.status(), f"status of a sweep that was cancelled:\n{sweep.status()}")
    before = sweep.done()
    expect(4 <= before < 40, f"{before} points")
    sweep.resume("scancel in the middle")


def timed_out(cluster, program, folder):
    sweep = Sweep(cluster, program, folder / "timed_out", long_points(40, 512))
    text = sweep.submit("--point-time", "2", "--time", "1")
    job = text.split()[1].rstrip(":")
    cluster.wait(lambda: sweep.done() >= 2, "some points")
    # Slurm's shortest limit is a minute; this one is set to now. Slurm looks each half minute, so the points take longer.
    moved = cluster.call(["scontrol", "update", f"JobId={job}", "EndTime=now+1"])
    expect(moved.returncode == 0, moved.stderr)
    cluster.wait_for_queue()
    expect("timed out" in sweep.status(), f"job {job} after its limit:\n{sweep.status()}")
    sweep.resume("timed out")


def preempted(cluster, program, folder):
    sweep = Sweep(cluster, program, folder / "preempted", long_points(24))
    text = sweep.submit("--point-time", "2", "--time", "1")
    job = text.split()[1].rstrip(":")
    cluster.wait(lambda: sweep.done() >= 2, "some points")
    # An urgent job takes all nodes: the elements are preempted.
    urgent = cluster.call(["sbatch", "--parsable", "-p", "urgent", "-N4", "--exclusive", "-o", "/dev/null", "--wrap", "true"])
    expect(urgent.returncode == 0, urgent.stderr)
    cluster.wait_for_queue()
    status = sweep.status()
    expect("preempted" in status, f"job {job} after an urgent one:\n{status}")
    sweep.resume("preempted")


def node_dies(cluster, program, folder):
    sweep = Sweep(cluster, program, folder / "dead_node", long_points(40))
    sweep.submit("--point-time", "1")
    cluster.wait(lambda: sweep.done() >= 4, "some points")
    cluster.kill_node(2)
    # Slurm notices, and starts its elements elsewhere.
    cluster.wait_for_queue()
    sweep.expect_local_bytes("kill -9 of a slurmd")
    cluster.start_node(2)
    cluster.wait(lambda: cluster.idle() == cluster.nodes, "the node's return")


def disk_full(cluster, program, folder):
    sweep = Sweep(cluster, program, folder / "full", short_points(80))
    # A file of this node cannot grow beyond some kilobytes.
    limit = 20_000
    cluster.stop("slurmd-n3")
    cluster.start_node(3, lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)))
    cluster.wait(lambda: cluster.idle() == cluster.nodes, "the node with the full disk")
    sweep.submit("--point-time", "1")
    cluster.wait_for_queue()
    expect(not sweep.rows.exists(), "rows, though a disk was full")
    logs = sweep.logs()
    expect("cannot write" in logs and ("File too large" in logs or "No space left" in logs), f"no word of the full disk:\n{logs}")
    expect("points are missing" in logs, f"the merging job:\n{logs}")
    expect("failed" in sweep.status(), sweep.status())
    cluster.stop("slurmd-n3")
    cluster.start_node(3)
    cluster.wait(lambda: cluster.idle() == cluster.nodes, "the node with room again")
    sweep.resume("a full disk")


def no_such_queue(cluster, program, folder):
    sweep = Sweep(cluster, program, folder / "no_queue", short_points(4))
    outcome = sweep.call("--csv", "rows.csv", "--slurm", "--partition", "nowhere")
    expect(outcome.returncode == 2, f"status {outcome.returncode}")
    expect("Slurm refuses the job: " in outcome.stderr and "partition" in outcome.stderr, outcome.stderr)
    expect(not sweep.plan.exists() and not sweep.rows.exists(), "a plan or rows, though there is no such queue")
    expect(cluster.call(["squeue", "-h"]).stdout == "", "a job, though there is no such queue")


def damaged_shard(cluster, program, folder):
    sweep = Sweep(cluster, program, folder / "damaged", short_points(40))
    sweep.submit("--point-time", "1")
    cluster.wait_for_queue()
    sweep.expect_local_bytes("before the damage")
    shard = sorted(sweep.plan.glob("shard-*"))[0]
    text = shard.read_text()
    shard.write_text(text.replace('"status":0', '"status":1', 1))
    sweep.rows.write_text("older\n")
    outcome = sweep.run("sweep", "--merge", "rows.csv.plan")
    expect(outcome.returncode == 2 and "line 2 of" in outcome.stderr and "damaged" in outcome.stderr, outcome.stderr)
    expect(sweep.rows.read_text() == "older\n", "an older file was replaced")
    sweep.rows.unlink()
    sweep.resume("a damaged shard")


def other_version(cluster, program, folder):
    sweep = Sweep(cluster, program, folder / "version", short_points(4))
    sweep.submit("--point-time", "1")
    cluster.wait_for_queue()
    plan = sweep.plan / "plan.json"
    mark, number, _, text = plan.read_text().rstrip("\n").split(" ", 3)
    text = text.replace('"version":"', '"version":"9.', 1)
    value = 0xCBF29CE484222325
    for byte in f"{number} {text}".encode():
        value = (value ^ byte) * 0x100000001B3 % 2**64
    plan.write_text(f"{mark} {number} {value:016x} {text}\n")
    for words in (["--merge", "rows.csv.plan"], ["--status", "rows.csv"], [*sweep.words, "--csv", "rows.csv", "--slurm", "--resume"]):
        outcome = sweep.run("sweep", *words)
        expect(outcome.returncode == 2 and "was written by warptime 9." in outcome.stderr, f"{words}: {outcome.stderr}")
    sweep.expect_local_bytes("a plan of another version")


def other_commands(cluster, program, folder):
    """`whatif` and `validate` have the same parts."""
    place = folder / "others"
    place.mkdir()

    def run(*words, status=0):
        outcome = cluster.call([program, *words], cwd=place)
        expect(outcome.returncode == status, f"{words}: {outcome.stderr}")
        return outcome

    for name, words in {"whatif": ["whatif", "vecadd", "--param", "n=4096", "--only", "dram."],
                        "validate": ["validate", "micro", "--only", "issue/m"]}.items():
        local, slurm = f"{name}-local.csv", f"{name}-slurm.csv"
        run(*words, "--csv", local, "--quiet")
        run(*words, "--csv", slurm, "--slurm")
        cluster.wait_for_queue()
        logs = "\n".join(log.read_text() for log in place.glob(f"{slurm}.plan/*.log"))
        expect((place / slurm).exists(), f"{name}: no rows\n{logs}")
        expect((place / slurm).read_bytes() == (place / local).read_bytes(), f"{name}: other bytes than the local run")
        for part in (1, 2, 3):
            run(*words, "--csv", f"{name}-{part}", "--shard", f"{part}/3", "--quiet")
        shards = [f"{name}-{part}" for part in (1, 2, 3)]
        run(name, "--merge", *shards, "--csv", f"{name}-merged.csv", "--quiet")
        expect((place / f"{name}-merged.csv").read_bytes() == (place / local).read_bytes(), f"{name}: merged shards")
        run("sweep", "--status", f"{slurm}.plan")


def measure(cluster, program, folder):
    """200 points of about half a second: what Slurm and the plan add to the points by themselves."""
    words = long_points(200, 288)
    os.chdir(folder)
    cores = os.cpu_count()

    def processor_time(kind):
        usage = resource.getrusage(kind)
        return usage.ru_utime + usage.ru_stime

    before, start = processor_time(resource.RUSAGE_CHILDREN), time.monotonic()
    subprocess.run([program, "sweep", *words, "--csv", "local.csv", "--quiet"], check=True)
    points, wall = processor_time(resource.RUSAGE_CHILDREN) - before, time.monotonic() - start
    start = time.monotonic()
    outcome = cluster.call([program, "sweep", *words, "--csv", "rows.csv", "--slurm"])
    print(outcome.stdout, outcome.stderr, end="")
    while not os.path.exists("rows.csv"):
        expect(time.monotonic() - start < 500, "no rows")
        time.sleep(0.05)
    slurm = time.monotonic() - start
    same = pathlib.Path("rows.csv").read_bytes() == pathlib.Path("local.csv").read_bytes()
    print(f"processor time of the points {points:.1f} s, {points / 200:.2f} s each, on {cores} cores {points / cores:.1f} s")
    print(f"local run {wall:.1f} s; Slurm, from the command to the rows, {slurm:.1f} s: "
          f"{100 * (slurm / (points / cores) - 1):+.1f} % over the points, {100 * (slurm / wall - 1):+.1f} % over the local run")
    expect(same, "other bytes than the local run")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--smoke", action="store_true")
    parser.add_argument("--measure", action="store_true")
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    if why := missing():
        print(f"no Slurm here: {why}")
        return SKIPPED
    program = os.path.abspath(options.program)
    cases = [no_such_queue, cancelled, timed_out, preempted, node_dies, disk_full, damaged_shard, other_version,
        other_commands]
    failed = 0
    with tempfile.TemporaryDirectory(prefix="warptime-slurm-") as name:
        folder = pathlib.Path(name)
        with Cluster(folder / "cluster", nodes=2 if options.smoke else 4) as cluster:
            if options.measure:
                measure(cluster, program, folder)
                return 0
            todo = [lambda: local_bytes(cluster, program, folder, 40 if options.smoke else 200)]
            names = ["local_bytes"]
            for case in [] if options.smoke else cases:
                todo.append(lambda case=case: case(cluster, program, folder))
                names.append(case.__name__)
            for case, run in zip(names, todo):
                if options.only not in case:
                    continue
                start = time.monotonic()
                try:
                    run()
                    print(f"{case}: passed, {time.monotonic() - start:.1f} s", flush=True)
                except (Failure, RuntimeError, subprocess.TimeoutExpired) as error:
                    failed += 1
                    print(f"{case}: FAILED: {error}", flush=True)
                    cluster.call(["scancel", "-u", "root"])
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
