#!/usr/bin/env python3
"""hostile_hosts.py WARPTIME: what a host does to a command. It kills its processes, has no room for files, descriptors or
temporary files, has programs of Slurm that answer anything, and gives it an output that does not wait. A point that was not run
to its end is not done: exit status 2 with a sentence, no row, and --resume runs it. One line for each thing that is not so."""
import fcntl
import json
import os
import resource
import signal
import subprocess
import sys
import tempfile
import time

PROGRAM = os.path.abspath(sys.argv[1])
failures = []


def expect(condition, what):
    if not condition:
        failures.append(what)


def call(*words, folder, status, environment=None, before=None, stdin=b""):
    done = subprocess.run([PROGRAM, *words], cwd=folder, input=stdin, capture_output=True, timeout=60, preexec_fn=before,
                          env={**os.environ, **(environment or {})})
    err = done.stderr.decode(errors="replace")
    if done.returncode != status:
        failures.append(f"warptime {words}: status {done.returncode}, not {status}\n{err[:1000]}")
    return done.stdout.decode(errors="replace"), err


def lines(folder, name):
    with open(os.path.join(folder, name), encoding="utf-8", errors="surrogateescape") as file:
        return file.read().splitlines()


def write(folder, name, text, mode=0o644):
    path = os.path.join(folder, name)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    os.chmod(path, mode)
    return path


def child_of(process, seconds=30):
    """Its first child process that has no other number than those before."""
    end = time.monotonic() + seconds
    while time.monotonic() < end and process.poll() is None:
        with open(f"/proc/{process.pid}/task/{process.pid}/children", encoding="ascii") as file:
            children = file.read().split()
        if children:
            return int(children[0])
        time.sleep(0.005)
    return None


SWEEP = ["sweep", "matmul:naive", "--param", "n=16,96", "--no-check", "--columns", "launches", "--csv", "r.csv", "--jobs", "1"]


def end_second_point(folder, words, number):
    """Starts the command, and ends the process of the long point by this signal."""
    process = subprocess.Popen([PROGRAM, *words], cwd=folder, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL)
    end = time.monotonic() + 30
    while time.monotonic() < end and not (os.path.exists(os.path.join(folder, "r.csv")) and len(lines(folder, "r.csv")) == 2):
        time.sleep(0.01)
    child = child_of(process)
    expect(child, f"{words}: there is no process of the second point")
    if child:
        os.kill(child, number)
    _, err = process.communicate(timeout=60)
    return process.returncode, err.decode()


def killed_points():
    for number, more in ((signal.SIGKILL, []), (signal.SIGXCPU, []), (signal.SIGKILL, ["--shard", "1/1"])):
        with tempfile.TemporaryDirectory() as folder:
            status, err = end_second_point(folder, [*SWEEP, *more], number)
            expect(status == 2 and "point 2 is not done" in err, f"signal {number} {more}: {status} {err}")
            expect(len(lines(folder, "r.csv")) == 2, f"signal {number} {more}: a point that was killed has a row")
            call(*SWEEP, *more, "--resume", "--quiet", folder=folder, status=0)
            expect(len(lines(folder, "r.csv")) == 3, f"signal {number} {more}: --resume does not run what was killed")
    # A crash of the program itself has its row, which the next run replaces.
    with tempfile.TemporaryDirectory() as folder:
        status, err = end_second_point(folder, SWEEP, signal.SIGSEGV)
        expect(status == 2 and "1 of 2 points ended by a fault of warptime" in err, f"crash: {status} {err}")
        expect(lines(folder, "r.csv")[2].startswith("96,4,"), f"crash: {lines(folder, 'r.csv')}")
        call(*SWEEP, "--resume", "--quiet", folder=folder, status=0)
        expect(lines(folder, "r.csv")[2].startswith("96,0,1,"), f"crash, repeated: {lines(folder, 'r.csv')}")


def crashed_rows():
    """Rows of status 4 are repeated wherever they are; the others stay as they are."""
    words = ["sweep", "vecadd", "--param", "n=64:256:+64", "--columns", "launches", "--csv", "r.csv", "--quiet"]
    with tempfile.TemporaryDirectory() as folder:
        call(*words, folder=folder, status=0)
        whole = lines(folder, "r.csv")
        crashed = [whole[0], whole[1].replace(",0,1,", ",4,,"), whole[2].replace(",1,", ",77,"), whole[3].replace(",0,1,", ",4,,")]
        write(folder, "r.csv", "\n".join(crashed) + "\n")
        call(*words, "--resume", folder=folder, status=0)
        expect(lines(folder, "r.csv") == [whole[0], whole[1], crashed[2], *whole[3:]], f"rows of crashes: {lines(folder, 'r.csv')}")
    words = ["whatif", "vecadd", "--param", "n=1024", "--only", "dram.row", "--csv", "w.csv", "--quiet"]
    with tempfile.TemporaryDirectory() as folder:
        call(*words, folder=folder, status=0)
        whole = lines(folder, "w.csv")
        row = whole[1].split(",")
        write(folder, "w.csv", "\n".join([whole[0], ",".join([*row[:2], "", "", "4", row[5]]), *whole[2:]]) + "\n")
        call(*words, "--resume", folder=folder, status=0)
        expect(lines(folder, "w.csv") == whole, "whatif: the row of a crash is not repeated")


