#!/usr/bin/env python3
"""`warptime measure` on a GPU that fake_cuda.cc plays.

usage: measure_test.py PROGRAM BUILD PART
BUILD/fake and BUILD/old have its libraries. WARPTIME_UPDATE=1 renews tests/measure/expected."""

import csv
import itertools
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
EXPECTED = HERE / "expected"
VECADD = ["vecadd", "--param", "n=1024", "--repetitions", "3"]
mistakes = []


class Fake:
    """A folder to work in, and the program in it."""

    def __init__(self, program, build, folder):
        self.program, self.build, self.folder = str(pathlib.Path(program).resolve()), pathlib.Path(build).resolve(), pathlib.Path(folder)

    def environment(self, library="fake", fault=None, log=None):
        """`library`: the folder of BUILD, or another one."""
        environment = {**os.environ, "LD_LIBRARY_PATH": str(self.build / library)}
        if fault:
            environment["FAKE_CUDA_FAULT"] = fault
        if log:
            environment["FAKE_CUDA_LOG"] = str(log)
        return environment

    def measure(self, *words, **how):
        return subprocess.run([self.program, "measure", *map(str, words)], capture_output=True, text=True, cwd=self.folder,
                              env=self.environment(**how), timeout=60)

    def text(self, name):
        return without_module_version((self.folder / name).read_text())

    def expect_failure(self, what, words, status, *sentences, **how):
        done = self.measure(*words, **how)
        if done.returncode != status:
            mistakes.append(f"{what}: exit status {done.returncode}, not {status}\n{done.stdout}{done.stderr}")
        for sentence in sentences:
            if sentence not in done.stderr:
                mistakes.append(f"{what}: standard error lacks: {sentence}\n{done.stderr}")
        if "Traceback" in done.stderr or "terminate" in done.stderr:
            mistakes.append(f"{what}: {done.stderr}")
        return done


def without_module_version(text):
    """Where the tests' machine has a real driver, its kernel module's version is added."""
    return re.sub(r"(CUDA \d+\.\d+), [0-9.]+", r"\1", text)


def compare(name, text):
    path = EXPECTED / name
    if os.environ.get("WARPTIME_UPDATE"):
        path.write_text(text)
    elif not path.exists() or path.read_text() != text:
        (pathlib.Path(tempfile.gettempdir()) / name).write_text(text)
        mistakes.append(f"{path.relative_to(ROOT)} differs from what was written:\n{text[:3000]}")


def errors(fake):
    (fake.folder / "broken").mkdir()
    (fake.folder / "broken/libcuda.so.1").write_text("no library")
    for target in (VECADD, ["micro"]):
        fake.expect_failure("no library", target, 2, "error: this machine has no NVIDIA driver (libcuda.so.1)",
                            "needs a GPU; `warptime run` simulates one", library=fake.folder / "broken")
        fake.expect_failure("an old library", target, 2, "has no function cuLaunchCooperativeKernel", library="old")
        fake.expect_failure("no driver", target, 2, "driver of this machine does not start: CUDA_ERROR", fault="no-driver")
        fake.expect_failure("no device", target, 2, "driver of this machine finds no GPU", fault="no-device")
    fake.expect_failure("compile", VECADD, 2, "vecadd.ptx\": CUDA_ERROR_INVALID_PTX", "ptxas fatal : line 7; no such thing",
                        fault="compile:vecadd")
    fake.expect_failure("refuse", VECADD, 2, "the GPU refuses kernel vecadd (4 x 1 x 1 blocks of 256 x 1 x 1 threads): "
                        "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES", fault="refuse:vecadd")
    fake.expect_failure("fault", VECADD, 3, "error: kernel vecadd: the GPU reports CUDA_ERROR_ILLEGAL_ADDRESS",
                        fault="fault:vecadd")
    wrong = fake.measure(*VECADD, fault="wrong:vecadd")
    if wrong.returncode != 1 or "0 passed, 1 failed" not in wrong.stdout:
        mistakes.append(f"a wrong value: exit status {wrong.returncode}\n{wrong.stdout}")
    if fake.measure(*VECADD, "--no-check", fault="wrong:vecadd").returncode != 0:
        mistakes.append("a wrong value with --no-check: not exit status 0")
    errors_of_microbenchmarks(fake)


