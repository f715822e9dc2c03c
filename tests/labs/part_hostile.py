"""Submissions that should harm the grader or read what is not theirs: PTX, and files that are none."""
import os
import pathlib
import shutil
import struct
import tempfile
import time

import harness
from harness import LABS, expect, grade, run

LAB = LABS / "vector_scale/lab.yaml"
RIGHT = LABS / "vector_scale/solution.ptx"
SECRET = "the-secret-of-the-teacher-4711"


def kernel(body, before="", declarations=".reg .b64 %rd<4>;\n.reg .b32 %r<4>;\n.reg .pred %p<2>;\n"):
    return (".version 6.0\n.target sm_75\n.address_size 64\n" + before +
            ".visible .entry scale(.param .u64 x, .param .u64 y, .param .f32 f, .param .u32 n) {\n" + declarations + body + "ret;\n}\n")


def said(done, json):
    return done.stdout + done.stderr + str(json)


def reason(json):
    return [finding["kind"] for finding in json["submissions"][0]["findings"] if finding["severity"] == "error"]


class Folder:
    def __init__(self, path):
        self.path = pathlib.Path(path)

    def submit(self, text, *options, name="s.ptx"):
        (self.path / name).write_text(text)
        return self.grade(name, *options)

    def grade(self, name, *options):
        begin = time.monotonic()
        done, json = grade(LAB, name, *options, folder=self.path)
        self.seconds = time.monotonic() - begin
        return done, json


def test_limits(folder):
    forever = kernel("L: bra L;\n")
    done, json = folder.submit(forever, "--max-cycles", "100000")
    expect(done.returncode == 1 and reason(json)[0] == "fault" and "not finished after 100000" in said(done, json), "an endless loop: cycles", json)
    counting = kernel("L: add.u32 %r1, %r1, 1;\nbra L;\n")
    done, json = folder.submit(counting, "--max-cycles", "1000000000000", "--seconds", "2")
    expect(reason(json)[0] == "limit" and "more than 2 seconds" in said(done, json) and folder.seconds < 15, "an endless loop: seconds", json)
    expect(json["submissions"][0]["points"] == 0, "no points", json)
    # 512 KiB of local memory for each of 5,000 threads, all of it written.
    fill = kernel("mov.u32 %r1, 0;\nL: cvt.u64.u32 %rd1, %r1;\nadd.u64 %rd2, %rd0, %rd1;\nst.local.u32 [%rd2], %r1;\n"
                  "add.u32 %r1, %r1, 4096;\nsetp.lt.u32 %p1, %r1, 520000;\n@%p1 bra L;\n",
                  declarations=".local .align 4 .b8 room[524288];\n.reg .b64 %rd<4>;\n.reg .b32 %r<4>;\n.reg .pred %p<2>;\nmov.u64 %rd0, room;\n")
    done, json = folder.submit(fill, "--memory", "300", "--max-cycles", "1000000000")
    expect(reason(json)[0] in ("limit", "refused") and "MiB of memory" in said(done, json), "memory without end", json)
    done, json = folder.submit(kernel("", before=".global .b8 all[1099511627776];\n"))
    expect(reason(json) == ["refused"] and "does not fit in device memory" in said(done, json), "a variable of 1 TiB", json)
    done, json = folder.submit(kernel("{" * 200000))
    expect(done.returncode == 1 and json["submissions"][0]["points"] == 0, "200,000 brackets", json)


def test_leaks(folder):
    """.file names a file of the host, and every message would show its line; also where Landlock does not deny the file."""
    leaks_in(folder)
    harness.WRAPPER = ("python3", harness.ROOT / "tests/labs/without_landlock.py")
    leaks_in(folder)
    harness.WRAPPER = ()


