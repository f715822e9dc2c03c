"""Bad launch files, statistics files and tables of published figures."""

from case import BAD_INPUT, HANDLED, Case

PTX = """.version 2.3
.target sm_20
.address_size 64
.const .f32 table[4];
.tex .u64 tex0;
.entry scale(.param .u64 x, .param .u32 n, .param .f32 a)
{
  .reg .u64 %d<4>; .reg .u32 %r<6>; .reg .f32 %f<3>; .reg .pred %p;
  ld.param.u64 %d1, [x]; ld.param.u32 %r1, [n]; ld.param.f32 %f1, [a];
  mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mov.u32 %r4, %tid.x; mad.lo.u32 %r2, %r2, %r3, %r4;
  setp.ge.u32 %p, %r2, %r1; @%p ret;
  mul.wide.u32 %d2, %r2, 4; add.u64 %d1, %d1, %d2; ld.global.f32 %f2, [%d1]; mul.f32 %f2, %f2, %f1; st.global.f32 [%d1], %f2;
  ret;
}
"""
GOOD = {
    "module": "module: k.ptx",
    "buffers": "buffers:\n  x: {type: f32, count: 64, init: iota}",
    "launches": "launches:\n  - kernel: scale\n    grid: [2]\n    block: [32]\n    args: [x, {u32: 64}, {f32: 2.0}]",
    "outputs": "",
    "expect": "",
}
# group: texts that take the place of the good one
LAUNCH = {
    "module": ["", "module:", "module: nothing.ptx", "module: .", "module: [k.ptx]", "module: {a: b}", "module: k.yaml",
    "module: /dev/null", "module: ''", "module: \"\\0\"", "module: \"\\e[31m.ptx\"", "module: ~",
               "module: k.ptx\nmodule: k.ptx", "modul: k.ptx", "module: l.yaml", "module: 5", "module: \"k.ptx \"",
               "module: *a", "module: " + "d/" * 3000 + "k.ptx"],
    "buffers": [
        "", "buffers:", "buffers: 5", "buffers: [x]", "buffers: {}", "buffers:\n  x: 5", "buffers:\n  x: []",
        "buffers:\n  x: {}", "buffers:\n  x: {type: f32}", "buffers:\n  x: {count: 64}",
        "buffers:\n  x: {type: f33, count: 64}", "buffers:\n  x: {type: F32, count: 64}",
        "buffers:\n  x: {type: pred, count: 64}", "buffers:\n  x: {type: f32, count: -1}",
        "buffers:\n  x: {type: f32, count: 1.5}", "buffers:\n  x: {type: f32, count: 18446744073709551615}",
        "buffers:\n  x: {type: f32, count: 4611686018427387904}",
        "buffers:\n  x: {type: f32, count: 99999999999999999999999}", "buffers:\n  x: {type: f32, count: 1e3}",
        "buffers:\n  x: {type: f32, count: ten}", "buffers:\n  x: {type: f32, count: 0}",
        "buffers:\n  x: {type: f64, count: 300000000}", "buffers:\n  x: {type: f32, count: [64]}",
        "buffers:\n  x: {type: f32, count: 64, init: ones}", "buffers:\n  x: {type: f32, count: 64, init: {iota: 5}}",
        "buffers:\n  x: {type: f32, count: 64, init: {iota: {start: x}}}",
        "buffers:\n  x: {type: f32, count: 64, init: {iota: {begin: 0}}}",
        "buffers:\n  x: {type: f32, count: 64, init: {random: {seed: -1}}}",
        "buffers:\n  x: {type: f32, count: 64, init: {random: {min: 5, max: 1}}}",
        "buffers:\n  x: {type: f32, count: 64, init: {random: {min: .nan, max: .inf}}}",
        "buffers:\n  x: {type: f32, count: 64, init: {random: {}, iota: {}}}",
        "buffers:\n  x: {type: f32, count: 64, init: [1, 2]}",
        "buffers:\n  x: {type: u8, count: 64, init: {iota: {start: 1e400, step: 1}}}",
        "buffers:\n  x: {type: s8, values: [128]}", "buffers:\n  x: {type: u32, values: [-1]}",
        "buffers:\n  x: {type: u32, values: [1.5]}", "buffers:\n  x: {type: u32, values: [x]}",
        "buffers:\n  x: {type: u32, values: []}", "buffers:\n  x: {type: u32, values: 5}",
        "buffers:\n  x: {type: u32, values: [[1]]}", "buffers:\n  x: {type: f32, values: [1e999]}",
        "buffers:\n  x: {type: f32, values: [0x]}", "buffers:\n  x: {type: u64, values: [18446744073709551616]}",
        "buffers:\n  x: {type: f32, file: nothing.bin}", "buffers:\n  x: {type: f32, file: .}",
        "buffers:\n  x: {type: f32, file: odd.bin}",
        "buffers:\n  x: {type: f32, file: empty.bin}", "buffers:\n  x: {type: f32, file: /dev/null}",
        "buffers:\n  x: {type: f32, file: odd.bin, count: 64}",
        "buffers:\n  x: {type: f32, count: 64, file: odd.bin, values: [1]}", "buffers:\n  x: {type: f32, count: 64, align: 3}",
        "buffers:\n  x: {type: f32, count: 64, align: 0}", "buffers:\n  x: {type: f32, count: 64, align: -256}",
        "buffers:\n  x: {type: f32, count: 64, align: 4611686018427387904}",
        "buffers:\n  x: {type: f32, count: 64, colour: red}",
        "buffers:\n  x: {type: f32, count: 64}\n  x: {type: f32, count: 64}", "buffers:\n  \"\": {type: f32, count: 64}",
        "buffers:\n  \"\\e[2J\": {type: f32, count: 64, q: 1}", "buffers:\n  x: &a {type: f32, count: 64}\n  y: *b",
        "buffers:\n  x: {type: f32, count: 64, init: {random: {seed: 99999999999999999999}}}",
    ],
    "launches": [
        "", "launches:", "launches: []", "launches: 5", "launches: {kernel: scale}", "launches: [5]", "launches: [[]]",
        "launches: [{}]", "launches:\n  - kernel: nothing\n    grid: [1]\n    block: [32]", "launches:\n  - kernel: scale",
        "launches:\n  - kernel: scale\n    grid: [1]", "launches:\n  - kernel: scale\n    grid: [1]\n    block: [32]",
        "launches:\n  - kernel: [scale]\n    grid: [1]\n    block: [32]",
        *["launches:\n  - {kernel: scale, grid: %s, block: [32], args: [x, {u32: 64}, {f32: 2.0}]}" % grid for grid in
                                                                           ("5", "[]", "[0]", "[-1]", "[1, 2, 3, 4]", "[1.5]",
                                                                               "[x]", "[4294967296]", "[70000]", "[1, 70000]",
                                                                               "[1, 1, 2]", "[[1]]", "{x: 1}", "~", "[1, ]",
                                                                               "[18446744073709551615]")],
        *["launches:\n  - {kernel: scale, grid: [1], block: %s, args: [x, {u32: 64}, {f32: 2.0}]}" % block for block in ("5",
        "[]", "[0]", "[513]", "[1, 1, 65]", "[32, 32]", "[-32]", "[1e2]", "[4294967297]", "['32']", "[~]")],
        *["launches:\n  - {kernel: scale, grid: [1], block: [32], args: %s}" % args for args in
          ("x", "[]", "[x]", "[x, {u32: 64}, {f32: 2.0}, x]", "[y, {u32: 64}, {f32: 2.0}]", "[x, 64, 2.0]",
              "[x, {u32: -1}, {f32: 2.0}]", "[x, {u32: 4294967296}, {f32: 2.0}]", "[x, {u33: 1}, {f32: 2.0}]",
              "[x, {u32: 64, s32: 1}, {f32: 2.0}]", "[x, {u64: 64}, {f32: 2.0}]",
           "[x, {u32: x}, {f32: 2.0}]", "[x, {u32: 64}, {f32: two}]", "[x, {u32: 64}, {f32: 1e999}]",
           "[{address: y}, {u32: 64}, {f32: 2.0}]", "[{address: x, offset: -1}, {u32: 64}, {f32: 2.0}]",
           "[{address: x, offset: 99999999999999999999}, {u32: 64}, {f32: 2.0}]", "[{address: x, of: 1}, {u32: 64}, {f32: 2.0}]",
           "[{bytes: '00f'}, {u32: 64}, {f32: 2.0}]", "[{bytes: 'zz'}, {u32: 64}, {f32: 2.0}]",
           "[{bytes: '00'}, {u32: 64}, {f32: 2.0}]", "[{bytes: 5}, {u32: 64}, {f32: 2.0}]",
           "[{texture: tex0}, {u32: 64}, {f32: 2.0}]", "[{}, {u32: 64}, {f32: 2.0}]", "[[x], {u32: 64}, {f32: 2.0}]",
           "[~, ~, ~]", "{x: 1}", "[x, {u32: 64}, {f32: 2.0}, *a]")],
        *["launches:\n  - {kernel: scale, grid: [1], block: [32], args: [x, {u32: 64}, {f32: 2.0}], %s}" % more for more in
          ("shared_bytes: -1", "shared_bytes: 99999999", "shared_bytes: 99999999999999999999", "shared_bytes: x",
              "registers_per_thread: 0", "registers_per_thread: -3", "registers_per_thread: 9999", "registers_per_thread: many",
              "repeat: 0", "repeat: -1", "repeat: x", "repeat: 99999999999999999999",
           "synchronous: perhaps", "colour: red", "kernel: scale", "copy: {to: x}", "repeats: 3")],
        *["launches:\n  - copy: %s" % copy for copy in ("x", "{}", "{to: y}", "{to: x, from: x}", "{to: x, bytes: -1}",
        "{to: x, bytes: 99999999}", "{to: x, bytes: x}", "{to: x, bytes: 0}", "{sideways: x}", "[x]", "{to: [x]}",
        "{to: x, pinned: 7}", "~")],
    ],
    "outputs": ["outputs:", "outputs: 5", "outputs: [x]", "outputs:\n  y: y.bin", "outputs:\n  x: nothing/x.bin",
    "outputs:\n  x: .", "outputs:\n  x: ''", "outputs:\n  x: [a]", "outputs:\n  x: /dev/full", "outputs:\n  x: l.yaml",
    "outputs:\n  x: k.ptx", "outputs:\n  x: ./k.ptx", "outputs:\n  x: \"a\\0b\"", "outputs:\n  x: " + "n" * 300,
    "outputs:\n  x: x.bin\n  x: y.bin"],
    "expect": ["expect: 5", "expect: [x]", "expect:\n  y: {values: [1]}", "expect:\n  x: {}", "expect:\n  x: 5",
    "expect:\n  x: {values: [1]}", "expect:\n  x: {values: []}", "expect:\n  x: {file: nothing.bin}",
    "expect:\n  x: {file: odd.bin}", "expect:\n  x: {values: [1], file: odd.bin}", "expect:\n  x: {values: x}",
    "expect:\n  x: {file: ., max_ulp: 2}",
               "expect:\n  x: {file: empty.bin, max_ulp: -1}", "expect:\n  x: {file: empty.bin, max_abs_error: x}",
               "expect:\n  x: {file: empty.bin, max_abs_error: -1}", "expect:\n  x: {file: empty.bin, max_abs_error: .nan}",
               "expect:\n  x: {fil: empty.bin}"],
}
MORE = [
    "constants:\n  table: {type: f32, values: [1, 2, 3, 4, 5]}", "constants:\n  nothing: {type: f32, values: [1]}",
    "constants:\n  table: 5", "constants: [table]", "constants:\n  table: {type: f32, file: odd.bin}",
    "constants:\n  scale: {type: f32, values: [1]}", "constants:\n  table: {type: f64, count: 4}",
    "constants:\n  table: {type: f32, count: 99999999999}",
    *["textures:\n  tex0: %s" % texture for texture in ("5", "{}", "{buffer: x}",
    "{buffer: y, type: f32, channels: 1, width: 8}", "{buffer: x, type: f32, channels: 3, width: 8}",
    "{buffer: x, type: f32, channels: 0, width: 8}", "{buffer: x, type: f64, channels: 1, width: 8}",
    "{buffer: x, type: f32, channels: 1, width: 0}", "{buffer: x, type: f32, channels: 1, width: -8}",
                                                        "{buffer: x, type: f32, channels: 1, width: 99999999}",
                                                        "{buffer: x, type: f32, channels: 1, width: 4294967296, height: 4294967296}", "{buffer: x, type: f32, channels: 1, width: 8, address: bounce}", "{buffer: x, type: f32, channels: 1, width: 8, filter: cubic}", "{buffer: x, type: f32, channels: 1, width: 8, normalized: 3}",
                                                        "{buffer: x, type: f32, channels: 1, width: 8, read: backwards}",
                                                        "{buffer: x, type: f32, channels: 1, width: 8, colour: red}",
                                                        "{buffer: x, type: f32, channels: 1, width: 8, height: 99}",
                                                        "{buffer: x, type: u32, channels: 1, width: 8, filter: linear, read: element}", "{buffer: x, type: f32, channels: 4, width: 8, height: 2, depth: 2}")],
    "textures:\n  nothing: {buffer: x, type: f32, channels: 1, width: 8}", "textures: 5", "surfaces: {}", "extends: l.yaml",
    "? a\n: b", "\"\\e[31m\": 1", "- 5", "{", "x" * 100000 + ": 1", "a: " + "[" * 20000, "<<: {module: k.ptx}",
]
WHOLE = ["", "~", "5", "[]", "{}", "module", "\0", "---\n...\n", "&a [*a]", "module: k.ptx", "%TAG ! x\n---\nmodule: k.ptx",
    "!!map {}", "\t", "'", "|", ">\n", "@", "`", "*", "&", "? ", ": ", "- - - -", "{{{{", "]]]]", "# only\n", "\ufeff",
    "a: b: c", "a:\n b:\n  - c\n d", b"\xff\xfe\x00", b"\x80", "{\"module\": \"k.ptx\",", "module: k.ptx\nlaunches:\n  - *x\n"]

