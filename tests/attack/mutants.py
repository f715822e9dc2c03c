"""Good inputs with something broken at random: bytes, tokens, lines, two files crossed, words of a command line."""

import random
import re

from case import HANDLED, Case
from cases_data import PTX, launch_file
from cases_ptx import FAULTS, HARMLESS, MODULES_THAT_RUN, RUN, kernel

NUMBERS = ["0", "1", "-1", "31", "32", "33", "255", "256", "65535", "65536", "2147483647", "2147483648", "4294967295",
    "4294967296", "9223372036854775807", "18446744073709551615",
           "18446744073709551616", "1e308", "1e-320", "0x7fffffff", "0.5", "-0", "nan", "inf"]
TOKEN = re.compile(rb"[A-Za-z_%$.][A-Za-z0-9_%$.]*|0[xX][0-9a-fA-F]+|[0-9]+(?:\.[0-9]+)?|\s+|.", re.S)


def mutate(random_, data, others):
    """`data` with one to six changes; `others`: files of the same kind, to cross with."""
    for _ in range(random_.choice((1, 1, 1, 2, 3, 6))):
        tokens = TOKEN.findall(data)
        if not tokens:
            return random_.choice(others)
        at = random_.randrange(len(tokens))
        kind = random_.randrange(12)
        if kind == 0:
            del tokens[at]
        elif kind == 1:
            tokens.insert(at, tokens[random_.randrange(len(tokens))])
        elif kind == 2:
            other = random_.randrange(len(tokens))
            tokens[at], tokens[other] = tokens[other], tokens[at]
        elif kind == 3:
            numbers = [index for index, token in enumerate(tokens) if token[:1].isdigit()]
            if numbers:
                tokens[random_.choice(numbers)] = random_.choice(NUMBERS).encode()
        elif kind == 4:
            tokens[at] = bytes(random_.randrange(256) for _ in range(random_.randrange(1, 5)))
        elif kind == 5:
            foreign = TOKEN.findall(random_.choice(others))
            if foreign:
                tokens[at] = random_.choice(foreign)
        elif kind == 6:
            end = min(len(tokens), at + random_.randrange(1, 40))
            tokens[at:at] = tokens[at:end] * random_.choice((1, 1, 2, 50))
        elif kind == 7:
            del tokens[at:at + random_.randrange(1, 40)]
        elif kind == 8:
            foreign = random_.choice(others).splitlines(True)
            if foreign:
                begin = random_.randrange(len(foreign))
                tokens[at:at] = foreign[begin:begin + random_.randrange(1, 8)]
        elif kind == 9:
            words = [index for index, token in enumerate(tokens) if b"." in token]
            if words:
                index = random_.choice(words)
                parts = tokens[index].split(b".")
                random_.shuffle(parts)
                tokens[index] = b".".join(parts)
        elif kind == 10:
            tokens = tokens[:at]
        else:
            token = bytearray(tokens[at])
            token[random_.randrange(len(token))] ^= 1 << random_.randrange(8)
            tokens[at] = bytes(token)
        data = b"".join(tokens)
    return data


def texts_of(root, *patterns):
    found = [path for pattern in patterns for path in sorted(root.glob(pattern)) if path.stat().st_size < 20000]
    return [path.read_bytes().split(b"// ---- expected")[0] for path in found]


