#!/usr/bin/env python3
"""Whether the locale of the host program changes anything: commands print the same, and write the same files, in a
program whose locale has a decimal comma and in one without a locale.

    tests/locale/locale_test.py build/warptime build/tests/locale/warptime_localised
"""

import pathlib
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
import comma

ROOT = pathlib.Path(__file__).resolve().parents[2]
PRINTF = """.version 3.0
.target sm_20
.address_size 64
.extern .func (.param .b32 r) vprintf (.param .b64 f, .param .b64 a);
.global .align 1 .b8 format[32] = {37,102,32,37,46,50,101,32,37,103,32,37,97,10,0};
.visible .entry k(.param .u64 x)
{
  .reg .b64 %d<9>;
  .local .align 8 .b8 stack[32];
  mov.f64 %d1, 0d4004000000000000;
  st.local.f64 [stack], %d1;
  st.local.f64 [stack+8], %d1;
  st.local.f64 [stack+16], %d1;
  st.local.f64 [stack+24], %d1;
  mov.u64 %d2, format;
  cvta.global.u64 %d2, %d2;
  mov.u64 %d3, stack;
  cvta.local.u64 %d3, %d3;
  { .param .b64 pa; .param .b64 pb; .param .b32 pr;
    st.param.b64 [pa], %d2; st.param.b64 [pb], %d3; call.uni (pr), vprintf, (pa, pb); }
  ret;
}
"""
LAUNCH = """module: scale.ptx
params: {n: {default: 1234}}
buffers: {x: {type: f32, count: n * 1.5, init: {random: {min: -0.5, max: 2.5}}}}
launches: [{kernel: scale, grid: [ceil(n * 1.5 / 256)], block: [256], args: [x, {f32: 0.25 * n}, {u32: n * 1.5}]}]
figures: {f: 1.5 * n / time_us}
"""
FILES = {"printf.ptx": PRINTF, "half.yaml": LAUNCH, "scale.ptx": (ROOT / "docs/examples/scale.ptx").read_text(),
         "m.yaml": "extends: geforce-8800-gtx\nclocks: {core_mhz: 512.5}\n", "script": "break 34\nrun\nprint 1.5 * 2\nwhere\n",
         "t.csv": "name,time_us\na,1.5\nb,2.25\n"}
COMMANDS = [
    "run half.yaml --machine m.yaml --stats s.json --trace t.json",
    "run scale.ptx --grid 2 --block 32 --arg x --arg f32=2.5 --arg u32=64 --buffer x=f32:64:iota --output x=o.npy",
    "run printf.ptx --grid 1 --block 1 --arg u64=0 --machine geforce-gtx-480",
    "run scale.ptx --grid 1,5 --block 1.5",
    "explain matmul:naive --param n=64",
    "annotate vecadd --param n=2048",
    "check half.yaml",
    "debug vecadd --script script",
    "trace vecadd --param n=2048",
    "report half.yaml -o r.html",
    "compare half.yaml --machine m.yaml --machine geforce-gtx-480",
    "sweep half.yaml --quiet --param n=1000,2000 --set clocks.core_mhz=500.5,600 --csv c.csv --columns time_us,f",
    "whatif vecadd --param n=64 --only dram.tRP --quiet",
    "model half.yaml",
    "roofline vecadd --param n=2048 -o l.svg",
    "plot t.csv -x name -y time_us --reference 1.75 -o p.svg",
    "validate micro --only latency/",
    "occupancy --registers 11 --shared 2084 --block 256",
    "ptx scale.ptx --native",
    "machine m.yaml",
    "list parameters",
    "list workloads",
    "schema launch",
]


def outcome(program, words, environment):
    """Its status, output and files, without what each run has of its own."""
    with tempfile.TemporaryDirectory(prefix="warptime-locale-") as folder:
        for name, text in FILES.items():
            pathlib.Path(folder, name).write_text(text)
        done = subprocess.run([program, *words.split()], cwd=folder, capture_output=True, stdin=subprocess.DEVNULL,
                              env={"PATH": "/usr/bin:/bin", "HOME": folder, "WARPTIME_HOME": str(ROOT), **environment})
        files = {path.name: path.read_bytes() for path in pathlib.Path(folder).iterdir()}
        return done.returncode, without_host(done.stdout), without_host(done.stderr), \
            {name: without_host(data) for name, data in sorted(files.items())}


def without_host(data):
    """Without the lines that tell the time and memory of the host."""
    return [line for line in data.split(b"\n") if not any(word in line for word in
            (b"simulated  ", b"wall_seconds", b"per_second", b"host_", b"peak_", b"points ", b" MB"))]


def main():
    program, localised = (pathlib.Path(word).resolve() for word in sys.argv[1:3])
    failures = 0
    with tempfile.TemporaryDirectory(prefix="warptime-locale-") as folder:
        # With sanitizers: the C library never frees the LOCPATH that it has read.
        environment = {**comma.environment(folder), "ASAN_OPTIONS": "detect_leaks=0"}
        for words in COMMANDS:
            plain, other = outcome(program, words, {"LC_ALL": "C"}), outcome(localised, words, environment)
            if plain == other and plain[0] in (0, 2):
                continue
            failures += 1
            print(f"warptime {words}: status {plain[0]}, with a decimal comma {other[0]}")
            for one, two in zip([*plain[1:3], *plain[3].values()], [*other[1:3], *other[3].values()]):
                for a, b in zip(one, two):
                    if a != b:
                        print(f"  {a[:150]}\n  {b[:150]}")
                        break
    print(f"{len(COMMANDS)} commands, {failures} differ")
    sys.exit(1 if failures else 0)


main()
