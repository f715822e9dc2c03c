"""Bad machine files, bad --set, and machines that are legal but odd."""

from case import BAD_INPUT, HANDLED, Case

# What each kind of value may not be.
VALUES = ["-1", "4294967296", "18446744073709551616", "1e99", "0x", "'12x'", "[]", "{}", "~", "nothing", "1.5.2", ".nan",
    "-.inf", "'1 2'",
          "!!binary aGk=", "&a 1", "*a", "'\\0'", "2026-11-23", "yes please"]
# One of each type and of each group.
KEYS = ["chip.tpcs", "chip.window_cycles", "clocks.shader_mhz", "grid.max_x", "sm.registers", "sm.register_unit",
    "sm.shared.bytes",
        "issue.interval", "sfu.groups", "latency.int_alu", "constant.sm_cache.ways", "memory.credits_per_tpc", "dram.tRAS",
        "interconnect.request_latency",
        "has_timing", "issue.policy", "memory.coalescing", "features"]

# Values that a row's own range allows, or nearly, and that do not fit one another.
TOGETHER = [
    ["sm.max_threads=32", "sm.max_threads_per_block=4096"], ["sm.max_warps=64", "sm.max_threads=32"], ["sm.shared.bytes=0"],
    ["chip.window_cycles=1024"], ["chip.window_cycles=1024", "interconnect.request_latency=8"], ["chip.block_launch_cycles=8"],
    ["interconnect.response_latency=8", "chip.window_cycles=8"], ["memory.partitions=64", "dram.banks=64"],
    ["memory.partitions=1", "memory.address_map=xor"],
    ["memory.partitions=7", "memory.address_map=long"], ["memory.bytes=1048576"], ["memory.bytes=1099511627776"],
    ["dram.row_bytes=128", "memory.interleave_bytes=65536"],
    ["dram.burst_length=32", "dram.bus_bytes=128"], ["dram.burst_length=1", "dram.bus_bytes=1"], ["dram.tRAS=1",
    "dram.tRCD=1000"], ["dram.queue_entries=1", "memory.credits_per_tpc=1"],
    ["memory.queue_entries=1"], ["memory.max_outstanding_loads=1"], ["issue.ports=8"], ["issue.ports=8", "sm.max_warps=1"],
    ["issue.ports=3", "sp.groups=16"],
    ["sm.shared.banks=128"], ["sm.shared.banks=1"], ["sm.shared.request_lanes=1"], ["sm.shared.request_lanes=32",
    "sm.shared.banks=2"], ["constant.request_lanes=1"],
    ["sm.shared.bank_interleave_bytes=8"], ["sm.shared.bank_bytes=8", "sm.shared.bank_interleave_bytes=8"],
    ["sm.shared.wide_access=fewer_lanes", "sm.shared.banks=1", "sm.shared.load_128_replays=16"],
    ["sm.shared.broadcast=every_word", "sm.shared.request_lanes=32"], ["constant.pipe=memory"],
    ["constant.word_bytes=16"], ["constant.fill_cycles=1000"],
    ["instruction.sm_cache.bytes=0", "instruction.tpc_cache.bytes=0", "instruction.partition_cache.bytes=0"],
    ["instruction.sm_cache.bytes=1"],
    ["instruction.sm_cache.ways=64", "instruction.sm_cache.bytes=64"], ["constant.sm_cache.line_bytes=128",
    "constant.tpc_cache.line_bytes=32"],
    ["texture.tpc_cache.bytes=0"], ["texture.tile_width_bytes=4096", "texture.tile_rows=64"], ["texture.line_rows=32"],
    ["l1.cache.bytes=16384"], ["l2.cache.bytes=67108864"],
    ["l1.cache.bytes=16384", "l1.mshrs=1"], ["l2.cache.bytes=16384", "l2.cache.ways=3"], ["clocks.shader_mhz=1",
    "clocks.memory_mhz=10000"], ["clocks.core_mhz=0.5"],
    ["clocks.shader_mhz=1350.123456789"], ["clocks.shader_mhz=1e4"], ["clocks.shader_mhz=1e-9"], ["sm.registers=32"],
    ["sm.max_registers_per_thread=1"], ["sm.registers=1048576", "sm.register_unit=4096"],
    ["features=[]"], ["features=[f64"], ["features=f64]"], ["features=[[f64],vote]"], ["features=[f64,f64]"],
    ["features=[f65]"], ["features=f64,,vote"], ["features=,"], ["features=[f64;vote]"],
    ["has_timing=false"], ["has_timing=maybe"], ["native_cost=g81"], ["sm.reconvergence=independent"],
    ["memory.coalescing=3.0"], ["memory.coalescing=1"], ["chip.tpcs=64", "chip.sms_per_tpc=8"],
    ["chip.tpcs=256", "chip.sms_per_tpc=8", "memory.partitions=128"], ["chip.tpcs=257"], ["memory.partitions=129"],
    ["chip.tpcs_per_gpc=256"], ["chip.tpcs_per_gpc=257"], ["chip.tpcs_per_gpc=-1"], ["chip.caches_between_launches=keep"],
    ["chip.caches_between_launches.l1=keep", "l1.cache.bytes=16384"], ["chip.caches_between_launches.texture=keep"],
    ["chip.caches_between_launches.l2=keep", "l2.cache.bytes=16384", "dram.rows_between_launches=keep"],
    ["chip.caches_between_launches.constant=warm"], ["dram.rows_between_launches=open"],
]
SETS = ["", "=", "=1", "chip.tpcs", "chip.tpcs=", "chip.tpcs==4", "chip.tpcs=4=5", "chip .tpcs=4", "chip.tpcs= ",
    "chip..tpcs=4", ".chip.tpcs=4", "chip.tpcs.=4", "chip.tpcs.x=4",
        "chip=4", "chip={tpcs: 4}", "chip.tpcs=[4]", "chip.tpcs=4,5", "CHIP.TPCS=4", "chip/tpcs=4", "chip.tpc=4", "tpcs=4",
        "*=4", "chip.*=4", "chip.tpcs=\n4", "chip.tpcs=4\n",
        "chip.tpcs=\t4", "chip.tpcs=\x1b[31m", "\x1b[2J=1", "a" * 100000 + "=1", "chip.tpcs=" + "1" * 100000, "chip.tpcs=٤",
        "chip.tpcs=４", "chip.tpcs=4 # four", "chip.tpcs=0b100",
        "chip.tpcs=1_0", "chip.tpcs=+4", "chip.tpcs=4.0", "chip.tpcs=4e0", "chip.tpcs=0x4", "chip.tpcs=04", "extends=generic",
        "name=x", "description=", "[1]=2", "{a: b}=c", "- a=1", "? =1", "&a=*a",
        "%s%n=%d", "{}=1", "{0}={1}", "chip.tpcs=${HOME}", "chip.tpcs=$(id)", "chip.tpcs=`id`", "../chip.tpcs=1",
        "chip\\.tpcs=1", "'chip.tpcs'=4", "chip.tpcs='4", "chip.tpcs=\"4", "chip.tpcs=!!int 4"]

