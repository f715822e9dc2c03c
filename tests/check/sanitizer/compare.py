#!/usr/bin/env python3
"""Writes docs/checkers-compared.md: compare.py WARPTIME. With --check: is the file as it would be written?

`warptime check` runs here; what compute-sanitizer reported is read from the cases.
"""
import pathlib
import re
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
import cases  # noqa: E402
import check_programs  # noqa: E402

DOCUMENT = HERE.parents[2] / "docs" / "checkers-compared.md"


# Why compute-sanitizer reports something in a twin.
REMARKS = {
    "shared_reduction_lockstep": "the program relies on warps that run in lockstep, as those of its machine do; on an H200 the warning is right",
    "shared_two_named_barriers": "two warps meet at one barrier from two instructions, which PTX allows",
    "deadlock_two_barriers": "the same",
    "barrier_operations_differ": "the same",
    "mbarrier_parity_not_flipped": "the same",
    "mbarrier_ring_second_reader_does_not_wait": "the copy comes behind arrivals that come behind the reads, an order that racecheck does not follow",
}


class Recorded:
    """What compute-sanitizer reported about one program, by module and build."""

    def __init__(self, text):
        self.machine = text.split("\n")[0]
        self.builds = {}
        for part in text.split("\n\n")[1:]:
            head, *rest = part.strip("\n").split("\n")
            module, build, ended = re.match(r"(\w+)\.ptx, (\w+): without a tool (.*)", head).groups()
            findings, tool = [], None
            for line in rest:
                if line.startswith("    "):
                    findings.append((tool, line.strip()))
                else:
                    tool = line.strip().split(":")[0]
            self.builds[module, build] = (ended, findings)

    def of(self, module):
        """Each finding with the builds in which it came: (tool, text without the count) -> builds."""
        found = {}
        for (of_module, build), (_, findings) in self.builds.items():
            if of_module == module:
                for tool, text in findings:
                    found.setdefault((tool, re.sub(r" \(\d+ times\)$", "", text)), []).append(build)
        return found

    def hangs(self):
        return any(ended == "it did not end" for ended, _ in self.builds.values())


def lines_in(text):
    found = re.search(r"\blines? (\d+)(?: and (\d+))?", text)
    return {int(number) for number in found.groups() if number} if found else set()


def is_of_fault(text, expected):
    """The finding is at the fault's line; or it has no line, as a leak."""
    lines = lines_in(text)
    at = set(check_programs.as_list(expected["line"])) | {expected.get("with_line")}
    return not lines or bool(lines & at)


def same_thread(text, expected):
    if expected["thread"] is None:
        return False
    thread = "({},{},{})".format(*expected["thread"])
    block = "({},{},{})".format(*expected["block"])
    return f"block {block}" in text and thread in text


def title(tool, text):
    return f"{tool}: " + re.split(r", lines? \d|, block", text)[0].replace("__", r"\_\_").replace(" :", ":").rstrip(".")


def sanitizer_cell(recorded, of_fault):
    if not of_fault:
        return "no; the program does not end" if recorded.hangs() else "no"
    cells = {}
    for (tool, text), builds in of_fault.items():
        cells.setdefault(title(tool, text), set()).update(builds)
    return "; ".join(cell + ("" if len(builds) == 2 else f" ({builds.pop()} only)") for cell, builds in cells.items())


def findings_of_warptime(warptime, case):
    """Those of all tools together."""
    with tempfile.TemporaryDirectory() as folder:
        case.unpack(folder)
        return check_programs.check(warptime, pathlib.Path(folder, "launch.yaml"), case.expected["machine"], "all")[1]


def warptime_cell(findings, expected):
    if not any(check_programs.is_expected(finding, expected) for finding in findings):
        return "no"
    thread = "" if expected["thread"] is None else ", thread ({},{},{})".format(*expected["thread"])
    line = " or ".join(map(str, check_programs.as_list(expected["line"])))
    return f"{expected['tool']}: `{expected['kind']}`, line {line}{thread}"


