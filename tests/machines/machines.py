#!/usr/bin/env python3
"""Machines from data sheets: what a data sheet says of each, their features, and statistics that stay the same.

usage: machines.py WARPTIME [--update]

For each machine of DATA_SHEETS: `roofline` has its peak rates and its bandwidth within 2 %; saxpy and matmul:tiled
run with right values and, twice, with the statistics of tests/machines/expected.json (--update writes it); `explain`
runs. Instructions of later machines are refused with the feature that is missing.
"""
import json
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
# GFLOP/s of f32 and of f64, GB/s: docs/sources.md, "Specifications of later cards".
DATA_SHEETS = {
    "h100-sxm": (66900, 33500, 3350),
    "a100-sxm": (19500, 9700, 1555),
    "rtx-4090": (82600, 1290, 1008),
    "rtx-3070": (20310, 317.4, 448),
    "t4": (8141, 254.4, 320),
    "v100-sxm": (15670, 7830, 900),
}
TARGETS = [["saxpy", "--param", "n=5000"], ["matmul:tiled", "--param", "n=64"]]
REFUSED = [  # machine, instruction, feature
    ("t4", "cp.async.ca.shared.global [%r1], [%rd1], 4;", "async_copies"),
    ("v100-sxm", "mbarrier.init.shared.b64 [%r1], 1;", "mbarriers"),
    ("a100-sxm", "wgmma.fence.sync.aligned;", "wgmma"),
    ("rtx-3070", "cvt.rn.satfinite.e4m3x2.f32 %h1, %f1, %f2;", "fp8"),
    ("rtx-4090", "stmatrix.sync.aligned.m8n8.x1.shared.b16 [%r1], {%r2};", "matrix_stores"),
    ("a100-sxm", "barrier.cluster.arrive;", "clusters"),
]


def run(warptime, *words, status=0):
    done = subprocess.run([warptime, *words], capture_output=True, text=True)
    assert done.returncode == status, f"{' '.join(words)}: exit status {done.returncode}\n{done.stdout}{done.stderr}"
    return done


def check_data_sheet(warptime, machine, folder, f32, f64, bandwidth):
    path = str(folder / "saxpy.json")
    run(warptime, "run", "saxpy", "--param", "n=5000", "--machine", machine, "--stats", path, "--quiet")
    roofline = json.loads(run(warptime, "roofline", path, "--json").stdout)
    rates = {roof["name"]: roof["rate"] for unit in ("gflops", "gb_s") for roof in roofline[unit]}
    for name, wanted in (("f32", f32), ("f64", f64), ("DRAM", bandwidth)):
        assert abs(rates[name] / wanted - 1) <= 0.02, f"{machine}: {name} {rates[name]} instead of {wanted}"
    run(warptime, "explain", path)


def statistics_of(warptime, machine):
    """Target -> the figures that are compared."""
    out = {}
    for target in TARGETS:
        twice = [json.loads(run(warptime, "run", *target, "--machine", machine, "--json", "--quiet").stdout) for _ in "12"]
        for report in twice:
            report.pop("host", None)
            assert all(check["ok"] for check in report["checks"]), f"{machine}: {target[0]}: wrong values"
        assert twice[0] == twice[1], f"{machine}: {target[0]}: two runs differ"
        launch = twice[0]["launches"][0]
        out[target[0]] = {key: launch[key] for key in ("cycles", "warp_instructions", "native_warp_instructions")}
    return out


def check_refusals(warptime, folder):
    registers = ".reg .b32 %r<4>; .reg .b64 %rd<4>; .reg .f32 %f<4>; .reg .b16 %h<4>;"
    path = folder / "k.ptx"
    for machine, instruction, feature in REFUSED:
        path.write_text(f".version 8.6\n.target sm_90a\n.address_size 64\n.entry k() {{ {registers}\n{instruction}\n"
                        "ret; }\n", encoding="utf-8")
        words = ["run", str(path), "--kernel", "k", "--grid", "1", "--block", "128", "--machine"]
        error = run(warptime, *words, machine, status=2).stderr
        assert f"needs a machine with the feature {feature}" in error, f"{machine}: {instruction}: {error}"


def main():
    warptime, update = sys.argv[1], "--update" in sys.argv
    found = {}
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for machine, sheet in DATA_SHEETS.items():
            check_data_sheet(warptime, machine, folder, *sheet)
            found[machine] = statistics_of(warptime, machine)
        check_refusals(warptime, folder)
    path = HERE / "expected.json"
    if update:
        path.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    wanted = json.loads(path.read_text(encoding="utf-8"))
    for machine, targets in found.items():
        assert targets == wanted[machine], f"{machine}: {targets} instead of {wanted[machine]}"
    print(f"{len(found)} machines")


if __name__ == "__main__":
    main()