FILES = {
    "empty": "", "only_comment": "# nothing\n", "list": "- a\n- b\n", "word": "machine\n", "number": "42\n", "null": "~\n",
    "tab": "chip:\n\ttpcs: 4\n", "bad_indent": "chip:\n  tpcs: 4\n sms_per_tpc: 2\n",
    "colon": "chip: tpcs: 4\n", "open_list": "features: [f64, vote\n", "open_map": "chip: {tpcs: 4\n",
    "open_quote": "description: \"never closed\n", "two_documents": "extends: generic\n---\nextends: generic\n",
    "directive": "%YAML 9.9\n---\nextends: generic\n", "tag": "!machine\nextends: generic\n",
    "bomb": "a: &a [x,x,x,x,x,x,x,x,x]\n" + "".join(f"{chr(98+i)}: &{chr(98+i)} [" + ",".join([f"*{chr(97+i)}"] * 9) + "]\n" for i in range(8)),
    "self_alias": "chip: &a\n  tpcs: *a\n", "no_anchor": "chip: *nothing\n", "merge": "a: &a {tpcs: 4}\nchip:\n  <<: *a\n",
    "merge_list": "chip:\n  <<: [1, 2]\n", "duplicate": "extends: generic\nchip: {tpcs: 4}\nchip: {tpcs: 5}\n",
    "duplicate_inside": "extends: generic\nchip:\n  tpcs: 4\n  tpcs: 4\n", "unknown": "extends: generic\nchips: {tpcs: 4}\n",
    "near": "extends: generic\nclock: {shader_mhz: 4}\n", "list_key": "? [a, b]\n: 1\n", "map_key": "{a: b}: c\n",
    "null_key": "~: 1\n",
    "number_key": "1: 2\n", "empty_key": "\"\": 1\n", "escape_key": "\"\\e[2Jkey\": 1\n", "nul_key": "\"\\0\": 1\n",
    "newline_key": "\"a\\nb\": 1\n", "long_key": "k" * 50000 + ": 1\n", "complex_key": "? |\n  block\n: 1\n",
    "extends_itself": "extends: m.yaml\n", "extends_missing": "extends: nothing-at-all\n", "extends_folder": "extends: .\n",
    "extends_null": "extends: ~\n", "extends_list": "extends: [generic]\n", "extends_number": "extends: 8800\n",
    "extends_empty": "extends: ''\n",
    "extends_device": "extends: /dev/null\n", "extends_up": "extends: ../../../../../../etc/passwd\n",
    "extends_nul": "extends: \"a\\0b\"\n", "extends_escape": "extends: \"\\e[31m\"\n",
    "extends_long": "extends: " + "x/" * 5000 + "\n", "extends_cpu": "extends: cpu-opteron-248\n",
    "deep": "a: " + "[" * 20000, "deep_map": "".join(" " * i + "a:\n" for i in range(2000)), "deep_flow": "{a: " * 20000,
    "deep_dashes": "- " * 20000, "deep_question": "? " * 10000, "deep_colon": "a: &b " * 5000, "binary": bytes(range(256)),
    "utf16": "extends: generic\n".encode("utf-16"),
    "bom": "\ufeffextends: generic\nchip: {tpcs: 99}\n", "crlf": "extends: generic\r\nchip: {tpcs: 99}\r\n",
    "cr": "extends: generic\rchip: {tpcs: 99}\r", "nul": "extends: generic\n\0chip: 1\n", "bad_utf8": b"extends: \xff\xfe\n",
    "surrogate": "description: \"\\ud800\"\nchip: 1\n", "bad_escape": "description: \"\\q\"\n",
    "c1": "description: \u009b\nchip: 4\n",
    "cpu_file": "extends: cpu-opteron-248\nclock: 1\n", "json": '{"chip": {"tpcs": 400}}',
    "value_map": "chip: {tpcs: {a: 1}}\n", "value_list": "chip: {tpcs: [1]}\n", "group_scalar": "chip: 4\n",
    "group_list": "chip: [4]\n", "group_null": "chip:\nsm: 4\n", "features_map": "features: {f64: true}\n",
    "features_nested": "features: [[f64]]\n",
    "features_number": "features: [64]\n", "features_word": "features: f65\n", "text_list": "description: [a]\n",
    "bool_number": "has_timing: 1\n", "bool_word": "has_timing: 'true '\n", "octal": "chip: {tpcs: 0o10}\n",
    "sexagesimal": "chip: {tpcs: 1:30}\n", "underscore": "chip: {tpcs: 1_0}\n", "plus": "chip: {tpcs: +8x}\n",
    "huge_file": "# " + "x" * 3000000 + "\nchips: 1\n",
}


