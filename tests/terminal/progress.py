#!/usr/bin/env python3
"""Runs long commands on a pseudo terminal: each shows its progress and the time left on standard error, erases the line when
it is interrupted, and writes nothing of it to standard output. Without a terminal nothing is shown for half a minute."""
import os
import pty
import re
import select
import signal
import subprocess
import sys
import tempfile
import time

LONG = ["matmul:naive", "--param", "n=768", "--no-check", "--threads", "1"]
LONGER = ["matmul:naive", "--param", "n=2048", "--no-check", "--threads", "1"]  # of which only some is timed, or nothing
BLOCKS = rb"launch 1: \d+ of \d+ blocks, \d+ %, \d+ (s|min|h) left"
COMMANDS = {
    "run": (["run", *LONG], BLOCKS),
    "run, sampled": (["run", *LONGER, "--sample"], rb"launch 1: \d+ %, \d+ (s|min|h) left"),
    "run, functional": (["run", *LONGER, "--functional"], BLOCKS),
    "annotate": (["annotate", *LONG], BLOCKS),
    "trace": (["trace", *LONG, "--window", "0:1000"], BLOCKS),
    "explain": (["explain", *LONG], BLOCKS),
    "report": (["report", *LONG, "-o", "report.html"], BLOCKS),
    "compare": (["compare", *LONG, "--machine", "geforce-8800-gtx", "--machine", "tesla-c1060"],
                rb"machine geforce-8800-gtx, " + BLOCKS),
    "sweep": (["sweep", *LONG[:4], "--set", "dram.scheduler=fr_fcfs,fcfs", "--jobs", "1"], rb"0 of 2 points"),
    "validate": (["validate", "matmul", "--jobs", "1"], rb"\d+ of \d+ runs"),
}
ERASED = b"\r\x1b[K"
MOST_SECONDS = 120  # a sanitizer's build is slow


def start(program, words, folder, error):
    return subprocess.Popen([program, *words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=error, cwd=folder)


def read_until(terminal, pattern):
    """What the terminal got, up to the first match; fails if there is none."""
    seen, end = b"", time.monotonic() + MOST_SECONDS
    while not re.search(pattern, seen):
        ready, _, _ = select.select([terminal], [], [], max(0, end - time.monotonic()))
        if not ready:
            sys.exit(f"no {pattern!r} in {MOST_SECONDS} s; the terminal has {seen[-500:]!r}")
        try:
            seen += os.read(terminal, 65536)
        except OSError:  # the program has ended
            sys.exit(f"it ended without {pattern!r}; the terminal has {seen[-500:]!r}")
    return seen


def rest_of(terminal):
    seen = b""
    while True:
        try:
            more = os.read(terminal, 65536)
        except OSError:
            return seen
        if not more:
            return seen
        seen += more


def on_terminal(program, words, pattern, folder, interrupt=True):
    """Shows a match on a terminal; returns all that the terminal got, and standard output."""
    terminal, end = pty.openpty()
    began = time.monotonic()
    child = start(program, words, folder, end)
    os.close(end)
    seen = read_until(terminal, pattern)
    seconds = time.monotonic() - began
    child.send_signal(signal.SIGINT)
    out = child.stdout.read()
    seen += rest_of(terminal)
    child.wait()
    os.close(terminal)
    return seen, out, seconds


def check(holds, sentence):
    if not holds:
        sys.exit(sentence)


def main():
    program = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory() as folder:
        for name, (words, pattern) in COMMANDS.items():
            seen, out, seconds = on_terminal(program, words, pattern, folder)
            check(seconds >= 2, f"{name}: progress before two seconds")
            check(not re.search(rb"launch 1|of \d+ points|of \d+ runs", out), f"{name}: progress on standard output")
            if name.startswith("run"):  # which says that it was interrupted
                check(ERASED in seen and b"interrupted" in seen[seen.rindex(ERASED):], f"{name}: the line stays: {seen!r}")
            print(f"{name}: {re.search(pattern, seen).group().decode()}")

        # --watch instead of it, also without a terminal.
        line = rb"  launch 1, kernel naive\w*: cycle [\d,]+, \d+\.\d+ million warp instr\./s, \d+ of \d+ blocks; issued \d+ %, "
        seen, out, _ = on_terminal(program, ["run", *LONG, "--watch"], line + rb"[^\n]*\n(.|\n)*" + line, folder)
        check(b"\x1b[K" not in seen and b"million warp" not in out.split(b"simulated")[0], f"--watch: {seen!r} {out!r}")

        # Not a terminal: nothing so soon.
        child = start(program, ["run", *LONG], folder, subprocess.PIPE)
        time.sleep(4)
        child.send_signal(signal.SIGINT)
        _, error = child.communicate()
        check(b"blocks, " not in error and b"interrupted" in error, f"without a terminal: {error!r}")


main()