def leaks_in(folder):
    secret = folder.path / "secret.txt"
    secret.write_text(f"first line\n{SECRET}\n")
    text = kernel("ld.param.u64 %rd1, [y];\n.loc 1 2 1\nst.global.u32 [%rd1+100000000], 1;\n", before=f'.file 1 "{secret}"\n')
    (folder.path / "s.ptx").write_text(text)
    shown = run("check", "s.ptx", "--grid", "1", "--block", "1", "--buffer", "a=f32:8", "--arg", "a", "--arg", "a", "--arg", "f32=1", "--arg", "u32=1",
                folder=folder.path)
    expect(SECRET in shown.stdout, "the control: check shows the line of a file that PTX names", shown.stdout)
    done, json = folder.grade("s.ptx")
    expect(reason(json)[0] == "out_of_bounds_global" and SECRET not in said(done, json), "grade does not", json)
    done = run("grade", LAB, "s.ptx", folder=folder.path)
    expect("out_of_bounds_global" in done.stdout and SECRET not in done.stdout + done.stderr, "nor its report", done.stdout)
    # Figures name lines, too: right values, but uncoalesced.
    strided = (LABS.parent / "tests/labs/wrong/vector_scale_strided.ptx").read_text().replace("tests/labs/wrong/vector_scale_strided.cu", str(secret))
    strided = "\n".join(line if not line.startswith("\t.loc\t1 ") else "\t.loc\t1 2 1" for line in strided.splitlines()) + "\n"
    (folder.path / "s.ptx").write_text(strided)
    done = run("grade", LAB, "s.ptx", folder=folder.path)
    expect("coalesced is 0 %" in done.stdout and "secret.txt:2" in done.stdout and SECRET not in done.stdout, "nor figures", done.stdout)


def test_cheats(folder):
    """Values that are in a variable of the name of the buffer are not in the buffer."""
    values = struct.unpack("<1000f", (LABS / "vector_scale/expected_y.npy").read_bytes()[-4000:])
    table = ", ".join(f"0f{struct.unpack('<I', struct.pack('<f', value))[0]:08x}" for value in values)
    done, json = folder.submit(kernel("", before=f".visible .global .align 4 .f32 y[1000] = {{{table}}};\n"))
    expect(json["submissions"][0]["points"] == 0 and set(reason(json)) == {"wrong_values"}, "a variable with the buffer's name", json)
    expect(json["submissions"][0]["tasks"][2]["ok"] is False, "nothing computed: no points for no findings", json)
    done, json = folder.submit(kernel("").replace("scale(", "scael("))
    expect(reason(json) == ["refused"] and 'did you mean "scael"?' in said(done, json), "a wrong name of the kernel", json)
    done, json = folder.submit(kernel("").replace(", .param .u32 n", ""))
    expect(reason(json) == ["refused"] and "argument" in said(done, json), "a parameter too few", json)
    done, json = folder.submit(kernel("trap;\n"))
    expect(done.returncode == 1 and "fault" in reason(json), "trap", json)
    done, json = folder.submit(kernel(".reg .f32 %f<2>;\nmov.f32 %f0, %f1\n"))
    expect(reason(json) == ["refused"] and "s.ptx:" in said(done, json), "a syntax error has its place", json)


def test_files(folder):
    path = folder.path
    os.symlink("/etc/passwd", path / "link.ptx")
    os.mkfifo(path / "pipe.ptx")
    (path / "folder.ptx").mkdir()
    (path / "long.ptx").write_bytes(b" " * (17 << 20))
    (path / "binary.ptx").write_bytes(bytes(range(256)) * 100)
    (path / "empty.ptx").write_text("")
    for name, message in [("link.ptx", "it is a symbolic link"), ("pipe.ptx", "it is a pipe"), ("folder.ptx", "it is a folder"),
                          ("long.ptx", "more than 16 MiB"), ("binary.ptx", "not PTX text"), ("empty.ptx", "the file has no PTX in it")]:
        done, json = folder.grade(name)
        expect(done.returncode == 1 and message in said(done, json) and "root:" not in said(done, json), f"{name}: {message}", json, done.stderr)
    done, json = grade(LAB, "link.ptx", RIGHT, folder=path)
    expect([one["points"] for one in json["submissions"]] == [0, 10], "the others are graded all the same", json)
    for name in ("./-o x.ptx", "$(touch made)`touch made`.ptx", "a;touch made;.ptx", "new\nline\x1b[31m.ptx", "@x.ptx", "..ptx"):
        shutil.copy(RIGHT, path / name)
        done = run("grade", LAB, name, "--reports", "reports", folder=path)
        expect(done.returncode == 0 and "10 of 10 points" in done.stdout.splitlines()[0] and "\x1b" not in done.stdout, f"named {name!r}", done.stdout, done.stderr)
    expect(not (path / "made").exists(), "no name is a command")
    reports = [report.name for report in (path / "reports").iterdir()]
    expect(len(reports) == 6 and all(set(name) <= set("abcdefghijklmnopqrstuvwxyz_-.0123456789") for name in reports), "harmless names of reports", reports)


def test():
    for part in (test_limits, test_leaks, test_cheats, test_files):
        with tempfile.TemporaryDirectory() as name:
            part(Folder(name))