def errors_of_microbenchmarks(fake):
    """What a kernel that fails costs of all values."""
    def names(file):
        with open(fake.folder / file, newline="") as rows:
            return [row["name"] for row in csv.DictReader(rows)]

    only = ["--only", "shared/", "--only", "latency/lop3", "--only", "latency/add_u32"]
    fake.measure("micro", *only, "--csv", "all.csv", "--quiet")
    everything = names("all.csv")
    for fault in ("refuse:shared_load_v4", "compile:shared_load_v4"):
        done = fake.expect_failure(fault, ["micro", *only, "--csv", "some.csv", "--json=some.json", "--quiet"], 1,
                                   "warptime: note: shared/load_v4 is missing: the GPU", fault=fault)
        if done.stderr.count("\n") != 1:
            mistakes.append(f"{fault}: more than a line:\n{done.stderr}")
        if names("some.csv") != [name for name in everything if "load_v4" not in name]:
            mistakes.append(f"{fault}: the values are {names('some.csv')}")
        missing = json.loads(fake.text("some.json"))["missing"]
        if [one["name"] for one in missing] != ["shared/load_v4"]:
            mistakes.append(f"{fault}: missing is {missing}")
    fake.expect_failure("a fault", ["micro", *only, "--csv", "few.csv", "--json=few.json", "--quiet"], 3,
                        "note: latency/lop3 is missing: kernel latency_lop3: the GPU reports CUDA_ERROR_ILLEGAL_ADDRESS",
                        fault="fault:latency_lop3")
    if names("few.csv") != ["latency/add_u32"] or json.loads(fake.text("few.json"))["gpu"]["sm_mhz"] is not None:
        mistakes.append(f"after a fault: {names('few.csv')}, {fake.text('few.json')}")


def order(fake):
    """The calls that times consist of, in their order."""
    for name, words in (("vecadd", VECADD), ("increment", [HERE / "increment.yaml", "--repetitions", "2"])):
        log = fake.folder / "log"
        done = fake.measure(*words, log=log)
        if done.returncode != 0:
            mistakes.append(f"{name}: exit status {done.returncode}\n{done.stderr}{done.stdout}")
        calls = [(call, len(list(same))) for call, same in itertools.groupby(log.read_text().splitlines())]
        compare(f"order_{name}.txt", "".join(f"{call}{f' x {count}' if count > 1 else ''}\n" for call, count in calls))


def files(fake):
    simulated = ["--machine", "geforce-gtx-480", "--set", "memory.partitions=5"]
    done = fake.measure(*VECADD, *simulated, "--json=vecadd.json", "--csv", "vecadd.csv", "--validation", "vecadd.yaml")
    compare("vecadd.txt", without_module_version(done.stdout))
    for name in ("vecadd.json", "vecadd.csv", "vecadd.yaml"):
        compare(name, fake.text(name))
    again = subprocess.run([fake.program, "validate", "vecadd.yaml"], capture_output=True, text=True, cwd=fake.folder)
    if again.returncode != 0:
        mistakes.append(f"the validation table is refused:\n{again.stderr}")
    compare("increment.txt", without_module_version(
        fake.measure(HERE / "increment.yaml", "--first-per-kernel", "1", "--no-check").stdout.replace(str(HERE), "")))
    few = [word for name in ("sm_clock", "latency/add_u32", "throughput/fma_f32", "chase/ca/4KB", "bandwidth/dram_read",
                             "shared/load", "launch/empty_us") for word in ("--only", name)]
    done = fake.measure("micro", *few, "--json=micro.json", "--csv", "micro.csv")
    compare("micro.txt", without_module_version(done.stdout))
    for name in ("micro.json", "micro.csv"):
        compare(name, fake.text(name))
    fake.measure("micro", "--quiet", "--machine-file", "micro.yaml", "--extends", "geforce-gtx-480")
    compare("micro.yaml", fake.text("micro.yaml"))
    run = subprocess.run([fake.program, "run", "vecadd", "--param", "n=256", "--machine", "micro.yaml", "--quiet"],
                         capture_output=True, text=True, cwd=fake.folder)
    if run.returncode != 0:
        mistakes.append(f"the machine file is refused:\n{run.stderr}")


