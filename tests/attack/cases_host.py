"""What the host gives and limits: memory, stack, devices as files, standard input; names and numbers of texts that other
programs read."""

import os

from case import BAD_INPUT, Case, HANDLED
from cases_data import PTX, RUN_STATISTICS
from cases_parameters import FILE, npy

DONE, DONE_OR_REFUSED = frozenset({0}), frozenset({0, 2})
MEMORY = [40, 60, 80, 100, 120, 150, 200, 300, 500, 900, 2000]  # MiB of address space
STACK = [16, 64, 200, 1024]                                     # KiB; below, the system starts no program
COMMANDS = [["run", "vecadd", "--param", "n=64"], ["run", "matmul:tiled", "--param", "n=32", "--threads", "8"], ["check", "vecadd", "--param", "n=64"],
            ["explain", "vecadd", "--param", "n=64"], ["annotate", "vecadd", "--param", "n=64"], ["trace", "vecadd", "--param", "n=64"],
            ["model", "vecadd", "--param", "n=64"], ["report", "vecadd", "--param", "n=64", "-o", "r.html"], ["list", "machines"], ["ptx", "k.ptx"],
            ["run", "r.ptx", "--grid", "1", "--block", "64", "--arg", "u64=0", "--machine", "geforce-gtx-480"], ["machine", "show", "tesla-c1060"],
            ["debug", "vecadd", "--param", "n=64", "--script", "script"], ["sweep", "vecadd", "--param", "n=64,96"],
            ["list", "workloads"], ["compare", "a.json", "a.json"], ["plot", "t.csv", "-x", "x", "-y", "y", "-o", "p.svg"]]
# A function that calls itself 200 times, with 64 bytes of local memory each.
RECURSION = """.version 3.0
.target sm_20
.address_size 64
.visible .func (.param .b32 out) f (.param .b32 n)
{
  .reg .b32 %r<6>;
  .reg .pred %p;
  .local .align 4 .b8 a[64];
  ld.param.b32 %r1, [n];
  st.local.u32 [a], %r1;
  mov.u32 %r3, 0;
  setp.eq.u32 %p, %r1, 0;
  @%p bra done;
  sub.u32 %r2, %r1, 1;
  { .param .b32 p; .param .b32 q; st.param.b32 [p], %r2; call.uni (q), f, (p); ld.param.b32 %r3, [q]; }
done:
  ld.local.u32 %r4, [a];
  add.u32 %r3, %r3, %r4;
  st.param.b32 [out], %r3;
  ret;
}
.visible .entry k (.param .u64 x)
{
  .reg .b32 %r<4>;
  mov.u32 %r1, 200;
  { .param .b32 p; .param .b32 q; st.param.b32 [p], %r1; call.uni (q), f, (p); ld.param.b32 %r2, [q]; }
  ret;
}
"""
FILES = {"k.ptx": PTX, "r.ptx": RECURSION, "a.json": RUN_STATISTICS, "t.csv": "x,y\n1,2\n2,3\n", "script": "step\nwhere\n"}

DEVICES = ["/dev/zero", "/dev/full", "/dev/urandom", "/dev/tty", ".", "/proc/self/mem"]
LAUNCH = ["--grid", "2", "--block", "32", "--arg", "x", "--arg", "u32=64", "--arg", "f32=2"]
READERS = [["run", "FILE.ptx", *LAUNCH], ["run", "FILE.yaml"], ["ptx", "FILE"], ["run", "vecadd", "--machine", "FILE.yaml"], ["machine", "show", "./FILE.yaml"],
           ["run", "k.ptx", *LAUNCH, "--buffer", "x=f32:64:@FILE"], ["run", "k.ptx", *LAUNCH, "--buffer", "x=f32:@FILE.npy"],
           ["run", "k.ptx", *LAUNCH, "--buffer", "x=f32:64:iota", "--const", "table=f32:@FILE"], ["debug", "vecadd", "--script", "FILE"],
           ["run", "vecadd", "--from", "FILE"], ["compare", "FILE", "a.json"], ["plot", "FILE.csv", "-x", "x", "-y", "y", "-o", "p.svg"],
           ["plot", "FILE.json", "-x", "x", "-y", "y", "-o", "p.svg"], ["report", "FILE.json", "-o", "r.html"], ["explain", "FILE.json"],
           ["report", "vecadd", "--param", "n=64", "--findings", "FILE.json", "-o", "r.html"],
           ["validate", "FILE.yaml"], ["roofline", "FILE.json", "-o", "l.svg"], ["roofline", "FILE.csv", "-o", "l.svg"],
           ["sweep", "vecadd", "--param", "n=64,96", "--merge", "FILE"], ["run", "l.yaml"]]