def cases():
    show = ["machine", "show"]
    for key in KEYS:
        for number, value in enumerate(VALUES):
            *groups, last = key.split(".")
            text = "extends: geforce-8800-gtx\n"
            for depth, group in enumerate(groups):
                text += "  " * depth + f"{group}:\n"
            text += "  " * len(groups) + f"{last}: {value}\n"
            allowed = HANDLED - {1, 3} if value in ("&a 1", "1e99", "nothing", "~", "[]", "{}") else BAD_INPUT
            yield Case(f"machine/value/{key}/{number}", [*show, "m.yaml"], {"m.yaml": text}, allowed)
    for number, sets in enumerate(TOGETHER):
        words = [word for item in sets for word in ("--set", item)]
        yield Case(f"machine/together/{number}", ["run", "vecadd", "--param", "n=3000", *words], {}, HANDLED)
        yield Case(f"machine/together_show/{number}", [*show, "geforce-8800-gtx", *words], {}, HANDLED - {1, 3})
    for number, item in enumerate(SETS):
        yield Case(f"machine/set/{number}", [*show, "generic", "--set", item], {}, HANDLED - {1, 3})
        yield Case(f"machine/set_run/{number}", ["occupancy", "--registers", "8", "--shared", "0", "--block", "64", "--set",
            item], {}, HANDLED - {1, 3})
    for name, text in FILES.items():
        yield Case(f"machine/file/{name}", [*show, "m.yaml"], {"m.yaml": text}, HANDLED - {1, 3})
        yield Case(f"machine/file_run/{name}", ["run", "vecadd", "--param", "n=64", "--machine", "m.yaml"], {"m.yaml": text},
            HANDLED - {3})
