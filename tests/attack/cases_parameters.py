"""Bad parameters, expressions, figures and settings of launch files; launch files as targets of validation tables."""

from case import BAD_INPUT, HANDLED, Case
from cases_data import PTX

FILE = """module: k.ptx
params:
  n: {default: 64, min: 1, max: 4096}
  half: {default: n / 2}
buffers:
  x: {type: f32, count: n, init: iota}
launches:
  - {kernel: scale, grid: [ceil(n / 32)], block: [32], args: [x, {u32: n}, {f32: 2.0}]}
figures:
  rate: 2*n / time_ns
"""
# Each takes the place of `n` in `count: n`.
EXPRESSIONS = [
    "", "~", "m", "n n", "n +", "+ n", "* n", "n / 0", "n % 0", "0 * n", "-n", "n - 64", "n / 3", "n^64", "n^n^n", "2^1024", "0 ^ -1", "(n",
    "n)", "()", "ceil", "ceil(", "ceil()", "ceil(n", "ceil(n, n)", "min(n)", "max(n,)", "max(n, n, n)", "sqrt(-n)", "log2(0)", "cube(n)",
    "n < 2", "n < n < n", "\"n\"", "'2*n'", "n.x", ".n", "1e3n", "1e", "1e+", "1e+*n", "0x", "0x10 * n", "nan", "inf", "n * nan", "n & 1", "n == 1",
    "n ? 1 : 2", "((((" * 500 + "n" + "))))" * 500, "-" * 5000 + "n", "^".join("n" * 3000), "n" * 100000, "[n]", "n # m", "\u0660", "n\u00d72",
    "\x1b[31m", "\\0", "{n: n}", "n*", "1 / (n - 64)", "99999999999999999999 * n", "time_ns", "half",
]
PARAMS = [
    "", "~", "5", "[n]", "{}", "{n}", "{n: }", "{n: 5}", "{n: []}", "{n: {}}", "{n: {default: }}", "{n: {default: x}}", "{n: {default: n}}",
    "{n: {default: 64, default: 32}}", "{n: {default: 64}, n: {default: 32}}", "{n: {default: 64, min: 65}}", "{n: {default: 64, max: 63}}",
    "{n: {default: 64, min: 9, max: 8}}", "{n: {default: 1e400}}", "{n: {default: nan}}", "{n: {default: 64, least: 1}}", "{n: {min: 1}}",
    "{n: {default: 64, help: [a]}}", "{'': {default: 64}}", "{n-1: {default: 64}}", "{1n: {default: 64}}", "{n.m: {default: 64}}",
    "{n: {default: 2^70}}", "{n: {default: 0.001}}", "{n: {default: -64}}", "{time_ns: {default: 64}, n: {default: 64}}",
    "{ceil: {default: 64}, n: {default: 64}}", "{\"\\e[31m\": {default: 64}}", "{n: {default: " + "(" * 9000 + "}}", "*a", "&a {n: *a}",
    "{n: {default: half}, half: {default: n}}",
]
FIGURES = [
    "", "~", "5", "[rate]", "{}", "{rate}", "{rate: }", "{rate: []}", "{rate: {}}", "{rate: {unit: x}}", "{rate: n / }", "{rate: nothing}",
    "{rate: rate}", "{a: b, b: 1}", "{n: 1}", "{'a b': 1}", "{rate: 1 / 0}", "{rate: time_us - time_us}", "{rate: 1 / (time_us - time_us)}",
    "{rate: n < 1}", "{rate: dram}", "{rate: dram.}", "{rate: caches.l1.hits}", "{rate: {value: n, unit: [u]}}", "{rate: {value: {}}}",
    "{rate: {value: n, what: \"\\e[31m\"}}", "{gflops: gflops * 2}", "{rate: divergence.active_lanes_histogram}", "{rate: " + "(" * 9000 + "}",
]
SETTINGS = [
    "", "n", "n=", "=", "=5", "n=x", "n=0", "n=4097", "n=64.5", "n=-1", "n=1e3", "n=0x40", "n=1e999", "n=nan", "n= 64", "n=64 ", "m=64", "N=64",
    "half=0", "half=x", "n=64,128", "n=" + "9" * 5000, "\x1b[31m=5", "n=2*32", "n==5", "rate=5", "module=5",
]
TABLES = [
    "target: l.yaml", "target: ./l.yaml", "target: nothing.yaml", "target: l.yml", "target: k.ptx", "target: v.yaml", "target: .yaml",
    "target: '/dev/null.yaml'", "target: l.yaml, param: {n: 128}", "target: l.yaml, param: {n: 0}", "target: l.yaml, param: {m: 1}",
    "target: l.yaml, param: {n: x}", "target: l.yaml, cpu: {processor: cpu-opteron-248, code: simd}", "target: 'l.yaml:x'",
    "target: l.yaml, machine: generic",
]

