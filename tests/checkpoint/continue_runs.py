#!/usr/bin/env python3
"""continue_runs.py WARPTIME [SEED]: runs that write checkpoints, are killed, and continue. What a continued run writes has the
bytes of the whole run, but for `host`; a checkpoint of another run, and a file that is none, are refused with a sentence and
exit status 2. The cycles are random: the seed is printed."""
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time

PROGRAM = os.path.abspath(sys.argv[1])
SEED = int(sys.argv[2]) if len(sys.argv) > 2 else random.randrange(1 << 32)
RUNS = [
    ["matmul:tiled", "--param", "n=64"],
    ["histogram:atomics", "--param", "n=20004", "--param", "blocks=5", "--machine", "tesla-c1060"],
    ["fdtd", "--param", "size=32", "--param", "steps=3"],
    ["smooth:linear", "--param", "width=17", "--param", "height=33", "--stats-per-instruction"],
    ["docs/examples/scale.yaml"],
    ["matmul:tiled", "--param", "n=64", "--functional"],
]
LONG = ["matmul:naive", "--param", "n=160", "--no-check", "--threads", "1"]
failures = []


def run(*words, status=0):
    done = subprocess.run([PROGRAM, "run", *words], capture_output=True, text=True, cwd=ROOT, timeout=300)
    if done.returncode != status:
        failures.append(f"warptime run {' '.join(words)}: status {done.returncode}, not {status}\n{done.stderr}")
    return done


def statistics(file):
    """The statistics as text, without what differs from run to run."""
    with open(file, encoding="utf-8") as text:
        report = json.load(text)
    del report["host"]
    return json.dumps(report)


def expect(condition, what):
    if not condition:
        failures.append(what)


def length_of(report):
    """The length of each launch, in what --checkpoint-at counts."""
    launches = json.loads(report)["launches"]
    return [launch["cycles"] or launch["warp_instructions"] for launch in launches]