STATISTICS = [
    "", "x", "{", "{}", "[]", "5", "null", "true", '""', '{"schema": 1e999}', '{"schema": 1}', '{"schema": 2, "launches": []}',
    '{"schema": -1}', '{"schema": "1"}', '{"schema": 1.5}', '{"schema": null}', '{"schema": []}',
        '{"schema": 99999999999999999999}', '{"schema": 1, "launches": 5}', '{"schema": 1, "launches": {}}',
            '{"schema": 1, "launches": [5]}',
    '{"schema": 1, "launches": [[]]}', '{"schema": 1, "launches": [null]}', '{"schema": 1, "launches": [{}]}',
        '{"schema": 1, "launches": [{"kernel": 5}]}', '{"schema": 1, "launches": [{"kernel": "k", "cycles": "many"}]}',
            '{"schema": 1, "launches": [{"kernel": "k", "cycles": -5}]}',
                '{"schema": 1, "launches": [{"kernel": "k", "cycles": 1e400}]}',
                    '{"schema": 1, "launches": [{"kernel": "k", "cycles": 99999999999999999999999}]}',
    '{"schema": 1, "launches": [{"kernel": "k", "issue": 5}]}',
        '{"schema": 1, "launches": [{"kernel": "k", "issue": {"stalls": []}}]}',
            '{"schema": 1, "launches": [{"kernel": "k", "occupancy": null}]}',
                '{"schema": 1, "launches": [{"kernel": "k", "instructions": [1]}]}',
                    '{"schema": 1, "launches": [{"kernel": "k", "instructions": {"a": 1}}]}',
                        '{"schema": 1, "total": 5, "launches": []}', '{"schema": 1, "total": {"cycles": {}}, "launches": []}',
    '{"schema": 1, "total": {"time_us": null}, "launches": []}', '{"schema": 1, "machine": 5, "launches": []}',
        '{"schema": 1, "machine": {"name": 5}, "launches": [], "total": {}}',
            '{"schema": 1, "machine": {}, "target": 5, "launches": [], "total": {}}', '{"schema": 1, "schema": 1}',
                '{"schema": 1,}', '{"schema": 1} x', "{'schema': 1}", '{"schema": 01}', '{"schema": NaN}',
                    '{"schema": Infinity}', '{"schema": 1 /* c */}',
    '{"schema": 1, "launches": [{"kernel": "\\u001b[31m"}], "total": {}}', '{"\\ud800": 1}', '{"a": "\\x"}', '{"a": "\n"}',
        '{"a": "' + "x" * 1000000 + '"}', "[" * 100000, '{"a":' * 100000, "[" * 5000 + "]" * 5000, "\ufeff{}",
            "{}".encode("utf-16"), b"\xff", b'{"a": "\xff"}', "\0",
            '{"schema": 1, "launches": [{"kernel": "k", "grid": "x", "block": {}}]}',
    '{"schema": 1, "launches": [{"kernel": "k", "active_lanes_histogram": [1]}], "total": {"divergence": {"active_lanes_histogram": {"a": 1}}}}', '{"schema": 1, "launches": [], "total": {"cycles": 0, "time_us": 0}}', '{"schema": 1, "launches": [], "timeline": 5, "total": {}}', '{"schema": 1, "launches": [], "checks": {"a": 1}, "total": {}}', "kernel,cycles\nk,5\n", "<html>", "1e999", "-", "[1e5000]", '"' , "nul",
]