# Options of a PTX file, and what is printed.
FLAGS = [
    ("print", text) for text in ("", "x", "x[0:8]", "x[", "x]", "x[]", "x[:]", "x[::]", "x[5]", "x[64]", "x[-1]", "x[8:4]", "x[0:65]", "x[a:b]",
                                 "y", "[0]", "x[0:99999999999999999999]", "x[0:8][0]", "x [0]", "\x1b[31m", "x[0:8]x", "x" * 70000)
] + [
    ("const", text) for text in ("", "table", "table=", "=f32:4", "table=f32", "table=f32:", "table=f32:4", "table=f32:4:iota", "table=f32:5", "table=f64:4",
                                 "table=f32:[1,2,3,4]", "table=f32:[1,2]", "table=f32:[]", "table=f32:[1,,2,3]", "table=f32:[1,2,3,4", "table=f32:[x]",
                                 "table=f32:@odd.bin", "table=f32:@a.npy", "table=f32:@nothing", "table=f32:@", "table=f32:4:@a.npy", "tabel=f32:4",
                                 "tex0=u64:1", "table=f32:0", "table=f32:[" + "1," * 9000 + "1]", "table=u32:[-1,2,3,4]")
] + [
    ("texture", text) for text in ("", "tex0", "tex0=", "tex0=x", "tex0=x:f32", "tex0=x:f32:8", "tex0=x:f32:8x8", "tex0=x:f32:8x8x8", "tex0=x:f32:0x8",
                                   "tex0=x:f32:8x", "tex0=x:f32:x", "tex0=x:f64:8", "tex0=y:f32:8", "tex0=x:f32:8:filter=linear", "tex0=x:f32:8:filter",
                                   "tex0=x:f32:8:filter=lineal", "tex0=x:f32:8:=linear", "tex0=x:f32:8:filter=linear,filter=point",
                                   "tex0=x:f32:8:address=wrap", "tex0=x:f32:8:address=wrap,normalized=true", "tex0=x:f32:8:channels=3",
                                   "tex0=x:f32:8:channels=9", "tex0=x:f32:8:buffer=x", "tex1=x:f32:8", "tex0=x:f32:8:read=normalized",
                                   "tex0=x:f32:99999999999999999999", "tex0=x:f32:8:normalized=perhaps", "tex0=x:f32:8:,")
] + [
    ("buffer", text) for text in ("z=f32:@a.npy", "z=u32:@a.npy", "z=f32:@big.npy", "z=f32:@cut.npy", "z=f32:@fortran.npy", "z=f32:@lies.npy",
                                  "z=f32:@k.npy", "z=f32:8:@a.npy", "z=f32:2:@a.npy", "z=f32:@empty.npy", "z=f32:[1,2]", "z=f32:[", "z=f32:]",
                                  "x=f32:[1]", "z=f32:@/dev/null", "z=f32:@.", "z=f32:@/dev/zero.npy")
] + [("output", "x=o.npy"), ("output", "x=/nowhere/o.npy"), ("output", "x=.npy"), ("output", "x=k.ptx")]


def npy(shape, type="<f4", order="False", bytes=8, version=1):
    header = f"{{'descr': '{type}', 'fortran_order': {order}, 'shape': {shape}, }}".encode()
    return b"\x93NUMPY" + bytes_of(version, 1) + b"\0" + bytes_of(len(header), 2 if version == 1 else 4) + header + b"\1" * bytes


def bytes_of(number, size):
    return number.to_bytes(size, "little")


ARRAYS = {"a.npy": npy("(2,)"), "big.npy": npy("(2,)", ">f4"), "fortran.npy": npy("(1, 2)", order="True"), "lies.npy": npy("(3,)"),
    "cut.npy": npy("(2,)")[:20], "k.npy": PTX, "empty.npy": b"", "odd.bin": b"\1\2\3", "two.npy": npy("(2,)", version=2),
    "none.npy": npy("(0,)", bytes=0), "wide.npy": npy("(" + "1, " * 3000 + ")"), "deep.npy": npy("(" * 3000), "huge.npy": npy("(99999999999999999999,)")}

