"""The files for autograders in docs/examples/classroom: they are what their readers expect, and the scripts run."""
import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile

from harness import LABS, PROGRAM, ROOT, expect

CLASSROOM = ROOT / "docs/examples/classroom"
INSTRUCTIONS = {"FROM", "RUN", "COPY", "USER", "WORKDIR", "ENTRYPOINT", "ENV", "ARG"}


def instructions(text):
    """(name, rest) of each instruction of a Dockerfile; lines end with a backslash where they go on."""
    lines = [line for line in text.splitlines() if line.strip() and not line.lstrip().startswith("#")]
    joined = re.sub(r"\\\n\s*", "", "\n".join(lines))
    return [tuple(line.split(None, 1)) for line in joined.splitlines()]


def test_dockerfile():
    rows = instructions((CLASSROOM / "Dockerfile").read_text())
    expect(all(len(row) == 2 and row[0] in INSTRUCTIONS for row in rows), "instructions of a Dockerfile", rows)
    expect(rows[0] == ("FROM", "debian:bookworm AS build") and sum(name == "FROM" for name, _ in rows) == 2, "two stages", rows)
    expect(rows[-1] == ("ENTRYPOINT", '["warptime", "grade"]') and ("USER", "grader") in rows, "it grades, and not as root", rows)
    for name, rest in rows:
        if name == "RUN":
            done = subprocess.run(["sh", "-n", "-c", rest], capture_output=True, text=True)
            expect(done.returncode == 0, f"a shell reads: {rest}", done.stderr)
    verbs = (ROOT / "dev").read_text()
    expect("./dev package" in rows[3][1] and re.search(r"^  package ", verbs, re.M) is not None, "its command of ./dev exists", rows[3])


def test_workflow():
    try:
        import yaml
    except ImportError:
        return
    workflow = yaml.safe_load((CLASSROOM / "github-classroom.yml").read_text())
    steps = workflow["jobs"]["grade"]["steps"]
    expect(workflow[True] == ["push", "workflow_dispatch"] and workflow["permissions"] == {"contents": "read"}, "when, and with which rights", workflow)
    script = steps[-1]["run"]
    done = subprocess.run(["bash", "-n", "-c", script], capture_output=True, text=True)
    expect(done.returncode == 0 and "warptime grade /lab/lab.yaml kernel.cu" in script, "its step is a script", done.stderr, script)


def test_gradescope(folder):
    (folder / "source").mkdir()
    (folder / "submission").mkdir()
    (folder / "bin").mkdir()
    shutil.copytree(LABS / "vector_scale", folder / "source/lab")
    os.symlink(PROGRAM, folder / "bin/warptime")
    environment = dict(os.environ, AUTOGRADER=str(folder), PATH=f"{folder / 'bin'}:{os.environ['PATH']}")

    def run():
        subprocess.run([CLASSROOM / "gradescope/run_autograder"], env=environment, capture_output=True, timeout=100)
        return json.loads((folder / "results/results.json").read_text())

    results = run()
    expect(results["score"] == 0 and "kernel.cu" in results["output"], "no submission", results)
    if shutil.which("nvcc") or shutil.which("clang++"):
        shutil.copy(LABS / "vector_scale/solution.cu", folder / "submission/kernel.cu")
        results = run()
        expect(results["score"] == 10 and all(test["status"] == "passed" for test in results["tests"]), "the solution", results)
        shutil.copy(LABS / "vector_scale/starter.cu", folder / "submission/kernel.cu")
        results = run()
        expect(results["score"] == 0 and "wrong_values" in results["output"], "the beginning", results)


def test():
    test_dockerfile()
    test_workflow()
    for script in (CLASSROOM / "gradescope").iterdir():
        expect(os.access(script, os.X_OK) and subprocess.run(["bash", "-n", script]).returncode == 0, f"{script.name} is a script")
    with tempfile.TemporaryDirectory() as name:
        test_gradescope(pathlib.Path(name))
