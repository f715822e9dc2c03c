"""`expect_figures` of launch files: figures that are met, missed, not measured, and mistakes with their places."""
import json
import pathlib
import tempfile

from harness import LABS, expect, run

PTX = (LABS / "tiled_product/solution.ptx").read_text()
HEAD = """\
module: m.ptx
params: {n: {default: 32}}
buffers:
  a: {type: f32, count: n * n, init: iota}
  b: {type: f32, count: n * n, init: iota}
  c: {type: f32, count: n * n}
launches:
  - {kernel: naive, grid: [2, 2], block: [16, 16], args: [a, b, c, {s32: n}]}
  - {kernel: tiled, grid: [2, 2], block: [16, 16], args: [a, b, c, {s32: n}]}
figures:
  speed: {value: 2 * n^3 / time_ns, unit: GFLOP/s}
expect_figures:
"""
FIRST = HEAD.count("\n") + 1  # the line of the first figure

# A line of `expect_figures`; is it met?
MET = {
    "time_us: {max: 1000}": True,
    "time_us: {max: 1}": False,
    "time_us: {min: 1, max: 1000, points: 3, hint: fine}": True,
    "cycles: {min: n * 10}": True,
    "warp_instructions: {equals: 32}": False,
    "coalesced: {min: 40%}": True,
    "coalesced: {launch: tiled, equals: 100%}": True,
    "coalesced: {launch: naive, equals: 100%}": False,
    "conflict_passes: {equals: 0}": True,
    "occupancy: {min: 50%}": True,
    "occupancy: {equals: 33.3%}": False,
    "registers_per_thread: {max: 30}": True,
    "time_us: {launch: tiled, of: naive, max: 50%}": True,
    "time_us: {launch: 1, of: 0, max: 0.5}": True,
    "time_us: {launch: 0, of: 1, max: 50%}": False,
    "cycles: [{launch: 0, max: 100000}, {launch: 1, max: 10}]": False,
    "speed: {min: 0.0001}": True,
    "speed: {min: 1000}": False,
    "global.loads: {max: 100000}": True,
    "divergence.active_lanes: {min: 99%}": True,
    "issue.stalls.barrier: {max: 0}": False,
    "findings: none": True,
}

# What is refused, the column of the caret, a part of the message and of the hint.
REFUSED = [
    ("time_uss: {max: 1}", 3, 'there is no figure "time_uss"', 'did you mean "time_us"?'),
    ("global.lods: {max: 1}", 3, 'there is no figure "global.lods"', 'did you mean "global_loads"?'),
    ("xyzzy: {max: 1}", 3, 'there is no figure "xyzzy"', "`warptime list figures` lists them"),
    ("time_us: {maxx: 1}", 13, '"maxx"', 'did you mean "max"?'),
    ("time_us: {points: 1}", 12, "must have one of max, min and equals", ""),
    ("time_us: {max: 40us}", 18, "a limit of", "is not written: 40"),
    ("time_us: {max: 40%}", 18, '"time_us" is in us, not a share', '"launch" and "of"'),
    ("coalesced: {min: 0.9}", 20, '"coalesced" is a share: its limit needs a %', "90%"),
    ("coalesced: {min: 90}", 20, '"coalesced" is a share: its limit needs a %', "90%"),
    ("time_us: {max: m}", 18, "must be a number or a percentage", "us"),
    ("time_us: {max: [1]}", 18, "must be a number or a percentage", "us"),
    ("time_us: {launch: 2, max: 1}", 21, "there is no launch 2", "numbered from 0 to 1"),
    ("time_us: {launch: tield, max: 1}", 21, 'the file launches no kernel "tield"', 'did you mean "tiled"?'),
    ("time_us: {of: 0, max: 1}", 17, "there is no first one", "launch: 1, of: 0"),
    ("time_us: 40", 12, "must be a map", "{max: 40}"),
    ("time_us: none", 12, "must be a map", "{max: 40}"),
    ("findings: nothing", 13, "must be a map", "findings: none"),
    ("findings: {launch: 0, max: 1}", 22, "findings are those of the whole run", ""),
    ("speed: {launch: 0, min: 1}", 19, "of the whole run", ""),
    ("time_us: {min: 5, max: 4}", 26, '"min" of "time_us" is greater than "max"', ""),
    ("time_us: {max: 1, points: -1}", 29, '"points" must be', ""),
]