LOOPS = ["{repeat: 2}", "{launches: []}", "{repeat: 2, launches: }", "{repeat: 2, launches: [LAUNCH]}", "{repeat: -1, launches: [LAUNCH]}",
    "{repeat: n, launches: [LAUNCH, {repeat: 2, launches: [LAUNCH]}]}", "{repeat: m, launches: [LAUNCH]}", "{repeat: 2, launches: LAUNCH}",
    "{repeat: 2, launches: [LAUNCH], kernel: scale}", "{repeat: 2, launches: [{copy: {to: x}}, 5]}", "{repeat: [2], launches: [LAUNCH]}",
    "{repeat: 1, launches: [" * 20 + "LAUNCH" + "]}" * 20, "{repeat: 1, launches: [" * 5000, "{repeat: n / 3, launches: [LAUNCH]}",
    "{repeat: 2, launches: [LAUNCH], copy: {to: x}}"]


def cases():
    launch = ["run", "k.ptx", "--grid", "2", "--block", "32", "--buffer", "x=f32:64:iota", "--arg", "x", "--arg", "u32=64", "--arg", "f32=2"]
    for number, (option, text) in enumerate(FLAGS):
        yield Case(f"parameters/flag/{option}/{number}", [*launch, f"--{option}", text], {**ARRAYS, "k.ptx": PTX}, HANDLED)
    yield Case("parameters/flag/print/workload", ["run", "vecadd", "--param", "n=64", "--print", "x"], {}, BAD_INPUT)
    for name in ARRAYS:
        for part in ("buffers", "expect"):
            text = FILE.replace("{type: f32, count: n, init: iota}", f"{{type: f32, file: {name}}}") if part == "buffers" else (
                FILE + f"expect:\n  x: {{file: {name}}}\n")
            yield Case(f"parameters/array/{part}/{name}", ["run", "l.yaml"], {**ARRAYS, "k.ptx": PTX, "l.yaml": text}, HANDLED)
    extra = {"k.ptx": PTX}
    run = ["run", "l.yaml"]
    for number, text in enumerate(EXPRESSIONS):
        yield Case(f"parameters/count/{number}", run, {**extra, "l.yaml": FILE.replace("count: n", f"count: {text}")}, HANDLED)
        other = [["annotate", "l.yaml"], ["explain", "l.yaml"], ["model", "l.yaml"], ["sweep", "l.yaml", "--param", "n=32,64"]][number % 4]
        yield Case(f"parameters/grid/{other[0]}/{number}", other,
                   {**extra, "l.yaml": FILE.replace("ceil(n / 32)", text)}, HANDLED)
        yield Case(f"parameters/argument/{number}", run, {**extra, "l.yaml": FILE.replace("{u32: n}", f"{{u32: {text}}}")}, HANDLED)
    launch = FILE.split("launches:\n  - ")[1].split("\n")[0]
    for number, text in enumerate(LOOPS):
        yield Case(f"parameters/loop/{number}", run, {**extra, "l.yaml": FILE.replace(launch, text.replace("LAUNCH", launch))}, HANDLED)
    for number, text in enumerate(PARAMS):
        whole = FILE.replace("params:\n  n: {default: 64, min: 1, max: 4096}\n  half: {default: n / 2}", f"params: {text}")
        yield Case(f"parameters/params/{number}", run, {**extra, "l.yaml": whole}, HANDLED)
        yield Case(f"parameters/params/set/{number}", [*run, "--param", "n=32"], {**extra, "l.yaml": whole}, HANDLED)
    for number, text in enumerate(FIGURES):
        whole = FILE.replace("figures:\n  rate: 2*n / time_ns", f"figures: {text}")
        yield Case(f"parameters/figures/{number}", run, {**extra, "l.yaml": whole}, HANDLED)
        yield Case(f"parameters/figures/functional/{number}", [*run, "--functional"], {**extra, "l.yaml": whole}, HANDLED)
    for number, text in enumerate(SETTINGS):
        for command in ("run", "sweep", "whatif"):
            yield Case(f"parameters/setting/{command}/{number}",
                       [command, "l.yaml", "--param", text, *(["--top", "1", "--only", "dram.tRP"] if command == "whatif" else [])],
                       {**extra, "l.yaml": FILE}, HANDLED)
    yield Case("parameters/setting/none", ["run", "l.yaml", "--param", "n=5"],
               {**extra, "l.yaml": "module: k.ptx\nlaunches: [{kernel: scale, grid: [1], block: [1]}]\n"}, BAD_INPUT)
    yield Case("parameters/setting/ptx", ["run", "k.ptx", "--param", "n=5"], extra, BAD_INPUT)
    for number, text in enumerate(TABLES):
        table = f"runs:\n  a: {{{text}}}\nrows:\n  r: {{published: 1, quantity: us, role: predicted, source: s, value: a.rate}}\n"
        yield Case(f"parameters/table/{number}", ["validate", "v.yaml"], {**extra, "l.yaml": FILE, "v.yaml": table}, HANDLED)
