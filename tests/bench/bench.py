#!/usr/bin/env python3
"""bench.py BUILD [--against BUILD] [--only REGEX] [--rounds N]

Runs every benchmark of tests/bench and prints one table: what is measured, time of one, how many a second, and the host's
instructions for a warp instruction where valgrind is there. --against: the same of an older build, each benchmark in turn
with this one's, round by round, and how many times as fast it is now (> 1: faster). Benchmarks that the older build does
not have are left out, but for whole runs: the built program suffices for these."""
import argparse
import json
import os
import re
import statistics
import subprocess
import sys

import footprint
import host_instructions

MIN_SECONDS = 0.05  # of a benchmark in a round
LAYERS = ("ptx", "exec", "core", "mem", "gpu", "runs")


class Build:
    def __init__(self, folder):
        self.program = os.path.abspath(os.path.join(folder, "warptime"))
        self.benchmarks = os.path.abspath(os.path.join(folder, "tests", "bench", "bench"))

    def names(self):
        if not os.path.exists(self.benchmarks):
            return []
        out = subprocess.run([self.benchmarks, "--benchmark_list_tests"], stdout=subprocess.PIPE, text=True, check=True)
        return out.stdout.splitlines()

    def measure(self, benchmarks, name):
        """Seconds for one item, and what an item is; (None, why) if it could not be run."""
        pattern = re.sub(r"[][.^$*+?(){}|\\]", r"\\\g<0>", name)  # re.escape escapes more than the library reads
        command = [benchmarks, f"--benchmark_filter=^{pattern}$", "--benchmark_format=json",
                   f"--benchmark_min_time={MIN_SECONDS}"]
        out = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                             env={**os.environ, "WARPTIME": self.program})
        if out.returncode != 0:
            return None, f"status {out.returncode}"
        result = json.loads(out.stdout)["benchmarks"][0]
        if result.get("error_occurred"):
            return None, result["error_message"].strip().splitlines()[0]
        return 1 / result["items_per_second"], result["label"]


def progress(text):
    """A line that the next one overwrites."""
    if sys.stderr.isatty():
        print(f"\r{text:70.70}\r", end="", file=sys.stderr, flush=True)


def title_of(name):
    """(layer, what) of a benchmark, without what the library appends."""
    layer, what = name.split("/")[:2]
    return layer, what


def measure_all(sides, rounds, only):
    """[(layer, what, item, [median of each side])], and what went wrong."""
    now, known = sides[0], [set(side.names()) for side in sides]
    rows, failures = [], []
    for name in sorted(now.names(), key=lambda name: LAYERS.index(title_of(name)[0])):
        layer, what = title_of(name)
        if not re.search(only, f"{layer}/{what}"):
            continue
        progress(f"{layer} {what}")
        # The program is older, what drives it need not be.
        programs = [now.benchmarks if layer == "runs" else side.benchmarks for side in sides]
        seconds, item = [[] for _ in sides], ""
        for _ in range(rounds):
            for i, side in enumerate(sides):
                if layer != "runs" and name not in known[i]:
                    continue
                value, text = side.measure(programs[i], name)
                if value is None:
                    failures.append(f"{layer}/{what}: {text}")
                    continue
                seconds[i].append(value)
                item = item or text
        rows.append((layer, what, item, [statistics.median(s) if s else None for s in seconds]))
    progress("")
    return rows, sorted(set(failures))


def in_units(value, form):
    return "-" if value is None else format(value, form)


def ratio(before, now):
    return "-" if before is None or now is None else f"{before / now:.2f}"


def print_table(head, lines):
    widths = [max(len(line[i]) for line in [head, *lines]) for i in range(len(head))]
    for line in [head, *lines]:
        cells = [cell.ljust(width) if i < 3 else cell.rjust(width) for i, (cell, width) in enumerate(zip(line, widths))]
        print("  ".join(cells).rstrip())


def main():
    parser = argparse.ArgumentParser(prog="./dev bench", description="How fast each layer is, and whole runs.")
    parser.add_argument("build", help=argparse.SUPPRESS)
    parser.add_argument("--against", metavar="COMMIT|FOLDER", help="compare with an older commit or a build folder, in turn")
    parser.add_argument("--only", metavar="REGEX", default="", help="benchmarks whose LAYER/NAME matches")
    parser.add_argument("--rounds", metavar="N", type=int, default=3, help="times that each is measured; the median counts (3)")
    options = parser.parse_args()
    sides = [Build(options.build)] + ([Build(options.against)] if options.against else [])

    rows, failures = measure_all(sides, options.rounds, options.only)
    counted = [{} for _ in sides]
    why = host_instructions.cannot_count()
    if why is None and any(layer == "runs" for layer, *_ in rows):
        progress("counting host instructions")
        counted = [host_instructions.counts(side.program) for side in sides]
        progress("")

    head = ["layer", "what", "of each", "ns", "M/s", "host instr."]
    head += ["ns before", "times as fast", "instr. before"] if options.against else []
    lines = []
    for layer, what, item, seconds in rows:
        now = seconds[0]
        line = [layer, what, item, in_units(now and now * 1e9, ".1f"), in_units(now and 1e-6 / now, ".3g"),
                str(counted[0].get(what, "")) if layer == "runs" else ""]
        if options.against:
            line += [in_units(seconds[1] and seconds[1] * 1e9, ".1f"), ratio(seconds[1], now),
                     str(counted[1].get(what, "")) if layer == "runs" else ""]
        lines.append(line)
    if not lines:
        print(f"no benchmark matches \"{options.only}\"", file=sys.stderr)
        return 2
    if not options.only:
        for name, side in zip(["now", "before"], sides):
            start = f"{footprint.start_ms(side.program):.1f} ms of processor time to start"
            memory = f"{footprint.memory_mb(side.program, *footprint.MEMORY_RUNS[0]):.0f} MB beside the device's memory"
            print(f"{name}: {start}, {memory}")
    print_table(head, lines)
    if why is not None:
        print(f"host instructions are not counted: {why}")
    for failure in failures:
        print(f"failed: {failure}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
