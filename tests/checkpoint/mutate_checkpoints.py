#!/usr/bin/env python3
"""mutate_checkpoints.py WARPTIME [RUNS [SEED]]: checkpoints with other bytes in their states and a checksum that is right again. The
state is not what any run has, so a continued run may end in any way that a run may end, but not by a signal, a fault of warptime
itself or a sanitizer's report, and not never. The seed is printed with what is found; the checkpoint is kept (--keep FOLDER)."""
import concurrent.futures
import os
import random
import subprocess
import sys
import tempfile

MAGIC = b"warptime checkpoint\n"
ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
SECONDS = 60
PROGRAMS = [
    (["vecadd", "--param", "n=3000"], 900),
    (["matmul:tiled", "--param", "n=32"], 1200),
    (["fdtd", "--param", "size=32", "--param", "steps=2"], 900),
    (["histogram:atomics", "--param", "n=2000", "--param", "blocks=4", "--machine", "geforce-gtx-480"], 1500),
    (["smooth:linear", "--param", "width=17", "--param", "height=33"], 700),
    (["saxpy", "--param", "n=6000", "--set", "dram.bank_groups=4", "--set", "dram.tCCD_L=3", "--set", "dram.tFAW=40", "--set",
      "dram.refresh=per_bank", "--set", "dram.write_high=8", "--set", "dram.write_low=2"], 900),
    (["matmul:tiled", "--param", "n=64", "--functional"], 10000),
    (["tests/compilers/runtime/printing.ptx", "--kernel", "blocks", "--grid", "2", "--block", "64", "--machine", "geforce-gtx-480",
      "--buffer", "in=u32:128:iota", "--buffer", "r=u32:4096", "--arg", "in", "--arg", "r"], 400),
]



class Checkpoint:
    """Its bytes, and the hash up to each 64 KiB of what is summed, so that a change is summed from there on only."""
    STEP = 1 << 16

    def __init__(self, data):
        assert data.startswith(MAGIC)
        self.begin = len(MAGIC) + 4 + 8 + 16
        self.head = data[:self.begin - 16]
        self.rest = data[self.begin:]
        self.hashes = [0xCBF29CE484222325]
        for at in range(0, len(self.rest), self.STEP):
            self.hashes.append(self.sum(self.hashes[-1], self.rest[at:at + self.STEP]))

    @staticmethod
    def sum(value, data):
        for byte in data:
            value = (value ^ byte) * 0x100000001B3 & 0xFFFFFFFFFFFFFFFF
        return value

    def with_rest(self, rest, first):
        part = first // self.STEP
        value = self.sum(self.hashes[part], rest[part * self.STEP:])
        return self.head + f"{value:016x}".encode() + bytes(rest)


def mutant(random_, checkpoint):
    rest = bytearray(checkpoint.rest)
    first = len(rest)
    # Most of it is memory and registers; what the simulator counts with lies among bytes that are not all zero.
    for _ in range(random_.choice((1, 1, 1, 2, 8))):
        width = random_.choice((1, 1, 2, 4, 8))
        at = random_.randrange(len(rest) - 8)
        old = int.from_bytes(rest[at:at + width], "little")
        top = (1 << 8 * width) - 1
        new = random_.choice((0, 1, top, top >> 1, top >> 1 ^ top, old ^ 1 << random_.randrange(8 * width), old + 1 & top,
                              old - 1 & top, random_.randrange(top + 1), random_.randrange(64)))
        rest[at:at + width] = new.to_bytes(width, "little")
        first = min(first, at)
    return checkpoint.with_rest(rest, first)


def main():
    program = os.path.abspath(sys.argv[1])
    runs = int(sys.argv[2]) if len(sys.argv) > 2 else 100
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else random.randrange(1 << 32)
    keep = sys.argv[sys.argv.index("--keep") + 1] if "--keep" in sys.argv else None
    random_ = random.Random(seed)
    found = 0
    statuses = {}
    with tempfile.TemporaryDirectory() as folder:
        made = []
        for number, (words, cycle) in enumerate(PROGRAMS):
            file = os.path.join(folder, f"{number}.ckp")
            subprocess.run([program, "run", *words, "--quiet", "--checkpoint-at", str(cycle), file], cwd=ROOT, check=True,
                           capture_output=True)
            with open(file, "rb") as data:
                made.append((words, Checkpoint(data.read())))

        def attempt(number):
            words, checkpoint = made[number % len(made)]
            data = mutant(random.Random(seed * 1000003 + number), checkpoint)
            file = os.path.join(folder, f"m{number}.ckp")
            with open(file, "wb") as out:
                out.write(data)
            try:
                done = subprocess.run([program, "run", *words, "--quiet", "--threads", "1", "--max-cycles", "200000", "--from", file],
                                      cwd=ROOT, capture_output=True, timeout=SECONDS,
                                      env={**os.environ, "ASAN_OPTIONS": "detect_leaks=0:allocator_may_return_null=1"})
                status, err = done.returncode, done.stderr
            except subprocess.TimeoutExpired:
                status, err = "no end", b""
            bad = status not in (0, 1, 2, 3) or b"Sanitizer" in err or b"runtime error:" in err
            if bad and keep:
                os.makedirs(keep, exist_ok=True)
                os.rename(file, os.path.join(keep, f"{seed}-{number}.ckp"))
            elif os.path.exists(file):
                os.remove(file)
            return number, words, status, bad, err

        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            for number, words, status, bad, err in pool.map(attempt, range(runs)):
                statuses[status] = statuses.get(status, 0) + 1
                if bad:
                    found += 1
                    print(f"seed {seed}, number {number}: {status}: warptime run {' '.join(words)}\n  {err.decode(errors='replace')[:600]}")
    print(f"{runs} checkpoints, seed {seed}: {found} findings; statuses {statuses}")
    sys.exit(1 if found else 0)


main()