def in_folder(text, use):
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "m.ptx").write_text(PTX)
        (folder / "f.yaml").write_text(text)
        return use(folder)


def run_file(text, *options):
    return in_folder(text, lambda folder: run("run", "f.yaml", "--quiet", *options, folder=folder))


def test():
    for line, met in MET.items():
        done = run_file(HEAD + f"  {line}\n")
        expect(done.returncode == (0 if met else 1), f"{line}: met: {met}", done.returncode, done.stderr)
        name = line.split(":")[0]
        expect(met or (f"f.yaml:{FIRST}:" in done.stderr and f"error: {name}" in done.stderr and "^" in done.stderr),
               f"{line}: the error names its place", done.stderr)
    for line, column, message, hint in REFUSED:
        done = run_file(HEAD + f"  {line}\n")
        expect(done.returncode == 2, f"{line}: refused", done.returncode, done.stderr)
        expect(f"f.yaml:{FIRST}:{column}: error: " in done.stderr, f"{line}: at column {column}", done.stderr)
        expect(message in done.stderr and hint in done.stderr and "^" in done.stderr, f"{line}: message", done.stderr)

    missed = run_file(HEAD + "  time_us: {max: 1, hint: think again}\n")
    expect("expected: at most 1 us" in missed.stderr and "hint: think again" in missed.stderr, "limit and hint", missed.stderr)
    missed = run_file(HEAD + "  cycles: {launch: tiled, of: 0, max: 1%}\n")
    expect("cycles of kernel tiled / launch 0 (naive) is" in missed.stderr and " % (" in missed.stderr, "both launches", missed.stderr)
    # A functional run has no times: nothing is missed, and it says so.
    done = run_file(HEAD + "  time_us: {max: 1}\n  findings: none\n", "--functional")
    expect(done.returncode == 0 and "note: time_us is not checked" in done.stderr and "note: findings is not checked" in done.stderr,
           "not measured", done.stderr)
    expect(run_file(HEAD + "  time_us: {max: 1}\n", "--no-check").returncode == 0, "--no-check")
    report = json.loads(run_file(HEAD + "  cycles: {max: 1}\n  time_us: {min: 0}\n", "--json").stdout)
    checks = report["figure_checks"]
    expect([check["ok"] for check in checks] == [False, True] and checks[0]["expected"] == "at most 1 cycles", "in the statistics", checks)
    expect("figure_checks" not in json.loads(run_file(HEAD.replace("expect_figures:\n", ""), "--json").stdout), "none without them")
    summary = in_folder(HEAD + "  cycles: {max: 1}\n  time_us: {min: 0}\n", lambda folder: run("run", "f.yaml", folder=folder))
    expect("figure MISSED" in summary.stdout and "1 as expected" in summary.stdout, "summary", summary.stdout)

    # The machine of a launch file.
    def machine(text, *options):
        done = run_file(HEAD.replace("expect_figures:\n", "") + text, "--json", *options)
        return json.loads(done.stdout)["machine"]["name"] if done.returncode == 0 else done.stderr
    expect(machine("") == "geforce-8800-gtx", "no machine: the default one")
    expect(machine("machine: tesla-c1060\n") == "tesla-c1060", "the file's machine")
    expect(machine("machine: tesla-c1060\n", "--machine", "geforce-gtx-280") == "geforce-gtx-280", "--machine comes first")
    refused = machine("machine: tesla-c1061\n")
    expect(f"f.yaml:{FIRST - 1}:10: error: " in refused and "tesla-c1060" in refused, "an unknown machine has its place", refused)

    listed = run("list", "figures")
    expect(all(name in listed.stdout for name in ("time_us", "coalesced", "conflict_passes", "findings", "%")), "list figures", listed.stdout)
