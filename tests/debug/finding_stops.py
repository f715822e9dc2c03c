#!/usr/bin/env python3
"""The programs with faults (tests/check/programs) in the debugger: the timed launch stops at everything that
`warptime check` finds on the same machine, and reverse-continue goes back through the same stops.

    finding_stops.py WARPTIME [--only TEXT]
"""
import argparse
import json
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/check"))
from cases import all_cases

OPTIONS = {"memcheck": "--check-memory", "initcheck": "--check-init", "racecheck": "--check-races", "synccheck": "--check-sync"}
TIMED = {"generic": "jetson-tk1"}  # the debugger requires a machine with timing
MOST = 12  # stops of a program


def run(arguments, **more):
    return subprocess.run([str(a) for a in arguments], capture_output=True, text=True, timeout=120, **more)


def found(target, machine, tool):
    """(kind, line, block, thread) of each finding that has a moment in the run: not of notes, of leaks, and of shuffles
    whose value is used later. None: the machine cannot run it. The line is that of the CUDA source where the debugger
    shows it."""
    done = run([*target, "--machine", machine, "--tool", tool, "--json"])
    if done.returncode == 2:
        return None
    return {(f["kind"], f["source_line"] or f["line"], tuple(f["block"]), tuple(f["thread"]))
            for f in json.loads(done.stdout)["findings"] if f["kind"] not in ("leak", "shuffle_source") and f["severity"] != "note"}


def stops(text, command):
    """Kind, line, block and thread of each stop, in order."""
    out = []
    for part in text.split(f"(warptime) {command}\n")[1:]:
        part = part.split("(warptime) ")[0]
        thread = re.search(r"block \((\d+),(\d+),(\d+)\), thread \((\d+),(\d+),(\d+)\)\]", part)
        for line, kind in re.findall(r"^Catchpoint 1, .*:(\d+), cycle .*\n  (\w+): ", part, re.M):
            numbers = [int(n) for n in thread.groups()]
            out.append((kind, int(line), tuple(numbers[:3]), tuple(numbers[3:])))
    return out


def check(warptime, folder, expected):
    launch, tool = pathlib.Path(folder) / "launch.yaml", expected["tool"]
    machine = TIMED.get(expected["machine"], expected["machine"])
    wanted = found([warptime, "check", launch], machine, tool)
    if wanted is None:
        return None, "", ""
    debug = [warptime, "debug", launch, "--machine", machine, OPTIONS[tool], "--script", "-"]
    done = run(debug, input="continue\n" * MOST)
    there = stops(done.stdout, "continue")
    has_fault = "ended with a fault" in done.stdout  # the timed launch ends there, a checked one goes on
    missed = wanted - set(there)
    problem = ""
    if not set(there) <= wanted:
        problem = "stops that check does not find"
    if missed and not has_fault:
        problem = f"no stop at {sorted(missed)}"
    if there and not has_fault:
        count = len(there)
        back = stops(run(debug, input="continue\n" * count + "reverse-continue\n" * count).stdout, "reverse-continue")
        if back != there[-2::-1]:
            problem = f"backwards {back}"
    return len(wanted), problem and f"{problem}\n  stops: {there}\n  check: {sorted(wanted)}", done.stdout + done.stderr


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("warptime")
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    failed = findings = skipped = 0
    selected = {name: e for name, e in all_cases().items() if options.only in name}
    for name, case in selected.items():
        with tempfile.TemporaryDirectory() as folder:
            case.unpack(folder)
            count, problem, text = check(options.warptime, folder, case.expected)
        if count is None:
            skipped += 1
            continue
        findings += count
        if problem:
            failed += 1
            print(f"{name}: {problem}" + (f"\n{text}" if options.only else ""))
    print(f"{len(selected)} programs, {findings} findings, {failed} failed; {skipped} for other machines")
    return 1 if failed or not findings else 0


if __name__ == "__main__":
    sys.exit(main())
