#!/usr/bin/env python3
"""Attacks the built program: bad inputs over every command, and mutants of good ones.

    tests/attack/attack.py build/warptime                      every case of cases_*.py
    tests/attack/attack.py build/warptime --every 20           each twentieth case: a smoke test
    tests/attack/attack.py build-asan/warptime --minutes 60 --seed 7
                                                               mutants of the good inputs below, for that long
    tests/attack/attack.py build/warptime --only TEXT          cases whose name contains TEXT, with what they print

A run is a finding if it ends by a signal, with status 4 or one that the case does not allow, takes longer than the limit, prints
a control character or a sanitizer's report to standard error, ends with status 2 or 3 without a word, or leaves a temporary file.
The last line counts runs and findings; each finding is kept in a folder of its own (--keep, default attack-findings).
"""

import argparse
import concurrent.futures
import os
import pathlib
import random
import resource
import shlex
import shutil
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True  # the tests leave the tree as it is
if len(sys.argv) > 1:
    os.environ["WARPTIME_BUILD"] = subprocess.run([sys.argv[1], "--version"], capture_output=True, text=True,
                                                  check=False).stdout.removeprefix("warptime ").strip()
import cases_commands
import cases_data
import cases_debug
import cases_host
import cases_machines
import cases_measured
import cases_parameters
import cases_plots
import cases_ptx
import cases_shards
import mutants

ROOT = pathlib.Path(__file__).resolve().parents[2]
# What a user's terminal must never be sent: escape sequences and their like. Line ends and tabs are harmless.
CONTROL = set(range(32)) - {9, 10} | {127}


def limit_resources(sanitized, limits):
    """Address space of a run, and what a case limits; a sanitizer reserves terabytes. No core files."""
    def apply():
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 30, 1 << 30))
        if not sanitized:
            for name, most in {"AS": 8 << 30, **limits}.items():
                resource.setrlimit(getattr(resource, "RLIMIT_" + name), (most, most))
    return apply


def run_case(program, case, seconds, sanitized):
    """Returns (finding or None, exit status, standard error)."""
    folder = tempfile.mkdtemp(prefix="warptime-attack-")
    try:
        for name, data in case.files.items():
            path = pathlib.Path(folder, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data if isinstance(data, bytes) else data.encode("utf-8", "surrogateescape"))
        if case.prepare:
            case.prepare(folder)
        environment = {"PATH": os.environ["PATH"], "HOME": folder, "LC_ALL": "C",
                       "ASAN_OPTIONS": "allocator_may_return_null=1:detect_leaks=0", **case.environment}
        words = [word.replace("{root}", str(ROOT)) for word in case.words]
        stdin = os.open(os.path.join(folder, case.stdin), os.O_RDONLY)
        try:
            done = subprocess.run([program, *words], cwd=folder, env=environment, stdin=stdin,
                                  capture_output=True, timeout=seconds,
                                  preexec_fn=limit_resources(sanitized, case.limits))
        except subprocess.TimeoutExpired as expired:
            return "no end in time", None, expired.stderr or b""
        except (ValueError, OSError) as error:  # a NUL byte or an invalid name: no such call can be made
            return None, None, str(error).encode()
        finally:
            os.close(stdin)
        err = done.stderr
        finding = None
        if done.returncode < 0:
            finding = f"signal {-done.returncode}"
        elif b"Sanitizer" in err or b"runtime error:" in err:
            finding = "sanitizer"
        elif done.returncode not in case.allowed:
            finding = f"exit {done.returncode}, allowed {sorted(case.allowed)}"
        elif done.returncode in (2, 3) and not err.strip() and not done.stdout.strip():  # check prints its findings
            finding = f"exit {done.returncode} without a word"
        elif any(byte in CONTROL for byte in err):
            finding = "a control character in standard error"
        elif any(".warptime-" in name for name in os.listdir(folder)):
            finding = "a temporary file left behind"
        return finding, done.returncode, err
    finally:
        subprocess.run(["chmod", "-R", "u+rwX", folder], check=False)
        shutil.rmtree(folder, ignore_errors=True)


def keep(folder, number, case, finding, err):
    place = pathlib.Path(folder, f"{number:05d}")
    place.mkdir(parents=True, exist_ok=True)
    for name, data in case.files.items():
        path = place / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data if isinstance(data, bytes) else data.encode("utf-8", "surrogateescape"))
    (place / "finding").write_bytes(
        f"{case.name}\n{finding}\nwarptime {shlex.join(case.words)}\n\n".encode("utf-8", "surrogateescape") + err[:20000])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--every", type=int, default=1, help="only each N-th case")
    parser.add_argument("--only", help="only cases whose name contains this")
    parser.add_argument("--minutes", type=float, help="mutants for so long instead of the cases")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=float, help="limit of one run (20, with sanitizers 60)")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--keep", default="attack-findings")
    options = parser.parse_args()
    program = str(pathlib.Path(options.program).resolve())
    sanitized = b"__asan_init" in pathlib.Path(program).read_bytes()
    seconds = options.seconds or (60 if sanitized else 20)

    if options.minutes is None:
        cases = [case for module in (cases_ptx, cases_machines, cases_data, cases_commands, cases_parameters, cases_measured, cases_plots,
                 cases_shards, cases_debug, cases_host) for case in module.cases()]
        if options.only:
            cases = [case for case in cases if options.only in case.name]
        cases = iter(cases[::options.every])
    else:
        cases = mutants.endless(random.Random(options.seed), ROOT)
    stop = None if options.minutes is None else time.monotonic() + 60 * options.minutes

    runs = findings = 0
    statuses = {}
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        waiting = {}
        while True:
            while len(waiting) < 2 * options.jobs and (stop is None or time.monotonic() < stop):
                case = next(cases, None)
                if case is None:
                    break
                waiting[pool.submit(run_case, program, case, seconds, sanitized)] = case
            if not waiting:
                break
            done, _ = concurrent.futures.wait(waiting, return_when=concurrent.futures.FIRST_COMPLETED)
            for future in done:
                case = waiting.pop(future)
                finding, status, err = future.result()
                runs += 1
                statuses[status] = statuses.get(status, 0) + 1
                if options.only:
                    print(f"--- {case.name}: warptime {shlex.join(case.words)}\nexit {status}\n{err.decode(errors='replace')}")
                if finding:
                    findings += 1
                    print(f"{case.name}: {finding}: warptime {shlex.join(case.words)[:200]!r}")
                    keep(options.keep, runs, case, finding, err)
    by_status = ", ".join(f"{count} with {'none' if status is None else status}" for status, count in
                          sorted(statuses.items(), key=lambda item: (item[0] is None, item[0])))
    print(f"{runs} runs ({by_status}), {findings} findings")
    sys.exit(1 if findings or not runs else 0)


if __name__ == "__main__":
    main()
