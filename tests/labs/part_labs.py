"""Six right solutions, six beginnings, and the wrong submissions of wrong/: each loses points for its own reason."""
from harness import LABS, NAMES, WRONG, expect, grade

# For each wrong submission: kinds of findings that have to be there (the first is the reason), the line of the CUDA
# source, and a part of what is said to mend it.
REASONS = {
    "vector_scale_off_by_one": (["out_of_bounds_global"], 4, "an index from 0 to 999"),
    "vector_scale_strided": (["coalesced"], 7, "neighbouring threads (threadIdx.x) access neighbouring elements"),
    "vector_scale_hard_coded_size": (["wrong_values"], 0, "a thread that stores y2[1000]"),
    "stencil_missing_barrier": (["race_raw_shared", "wrong_values"], 15, "a barrier (__syncthreads()) between lines 11 and 15"),
    "stencil_no_edges": (["out_of_bounds_global"], 10, "an index from 0 to 1999"),
    "transpose_uncoalesced": (["coalesced"], 4, "neighbouring threads (threadIdx.x) access neighbouring elements"),
    "transpose_bank_conflicts": (["conflict_passes"], 10, "different banks"),
    "reduction_divergent": (["divergent_branches"], 9, "a condition that all threads of a warp decide alike"),
    "reduction_missing_barrier": (["race_raw_shared", "wrong_values"], 9, "a barrier (__syncthreads())"),
    "histogram_no_atomics": (["race_war_shared", "wrong_values"], 11, "an atomic operation, such as atomicAdd()"),
    "histogram_not_cleared": (["uninitialized_shared"], 9, 'values for all of "counts" before line 9'),
    "histogram_global_atomics": (["global_atomics"], 5, "atomic operations on shared memory first"),
    "tiled_product_missing_second_barrier": (["race_war_shared", "wrong_values"], 14, "at the end of the loop"),
    "tiled_product_hard_coded_size": (["out_of_bounds_global", "race_war_global", "wrong_values"], 15, "an index from 0 to 2303"),
    "tiled_product_not_tiled": (["time_us", "global_loads"], 12, ""),
}


def kinds_of(graded):
    out = []
    for finding in graded["findings"]:
        if finding["severity"] == "error" and finding["kind"] not in out:
            out.append(finding["kind"])
    return out


def test_wrong(name, graded):
    kinds, line, remedy = REASONS[name]
    first = graded["findings"][0] if graded["findings"] else {}
    expect(graded["points"] < graded["of"], f"{name}: loses points", graded)
    expect(kinds_of(graded) == kinds, f"{name}: its reasons are {kinds}", kinds_of(graded))
    expect(first.get("source_line") == line, f"{name}: line {line}", first)
    expect(all(f["remedy"] for f in graded["findings"]), f"{name}: every finding has a remedy", graded["findings"])
    expect(remedy in first.get("remedy", ""), f"{name}: remedy \"{remedy}\"", first)
    # What it does right keeps its points.
    values = [task for task in graded["tasks"] if task["kind"] == "values"]
    expect("wrong_values" in kinds or all(task["ok"] for task in values), f"{name}: its values are right", values)


def test():
    found = sorted(path.stem for path in WRONG.glob("*.cu"))
    expect(found == sorted(REASONS), "every file of wrong/ is tested", found)
    for lab in NAMES:
        file = LABS / lab / "lab.yaml"
        done, json = grade(file, LABS / lab / "solution.ptx")
        graded = json["submissions"][0]
        expect(done.returncode == 0 and graded["points"] == graded["of"] == 10, f"{lab}: the solution has all 10 points", graded, done.stderr)
        expect(not graded["findings"], f"{lab}: the solution has no findings", graded["findings"])
        wrong = [name for name in REASONS if name.startswith(lab + "_")]
        expect(len(wrong) >= 2, f"{lab}: has two wrong submissions")
        done, json = grade(file, LABS / lab / "starter.ptx", *(WRONG / f"{name}.ptx" for name in wrong))
        expect(done.returncode == 1, f"{lab}: below full points is exit status 1", done.returncode, done.stderr)
        beginning, *rest = json["submissions"]
        expect(beginning["points"] < 10, f"{lab}: the beginning is not the solution", beginning)
        for name, graded in zip(wrong, rest):
            test_wrong(name, graded)