NAMES = ["50%", "%", "%%", "%g %s %n", "%5$d", "100 % of", "a_b", "a^b", "@a", "{a}", "{/:Bold a}", "{", "}", "~a{.6-}", "a\\nb", "\\", "\\\\", "\\042", "'", "''", '""',
         '"" ; system ""touch hacked', "`touch hacked`", "$(id)", "&", "&amp;", "&#65;", "<b>", "]]>", "EOD", "$EOD", "#", "@", "@x", "\u00b5", "\u4e2d\u6587", "\U0001f600",
         "\t", "%\\", "\\%", "=1+1", "NaN", "inf", "-"]
NUMBERS = ["1e-320", "1e-308", "1e-300", "1e-160", "1e-5", "1", "1.0000000000000002", "1e5", "1e160", "1e300", "1e301", "1.7e308", "-1e300", "-1e308", "0", "-0"]
LITERALS = ["1.5", "1,5", "1.5.5", "1e", "1e+", "1e-400", "1e400", "0x", "0x10", "0x1p3", "0x1.8", "1_000", ".5", "5.", "1e5e5", "00012", "inf", "nan", "1 000", "\u0661"]


def link(place, suffixes=("", ".ptx", ".yaml", ".npy", ".csv", ".json")):
    return lambda folder: [os.symlink(place, os.path.join(folder, "FILE" + suffix)) for suffix in suffixes]