def killed_validation():
    with tempfile.TemporaryDirectory() as folder:
        write(folder, "scale.yaml", f"module: {ROOT}/docs/examples/scale.ptx\nbuffers: {{x: {{type: f32, count: 10}}}}\n"
              "launches: [{kernel: scale, grid: [4], block: [256], args: [x, {f32: 2}, {u32: 1000}]}]\n")
        table = ("source: s\nruns:\n  a: {target: vecadd, param: {n: 64}}\n  b: {target: %s}\nrows:\n"
                 "  a: {value: a.time_us, published: 1.3, quantity: us, role: predicted}\n"
                 "  b: {value: b.time_us, published: 1, quantity: us, role: %s}\n")
        for role in ("fitted", "predicted", "recalled"):
            write(folder, "v.yaml", table % ("scale.yaml", role))
            call("validate", "v.yaml", "--quiet", folder=folder, status=1)
        write(folder, "v.yaml", table % ("vecadd", "fitted"))
        call("validate", "v.yaml", "--quiet", folder=folder, status=0)
        write(folder, "v.yaml", table % ("matmul:naive, param: {n: 128}", "fitted"))
        process = subprocess.Popen([PROGRAM, "validate", "v.yaml", "--quiet", "--jobs", "1"], cwd=folder, stderr=subprocess.DEVNULL)
        first = child_of(process)
        child = first
        while child == first and process.poll() is None:
            time.sleep(0.005)
            child = child_of(process)
        if child:
            os.kill(child, signal.SIGKILL)
        expect(process.wait(timeout=60) == 1, f"validate with a killed run: status {process.returncode}")


def no_room():
    words = ["sweep", "vecadd", "--param", "n=64,96", "--columns", "launches", "--csv", "n.csv", "--quiet"]
    with tempfile.TemporaryDirectory() as folder:
        _, err = call(*words, folder=folder, status=2, before=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (6, 6)))
        expect("not done" in err and "ulimit -n" in err, f"no descriptors: {err}")
        call(*words, "--resume", folder=folder, status=0)
        expect([row.split(",")[1] for row in lines(folder, "n.csv")[1:]] == ["0", "0"], f"no descriptors: {lines(folder, 'n.csv')}")
    # The results of points need no temporary file. Where this may be done: a /tmp without a free byte.
    with tempfile.TemporaryDirectory(dir="/var/tmp") as folder:
        script = 'mount -t tmpfs -o size=4k tmpfs /tmp && head -c 4096 /dev/zero > /tmp/fill; exec "$@"'
        done = subprocess.run(["unshare", "-m", "sh", "-c", script, "sh", PROGRAM, *words], cwd=folder, capture_output=True, timeout=60)
        if b"mount" not in done.stderr and b"unshare" not in done.stderr:
            expect(done.returncode == 0, f"a full /tmp: {done.returncode} {done.stderr}")


def waits_for_reader():
    """An output that another program has set to return at once, and that is read late."""
    for words in (["list", "statistics"],
                  ["run", "matmul:tiled", "--param", "n=32", "--stats", "-", "--stats-per-instruction", "--quiet"]):
        expected, _ = call(*words, folder="/", status=0)
        reader, writer = os.pipe()
        fcntl.fcntl(writer, fcntl.F_SETFL, fcntl.fcntl(writer, fcntl.F_GETFL) | os.O_NONBLOCK)
        process = subprocess.Popen([PROGRAM, *words], stdout=writer, stderr=subprocess.PIPE)
        os.close(writer)
        time.sleep(0.3)
        with os.fdopen(reader, "rb") as file:
            length = len(file.read())
        _, err = process.communicate(timeout=60)
        expect(process.returncode == 0 and abs(length - len(expected)) < 300,
               f"{words}: {length} bytes of about {len(expected)}, status {process.returncode} {err}")