def check_continued(words, folder):
    whole, first, rest, file = (os.path.join(folder, name) for name in ("whole.json", "first.json", "rest.json", "run.ckp"))
    run(*words, "--quiet", "--stats", whole)
    expected = statistics(whole)
    lengths = length_of(expected)
    for threads in ("1", "3"):
        launch = random.randrange(len(lengths))
        cycle = random.randrange(max(1, lengths[launch] * 9 // 10))
        at = f"{launch}:{cycle}"
        run(*words, "--quiet", "--threads", threads, "--stats", first, "--checkpoint-at", at, file)
        expect(statistics(first) == expected, f"{words}: writing a checkpoint at {at} changes the statistics")
        run(*words, "--quiet", "--threads", "4" if threads == "1" else "1", "--stats", rest, "--from", file)
        expect(statistics(rest) == expected, f"{words}: other statistics after continuing at {at}")


def check_killed(folder):
    """Killed three times, each time a while after its checkpoint was replaced."""
    whole, rest, file = (os.path.join(folder, name) for name in ("long.json", "rest.json", "long.ckp"))
    run(*LONG, "--quiet", "--stats", whole)
    every = ["--checkpoint-every", "0.001", file]
    for turn in range(3):
        continued = ["--from", file] if turn > 0 else []
        before = os.stat(file).st_mtime_ns if turn > 0 else 0
        process = subprocess.Popen([PROGRAM, "run", *LONG, "--quiet", *continued, *every], cwd=ROOT,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        end = time.monotonic() + 120
        while process.poll() is None and time.monotonic() < end:
            if os.path.exists(file) and os.stat(file).st_mtime_ns != before:
                break
            time.sleep(0.01)
        time.sleep(random.random() * 0.1)
        if process.poll() is not None:  # a fast host: it came to its end
            expect(process.returncode == 0, f"a long run ended with {process.returncode}: {process.stderr.read()}")
            break
        process.send_signal(signal.SIGKILL)
        process.wait()
    expect(os.path.exists(file), "no checkpoint was written")
    if os.path.exists(file):
        run(*LONG, "--quiet", "--from", file, "--stats", rest)
        expect(statistics(rest) == statistics(whole), "other statistics after a run that was killed")
    expect(not [name for name in os.listdir(folder) if name.startswith("long.ckp") and name != "long.ckp"],
           "a killed run left files behind")


def handles(process, number):
    """Whether the process is warptime by now, and has a handler for the signal."""
    try:
        with open(f"/proc/{process.pid}/comm", encoding="utf-8") as comm, \
             open(f"/proc/{process.pid}/status", encoding="utf-8") as status:
            caught = next(line for line in status if line.startswith("SigCgt:"))
            return comm.read() == "warptime\n" and int(caught.split()[1], 16) >> (number - 1) & 1 == 1
    except (OSError, StopIteration):
        return False


def check_interrupted(folder, words, whole, number, status):
    """Ctrl-C long before the first checkpoint is due: one is written, and the run continues from it to the same end."""
    file, cut, rest = (os.path.join(folder, name) for name in ("cut run.ckp", "cut.json", "rest.json"))
    for threads in ("1", "3"):
        for _ in range(5):  # again if a fast host came to the end before the signal
            process = subprocess.Popen([PROGRAM, "run", *words, "--quiet", "--threads", threads, "--stats", cut,
                                        "--checkpoint-every", "60", file], cwd=ROOT, stdout=subprocess.DEVNULL,
                                       stderr=subprocess.PIPE, text=True)
            while process.poll() is None and not handles(process, number):
                time.sleep(0.001)
            time.sleep(random.random() * 0.1)
            process.send_signal(number)
            error = process.communicate()[1]
            if process.returncode != 0:
                break
        expect(process.returncode == status, f"{words}: an interrupted run ended with {process.returncode}: {error}")
        expect(f"the same command continues it with --from '{file}'\n" in error, f"{words}: no way to continue in {error}")
        if process.returncode != status or not os.path.exists(file):
            continue
        with open(cut, encoding="utf-8") as text:
            expect(json.load(text)["complete"] is False, f"{words}: an interrupted run is complete")
        run(*words, "--quiet", "--threads", "4" if threads == "1" else "1", "--from", file, "--stats", rest)
        expect(statistics(rest) == whole, f"{words}: other statistics after signal {number}")
        os.remove(file)


def check_interruptions(folder):
    for words, number, status in ((LONG[:-2], signal.SIGINT, 130), ([*LONG[:-2], "--functional"], signal.SIGTERM, 143)):
        words = [word.replace("n=160", "n=512") if "--functional" in words else word for word in words]
        whole = os.path.join(folder, "whole.json")
        run(*words, "--quiet", "--stats", whole)
        check_interrupted(folder, words, statistics(whole), number, status)


def check_refusals(folder):
    file, bad = os.path.join(folder, "tiled.ckp"), os.path.join(folder, "bad.ckp")
    words = ["matmul:tiled", "--param", "n=64"]
    run(*words, "--quiet", "--checkpoint-at", "5000", file)

    def refused(sentence, *others):
        done = run(*others, status=2)
        expect(sentence in done.stderr, f"{others}: no \"{sentence}\" in\n{done.stderr}")

    refused("that run had --param n=64, and this one does not", "matmul:tiled", "--param", "n=32", "--from", file)
    refused("this run has --functional", *words, "--functional", "--from", file)
    refused("this run has --attribution off", *words, "--attribution", "off", "--from", file)
    refused("is of a run on machine geforce-8800-gtx, not on tesla-c1060", *words, "--machine", "tesla-c1060", "--from", file)
    refused("with other parameters (hash", *words, "--set", "memory.partitions=4", "--from", file)
    refused("is of the target matmul:tiled, not vecadd", "vecadd", "--from", file)
    refused("every launch ended before cycle 100000000", *words, "--quiet", "--checkpoint-at", "100000000", bad)
    refused("the run has 1 launch", *words, "--quiet", "--checkpoint-at", "7:0", bad)
    expect(not os.path.exists(bad), "a checkpoint that was not reached left a file")
    with open(file, "rb") as whole:
        text = whole.read()
    version = text.index(b"0.1.0")
    for name, changed, sentence in (
            ("empty", b"", "is not a checkpoint"), ("other", b"GIF89a" * 50, "is not a checkpoint"),
            ("short", text[:-1], "is truncated"), ("half", text[:len(text) // 2], "is truncated"),
            ("long", text + b"\0", "has bytes after its end"),
            ("format", text[:20] + b"\x63" + text[21:], "has format 99 of checkpoints"),
            ("bit", text[:-100] + bytes([text[-100] ^ 4]) + text[-99:], "its checksum does not match")):
        with open(bad, "wb") as out:
            out.write(changed)
        refused(sentence, *words, "--from", bad)
        expect(version > 20, name)
    with open(bad, "wb") as out:  # as another version of the program would have written it
        rest = text[48:].replace(b"0.1.0", b"0.0.9", 1)
        out.write(text[:32] + fnv(rest) + rest)
    refused("was written by warptime 0.0.9", *words, "--from", bad)


def fnv(data):
    value = 0xcbf29ce484222325
    for byte in data:
        value = (value ^ byte) * 0x100000001b3 & 0xffffffffffffffff
    return f"{value:016x}".encode()


def check_module(folder):
    """A PTX file that is edited after the checkpoint."""
    module, file = os.path.join(folder, "scale.ptx"), os.path.join(folder, "scale.ckp")
    with open(os.path.join(ROOT, "docs/examples/scale.ptx"), encoding="utf-8") as text:
        source = text.read()
    with open(os.path.join(ROOT, "docs/examples/scale.yaml"), encoding="utf-8") as text:
        launch = text.read()
    with open(os.path.join(folder, "scale.yaml"), "w", encoding="utf-8") as out:
        out.write(launch)
    with open(module, "w", encoding="utf-8") as out:
        out.write(source)
    words = [os.path.join(folder, "scale.yaml"), "--quiet"]
    run(*words, "--checkpoint-at", "100", file)
    run(*words, "--from", file)
    with open(module, "a", encoding="utf-8") as out:
        out.write("// edited\n")
    done = run(*words, "--from", file, status=2)
    expect("the host program differs" in done.stderr, done.stderr)


ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
print(f"seed {SEED}")
random.seed(SEED)
with tempfile.TemporaryDirectory() as place:
    for target in RUNS:
        check_continued(target, place)
    check_killed(place)
    check_interruptions(place)
    check_refusals(place)
    check_module(place)
for failure in failures:
    print(failure)
sys.exit(1 if failures else 0)