def document(warptime):
    rows, kinds, twins, elsewhere = [], {}, [], []
    only_warptime, only_sanitizer, neither, same = [], [], [], 0
    with_maps, missing = [], []  # run_program.py cannot launch the first
    machine = ""
    for name, case in cases.all_cases().items():
        if cases.FINDINGS not in case.sections:
            (with_maps if "tensor_map" in case.sections["launch.yaml"] else missing).append(name)
            continue
        expected, recorded = case.expected, Recorded(case.sections[cases.FINDINGS])
        machine = recorded.machine
        of_fault = {key: builds for key, builds in recorded.of("fault").items() if is_of_fault(key[1], expected)}
        findings = findings_of_warptime(warptime, case)
        here = warptime_cell(findings, expected)
        rows.append((name, here, sanitizer_cell(recorded, of_fault)))
        counts = kinds.setdefault((expected["tool"], expected["kind"]), [0, 0, 0])
        counts[0] += 1
        counts[1] += here != "no"
        counts[2] += bool(of_fault)
        same += here != "no" and any(same_thread(text, expected) for _, text in of_fault)
        if (here != "no") != bool(of_fault):
            (only_sanitizer if of_fault else only_warptime).append(name)
        elif here == "no":
            neither.append(name)
        in_twin = sorted({title(*finding) for finding in recorded.of("mended")})
        twins += [f"- `{name}`: {text}: {REMARKS.get(name, 'not explained')}" for text in in_twin]
        known = {finding["line"] for finding in findings}
        uncovered = sorted({title(tool, text) for tool, text in recorded.of("fault") if not is_of_fault(text, expected)
                            and not lines_in(text) & known})
        elsewhere += [f"- `{name}`: {text}: {REMARKS.get(name, 'not explained')}" for text in uncovered]
    total = [sum(counts[i] for counts in kinds.values()) for i in range(3)]
    out = ["# warptime check and compute-sanitizer", "",
           "For users of compute-sanitizer: what `warptime check` finds that it does not find, and the reverse. Both ran the same",
           f"{total[0]} modules, which have one fault each ([tests/check/programs](../tests/check/programs)), on the same buffers.",
           f"Recorded with {machine}: unoptimized (`ptxas -g`)", "and optimized, under each of its four tools. A fault counts as reported",
           "where any tool names its line (or names no line at all, as for a leak). Its findings are at the",
           "end of each program's file there.", "",
           "This page is written by `tests/check/sanitizer/compare.py build/warptime`, which runs `warptime check`; a test compares it.", "",
           "## Faults found, by kind", "", "| tool | kind | programs | `warptime check` | compute-sanitizer |", "|---|---|---|---|---|"]
    out += [f"| {tool} | `{kind}` | {counts[0]} | {counts[1]} | {counts[2]} |" for (tool, kind), counts in kinds.items()]
    out += [f"| all | | {total[0]} | {total[1]} | {total[2]} |", "",
            f"Both find {total[0] - len(only_warptime) - len(only_sanitizer) - len(neither)}; in {same} of them compute-sanitizer also "
            "names the thread that `warptime check` names first.", "",
            f"Found by `warptime check` only ({len(only_warptime)}): {listed(only_warptime)}.", "",
            f"Found by compute-sanitizer only ({len(only_sanitizer)}): {listed(only_sanitizer)}.", "",
            f"Found by neither ({len(neither)}): {listed(neither)}.", "",
            f"Not recorded with compute-sanitizer, as their tensor maps need the driver ({len(with_maps)}): {listed(with_maps)}.", "",
            f"Not recorded yet ({len(missing)}): {listed(missing)}.", "",
            "In the twins `warptime check` reports nothing (`tests/check/check_programs.py`), compute-sanitizer"
            + (":" if twins else " nothing either."), "", *twins, "",
            "At lines where `warptime check` reports nothing, compute-sanitizer reports" + (":" if elsewhere else " nothing."), "", *elsewhere, "",
            "## Every program", "", "| program | `warptime check` | compute-sanitizer |", "|---|---|---|"]
    out += [f"| `{name}` | {here} | {there} |" for name, here, there in rows]
    return re.sub(r"\n{3,}", "\n\n", "\n".join(out)) + "\n"


def listed(names):
    return ", ".join(f"`{name}`" for name in names) or "none"


def main():
    arguments = [a for a in sys.argv[1:] if a != "--check"]
    text = document(arguments[0])
    if "--check" not in sys.argv:
        DOCUMENT.write_text(text)
        return 0
    if DOCUMENT.read_text() == text:
        return 0
    print(f"docs/{DOCUMENT.name} is out of date: run tests/check/sanitizer/compare.py build/warptime")
    return 1


if __name__ == "__main__":
    sys.exit(main())
