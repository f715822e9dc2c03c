"""CUDA sources, with a compiler that was made for this test: what it does, and what of it reaches the reports."""
import os
import pathlib
import shutil
import tempfile
import time

from harness import LABS, ROOT, expect, grade, run

LAB = LABS / "vector_scale/lab.yaml"
SECRET = "the-secret-of-the-teacher-4711"
SYSTEM = "/usr/bin:/bin"

KERNEL = "__global__ void scale(const float* x, float* y, float f, int n)"
GOOD = KERNEL + " { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) y[i] = f * x[i]; }\n"


def reasons(json):
    return [finding["kind"] for finding in json["submissions"][0]["findings"]]


def messages(json):
    return " ".join(finding["message"] for finding in json["submissions"][0]["findings"])


def processes(word):
    """Processes with this word among their arguments."""
    out = []
    for entry in pathlib.Path("/proc").iterdir():
        try:
            if entry.name.isdigit() and word.encode() in (entry / "cmdline").read_bytes().split(b"\0"):
                out.append(entry.name)
        except OSError:
            pass
    return out


def test_fake(folder):
    tools = folder / "toolkit/bin"
    tools.mkdir(parents=True)
    shutil.copy(ROOT / "tests/labs/fake_nvcc.sh", tools / "nvcc")
    shutil.copy(LABS / "vector_scale/solution.ptx", tools)
    path = f"{tools}:{SYSTEM}"
    temporary = folder / "temporary"
    temporary.mkdir()
    os.environ["TMPDIR"] = str(temporary)

    def with_mode(mode, *options):
        (folder / "s.cu").write_text(f"// FAKE:{mode}\n{GOOD}")
        os.environ["WARPTIME_SECRET"] = SECRET
        return grade(LAB, "s.cu", "--seconds", "3", *options, folder=folder, path=path)

    done, json = with_mode("good")
    expect(done.returncode == 0 and json["submissions"][0]["points"] == 10, "a compiler that does its work", json, done.stderr)
    done, json = with_mode("foreign")
    expect(reasons(json) == ["compile_error"] and "not part of the compiler" in messages(json), "a foreign include", json)
    begin = time.monotonic()
    done, json = with_mode("sleep")
    expect(reasons(json) == ["limit"] and "more than 3 seconds" in messages(json) and time.monotonic() - begin < 20, "a compiler that never ends", json)
    done, json = with_mode("background")
    expect(json["submissions"][0]["points"] == 10, "a process in the background", json)
    expect(not processes("98765"), "nothing goes on running", processes("98765"))
    done, json = with_mode("chatter")
    expect(reasons(json) == ["limit"] and "printed without end" in messages(json), "messages without end", json)
    done, json = with_mode("killed")
    expect(reasons(json) == ["limit"], "a compiler that is killed", json)
    done, json = with_mode("environment")
    expect(set(messages(json).split()) <= {"HOME", "LC_ALL", "PATH", "PWD", "OLDPWD", "SHLVL", "TMPDIR", "_"}, "of the environment it has the path", json)
    done, json = with_mode("elsewhere")
    expect(messages(json) == "mine" and json["submissions"][0]["findings"][0]["source_line"] == 2 and SECRET not in done.stdout, "messages about other files", json)
    for mode in ("silent", "nothing"):
        done, json = with_mode(mode)
        expect(mode == "nothing" and json["submissions"][0]["points"] == 0 or reasons(json) == ["compile_error"], f"a compiler that is {mode}", json)
    done, json = with_mode("input")
    expect(json["submissions"][0]["points"] == 10, "standard input is empty", json)

    expect(not list(temporary.iterdir()), "no folder is left", list(temporary.iterdir()))
    none = run("grade", LAB, "s.cu", folder=folder, path=folder / "toolkit")
    expect(none.returncode == 2 and "neither nvcc nor clang++" in none.stderr and "^" in none.stderr, "no compiler", none.stderr)
    expect(run("grade", LAB, LABS / "vector_scale/solution.ptx", path=folder / "toolkit").returncode == 0, "PTX needs none")


def test():
    with tempfile.TemporaryDirectory() as name:
        test_fake(pathlib.Path(name))