def endless(random_, root):
    """Cases without end, from the seed alone."""
    ptx = texts_of(root, "tests/ptx/*/*.ptx", "docs/examples/*.ptx", "tests/compilers/ptx/*.ptx")
    start = "  ld.param.u64 %d1, [x]; mov.u32 %r1, %tid.x;\n  "
    kernels = [kernel(start + body).encode() for body in [*FAULTS.values(), *HARMLESS.values()]]
    kernels += [kernel(start + body, module=module).encode() for module, body in MODULES_THAT_RUN.values()]
    machines = texts_of(root, "configs/ge*.yaml", "configs/tesla*.yaml", "configs/jetson*.yaml", "tests/fuzz/machine/*.yaml")
    launches = [launch_file().encode(), *texts_of(root, "tests/fuzz/launch/*.yaml", "docs/examples/*.yaml")]
    tables = texts_of(root, "validation/*.yaml")
    table = b'runs: {a: {target: vecadd, param: {n: 64}}, b: {target: vecadd, param: {n: 96}, machine: tesla-c870, set: {chip.tpcs: 2}}}\nrows:\n  r: {published: 1, quantity: q, role: predicted, source: s, value: "100 * (a.time_us / b.time_us - 1) + 3"}\n'
    statistics = b"""{"schema": 1, "program": {"name": "warptime", "version": "0.1.0"}, "machine": {"name": "m", "hash": "0"}, "target": "t", "launches": [{"kernel": "k", "grid": [1, 1, 1], "block": [32, 1, 1], "cycles": 100, "time_us": 1.5,
 "occupancy": {"blocks_per_sm": 3, "limiter": "threads"}, "issue": {"slots": 100, "issued": 50, "stalls": {"sp_busy": 50}}, "instructions": [{"line": 1, "text": "x", "issued": 5, "stalls": {}}]}], "total": {"cycles": 100, "time_us": 1.5}, "timeline": [], "checks": [], "host": {}}"""
    line = b"run vecadd --param n=64 --machine geforce-8800-gtx --set chip.tpcs=2 --stats s.json --threads 2 --max-cycles 100000 --quiet"
    lines = [line, b"sweep vecadd --set chip.tpcs=1,2 --param n=64,96 --csv c.csv --jobs 2",
        b"whatif vecadd --param n=64 --only dram.tRP --csv w.csv --top 3 --jobs 1",
        b"trace vecadd --param n=64 --sm 0 --window 0:500 --warp 1",
            b"occupancy --registers 10 --shared 2084 --block 16,16 --set sm.registers=16384",
             b"annotate vecadd --param n=64 --json=a.json",
                 b"compare vecadd --param n=64 --machine geforce-8800-gtx --machine tesla-c870", b"list parameters --json",
                     b"machine show generic --set chip.tpcs=4", b"validate micro --only latency/int_alu --jobs 1 --quiet",
             b"run k.ptx --grid 2 --block 32 --buffer x=f32:64:iota --arg x --arg u32=64 --arg f32=2 --output x=x.bin --registers 9 --shared 16"]
    number = 0
    while True:
        number += 1
        kind = random_.randrange(10)
        name = f"mutant/{number}"
        if kind <= 2:
            yield Case(name, ["ptx", "k.ptx", *random_.choice(([], ["--native"], ["--json"]))], {"k.ptx": mutate(random_,
                random_.choice(ptx), ptx)}, HANDLED - {1, 3})
        elif kind <= 5:
            run = [random_.choice(("generic", "geforce-8800-gtx", "geforce-gtx-480",
                "jetson-tk1")) if word == "generic" else word for word in RUN]
            yield Case(name, ["run", "k.ptx", *run, *random_.choice(([], ["--functional"], ["--threads", "2"]))],
                {"k.ptx": mutate(random_, random_.choice(kernels), kernels + ptx)}, HANDLED)
        elif kind == 6:
            yield Case(name, random_.choice((["machine", "show", "m.yaml"], ["run", "vecadd", "--param", "n=640",
                "--max-cycles", "1000000", "--machine", "m.yaml"])), {"m.yaml": mutate(random_, random_.choice(machines),
                machines)}, HANDLED)
        elif kind == 7:
            files = {"k.ptx": PTX, "scale.ptx": PTX, "l.yaml": mutate(random_, random_.choice(launches), launches),
                "data.bin": b"\0" * 256}
            yield Case(name, ["run", "l.yaml", "--max-cycles", "1000000"], files, HANDLED)
        elif kind == 8:
            if random_.randrange(2):
                yield Case(name, ["compare", "a.json", "b.json"], {"a.json": mutate(random_, statistics, [statistics]),
                    "b.json": statistics}, HANDLED - {1, 3})
            else:
                # Tables of the tree are only read (a row that no name has): their runs take minutes.
                text, only = (table, []) if random_.randrange(2) else (random_.choice(tables), ["--only", "\x01no row\x01"])
                yield Case(name, ["validate", "./v.yaml", "--quiet", *only], {"v.yaml": mutate(random_, text,
                    tables + [table])}, HANDLED - {3})
        else:
            words = mutate(random_, random_.choice(lines), lines).decode("utf-8", "surrogateescape").split(" ")
            yield Case(name, words, {"k.ptx": PTX}, HANDLED)


if __name__ == "__main__":
    import pathlib
    print(next(endless(random.Random(1), pathlib.Path(__file__).resolve().parents[2])))