FIGURES = [
    "", "x", "5", "[]", "{}", "runs: 5", "runs: []", "runs: {}", "rows: {}", "runs: {}\nrows: {}",
    "runs: {a: 5}\nrows: {r: {}}", "runs: {a: {}}\nrows: {}",
    "runs: {a: {target: nothing}}\nrows: {r: {published: 1, quantity: q, role: predicted, source: s, value: a.time_us}}",
    *["runs: {a: {target: vecadd, param: {n: 64}}}\nrows: {r: {published: 1, quantity: q, role: predicted, source: s, value: \"%s\"}}" % value for value in
      ("", "a", "a.", ".time_us", "b.time_us", "a.nothing", "a.time_us +", "+", "(a.time_us", "a.time_us)",
          "a.time_us a.time_us", "1 / 0", "a.time_us / 0", "0 / 0", "1e999", "1e", "0x10", "a.time_us ** 2", "a.time_us ^ 2",
          "a.time_us < ", "a.time_us < 1 < 2", "sqrt(a.time_us)", "a.time_us ? 1 : 2", "!a", "a.time_us;", "'a'", "a..time_us",
          "a.time_us.x", "5",
       "-" * 100001 + "1", "(" * 100000 + "1" + ")" * 100000, "+" * 50000 + "1", "1" + "+1" * 50000, "1" + "<1" * 20000,
       "\\e[31m", "a.occupancy", "a.launches", "a.checks", "%s", "{}")],
    *["runs: {a: %s}\nrows: {r: {published: 1, quantity: q, role: predicted, source: s, value: a.time_us}}" % run for run in
      ("{target: vecadd, param: 5}", "{target: vecadd, param: {n: x}}", "{target: vecadd, param: {n: -1}}",
          "{target: vecadd, param: {m: 1}}", "{target: vecadd, param: [n]}", "{target: vecadd, machine: nothing}",
          "{target: vecadd, machine: 5}", "{target: vecadd, machine: [a, b]}", "{target: vecadd, set: {chip.tpcs: 99}}",
          "{target: vecadd, set: 5}", "{target: vecadd, set: [a]}", "{target: vecadd, cpu: nothing}",
       "{target: vecadd, cpu: 5}", "{target: [a]}", "{target: 5}", "{target: ''}", "{target: 'vecadd:nothing'}",
       "{target: ':'}", "{target: 'k.ptx'}", "{target: vecadd, colour: red}", "{target: 'vecadd:'}", "{target: \"\\e[2J\"}")],
    *["runs: {a: {target: vecadd, param: {n: 64}}}\nrows: {r: {%s}}" % row for row in
      ("published: 1", "quantity: q", "published: 1, quantity: q, role: wrong, source: s, value: a.time_us",
          "published: 1, quantity: q, source: s, value: a.time_us",
          "published: [], quantity: q, role: predicted, source: s, value: a.time_us",
          "published: ~, quantity: q, role: predicted, source: s, value: a.time_us",
          "published: 1e999, quantity: q, role: predicted, source: s, value: a.time_us",
          "published: .nan, quantity: q, role: predicted, source: s, value: a.time_us",
       "published: 0, quantity: q, role: predicted, source: s, value: a.time_us",
       "published: -1, quantity: q, role: predicted, source: s, value: a.time_us",
       "published: 1, quantity: [], role: predicted, source: s, value: a.time_us",
       "published: 1, quantity: q, role: predicted, source: s, value: [a.time_us]",
       "published: 1, quantity: q, role: predicted, source: s, value: a.time_us, colour: red",
       "published: maybe, quantity: q, role: predicted, source: s, value: a.time_us")],
    "a: " + "[" * 20000, "rows: {r: *a}", "runs: &a {a: *a}", "\0", b"\xff\xfe",
]