def cases():
    for number, words in enumerate(COMMANDS):
        for mebibytes in MEMORY:
            # Below what the libraries take, the system does not start the program (127).
            yield Case(f"host/memory/{mebibytes}/{number}", words, FILES, frozenset({0, 2, 127}), limits={"AS": mebibytes << 20})
            if mebibytes <= 200:
                yield Case(f"host/data/{mebibytes}/{number}", [*words, *(["--set", "memory.bytes=4194304"] if "vecadd" in words else [])], FILES,
                           frozenset({0, 2, 127}), limits={"DATA": mebibytes << 18})
        for kibibytes in STACK:
            yield Case(f"host/stack/{kibibytes}/{number}", words, FILES, DONE, limits={"STACK": kibibytes << 10})
    for number, words in enumerate(READERS):
        for device in DEVICES:
            files = {**FILES, "l.yaml": "module: k.ptx\nbuffers: {x: {type: f32, file: FILE}}\nlaunches: []\n"}
            yield Case(f"host/device/{number}/{device}", words, files, BAD_INPUT, prepare=link(device))
    for number, words in enumerate((["--script", "-"], [], ["--dap"])):
        for place in (".", "/dev/zero", "/dev/urandom", "/dev/full", "script", "a.json"):
            yield Case(f"host/stdin/{number}/{place}", ["debug", "vecadd", "--param", "n=64", *words], FILES, DONE_OR_REFUSED, stdin=place)
    yield from charts()
    for number, text in enumerate(LITERALS):
        for where in ("count: n", "{u32: n}", "iota"):
            new = {"count: n": f"count: 32 * {text}", "{u32: n}": f"{{u32: {text}}}", "iota": f"{{iota: {{start: {text}}}}}"}[where]
            yield Case(f"host/number/{number}/{where}", ["run", "l.yaml"], {"k.ptx": PTX, "l.yaml": FILE.replace(where, new)}, HANDLED)
    for mode in ("wrap", "mirror", "border", "clamp"):
        for more in ("", ",normalized=false", ",normalized=true", ",normalized=true,filter=linear"):
            allowed = BAD_INPUT if mode in ("wrap", "mirror") and "true" not in more else DONE_OR_REFUSED
            yield Case(f"host/texture/{mode}{more}", ["run", "k.ptx", *LAUNCH, "--buffer", "x=f32:64:iota", "--texture", f"t=x:f32:8:address={mode}{more}"],
                       {"k.ptx": PTX}, allowed)
    for dimensions in (1, 63, 64, 65, 3000, 30001):
        # Its output can be read again, or it is refused.
        array = npy("(" + "1, " * dimensions + ")", bytes=4, version=2)
        yield Case(f"host/npy/{dimensions}", ["run", "k.ptx", *LAUNCH, "--buffer", "x=f32:@a.npy", "--output", "x=b.npy"],
                   {"k.ptx": PTX, "a.npy": array}, HANDLED - {1} if dimensions < 65 else BAD_INPUT)
    for kind in ("f16", "f32", "f64"):
        for got, expected in ((".nan", "1"), ("1", ".nan"), (".inf", "60000"), ("60000", ".inf"), ("-.inf", ".inf"), (".nan", ".inf")):
            for limit in ("max_ulp: 18446744073709551615", "max_ulp: 20000000", "max_abs_error: 1e300", "max_abs_error: 1e300, max_ulp: 9223372036854775808"):
                text = (f"module: k.ptx\nbuffers: {{x: {{type: {kind}, values: [{got}, 1]}}, y: {{type: f32, count: 64}}}}\n"
                        "launches: [{kernel: scale, grid: [1], block: [32], args: [y, {u32: 0}, {f32: 1}]}]\n"
                        f"expect: {{x: {{values: [{expected}, 1], {limit}}}}}\n")
                yield Case(f"host/expect/{kind}/{got}/{expected}/{limit[:9]}", ["run", "l.yaml", "--quiet"], {"k.ptx": PTX, "l.yaml": text}, frozenset({1}))


def charts():
    draw = ["-o", "p.svg"]
    for number, name in enumerate(NAMES):
        table = f'word,y,z\n"{name}",5,"{name}"\nb,6,c\n'
        for kind in ("bar", "line", "heat"):
            yield Case(f"host/chart/{kind}/{number}", ["plot", "t.csv", "-x", "word", "-y", "y", "--by", "z", "--kind", kind, *draw], {"t.csv": table}, DONE)
        plain = name.replace('""', '"')
        yield Case(f"host/chart/title/{number}", ["plot", "t.csv", "-x", "word", "-y", "y", f"--title={plain}", "-o", "p.png"], {"t.csv": table}, DONE)
        yield Case(f"host/chart/column/{number}", ["plot", "t.csv", "-x", "1", "-y", "2", *draw],
                   {"t.csv": f'"1","2","{name}"\n1,2,3\n2,3,4\n'}, DONE)
    for low in NUMBERS:
        for high in NUMBERS:
            table = f"x,y\n{low},{high}\n{high},{low}\n"
            for log in ([], ["--log", "y"], ["--log", "xy"]):
                kind = ["--kind", ("bar", "scatter", "line")[(len(low) + len(high)) % 3 if not log[1:] == ["xy"] else 2]]
                yield Case(f"host/axis/{low}/{high}/{'_'.join(log)}", ["plot", "t.csv", "-x", "x", "-y", "y", *kind, *log, *draw], {"t.csv": table},
                           DONE_OR_REFUSED)
        rows = (f"source: s\nruns: {{a: {{target: vecadd, param: {{n: 64}}}}}}\nrows: {{r: {{published: {low}, quantity: speedup, role: predicted, "
                "value: a.time_us / a.time_us}}\n")
        yield Case(f"host/axis/validate/{low}", ["validate", "./v.yaml", "--quiet", "--markdown", "v.md"], {"v.yaml": rows}, HANDLED - {3})
