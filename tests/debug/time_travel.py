#!/usr/bin/env python3
"""Stopping a launch anywhere changes nothing: the statistics are those of `warptime run`, and a cycle looks the same whichever
way it was reached.

    tests/debug/time_travel.py build/warptime
"""

import json
import pathlib
import random
import subprocess
import sys
import tempfile

PROGRAM = sys.argv[1]
LOOKS = ["info sms", "info warps", "info registers", "info scoreboard", "info pipes", "info stack", "info barriers", "info queues", "info caches"]


def debug(target, commands, *options):
    done = subprocess.run([PROGRAM, "debug", *target, *options, "--script", "-"], input="\n".join(commands) + "\n",
                          capture_output=True, text=True, timeout=120)
    assert done.returncode == 0 and done.stderr == "", (target, done.returncode, done.stderr)
    return done.stdout


def without_host(file):
    statistics = json.loads(file.read_text())
    del statistics["host"]
    return statistics


def statistics_are_the_same(folder, target, commands):
    plain, debugged = folder / "plain.json", folder / "debugged.json"
    subprocess.run([PROGRAM, "run", *target, "--quiet", "--stats", plain], check=True, timeout=120)
    debug(target, commands, "--stats", debugged)
    assert without_host(plain) == without_host(debugged), target


def cycle_looks_the_same(target, last, chance):
    """A cycle reached from the beginning, from the one before, from behind, and by single cycles."""
    for cycle in sorted(chance.randrange(2, last) for _ in range(4)):
        near = max(1, cycle - 25)
        ways = {"at once": [f"goto cycle {cycle}"], "from behind": [f"goto cycle {last + 9}", f"goto cycle {cycle}"],
                "step by step": [f"goto cycle {near}"] + ["cycle 1"] * (cycle - near),
                "to and fro": [f"goto cycle {cycle}", f"goto cycle {near}", f"goto cycle {cycle}"]}
        seen = {}
        for way, commands in ways.items():
            # The focus is chosen, because it follows the way.
            lines = debug(target, [*commands, "cuda sm 0 warp 0 lane 0", "print 4711", *LOOKS]).splitlines()
            seen[way] = lines[lines.index("(warptime) print 4711"):]
        for way, text in seen.items():
            assert text == seen["at once"], (target, cycle, way, text, seen["at once"])


def steps_are_undone(target, chance):
    """Forwards by instructions and back again: the same places in the opposite order."""
    begin, count = chance.randrange(300, 900), 12
    text = debug(target, [f"goto cycle {begin}", "stepi", *["stepi"] * count, *["reverse-stepi"] * count])
    cycles = [int(line.split()[1].rstrip(",:")) for line in text.splitlines() if line.startswith("cycle ")][2:]
    there, back = cycles[:count + 1], cycles[count + 1:]
    # stepi stands behind an instruction, reverse-stepi before it: one cycle earlier.
    assert [cycle - 1 for cycle in reversed(there[1:])] == back, (target, there, back)


def moments_are_dropped(target, last):
    """At most 64 moments of a long launch are kept, equally far apart, from its beginning on."""
    text = debug(target, [f"goto cycle {last}", "info checkpoints"])
    kept = [int(line.split()[1].rstrip(",")) for line in text.splitlines() if line.endswith(" bytes") and line.startswith("cycle ")]
    assert kept[0] == 0 and 32 <= len(kept) <= 64, kept
    assert len({after - before for before, after in zip(kept[1:], kept[2:])}) == 1 and kept[-1] > last - 100000, kept


def main():
    chance = random.Random(1)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        stops = ["cycle 1"] * 40 + ["goto cycle 333", "goto cycle 222", "stepi 20", "reverse-stepi 3", "goto cycle 1", "continue"]
        every = [f"goto cycle {cycle}" for cycle in range(1, 1500)] + ["continue"]
        for target in (["matmul:tiled", "--param", "n=32"], ["vecadd", "--param", "n=2000"], ["histogram:atomics", "--param", "n=3000", "--machine", "tesla-c1060"],
                       ["matmul:tiled", "--param", "n=32", "--machine", "geforce-gtx-480"], ["tests/debug/calls.yaml"]):
            target = [str(ROOT / word) if word.endswith(".yaml") else word for word in target]
            statistics_are_the_same(folder, target, stops + ["continue"] * 3)
            statistics_are_the_same(folder, target, every + ["continue"] * 3)
    for target, last in ((["matmul:tiled", "--param", "n=64"], 22000), (["reduce:sequential", "--param", "n=4096"], 2000),
                         (["matmul:tiled", "--param", "n=32", "--machine", "geforce-gtx-480"], 6000), (LONG, 3000000)):
        cycle_looks_the_same(target, last, chance)
        steps_are_undone(target, chance)
    moments_are_dropped(LONG, 3000000)
    print("ok")


ROOT = pathlib.Path(__file__).resolve().parents[2]
LONG = [str(ROOT / "tests/debug/spin.yaml")]
main()