def launch_file(**changed):
    return "\n".join({**GOOD, **changed}.values()) + "\n"

# Profiles for `compare`, each with something wrong.
NCU = '"ID","Kernel Name","Metric Name","Metric Unit","Metric Value"\n'
LOG = "# CUDA_PROFILE_LOG_VERSION 2.0\nmethod,gputime,instructions\n"
PROFILES = [
    NCU, NCU + '"0","k"\n', NCU + '"0","k","sm__cycles_elapsed.max","cycle","\n', NCU + '"0","k","sm__cycles_elapsed.max"\n',
    NCU + '"0","k","sm__cycles_elapsed.max","cycle","1,2"\n', NCU + '"0","vecadd","sm__cycles_elapsed.max","cycle","1,2"\n',
    NCU + '"0","vecadd","sm__cycles_elapsed.max","cycle","1e999"\n', NCU + '"0","vecadd","sm__cycles_elapsed.max","cycle","5..5"\n',
    NCU + '"0","vecadd","sm__cycles_elapsed.max","cycle","--5"\n', NCU + '"0","vecadd","gpu__time_duration.sum","ns",",5"\n',
    NCU + '"99999999999999999999","","","",""\n', NCU + '"0","' + "_Z" + "9" * 40 + '","a__b","",""\n',
    NCU + '"0","' + "<" * 5000 + '","a__b","","1"\n', NCU + '"0","_ZN' + "1a" * 3000 + 'IfE","a__b","","1"\n', NCU * 3,
    '"ID","Kernel Name"\n', '"Kernel Name"\n', '"Kernel Name","Metric Name","Metric Value"\n"k","a__b","1"\n',
    '"ID","Kernel Name","Metric Name"\n', '"ID","Kernel Name","Metric Value"\n', '"ID","Kernel Name","a__b"\n"","","byte\n',
    '"ID","Kernel Name","a__b"\n"",""\n"0","vecadd"\n', '"Kernel Name","a__b","ID"\n"vecadd"\n"vecadd","5"\n',
    '"ID","Kernel Name', "==PROF== Connected\n", "==ERROR== No kernels were profiled.\n", "==PROF== \0\1\2\377\n" + NCU,
    LOG, LOG + "vecadd,5,6,7\n", LOG + ",,\n", LOG + "vecadd,x5,6\n", LOG + 'vecadd,"5\n', LOG + "memcpyHtoD,5\n", LOG + "#" * 9000,
    "# CUDA_PROFILE_LOG_VERSION", "# CUDA_PROFILE_LOG_VERSION 2.0\nvecadd,5\n", "method=[", "method=[ ]\n", "method=[]\n",
    "method=[ vecadd ] gputime=[ 5\n", "method=[ vecadd ] gputime\n", "method=[ vecadd ] =[ 5 ]\n", "method=[ vecadd ] gputime=[ 5-5 ]\n",
    "method=[ vecadd ] gputime=[ 1e999 ]\n", "gputime=[ 5 ]\n# CUDA_PROFILE_CSV 1\n",
    "method=[ nothing ] gputime=[ 5 ]\n",
]
# What is not the CSV of a sweep.
SWEEP = "n,status,time_us,flops,flops_f64,dram.read_bytes,dram.write_bytes,global.bytes_requested,sweep\n"
SWEEPS = ["", "\n", "\0", "a,b\n1,2\n", "n,status\n4,0\n", "parameter,value,time_us,change,status,whatif\nbaseline,,1,0,0,x\n",
    SWEEP + "1,0\n", SWEEP + "1,0,x,2,3,4,5,6,7\n", SWEEP + "1,0,-1,2,3,4,5,6,7\n", SWEEP + "1,0,nan,2,3,4,5,6,7\n",
    SWEEP + "1,zero,1,2,3,4,5,6,7\n", SWEEP + "1,0,1,1e999,3,4,5,6,7\n", SWEEP + "1,0,1,2,3,4,,6,7\n", SWEEP + "1,0,1,2,3,4,5,6,7,8\n",
    SWEEP + '"1,0,1,2,3,4,5,6,7\n', "chip." + SWEEP + "1,0,,,,,,,\n", SWEEP.replace("n,", "chip.tpcs,", 1) + "999,0,1,2,3,4,5,6,7\n",
    SWEEP.replace("n,", "chip.tpcs,", 1) + "\x1b[31m,0,1,2,3,4,5,6,7\n"]
