#!/usr/bin/env python3
"""renew_test.py WARPTIME: docs/hopper.md has the numbers of validation/error_bands.csv; renew.py writes both, and the hold-out's row,
from invented results; the same files twice."""
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.dont_write_bytecode = True
sys.path.insert(0, str(HERE))
import renew  # noqa: E402

BANDS = [{"machine": "h200-sxm", "class": name, "launches": 2, "median_abs_error": 0.15, "mean_abs_error": 0.15, "p80_abs_error": 0.2, "bias": -0.05}
         for name in ("small", "all")]
breaches = []


def expect(what, holds):
    if not holds:
        breaches.append(what)


def row(name, role, published, simulated):
    error = 1.0 if simulated is None else simulated / published - 1
    out = {"name": name, "role": role, "published": published, "simulated": simulated, "error": error}
    return out if simulated is None else {**out, "class": "small", "note": "known" if error > 0.3 else ""}


def run(*words):
    done = subprocess.run([sys.executable, HERE / "renew.py", *words], capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


def renewed(folder, warptime):
    """renew.py on a copy of the page, first without the hold-out, then with it, then without it again."""
    for name in ("docs", "validation"):
        (folder / name).mkdir()
    shutil.copy(ROOT / "docs/hopper.md", folder / "docs")
    first, held_out = folder / "h200.json", folder / "holdout.json"
    first.write_text(json.dumps({"classes": BANDS, "rows": [
        row("workloads/a", "predicted", 10.0, 12.0), row("workloads/vecadd n=1048576: vecadd", "predicted", 20.0, None), row("more/c", "fitted", 10.0, 9.0),
        row("more/d", "fitted", 30.0, 45.0), row("more/e", "fitted", 40.0, 40.0)]}))
    held_out.write_text(json.dumps({"classes": [], "rows": [row("holdout/f", "predicted", 10.0, 11.0)]}))
    counters = folder / "counters.json"
    counters.write_text(json.dumps({"rows": [row(f"{name}/launch {i}", "predicted", 10.0, 10.0 + i) for name in renew.COUNTERS for i in range(4)]}))
    both = ["--warptime", warptime, "--root", folder, "--counters", counters]
    pages = []
    for files in ([first], [first, held_out], [first]):
        status, text = run(*files, *both)
        expect(f"renew.py ended with {status}: {text}", status == 0)
        pages.append((folder / "docs/hopper.md").read_text(encoding="utf-8"))
    return pages, both


def main():
    status, text = run("--check")
    expect(text.strip(), status == 0)
    # Equal values share their rank, and a perfect order is 1.
    expect("ranks", renew.ranks([5, 1, 5, 9]) == [2.5, 1, 2.5, 4])
    expect("correlation", abs(renew.correlation([1, 2, 3], [3, 5, 7]) - 1) < 1e-12 and renew.correlation([1, 1], [1, 2]) is None)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        pages, both = renewed(folder, sys.argv[1])
        page = pages[1]
        expect("bands", (folder / "validation/error_bands.csv").read_text(encoding="utf-8") ==
               ",".join(renew.COLUMNS) + "\nh200-sxm,small,2,0.150000,0.150000,0.200000,-0.050000\nh200-sxm,all,2,0.150000,0.150000,0.200000,-0.050000\n")
        # A launch that could not be simulated is an error of 100 %: (20 + 100) / 2.
        expect("the set `workloads`", "| workloads | kernels of `workloads/` | predicted | 2 | 60.0 % | 60.0 % | 100.0 % | 50 % | - |" in page)
        expect("the set `more`", "| fitted | 3 | 20.0 % | 10.0 % | 50.0 % | 67 % | 0.50 |" in page)
        expect("the hold-out", "| holdout | `validation/hopper/holdout.list` | predicted | 1 | 10.0 % |" in page)
        expect("a class", "| `small` | at most 64 blocks | 2 | 15.0 % | 15.0 % | 20.0 % | -5.0 % |" in page)
        expect("a miss with its reason", "| `more/d` | small | 30 | 45 | +50.0 % |  | known |" in page)
        expect("a launch without a result", "| `workloads/vecadd n=1048576: vecadd` | - | 20 | - | not simulated | long_scoreboard |  |" in page)
        expect("a counter", "| hit rate of the L2 | 4 | 15.0 % | 15.0 % | +30.0 % | `launch 3` |" in page)
        expect("no miss", "`more/c`" not in page)
        expect("the row of the hold-out stays without its file", "| holdout |" in pages[2] and ("| holdout |" in pages[0]) == (
            "| holdout |" in (ROOT / "docs/hopper.md").read_text(encoding="utf-8")))
        expect("the picture", "<svg" in (folder / "docs/hopper-scatter.svg").read_text(encoding="utf-8"))
        expect("--check after it", run("--check", *both)[0] == 0)
        bands = folder / "validation/error_bands.csv"
        bands.write_text(bands.read_text(encoding="utf-8").replace("0.200000", "0.201000"), encoding="utf-8")
        expect("--check of another number", run("--check", *both)[0] == 1)
        status, text = run(folder / "holdout.json", *both)
        expect("a file without classes is refused", status != 0 and "it has no classes" in text)
    expect("no file is refused", run()[0] == 2)
    print("\n".join(breaches) or "error bands: the page, and renew.py on invented results")
    return 1 if breaches else 0


sys.exit(main())
