#!/usr/bin/env python3
"""launches.py WARPTIME [--all]: the launch files of validation/hopper. Their two lists name each file once and share no
source and no kernel; measured.csv has a row for each; the values of functional runs are those that the files expect
(without --all: of launches with up to 64 blocks)."""
import concurrent.futures
import csv
import pathlib
import re
import subprocess
import sys

FOLDER = pathlib.Path(__file__).resolve().parents[2] / "validation" / "hopper"
GROUPS = ("holdout", "more")
SMALL = 64  # blocks


class Launch:
    """A line of a list: its group, file and kernel, the source that the kernel is in, and the blocks of its grid."""

    def __init__(self, line):
        self.group, self.file = line.split()
        self.kernel = self.file.split(".")[0]
        text = (FOLDER / self.file).read_text(encoding="utf-8")
        self.source = re.search(r"^module: (\w+)\.ptx$", text, re.M)[1]
        grid = re.search(rf"kernel: {self.kernel}\n    grid: \[([\d, ]+)\]", text)[1]
        self.blocks = 1
        for extent in grid.split(","):
            self.blocks *= int(extent)
        self.compares = "\nexpect:\n" in text


def list_breaches(launches):
    """What is wrong with the lists."""
    files = [launch.file for launch in launches]
    breaches = [f"{name}: not in exactly one list" for name in sorted({path.name for path in FOLDER.glob("*.yaml")} | set(files))
                if files.count(name) != 1]
    for what in ("kernel", "source"):
        held_out, more = ({getattr(launch, what) for launch in launches if launch.group == group} for group in GROUPS)
        breaches += [f"{name}: a {what} of both groups" for name in sorted(held_out & more)]
    breaches += [f"{launch.file}: expects nothing" for launch in launches if not launch.compares]
    for group in GROUPS:
        blocks = [launch.blocks for launch in launches if launch.group == group]
        if 3 * sum(count <= SMALL for count in blocks) < len(blocks):
            breaches.append(f"{group}.list: fewer than a third have up to {SMALL} blocks")
    with open(FOLDER / "measured.csv", encoding="utf-8") as file:
        measured = [(row["group"], row["file"]) for row in csv.DictReader(file)]
    if sorted(measured) != sorted((launch.group, launch.file) for launch in launches):
        breaches.append("measured.csv: not one row for each launch")
    return breaches


def run(warptime, launch):
    """What a functional run of the launch file says if it fails or its values are others; else an empty text."""
    result = subprocess.run([warptime, "run", FOLDER / launch.file, "--machine", "generic", "--functional", "--quiet"],
                            capture_output=True, text=True, check=False)
    return f"{launch.file}: exit status {result.returncode}\n{result.stderr}" if result.returncode != 0 else ""


def main():
    warptime, every = sys.argv[1], "--all" in sys.argv[2:]
    launches = [Launch(line) for group in GROUPS for line in (FOLDER / f"{group}.list").read_text(encoding="utf-8").splitlines()]
    breaches = list_breaches(launches)
    chosen = [launch for launch in launches if every or launch.blocks <= SMALL]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        breaches += filter(None, pool.map(lambda launch: run(warptime, launch), chosen))
    print("".join(breach + "\n" for breach in breaches) + f"{len(chosen)} of {len(launches)} launches run, {len(breaches)} breach(es)")
    return 1 if breaches or not chosen else 0


sys.exit(main())
