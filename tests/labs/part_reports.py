"""What `warptime grade` prints and writes, and its exit statuses."""
import json
import pathlib
import shutil
import tempfile

from harness import LABS, WRONG, expect, grade, run

LAB = LABS / "transpose/lab.yaml"
RIGHT = LABS / "transpose/solution.ptx"
CONFLICTS = WRONG / "transpose_bank_conflicts.ptx"
FINDING = {"tool", "kind", "severity", "file", "line", "kernel", "block", "thread", "address", "buffer", "message", "hint", "count",
           "source_file", "source_line", "variable", "remedy"}


def test_text():
    one = run("grade", LAB, CONFLICTS)
    expect(one.returncode == 1 and one.stdout.splitlines()[0].endswith("transpose_bank_conflicts.ptx: 7 of 10 points"), "heading", one.stdout)
    for part in ("points  what             expected             measured", "0/3     conflict_passes  exactly 0 replays    8,160 replays",
                 "wrong/transpose_bank_conflicts.cu:10: error: figures: conflict_passes is 8,160 replays; expected: exactly 0 replays",
                 "remedy: the lanes of a warp access different banks", "16 banks: the words of a column are 16 words apart"):
        expect(part in one.stdout, f"report: {part}", one.stdout)
    expect("with full points" not in one.stdout, "one submission: no table", one.stdout)
    both = run("grade", LAB, RIGHT, CONFLICTS)
    expect(both.returncode == 1 and "1 of 2 with full points" in both.stdout and "conflict_passes" in both.stdout.splitlines()[-2],
           "several submissions: a table", both.stdout)
    points = run("grade", LAB, RIGHT, CONFLICTS, "--points")
    expect(points.stdout.splitlines()[0].split() == ["points", "submission", "what", "is", "wrong"] and len(points.stdout.splitlines()) == 4,
           "--points: the table alone", points.stdout)
    expect(run("grade", LAB, RIGHT).returncode == 0, "full points: exit status 0")


def test_json():
    done, graded = grade(LAB, RIGHT, CONFLICTS)
    expect(graded["schema"] == 1 and graded["machine"]["name"] == "geforce-8800-gtx", "head", graded)
    right, wrong = graded["submissions"]
    expect((right["name"], right["points"], right["of"], right["findings"]) == (str(RIGHT), 10, 10, []), "a right one", right)
    expect((wrong["points"], wrong["of"], len(wrong["findings"])) == (7, 10, 1), "a wrong one", wrong)
    expect(FINDING <= set(wrong["findings"][0]), "a finding has the form of those of check", wrong["findings"])
    expect([task["ok"] for task in wrong["tasks"]] == [True, True, True, True, False], "tasks", wrong["tasks"])
    expect(wrong["tasks"][4]["measured"] == "8,160 replays" and wrong["tasks"][4]["source_line"] == 10, "what was measured", wrong["tasks"])
    race = grade(LABS / "reduction/lab.yaml", WRONG / "reduction_missing_barrier.ptx")[1]["submissions"][0]["findings"][0]
    expect(FINDING <= set(race) and race["tool"] == "racecheck" and race["other"]["source_line"] == 9, "a race", race)


def test_files(folder):
    shutil.copy(RIGHT, folder / "alice.ptx")
    (folder / "b").mkdir()
    shutil.copy(CONFLICTS, folder / "b/alice.ptx")
    done = run("grade", LAB, "alice.ptx", "b/alice.ptx", "--json=grades.json", "--reports", "new/reports", "--points", folder=folder)
    expect(done.returncode == 1 and "1 of 2" in done.stdout, "text and JSON", done.stdout, done.stderr)
    grades = json.loads((folder / "grades.json").read_text())
    expect([one["points"] for one in grades["submissions"]] == [10, 7], "grades.json", grades)
    names = sorted(path.name for path in (folder / "new/reports").iterdir())
    expect(names == ["alice.ptx-2.txt", "alice.ptx.txt"], "a report each, of the same name too", names)
    expect("7 of 10 points" in (folder / "new/reports/alice.ptx-2.txt").read_text(), "its text")
    done = run("grade", LAB, "b/alice.ptx", "--gradescope", "results.json", folder=folder)
    results = json.loads((folder / "results.json").read_text())
    expect(results["score"] == 7 and len(results["tests"]) == 5 and sum(t["score"] for t in results["tests"]) == 7
           and sum(t["max_score"] for t in results["tests"]) == 10 and results["tests"][4]["status"] == "failed"
           and "conflict_passes" in results["output"], "Gradescope's results", results)
    first = run("grade", LAB, "alice.ptx", "b/alice.ptx", "--json", folder=folder).stdout
    expect(first == run("grade", LAB, "alice.ptx", "b/alice.ptx", "--json", "--threads", "1", folder=folder).stdout, "the same bytes again")


def test_mistakes(folder):
    (folder / "nothing.yaml").write_text(f"module: {RIGHT}\nlaunches: [{{kernel: transpose, grid: [1], block: [16, 16], args: []}}]\n")
    for words, message in [((LAB, "missing.ptx"), 'missing.ptx'), ((LAB, "a.txt"), "a submission is a .cu or a .ptx file"),
                           ((RIGHT, RIGHT), "a lab is a launch file"), ((LAB,), "submissions"),
                           (("nothing.yaml", RIGHT), "there is nothing to grade"),
                           ((LAB, RIGHT, CONFLICTS, "--gradescope", "r.json"), "goes with one submission"),
                           ((LAB, RIGHT, "--machine", "generic"), "has no timing"), ((LAB, RIGHT, "--seconds", "0"), "--seconds"),
                           ((LAB, RIGHT, "--json=missing/x.json"), "missing"), ((LAB, RIGHT, "--reports", LAB), "is not a folder"),
                           ((LAB, RIGHT, f"--json={RIGHT}"), "solution.ptx")]:
        done = run("grade", *words, folder=folder)
        expect(done.returncode == 2 and message in done.stderr, f"grade {words}: refused", done.returncode, done.stderr)


def test():
    test_text()
    test_json()
    with tempfile.TemporaryDirectory() as folder:
        test_files(pathlib.Path(folder))
    with tempfile.TemporaryDirectory() as folder:
        test_mistakes(pathlib.Path(folder))