def simulated(fake):
    """Values of a simulated machine beside those of the GPU, and beside those of a file, without a driver."""
    few = ["--only", "barrier/", "--machine", "geforce-gtx-480"]
    compare("simulated_gpu.txt", without_module_version(fake.measure("micro", *few).stdout))
    measured = fake.folder / "measured.csv"
    measured.write_text("name,value,unit,kernel\nbarrier/warps1,40,cycles,barrier\nother/value,5,cycles,other\n")
    done = fake.measure("micro", *few, "--measured", measured, "--json=both.json", "--csv", "both.csv", library="none")
    if done.returncode != 0:
        mistakes.append(f"--measured: exit status {done.returncode}\n{done.stderr}")
    compare("simulated.txt", done.stdout.replace(str(measured), "measured.csv"))
    for name in ("both.json", "both.csv"):
        compare(name, fake.text(name))
    slower = fake.measure("micro", *few, "--measured", measured, "--set", "issue.barrier_latency=300", "--csv", "-",
                          library="none").stdout
    if slower == fake.text("both.csv") or not slower.startswith("name,value,unit,kernel,simulated\nbarrier/warps1,40,"):
        mistakes.append(f"--set changes nothing:\n{slower}")
    measured.write_text("name,value,unit,kernel\nbarrier/warps1,fast,cycles,barrier\n")
    fake.expect_failure("no number", ["micro", *few, "--measured", measured], 2, "\"fast\" is not a number", library="none")


def interruption(fake):
    """A run that a signal ends leaves older files as they are, and no others."""
    for number in (signal.SIGTERM, signal.SIGINT):
        for file in fake.folder.iterdir():
            file.unlink()
        (fake.folder / "old.csv").write_text("as it was\n")
        log = fake.folder / "log"
        process = subprocess.Popen([fake.program, "measure", "micro", "--csv", "old.csv", "--json=new.json"], cwd=fake.folder,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                   env=fake.environment(fault="hang:latency_lop3", log=log))
        for _ in range(3000):
            if log.exists() and "launch latency_lop3" in log.read_text():
                break
            time.sleep(0.01)
        process.send_signal(number)
        status = process.wait(timeout=30)
        if status not in (-number, 128 + number):
            mistakes.append(f"signal {number}: exit status {status}")
        left = sorted(file.name for file in fake.folder.iterdir())
        if left != ["log", "old.csv"] or (fake.folder / "old.csv").read_text() != "as it was\n":
            mistakes.append(f"signal {number}: left {left}")


def options(fake):
    for words, sentence in (
            (["vecadd", "--only", "latency/"], "--only goes with `measure micro` only"),
            (["vecadd", "--machine-file", "m.yaml"], "--machine-file goes with `measure micro` only"),
            (["micro", "--param", "n=5"], "--param goes with a TARGET only"),
            (["micro", "--machine", "generic"], "machine \"generic\" has no timing, so none of its values can be simulated"),
            (["micro", "--measured", "m.csv"], "--measured goes with --machine"),
            (["micro", "--set", "sp.groups=2"], "--set goes with --machine"),
            (["vecadd", "--measured", "m.csv"], "--measured goes with `measure micro` only"),
            (["micro", "--machine", "h200-sxm", "--measured", "none.csv"], "none.csv"),
            (["micro", "--machine", "h200-sxm", "--measured", "m.csv", "--machine-file", "m.yaml", "--extends",
              "h200-sxm"], "--machine-file goes with a GPU, --measured without one"),
            (["micro", "--machine-file", "m.yaml"], "--machine-file and --extends go together"),
            (["micro", "--extends", "generic"], "--machine-file and --extends go together"),
            (["micro", "--only", "latncy/"], "no value's name begins with \"latncy/\""),
            (["vecadd", "--repetitions", "0"], "--repetitions"),
            (["vecadd", "--first-per-kernel", "0"], "--first-per-kernel"),
            (["nothing"], "nothing")):
        fake.expect_failure(" ".join(words), words, 2, sentence)
    if list(fake.folder.iterdir()):
        mistakes.append(f"refused commands left {list(fake.folder.iterdir())}")


def pages(fake):
    """docs/measure.md has a row for each group of values, and no others; its commands are as they are shown."""
    page = (ROOT / "docs/measure.md").read_text().split("## Files")[0]
    rows = re.findall(r"^\| ((?:`[a-z0-9_/+]+`(?:, )?)+) \|", page, re.M)
    groups = [name for row in rows for name in re.findall(r"`([^`]+)`", row)]
    fake.measure("micro", "--quiet", "--csv", "all.csv")
    with open(fake.folder / "all.csv", newline="") as values:
        names = [row["name"] for row in csv.DictReader(values)]
    for name in names:
        if not any(name.startswith(group) for group in groups):
            mistakes.append(f"docs/measure.md: no row for {name}")
    for group in groups:
        if not any(name.startswith(group) for name in names):
            mistakes.append(f"docs/measure.md: no value begins with {group}")
    if len(names) < 300:
        mistakes.append(f"only {len(names)} values")


def main():
    program, build, part = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        globals()[part](Fake(program, build, folder))
    if mistakes:
        sys.exit("\n".join(mistakes))


main()
