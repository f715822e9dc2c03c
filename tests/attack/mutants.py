"""Good inputs with something broken at random: bytes, tokens, lines, two files crossed, words of a command line."""

import random
import re

from case import HANDLED, Case
from cases_data import PTX, launch_file
from cases_ptx import FAULTS, HARMLESS, MODULES_THAT_RUN, RUN, kernel
from cases_shards import GOOD, line

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


def dap_messages(random_, bodies):
    """A client's side of the Debug Adapter Protocol, each message mutated or not."""
    out = b""
    for body in bodies:
        data = mutate(random_, body, bodies) if random_.randrange(3) == 0 else body
        out += b"Content-Length: %d\r\n\r\n" % len(data) + data
    return out if random_.randrange(3) else mutate(random_, out, [out])


def numpy_file(random_):
    header = b"{'descr': '<f4', 'fortran_order': False, 'shape': (8, 8), }\n"
    header = mutate(random_, header, [header])
    return b"\x93NUMPY" + bytes([random_.choice((1, 1, 2, 3, 9)), 0]) + len(header).to_bytes(2, "little") + header + bytes(256)


def files_of_other_commands(random_, root):
    """Cases without end: debugger, checkers, shards, arrays, plots, dumps of several modules."""
    scripts = [b"\n".join(line[len(b"(warptime) "):] for line in path.read_bytes().splitlines() if line.startswith(b"(warptime) "))
               for path in sorted(root.glob("tests/debug/*.session"))]
    modules = texts_of(root, "tests/compilers/ptx/*.ptx", "docs/examples/*.ptx", "tests/debug/*.ptx", "workloads/vecadd/*.ptx",
                       "tests/check/programs/*/fault.ptx")
    checked = [path.read_bytes() for path in sorted(root.glob("tests/check/programs/*.case"))]
    bodies = [b'{"seq":1,"type":"request","command":"initialize","arguments":{"adapterID":"a","linesStartAt1":true}}',
              b'{"seq":2,"type":"request","command":"launch","arguments":{}}',
              b'{"seq":3,"type":"request","command":"setBreakpoints","arguments":{"source":{"path":"vecadd.cu"},"breakpoints":[{"line":6}]}}',
              b'{"seq":4,"type":"request","command":"configurationDone"}', b'{"seq":5,"type":"request","command":"threads"}',
              b'{"seq":6,"type":"request","command":"stackTrace","arguments":{"threadId":1,"levels":20}}',
              b'{"seq":7,"type":"request","command":"evaluate","arguments":{"expression":"%r1","context":"watch"}}',
              b'{"seq":8,"type":"request","command":"disconnect"}']
    rows = b"n,time_us,machine\n64,1.5,a\n128,2.5e3,b 50% faster\n256,1e-9,a_{b}^c\n512,,nan\n"
    result = b'{"status":0,"message":"","launches":1,"total":{"time_us":5.5,"cycles":7}}'
    number = 0
    while True:
        number += 1
        kind, name = random_.randrange(8), f"mutant/other/{number}"
        if kind == 0:
            yield Case(name, ["debug", "vecadd", "--param", "n=300", "--script", "s.txt"], {"s.txt": mutate(random_,
                random_.choice(scripts), scripts)}, HANDLED)
        elif kind == 1:
            yield Case(name, ["debug", "vecadd", "--param", "n=300", "--dap"], {"messages": dap_messages(random_, bodies)}, HANDLED, stdin="messages")
        elif kind == 2:
            sections = re.split(rb"^---- (\S+)\n", random_.choice(checked), flags=re.M)
            files = {key.decode(): text for key, text in zip(sections[1::2], sections[2::2])}
            files["fault.ptx"] = mutate(random_, files.get("fault.ptx", modules[0]), modules)
            yield Case(name, ["check", "launch.yaml", "--max-cycles", "100000", *random_.choice(([], ["--adversarial", str(number)],
                ["--json"], ["--machine", "geforce-8800-gtx"]))], files, HANDLED)
        elif kind == 3:
            dump = b"\nFatbin ptx code:\n================\narch = sm_75\ncode version = [8,7]\ncompressed\n\n"
            text = b"".join(dump + random_.choice(modules) for _ in range(random_.choice((1, 2, 3)))) + random_.choice((b"", b"\0"))
            yield Case(name, ["ptx", "k.ptx"], {"k.ptx": mutate(random_, text, modules)}, HANDLED - {1, 3})
        elif kind == 4:
            shard = GOOD + line("0", mutate(random_, result, [result]).decode("utf-8", "replace").replace("\n", " "))
            shard = shard.encode("utf-8", "surrogateescape") if random_.randrange(2) else mutate(random_,
                (GOOD + line("0", result.decode())).encode(), [GOOD.encode()])
            yield Case(name, ["sweep", "--merge", "s"], {"s": shard}, HANDLED - {1, 3})
        elif kind == 5:
            yield Case(name, ["run", "k.ptx", "--grid", "1", "--block", "32", "--buffer", "x=f32:@d.npy", "--arg", "x", "--arg", "u32=4",
                "--arg", "f32=2", "--output", "x=o.npy"], {"k.ptx": PTX, "d.npy": numpy_file(random_)}, HANDLED)
        elif kind == 6:
            text = random_.choice((rows, rows.replace(b"1.5", b"1e-300")))
            yield Case(name, ["plot", "t.csv", "-x", "n", "-y", "time_us", *random_.choice(([], ["--by", "machine"], ["--log", "y"],
                ["--log", "xy"], ["--kind", "bar"], ["--kind", "scatter"])), *random_.choice(([], ["--title", "50% {a}^b @c"])),
                "-o", "p.svg"], {"t.csv": mutate(random_, text, [rows])}, HANDLED - {1, 3})
        else:
            yield Case(name, ["explain", "k.ptx", *RUN], {"k.ptx": mutate(random_, random_.choice(modules), modules)}, HANDLED)


def endless(random_, root):
    """Cases without end, from the seed alone."""
    others = files_of_other_commands(random_, root)
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
                     b"machine show generic --set chip.tpcs=4", b"validate micro --only host/copy-latency --jobs 1 --quiet",
             b"run k.ptx --grid 2 --block 32 --buffer x=f32:64:iota --arg x --arg u32=64 --arg f32=2 --output x=x.bin --registers 9 --shared 16"]
    number = 0
    while True:
        number += 1
        if random_.randrange(2):
            yield next(others)
            continue
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
