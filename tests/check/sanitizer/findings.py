#!/usr/bin/env python3
"""Writes into the cases of programs/ what record.py recorded: findings.py RAW.json

A finding is a kind of error at a line of the PTX: the first thread that it names, and how often it came. Addresses and
paths differ from run to run and are left out.
"""
import json
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import cases  # noqa: E402


def lines_of_offsets(disassembly):
    """For each function's name: the PTX line of each offset in its section."""
    table, section, line = {}, {}, None
    for text in disassembly.split("\n"):
        if re.match(r"//-+ \.text\.", text):
            section, line = {}, None
        elif found := re.match(r'\s*//## File "\.nv_debug_ptx_txt", line (\d+)', text):
            line = int(found[1])
        elif found := re.match(r"\s+/\*([0-9a-f]{4,})\*/\s", text):
            section[int(found[1], 16)] = line
        elif found := re.match(r"([\w$]+):$", text):
            table[found[1]] = section
    return table


def records_of(output):
    """Each error of the tool: its title and its further lines."""
    records = []
    for text in output.split("\n"):
        if not text.startswith("========="):
            continue
        text = text[len("========="):]
        if text.startswith("     ") and records:
            records[-1].append(text.strip())
        elif text.strip():
            records.append([text.strip()])
    return records


IGNORED = ("COMPUTE-SANITIZER", "ERROR SUMMARY", "RACECHECK SUMMARY", "LEAK SUMMARY", "Program hit", "Target application returned",
           "Error: process didn't terminate", "No attachable process found", "Error: No attachable")


def without_addresses(text):
    text = re.sub(r" (at|to|is|Address) 0x[0-9a-f]+", "", text)
    return re.sub(r"0x[0-9a-f]+", "ADDRESS", text)


def finding_of(record, lines):
    """Title, lines, block, thread and remark of one error."""
    text = " | ".join(record)
    at = [lines.get(name, {}).get(int(offset, 16)) for name, offset in re.findall(r"at ([\w$]+)\+0x([0-9a-f]+)", text)]
    block = re.search(r"in block (\(\d+,\d+,\d+\))", text)
    threads = re.findall(r"[Tt]hread (\(\d+,\d+,\d+\))", text)
    title = without_addresses(record[0])
    title = re.sub(r" in block \(.*", "", title)
    remark = ""
    if hazard := re.search(r"Potential (\w+) hazard", record[0]):
        title = f"{record[0].split(':')[0]}: potential {hazard[1]} hazard in shared memory"
        kinds = [part.split(" ")[0].lower() for part in record[1:] if "Thread" in part]
        remark = " before ".join(kinds)
    for part in record[1:]:
        if found := re.search(r"and is (\d+ bytes (?:after|before|inside) the nearest allocation)", part):
            remark = found[1]
        elif "misaligned" in part:
            remark = "misaligned"
        elif "freed" in part:
            remark = "freed"
    return title, [line for line in at if line], block[1] if block else "", threads, remark


def findings_of(tool, output, disassembly):
    """The findings of a run, each once, in the order in which the tool printed them."""
    lines = lines_of_offsets(disassembly)
    completed = "\ndone" in output
    found = {}
    for record in records_of(output):
        # "Race reported between" sums up hazards that are listed themselves.
        if record[0].startswith(IGNORED) or "Race reported between" in record[0] or (record[0].startswith("Leaked") and not completed):
            continue
        title, at, block, threads, remark = finding_of(record, lines)
        entry = found.setdefault((title, tuple(at)), {"title": title, "lines": at, "block": block, "threads": threads,
                                                      "remark": remark, "count": 0})
        entry["count"] += 1
    return list(found.values())


def text_of(finding):
    parts = [finding["title"]]
    if finding["lines"]:
        parts.append(("line " if len(finding["lines"]) == 1 else "lines ") + " and ".join(map(str, finding["lines"])))
    if finding["block"]:
        parts.append(f"block {finding['block']}")
    if finding["threads"]:
        parts.append(("thread " if len(finding["threads"]) == 1 else "threads ") + " and ".join(finding["threads"]))
    if finding["remark"]:
        parts.append(finding["remark"])
    return ", ".join(parts) + (f" ({finding['count']} times)" if finding["count"] > 1 else "")


def how_it_ended(run):
    status, output = run
    if status is None:
        return "it did not end"
    error = re.search(r"CUDA_ERROR_\w+", output)
    return error[0] if error else "completed" if status == 0 else f"exit status {status}"


def main():
    raw = json.loads(pathlib.Path(sys.argv[1]).read_text())
    version = re.search(r"[\d.]+", raw["sanitizer"])[0]
    texts = {}
    for entry in raw["entries"]:
        name = entry["program"]
        text = texts.setdefault(name, [f"compute-sanitizer {version} on an {raw['gpu']} (compute capability {raw['capability']})"])
        text.append(f"\n{entry['module']}.ptx, {entry['build']}: without a tool {how_it_ended(entry['plain'])}")
        for tool, (status, output) in entry["tools"].items():
            findings = findings_of(tool, output, entry["disassembly"])
            ended = "" if status is not None else "it did not end; "
            if findings:
                text.append(f"  {tool}: {ended}".rstrip())
                text += ["    " + text_of(finding) for finding in findings]
            else:
                text.append(f"  {tool}: {ended}nothing")
    for name, text in texts.items():
        cases.CaseFile(name).replace(cases.FINDINGS, "\n".join(text) + "\n")
    print(len(texts), "cases")


if __name__ == "__main__":
    main()