def names_of_any_bytes():
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(ROOT, "docs/examples/scale.ptx"), encoding="utf-8") as file:
            write(folder, "\udcff.ptx", file.read())
        words = ["sweep", "\udcff.ptx", "--grid", "4", "--block", "256", "--buffer", "x=f32:1000", "--arg", "x", "--arg", "f32=2",
                 "--arg", "u32=1000", "--set", "memory.partitions=2,6", "--quiet"]
        call(*words, "--csv", "s", "--shard", "1/1", folder=folder, status=0)
        call(*words, "--csv", "whole.csv", folder=folder, status=0)
        call("sweep", "--merge", "s", "--csv", "m.csv", folder=folder, status=0)
        expect(lines(folder, "m.csv") == lines(folder, "whole.csv"), "a target that is not UTF-8: other rows")


def slurm():
    words = ["sweep", "vecadd", "--param", "n=64,96", "--slurm", "--point-time", "1"]
    with tempfile.TemporaryDirectory() as folder:
        os.mkdir(os.path.join(folder, "b"))
        path = {"PATH": os.path.join(folder, "b") + ":" + os.environ["PATH"]}
        write(folder, "b/squeue", '#!/bin/sh\necho "1-18446744073709551615|RUNNING"\n', 0o755)
        write(folder, "b/sbatch", '#!/bin/sh\necho "Welcome to cluster 7"; echo; echo "12;c"; echo bye\n', 0o755)
        out, _ = call(*words, "--csv", "p.csv", folder=folder, status=0, environment=path)
        expect(out.startswith("job 12: 2 of 2 points in 1 elements"), f"sbatch with a banner: {out}")
        with open(os.path.join(folder, "p.csv.plan/job-1.json"), encoding="utf-8") as file:
            expect(json.load(file) == {"job": "12", "merge": "12"}, "sbatch with a banner: another job")
        os.mkfifo(os.path.join(folder, "p.csv.plan/shard-1-1-1-0"))
        os.mkfifo(os.path.join(folder, "p.csv.plan/states-1.txt"))
        out, _ = call("sweep", "--status", "p.csv.plan", folder=folder, status=0, environment=path)
        expect("shard-1-1-1-0 is not a file" in out and "1 running" in out, f"a pipe among the shards: {out}")
        deep = '{"tasks":' + "[" * 200000 + "]" * 200000 + ',"elements":1}'
        for text in (deep, '{"tasks":[[0,18446744073709551615]],"elements":2000001}', '{"tasks":[[0,1]],"elements":18446744073709551615}'):
            write(folder, "p.csv.plan/submission-1.json", text)
            _, err = call("sweep", "--status", "p.csv.plan", folder=folder, status=2, environment=path)
            expect("is damaged" in err, f"{text[:40]}: {err}")
        for answer in ("exit 0", "echo no number", "echo 12x"):
            write(folder, "b/sbatch", f"#!/bin/sh\n{answer}\n", 0o755)
            _, err = call(*words, "--csv", "q.csv", folder=folder, status=2, environment=path)
            expect("sbatch gave no job number" in err, f"sbatch, {answer}: {err}")
            expect(not os.path.exists(os.path.join(folder, "q.csv.plan")), f"sbatch, {answer}: the plan is still there")
        gone = os.path.join(folder, "gone")
        os.mkdir(gone)
        script = f'cd {gone} && rmdir {gone} && exec "$@"'
        done = subprocess.run(["sh", "-c", script, "sh", PROGRAM, *words, "--csv", folder + "/y.csv"], capture_output=True,
                              env={**os.environ, **path}, timeout=60)
        expect(done.returncode == 2 and b"--slurm" in done.stderr, f"a folder that is gone: {done.returncode} {done.stderr}")


def editors():
    def message(text):
        return f"Content-Length: {len(text)}\r\n\r\n{text}".encode()

    deep = "[" * 100000 + "]" * 100000
    for text, status in (('{"seq":1,"type":"request","command":5}', 0), ('{"seq":"x","type":"request","command":"initialize"}', 0),
                         ('{"seq":{},"type":"request"}', 0), ('{"seq":1e99,"type":"request","command":"threads","arguments":7}', 0),
                         (f'{{"seq":1,"type":"request","command":"initialize","arguments":{deep}}}', 2)):
        out, err = call("debug", "vecadd", "--param", "n=300", "--dap", folder="/", status=status, stdin=message(text))
        expect(status == 2 or '"type":"response"' in out, f"{text[:60]}: no answer: {out} {err}")


ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
for test in (killed_points, crashed_rows, killed_validation, no_room, waits_for_reader, names_of_any_bytes, slurm, editors):
    start = time.monotonic()
    test()
    if "-v" in sys.argv:
        print(f"{test.__name__}: {time.monotonic() - start:.1f} s, {len(failures)} failures so far")
for failure in failures:
    print(failure)
sys.exit(1 if failures else 0)
