#!/usr/bin/env python3
"""renew.py H200.json [HOLDOUT.json] [--counters COUNTERS.json] [--warptime PROGRAM]: writes what says how far simulated times are from an H200's, from the files
that `warptime validate h200 --json=H200.json` (and `validate h200-holdout`) wrote: validation/error_bands.csv, the tables of
docs/hopper.md between "<!-- renew.py: NAME -->" and "<!-- end -->", its outputs of commands, and docs/hopper-scatter.svg. Bands are those of h200 alone.
Without HOLDOUT.json the hold-out's row stays as it is, and without --counters their table.
renew.py --check: is the table of classes in docs/hopper.md that of validation/error_bands.csv? Exit status 1 if not."""
import argparse
import csv
import io
import json
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
COLUMNS = ["machine", "class", "launches", "median_abs_error", "mean_abs_error", "p80_abs_error", "bias"]
LARGE = 0.3  # errors from which on a launch is in the table of misses
SETS = {"workloads": "kernels of `workloads/`", "more": "`validation/hopper/more.list`", "holdout": "`validation/hopper/holdout.list`"}


def ranks(values):
    """From 1; equal values share their mean rank."""
    order = sorted(values)
    return [(2 * order.index(value) + order.count(value) + 1) / 2 for value in values]


def correlation(a, b):
    mean_a, mean_b = statistics.mean(a), statistics.mean(b)
    product = sum((x - mean_a) * (y - mean_b) for x, y in zip(a, b))
    size = (sum((x - mean_a) ** 2 for x in a) * sum((y - mean_b) ** 2 for y in b)) ** 0.5
    return product / size if size > 0 else None


def percent(share, digits=1, sign=False):
    return f"{100 * share:{'+' if sign else ''}.{digits}f} %"


def table(head, rows):
    """A table of Markdown: text to the left, numbers to the right."""
    numbers = [all(re.fullmatch(r"-|[+-]?[\d.,]+( %)?", row[i]) for row in rows) for i in range(len(head))]
    lines = ["| " + " | ".join(line) + " |\n" for line in [head] + rows]
    return lines[0] + "|" + "|".join("---:" if number else "---" for number in numbers) + "|\n" + "".join(lines[1:])


def set_row(name, what, role, rows):
    """A row of the table of sets; a launch that could not be simulated is an error of 100 %, as in `warptime validate`."""
    errors = [abs(row["error"]) for row in rows]
    done = [row for row in rows if row["simulated"] is not None]
    rank = correlation(ranks([row["published"] for row in done]), ranks([row["simulated"] for row in done])) if len(done) > 2 else None
    within = sum(error <= 0.2 for error in errors) / len(errors)
    return [name, what, role, str(len(rows)), percent(statistics.mean(errors)), percent(statistics.median(errors)), percent(max(errors)),
            percent(within, 0), "-" if rank is None else f"{rank:.2f}"]


def sets_table(rows, before):
    """The table of sets. The hold-out's row is that of the page before if it was not simulated."""
    out = []
    for name, what in SETS.items():
        mine = [row for row in rows if row["name"].startswith(name + "/")]
        if mine:
            out.append(set_row(name, what, mine[0]["role"], mine))
        else:
            out += [line.strip("| \n").split(" | ") for line in before.splitlines() if line.startswith(f"| {name} |")]
    small = [row for row in rows if row.get("class") == "small"]
    if small:
        out.append(set_row("small", "those of up to 64 blocks among them", "-", small))
    return table(["launches", "of", "role", "number", "mean error", "median", "largest", "within 20 %", "rank correlation"], out)


def classes_table(bands, texts):
    rows = [[f"`{band['class']}`" if band["class"] != "all" else "all", texts.get(band["class"], ""), str(band["launches"]),
             percent(float(band["median_abs_error"])), percent(float(band["mean_abs_error"])), percent(float(band["p80_abs_error"])),
             percent(float(band["bias"]), sign=True)] for band in bands]
    return table(["class", "rule", "launches", "median error", "mean", "four of five within", "bias"], rows)


def stalls_of_the_card():
    """The first stall reason that Nsight Compute shows of each launch of the workloads, by the name of its row."""
    with open(ROOT / "validation" / "hopper" / "workloads.csv", encoding="utf-8") as file:
        return {f"workloads/{row['target']} {row['parameters']}: {row['kernel']}": row["top_stall"].split()[0] for row in csv.DictReader(file)}


def misses_table(rows):
    stalls = stalls_of_the_card()
    large = sorted((row for row in rows if abs(row["error"]) > LARGE), key=lambda row: -abs(row["error"]))
    return table(["launch", "class", "measured", "simulated", "error", "first stall reason of the card", "note"],
                 [[f"`{row['name']}`", row.get("class", "-"), f"{row['published']:.4g}",
                   "-" if row["simulated"] is None else f"{row['simulated']:.4g}",
                   "not simulated" if row["simulated"] is None else percent(row["error"], sign=True),
                   stalls.get(row["name"], ""), row.get("note", "")] for row in large])


