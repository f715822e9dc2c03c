"""What the tests of `warptime grade` share: folders, runs, and checks that collect their failures."""
import json
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
LABS = ROOT / "labs"
WRONG = ROOT / "tests/labs/wrong"
NAMES = ["vector_scale", "stencil", "transpose", "reduction", "histogram", "tiled_product"]
PROGRAM = str(pathlib.Path(sys.argv[1]).resolve())
WRAPPER = ()  # what the program is run by

failures = []


def expect(holds, what, *details):
    if not holds:
        failures.append(what)
        print("FAILED:", what)
        for detail in details:
            print("    " + str(detail).replace("\n", "\n    "))


def run(*words, folder=ROOT, path=None):
    """`warptime WORDS`, with another PATH if one is given."""
    environment = dict(os.environ)
    if path is not None:
        environment["PATH"] = str(path)
    return subprocess.run([*map(str, WRAPPER), PROGRAM, *map(str, words)], cwd=folder, env=environment, capture_output=True, text=True, timeout=150)


def grade(lab, *words, **more):
    """The run, and its JSON."""
    done = run("grade", lab, *words, "--json", **more)
    try:
        return done, json.loads(done.stdout)
    except json.JSONDecodeError:
        expect(False, f"grade {lab} {words}: no JSON", done.stdout[:500], done.stderr[:1000])
        return done, {"submissions": []}


def finish():
    print(f"{len(failures)} failed")
    sys.exit(1 if failures else 0)
