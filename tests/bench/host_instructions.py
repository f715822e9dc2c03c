#!/usr/bin/env python3
"""host_instructions.py show|check|approve WARPTIME

Instructions that the host executes for each warp instruction that it simulates, by valgrind: a figure that does not depend
on how busy the host is. One thread, AVX2 lane code, no check of results; what starting takes (the row `start`, a run of
almost nothing) is taken off the others. The runs, and the counts that are guarded, are in runs.csv.

check: ends with 1 if a row counts 10 % more than its guard, or 10 % less: then the guard has to follow, by `approve`, which
writes the counts anew. Ends with 77 where nothing can be counted. Another compiler counts otherwise; CMake asks for the
check only of Release by g++."""
import csv
import json
import math
import os
import re
import shutil
import subprocess
import sys
import tempfile

FOLDER = os.path.dirname(os.path.abspath(__file__))
RUNS = os.path.join(FOLDER, "runs.csv")
COLUMN = "host instructions"
MARGIN = 0.10


def runs():
    with open(RUNS, newline="") as file:
        return list(csv.DictReader(file, delimiter=";"))


def cannot_count():
    """Why not; None: it can."""
    if shutil.which("valgrind") is None:
        return "valgrind is not installed (./dev bench installs it)"
    with open("/proc/cpuinfo") as file:
        if " avx2" not in file.read():
            return "this processor has no AVX2"
    return None


def executed(program, words):
    """Instructions of a whole run, and the warp instructions that it simulated."""
    with tempfile.TemporaryDirectory() as folder:
        report = os.path.join(folder, "report.json")
        done = subprocess.run(["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", program, "run", *words.split(),
                               "--threads", "1", "--no-check", "--quiet", "--stats", report],
                              env={**os.environ, "WARPTIME_ISA": "avx2"}, capture_output=True, text=True)
        collected = re.search(r"Collected : (\d+)", done.stderr)
        if done.returncode != 0 or collected is None:
            raise RuntimeError(f"warptime run {words}: status {done.returncode}\n{done.stderr}")
        with open(report, encoding="utf-8") as text:
            return int(collected[1]), json.load(text)["total"]["warp_instructions"]


def counts(program):
    """By row: host instructions of a warp instruction; of `start`, all."""
    out, start = {}, 0
    for row in runs():
        host, warp = executed(program, row["by instructions"])
        if row["run"] == "start":
            out["start"] = start = host
        else:
            out[row["run"]] = round((host - start) / warp)
    return out


def check(program):
    counted, failed = counts(program), False
    for row in runs():
        name, guard = row["run"], int(row[COLUMN])
        change = counted[name] / guard - 1 if guard > 0 else math.inf
        print(f"{name:28} {counted[name]:>10} host instructions, guard {guard:>10} ({change:+.1%})")
        if abs(change) <= MARGIN:
            continue
        failed = True
        more = "more than the guard allows" if change > 0 else "fewer: the guard has to follow"
        print(f"  {more}; if that is meant: tests/bench/host_instructions.py approve build/warptime")
    return 1 if failed else 0


def approve(program):
    counted, rows = counts(program), runs()
    for row in rows:
        row[COLUMN] = counted[row["run"]]
    with open(RUNS, "w", newline="") as file:
        writer = csv.DictWriter(file, rows[0].keys(), delimiter=";", lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    return 0


def show(program):
    for name, count in counts(program).items():
        print(f"{name:28} {count:>10}")
    return 0


def main():
    commands = {"show": show, "check": check, "approve": approve}
    if len(sys.argv) != 3 or sys.argv[1] not in commands:
        print(__doc__, file=sys.stderr)
        return 2
    why = cannot_count()
    if why is not None:
        print(f"host instructions cannot be counted: {why}")
        return 77
    return commands[sys.argv[1]](os.path.abspath(sys.argv[2]))


if __name__ == "__main__":
    sys.exit(main())
