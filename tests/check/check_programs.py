#!/usr/bin/env python3
"""The programs of programs/, one fault each and a twin without it, under `warptime check`.

    check_programs.py WARPTIME                every program: the fault is found, the twin gives its outputs and no tool finds anything
    check_programs.py WARPTIME --twins        the twins' outputs alone, by `warptime run`
    check_programs.py WARPTIME --only TEXT    programs whose name contains TEXT, with all that was found
    check_programs.py WARPTIME --ptxas        also: ptxas accepts the PTX (it has to be on the PATH)

cases.py says what a case consists of.
"""
import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

import cases



class Failure(Exception):
    """What differs from the expectation, for a reader."""


def run(arguments):
    return subprocess.run([str(a) for a in arguments], capture_output=True, text=True, timeout=120)


def check(warptime, launch, machine, tool):
    """Exit status and findings."""
    done = run([warptime, "check", launch, "--machine", machine, "--tool", tool, "--json"])
    try:
        return done.returncode, json.loads(done.stdout)["findings"]
    except (json.JSONDecodeError, KeyError) as error:
        raise Failure(f"exit status {done.returncode}, no findings as JSON ({error}): {done.stderr[:500]}") from None


def as_list(value):
    return value if isinstance(value, list) else [value]


def place(finding):
    return (f"{finding['tool']} {finding['kind']} line {finding['line']}, kernel {finding['kernel']}, "
            f"block {finding['block']}, thread {finding['thread']}, buffer {finding['buffer']}: {finding['message']}")


def is_expected(finding, expected):
    """All that the expectation says holds of the finding."""
    return (finding["tool"] == expected["tool"] and finding["kind"] == expected["kind"]
            and finding["line"] in as_list(expected["line"]) and finding["kernel"] == expected["kernel"]
            and finding["block"] == expected["block"]
            and expected["thread"] in (None, finding["thread"])
            and ("buffer" not in expected or finding["buffer"] == expected["buffer"])
            and ("with_line" not in expected or finding["other"]["line"] == expected["with_line"])
            and ("variable" not in expected or finding["variable"] == expected["variable"])
            and ("remedy" not in expected or finding["remedy"] == expected["remedy"])
            and ("source_line" not in expected or finding["source_line"] in as_list(expected["source_line"]))
            and finding["count"] >= 1)


def check_fault(warptime, folder, expected):
    status, findings = check(warptime, folder / "launch.yaml", expected["machine"], expected["tool"])
    listed = "".join("\n    found: " + place(f) for f in findings) or "\n    nothing found"
    if not any(is_expected(finding, expected) for finding in findings):
        raise Failure(f"expected: {expected}{listed}")
    kinds = [expected["kind"], *expected.get("also", [])]
    others = [f["kind"] for f in findings if f["kind"] not in kinds + expected.get("notes", [])]
    if others:
        raise Failure(f"also found {others}{listed}")
    if any((f["severity"] == "warning") != ("same_value" in f["kind"] or f["kind"] in ("mbarrier_phase", "wgmma_fence")) for f in findings):
        raise Failure(f"other severities than expected{listed}")
    if any(not f["remedy"] for f in findings if f["kind"] != "fault"):
        raise Failure(f"no word on what would mend it{listed}")
    if status != (3 if any(f["severity"] == "error" for f in findings) else 0):
        raise Failure(f"exit status {status}{listed}")
    places = [(f["kind"], f["line"], f["kernel"]) for f in findings]
    if len(set(places)) != len(places):
        raise Failure(f"a place is listed more than once{listed}")
    _, by_all = check(warptime, folder / "launch.yaml", expected["machine"], "all")
    if not any(is_expected(finding, expected) for finding in by_all):
        raise Failure(f"found by {expected['tool']}, but not by all tools together: {[place(f) for f in by_all]}")
    return findings


def twin_of(expected):
    return expected.get("mended_machine", expected["machine"])


def check_outputs(warptime, folder, expected):
    done = run([warptime, "run", folder / "mended.yaml", "--machine", twin_of(expected), "--functional", "--quiet"])
    if done.returncode != 0:
        raise Failure(f"the twin: exit status {done.returncode}: {done.stdout[-300:]}{done.stderr[:500]}")


def check_twin(warptime, folder, expected):
    status, findings = check(warptime, folder / "mended.yaml", twin_of(expected), "all")
    findings = [f for f in findings if f["kind"] not in expected.get("notes", [])]
    if findings:
        raise Failure("the twin has no fault" + "".join("\n    found: " + place(f) for f in findings))
    if status != 0:
        raise Failure(f"the twin: no findings, but exit status {status}")


def check_ptxas(folder):
    for module in ("fault.ptx", "mended.ptx"):
        done = run(["ptxas", "-arch=sm_90a", "-o", "/dev/null", folder / module])
        if done.returncode != 0:
            raise Failure(f"{module}: {done.stdout}{done.stderr}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("warptime")
    parser.add_argument("--twins", action="store_true")
    parser.add_argument("--only", default="")
    parser.add_argument("--ptxas", action="store_true")
    options = parser.parse_args()
    selected = {name: e for name, e in cases.all_cases().items() if options.only in name}
    if not selected:
        raise SystemExit(f"no program's name contains \"{options.only}\"")
    failures = 0
    for name, case in selected.items():
        with tempfile.TemporaryDirectory() as place_of_files:
            folder, expected = pathlib.Path(place_of_files), case.expected
            case.unpack(folder)
            try:
                check_outputs(options.warptime, folder, expected)
                if options.ptxas:
                    check_ptxas(folder)
                if not options.twins:
                    findings = check_fault(options.warptime, folder, expected)
                    if options.only:
                        print(name, *(place(f) for f in findings), sep="\n    ")
                    check_twin(options.warptime, folder, expected)
            except (Failure, subprocess.TimeoutExpired) as failure:
                failures += 1
                print(f"{name}: {failure}")
    per_tool = ", ".join(f"{sum(case.expected['tool'] == tool for case in selected.values())} {tool}" for tool in cases.TOOLS)
    print(f"{len(selected)} programs ({per_tool}), {failures} failed")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
