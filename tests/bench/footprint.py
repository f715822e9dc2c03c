#!/usr/bin/env python3
"""footprint.py WARPTIME

What the program takes besides simulating: processor time until the first cycle is simulated (of the whole of a run with
next to nothing to do), and memory beyond that of the simulated device. Ends with 1 if it is more than promised."""
import json
import os
import subprocess
import sys

STARTS = 21
MOST_START_MS = 30
MOST_MEMORY_MB = 60
# Runs and the bytes that they allocate on the device. The host program's own arrays count with the simulator's memory.
MEMORY_RUNS = (("matmul:unrolled --param n=512", 3 * 512 * 512 * 4),
               ("matmul:unrolled --param n=512 --functional", 3 * 512 * 512 * 4),
               ("saxpy --param n=1048576", 2 * 1048576 * 4),
               ("smooth:linear --param width=512 --param height=512", 2 * 512 * 512 * 4))


def start_ms(program):
    """The least of several starts, in processor time: other work on the host only adds to it."""
    def once():
        child = subprocess.Popen([program, "run", "saxpy", "--param", "n=1", "--quiet"], stdout=subprocess.DEVNULL)
        _, status, used = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        if child.returncode != 0:
            raise RuntimeError(f"warptime run saxpy: status {child.returncode}")
        return (used.ru_utime + used.ru_stime) * 1000
    return min(once() for _ in range(STARTS))


def memory_mb(program, words, device_bytes):
    out = subprocess.run([program, "run", *words.split(), "--no-check", "--quiet", "--json"], stdout=subprocess.PIPE, check=True)
    return (json.loads(out.stdout)["host"]["peak_rss_bytes"] - device_bytes) / 1e6


def main():
    program, failed = os.path.abspath(sys.argv[1]), False

    def hold(what, value, limit, unit):
        nonlocal failed
        failed |= value > limit
        print(f"{what:55} {value:6.1f} {unit}, at most {limit}{' BROKEN' if value > limit else ''}")

    hold("processor time to the first cycle", start_ms(program), MOST_START_MS, "ms")
    for words, device_bytes in MEMORY_RUNS:
        hold(words, memory_mb(program, words, device_bytes), MOST_MEMORY_MB, "MB")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
