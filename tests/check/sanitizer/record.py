#!/usr/bin/env python3
"""Runs the programs of programs/ under compute-sanitizer on a machine with an NVIDIA GPU: record.py RAW.json [NAME...]

Without names it runs all: ten minutes, most of them for the programs that hang.
The machine needs ptxas, nvdisasm and compute-sanitizer on the PATH, and PyYAML. Every module is assembled with debug
information (without optimization), a fault also with optimization, and runs under each of the four tools. findings.py
writes RAW.json into the cases.
"""
import concurrent.futures
import json
import os
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
import cases  # noqa: E402

SECONDS = 15  # a program that takes longer hangs
TOOLS = {
    "memcheck": ["--leak-check", "full"],
    "initcheck": [],
    "racecheck": ["--racecheck-report", "all", "--racecheck-detect-level", "info"],
    "synccheck": [],
}
BUILDS = {"debug": ["-g"], "optimized": ["-lineinfo"]}


def output_of(command):
    """Exit status (None: it did not end) and output."""
    done = subprocess.run(["timeout", "-k", "2", str(SECONDS), *map(str, command)], text=True, errors="replace",
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return (None if done.returncode in (124, 137) else done.returncode), done.stdout


def capability():
    status, text = output_of(["nvidia-smi", "--query-gpu=name,compute_cap", "--format=csv,noheader"])
    if status != 0:
        raise SystemExit("nvidia-smi finds no GPU")
    name, version = text.strip().split("\n")[0].split(", ")
    return name, version


def assemble(folder, program, module, build, version):
    cubin, ptx = folder / f"{program}-{module}-{build}.cubin", folder / program / f"{module}.ptx"
    architecture = "sm_" + version.replace(".", "")
    if f".target {architecture}a" in ptx.read_text(encoding="utf-8"):
        architecture += "a"
    status, text = output_of(["ptxas", "-arch=" + architecture, *BUILDS[build], "-o", cubin, ptx])
    if status != 0:
        raise SystemExit(f"{program} {module}: {text}")
    return cubin, output_of(["nvdisasm", "--print-line-info-ptx", cubin])[1]


def record(job, folder, version):
    program, module, build = job
    cubin, disassembly = assemble(folder, program, module, build, version)
    file = folder / program / ("launch.yaml" if module == "fault" else "mended.yaml")
    command = [sys.executable, HERE / "run_program.py", file, cubin]
    entry = {"program": program, "module": module, "build": build, "disassembly": disassembly, "plain": output_of(command)}
    entry["tools"] = {tool: output_of(["compute-sanitizer", "--tool", tool, *more, "--show-backtrace", "no", "--print-limit", "2000",
                                       *command]) for tool, more in TOOLS.items()}
    return entry


def main():
    gpu, version = capability()
    names = sys.argv[2:] or list(cases.all_cases())
    jobs = [(name, module, build) for name in names
            for module, build in (("fault", "debug"), ("fault", "optimized"), ("mended", "debug"))]
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(min(8, os.cpu_count())) as pool:
        for name in names:
            place = pathlib.Path(folder, name)
            place.mkdir()
            cases.CaseFile(name).unpack(place)
        entries = list(pool.map(lambda job: record(job, pathlib.Path(folder), version), jobs))
    tool = output_of(["compute-sanitizer", "--version"])[1].strip().split("\n")[-1]
    pathlib.Path(sys.argv[1]).write_text(json.dumps({"gpu": gpu, "capability": version, "sanitizer": tool, "entries": entries}))
    print(len(entries), "programs recorded on", gpu)


if __name__ == "__main__":
    main()