COUNTERS = {"native": "native warp instructions", "dram": "bytes read from DRAM", "l1": "hit rate of the L1", "l2": "hit rate of the L2"}


def counters_table(rows):
    """A row for each counter, from the rows of `warptime validate h200-counters`."""
    out = []
    for name, what in COUNTERS.items():
        mine = [row for row in rows if row["name"].startswith(name + "/")]
        errors = [abs(row["error"]) for row in mine]
        worst = max(mine, key=lambda row: abs(row["error"]))
        out.append([what, str(len(mine)), percent(statistics.median(errors)), percent(statistics.mean(errors)), percent(worst["error"], sign=True),
                    f"`{worst['name'].removeprefix(name + '/')}`"])
    return table(["counter", "launches", "median error", "mean", "largest", "launch"], out)


def bands_csv(bands):
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(COLUMNS)
    for band in bands:
        writer.writerow([band[column] if column in COLUMNS[:3] else f"{band[column]:.6f}" for column in COLUMNS])
    return out.getvalue()


def read_bands(folder):
    return list(csv.DictReader(io.StringIO((folder / "validation" / "error_bands.csv").read_text(encoding="utf-8"))))


def rules_of_classes():
    """The names and rules of the table in src/host/report/kernel_class.h."""
    text = (ROOT / "src/host/report/kernel_class.h").read_text(encoding="utf-8")
    return dict(re.findall(r'^    \{"(\w+)", "([^"]+)"\},$', text, re.M))


def part(page, name):
    """The beginning and the end of a table in the page."""
    mark = f"<!-- renew.py: {name} -->\n"
    if page.count(mark) != 1:
        sys.exit(f"renew.py: docs/hopper.md has no line {mark}")
    begin = page.index(mark) + len(mark)
    return begin, page.index("<!-- end -->", begin)


def replaced(page, name, text):
    begin, end = part(page, name)
    return page[:begin] + "\n" + text + "\n" + page[end:]


def draw(warptime, rows, out):
    with tempfile.TemporaryDirectory() as folder:
        points = pathlib.Path(folder) / "points.csv"
        with open(points, "w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(["measured_us", "simulated_us", "class"])
            writer.writerows([row["published"], row["simulated"], row["class"]] for row in rows if row["simulated"] is not None)
        subprocess.run([warptime, "plot", points, "-x", "measured_us", "-y", "simulated_us", "--by", "class", "--kind", "scatter", "--log", "xy",
                        "--reference", "measured_us", "-o", out], check=True)


def renew(folder, files, counters, warptime):
    bands = json.loads(files[0].read_text(encoding="utf-8")).get("classes", [])
    if not bands:
        sys.exit(f"renew.py: {files[0]} is not what `warptime validate h200 --json` writes: it has no classes")
    rows = [row for file in files for row in json.loads(file.read_text(encoding="utf-8"))["rows"]]
    (folder / "validation" / "error_bands.csv").write_text(bands_csv(bands), encoding="utf-8")
    path = folder / "docs" / "hopper.md"
    page = path.read_text(encoding="utf-8")
    begin, end = part(page, "sets")
    page = replaced(page, "sets", sets_table(rows, page[begin:end]))
    page = replaced(page, "classes", classes_table(read_bands(folder), rules_of_classes()))
    if counters:
        page = replaced(page, "counters", counters_table(json.loads(counters.read_text(encoding="utf-8"))["rows"]))
    path.write_text(replaced(page, "misses", misses_table(rows)), encoding="utf-8")
    draw(warptime, rows, folder / "docs" / "hopper-scatter.svg")
    if folder == ROOT:
        subprocess.run([ROOT / "tests" / "tools" / "update_outputs", path, warptime], check=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("json", nargs="*", type=pathlib.Path)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--counters", type=pathlib.Path, help="what `warptime validate h200-counters --json=FILE` wrote")
    parser.add_argument("--warptime", default=ROOT / "build" / "warptime")
    parser.add_argument("--root", type=pathlib.Path, default=ROOT, help="the folder whose files are written")
    arguments = parser.parse_args()
    if arguments.check:
        page = (arguments.root / "docs" / "hopper.md").read_text(encoding="utf-8")
        begin, end = part(page, "classes")
        wanted = classes_table(read_bands(arguments.root), rules_of_classes())
        if page[begin:end].strip() != wanted.strip():
            sys.exit("docs/hopper.md: the table of classes is not that of validation/error_bands.csv; run tests/hopper/renew.py")
    elif 1 <= len(arguments.json) <= 2:
        renew(arguments.root, arguments.json, arguments.counters, arguments.warptime)
    else:
        parser.error("H200.json is missing")


if __name__ == "__main__":
    main()