RUN_STATISTICS = """{"schema": 1, "machine": {"name": "m", "hash": "h"}, "target": "vecadd",
  "launches": [{"kernel": "vecadd", "grid": [1, 2, 3, 4], "block": [32, 1], "time_us": 5.0, "cycles": 7, "gflops": 1.5,
                "native_warp_instructions": 9, "warp_cycles": {"resident": 5, "waiting": {"fence": 1}},
                "issue": {"slots": 9, "issued": 4, "stalls": {"barrier": 5}}}],
  "total": {"time_us": 5.0, "cycles": 7, "gflops": 1.5, "issue": {"slots": 9, "issued": 4, "stalls": {}}}}"""


def cases():
    extra = {"k.ptx": PTX, "odd.bin": b"\1\2\3", "empty.bin": b""}
    run = ["run", "l.yaml"]
    for group, texts in LAUNCH.items():
        for number, text in enumerate(texts):
            yield Case(f"launch/{group}/{number}", run, {**extra, "l.yaml": launch_file(**{group: text})}, HANDLED)
            if number % 3 == 0:
                other = (["annotate", "l.yaml"], ["explain", "l.yaml", "--check"], ["trace", "l.yaml"], ["sweep", "l.yaml", "--set", "chip.tpcs=1,2"], ["compare",
                    "l.yaml", "--machine", "generic", "--machine", "tesla-c1060"], ["run", "l.yaml",
                    "--functional"], ["model", "l.yaml", "--graph", "g.dot"])[number // 3 % 7]
                yield Case(f"launch/{group}/{other[0]}/{number}", other, {**extra, "l.yaml": launch_file(**{group: text})},
                    HANDLED)
    for number, text in enumerate(MORE):
        yield Case(f"launch/more/{number}", run, {**extra, "l.yaml": launch_file() + text + "\n"}, HANDLED)
    for number, text in enumerate(WHOLE):
        yield Case(f"launch/whole/{number}", run, {**extra, "l.yaml": text}, BAD_INPUT)
    for number, text in enumerate(STATISTICS):
        yield Case(f"compare/{number}", ["compare", "a.json", "b.json"], {"a.json": text, "b.json": '{"schema": 1}'},
            HANDLED - {1, 3})
        yield Case(f"explain/{number}", ["explain", "a.json"], {"a.json": text}, HANDLED - {1, 3})
        yield Case(f"compare/with_itself/{number}", ["compare", "a.json", "a.json"], {"a.json": text}, HANDLED - {1, 3})
        yield Case(f"roofline/{number}", ["roofline", "a.json"], {"a.json": text}, BAD_INPUT)
    for number, text in enumerate(SWEEPS):
        yield Case(f"roofline/sweep/{number}", ["roofline", "s.csv"], {"s.csv": text}, BAD_INPUT)
        yield Case(f"whatif/resume/{number}", ["whatif", "vecadd", "--param", "n=64", "--only", "dram.tRP", "--csv", "s.csv",
            "--resume"], {"s.csv": text}, HANDLED - {1, 3})
    for number, text in enumerate(PROFILES):
        files = {"a.json": RUN_STATISTICS, "p.csv": text}
        yield Case(f"compare/profile/{number}", ["compare", "a.json", "p.csv"], files, BAD_INPUT)
        yield Case(f"compare/profile_first/{number}", ["compare", "p.csv", "a.json"], files, BAD_INPUT)
    for number, text in enumerate(FIGURES):
        yield Case(f"validate/{number}", ["validate", "./v.yaml", "--quiet"], {"v.yaml": text}, HANDLED - {3})
