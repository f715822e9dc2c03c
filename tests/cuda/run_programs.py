#!/usr/bin/env python3
"""run_programs.py BUILD [NAME...]: builds the programs of tests/cuda/programs/ (build_programs.py), runs each on the machines
of programs/expected.txt by `BUILD/warptime exec`, and compares how it ended with that table. --quick: only the marked programs, on the first
and the last machine. --nvcc: as nvcc builds them, where it is."""
import argparse
import concurrent.futures
import os
import re
import shutil
import subprocess
import sys
import time

import build_programs

LIMIT = 60  # seconds for one run


def expected_table():
    """(sentences by word, machines, {program: (is quick, [cell of each machine])})"""
    sentences, machines, rows = {}, [], {}
    for line in build_programs.read(os.path.join(build_programs.PROGRAMS, "expected.txt")).splitlines():
        if line.startswith("#") or not line.strip():
            continue
        if found := re.match(r"(no-[\w-]+): (.*)$", line):
            sentences[found[1]] = found[2]
        elif line.startswith("program"):
            machines = line.split()[1:]
        else:
            name, *cells = line.split()
            rows[name.rstrip("*")] = (name.endswith("*"), cells)
    return sentences, machines, rows


def run_one(warptime, program, name, machine, cell, sentences):
    """What differs from the cell, or nothing; and the seconds."""
    options = ["--functional"] if cell == "values" or cell.startswith("no-") else []
    begin = time.monotonic()
    try:
        result = subprocess.run([warptime, "exec", "--machine", machine, *options, "--", program], capture_output=True, text=True,
                                timeout=LIMIT)
    except subprocess.TimeoutExpired:
        return f"{name} on {machine}: not ended after {LIMIT} s", LIMIT
    seconds = time.monotonic() - begin
    is_ok = result.returncode == 0 and f"{name} ok\n" in result.stdout
    if cell.startswith("no-"):
        fits = not is_ok and sentences[cell] in result.stdout + result.stderr
    elif name == "reset":  # a launch that faults is the point of it
        fits = result.returncode == 3 and f"{name} ok\n" in result.stdout
    else:
        fits = is_ok and (cell == "values") == ("simulated" not in result.stderr)
    if fits:
        return None, seconds
    said = (result.stdout[-1000:] + result.stderr[-1500:]).rstrip()
    return f"{name} on {machine}: not as expected ({cell}); exit status {result.returncode}\n{said}", seconds


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("names", nargs="*")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--nvcc", action="store_true")
    parser.add_argument("--times", action="store_true", help="print the seconds of every run")
    arguments = parser.parse_intermixed_args()
    nvcc = shutil.which("nvcc") if arguments.nvcc else None
    if arguments.nvcc and nvcc is None:
        print("nvcc is not there: nothing is run\n0 passed, 0 failed")
        return
    sentences, machines, rows = expected_table()
    failed = [f"{name}: no row in programs/expected.txt" for name in build_programs.all_names() if name not in rows]
    failed += [f"{name}: a row in programs/expected.txt, but no program" for name in rows if name not in build_programs.all_names()]
    names = arguments.names or [name for name in rows if name in build_programs.all_names()
                                and (rows[name][0] or not arguments.quick) and (nvcc or not build_programs.is_for_nvcc(name))]
    folder = os.path.join(arguments.build, "cuda_programs" + ("_nvcc" if nvcc else "_quick" if arguments.quick else ""))
    built = build_programs.build(names, folder, os.path.join(arguments.build, "cuda"), nvcc)
    failed += [str(error) for error in built.values() if isinstance(error, Exception)]
    runs = [(name, machine, cell) for name in names if not isinstance(built[name], Exception)
            for machine, cell in zip(machines, rows[name][1]) if not arguments.quick or machine in (machines[0], machines[-1])]
    warptime = os.path.join(arguments.build, "warptime")
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        outcomes = list(pool.map(lambda run: run_one(warptime, built[run[0]], *run, sentences), runs))
    failed += [problem for problem, _ in outcomes if problem]
    if arguments.times:
        for (name, machine, cell), (_, seconds) in zip(runs, outcomes):
            print(f"{seconds:7.2f} s  {name} on {machine} ({cell})")
    print(*failed, f"{len(runs) - sum(problem is not None for problem, _ in outcomes)} passed, {len(failed)} failed", sep="\n")
    sys.exit(bool(failed))


if __name__ == "__main__":
    main()
