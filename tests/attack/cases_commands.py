"""Bad command lines, files that are not what their name says, outputs that cannot be written, odd environments."""

import os
import pathlib

from case import BAD_INPUT, HANDLED, Case
from cases_data import PTX, SWEEP

COMMANDS = ["run", "exec", "ptx", "list", "machine", "occupancy", "validate", "sweep", "compare", "explain", "annotate", "trace",
    "report", "model", "whatif", "roofline", "schema", "plot", "completion", "man", "check", "debug", "measure"]

ODD_WORDS = ["\x1b[31mred", "a" * 70000, "\x07", "%s%n", "{}", "ä", "\u202e", "\udcff\udcfe", "*", "?", "$(id)", "'", "\"",
    "\\", "\n", "\t", "-", "--", "---", "=", "==", "--=", "--=x", "-=", "-\x1b", "\u0000x"[1:], "con", "~", "0", "-0", "1e5",
    "../..", "/", "//", "a/b/c", ".ptx", ".yaml", ".json", "x.ptx.yaml"]


def folder_named(name):
    return lambda folder: os.mkdir(os.path.join(folder, name))


def link(name, target):
    return lambda folder: os.symlink(target, os.path.join(folder, name))


def no_permission(name):
    return lambda folder: os.chmod(os.path.join(folder, name), 0)


def read_only_folder(folder):
    os.chmod(folder, 0o555)


def cases():
    files = {"k.ptx": PTX, "k.txt": PTX, "k": PTX, "K.PTX": PTX, "k.ptx.gz": b"\x1f\x8b" + PTX.encode(),
        "l.yaml": "module: k.ptx\nlaunches: []\n", "a.json": '{"schema": 1}', "b.json": '{"schema": 1}', "file": "run vecadd",
        "s.csv": SWEEP + "64,0,5,100,0,300,200,400,x\n"}
    # Each line after `warptime`; split at blanks, "<>" is an empty word.
    lines = pathlib.Path(__file__).with_name("command_lines.txt").read_text().splitlines()
    for number, line in enumerate(lines):
        words = ["" if word == "<>" else word for word in line.split()]
        yield Case(f"command/line/{number}", words, files, HANDLED)
    for number, word in enumerate(ODD_WORDS):
        yield Case(f"command/odd/command/{number}", [word], files, HANDLED - {1, 3})
        for command in COMMANDS:
            if (command, word) != ("validate", "--"):  # every row of every table: minutes
                yield Case(f"command/odd/{command}/{number}", [command, word], files, HANDLED - {1})
        option = ("--machine", "--set", "--param", "--stats", "--grid", "--kernel", "--json", "--output", "--threads",
            "--cpu")[number % 10]
        yield Case(f"command/odd/option/{number}", ["run", "vecadd", "--param", "n=64", option if option not in ("--json",
            "--cpu") else f"{option}={word}", *([word] if option not in ("--json", "--cpu") else [])],
                   files, HANDLED)
    launch = ["--grid", "1", "--block", "32", "--buffer", "x=f32:64", "--arg", "x", "--arg", "u32=64", "--arg", "f32=2"]
    for name, prepare in {"folder": folder_named("q.ptx"), "loop": link("q.ptx", "q.ptx"), "dangling": link("q.ptx",
        "gone.ptx"), "null": link("q.ptx", "/dev/null"), "full": link("q.ptx", "/dev/full"), "zero": link("q.ptx", "/dev/zero"),
                          "tty": link("q.ptx", "/dev/tty"), "memory": link("q.ptx", "/proc/self/mem"), "binary": link("q.ptx",
                          "/bin/true"), "through_file": link("q.ptx", "k.ptx/x")}.items():
        for command in (["ptx", "q.ptx"], ["run", "q.ptx", *launch], ["occupancy", "q.ptx", "--block", "32"]):
            yield Case(f"files/ptx/{name}/{command[0]}", command, files, BAD_INPUT, prepare=prepare)
        same = {"folder": folder_named("q.yaml")}.get(name)
        for command in (["run", "q.yaml"], ["validate", "./q.yaml"], ["machine", "show", "./q.yaml"], ["compare", "q.yaml",
            "q.yaml"], ["run", "vecadd", "--param", "n=64", "--cpu=./q.yaml"]):
            yield Case(f"files/yaml/{name}/{command[0]}", command, files, BAD_INPUT, prepare=same or (lambda folder,
                prepare=prepare: (prepare(folder), os.rename(os.path.join(folder, "q.ptx"), os.path.join(folder, "q.yaml")))))
    small = ["vecadd", "--param", "n=64", "--quiet"]
    outputs = {"stats": ["run", *small, "--stats"], "json": ["run", *small, "--json="], "csv": ["sweep", *small, "--csv"],
        "sweep_json": ["sweep", *small, "--json="], "trace": ["trace", "vecadd", "--param", "n=64", "-o"],
        "report": ["report", "vecadd", "--param", "n=64", "-o"],
        "markdown": ["validate", "micro", "--only", "host/copy-latency", "--quiet", "--markdown"],
        "whatif": ["whatif", *small, "--only", "dram.tRP", "--csv"],
        "whatif_json": ["whatif", *small, "--only", "dram.tRP", "--json="],
        "roofline": ["roofline", "s.csv", "--json="], "check": ["check", "vecadd", "--param", "n=64", "--json="],
               "explain": ["explain", "vecadd", "--param", "n=64", "--json="],
               "model": ["model", "vecadd", "--param", "n=64", "--json="],
               "annotate": ["annotate", "vecadd", "--param", "n=64", "--json="], "list": ["list", "parameters", "--json="],
               "machine": ["machine", "show", "generic", "--json="], "ptx": ["ptx", "k.ptx", "--json="],
               "occupancy": ["occupancy", "k.ptx", "--block", "32", "--json="], "output": ["run", "k.ptx", *launch, "--output"]}
    for name, words in outputs.items():
        for place, prepare in {"folder": folder_named("out.json"), "missing/out.json": None, "k.ptx/out.json": None,
            "dangling": link("out.json", "gone/out.json"), "loop": link("out.json", "out.json"), "full": link("out.json",
            "/dev/full"), "long": None}.items():
            target = {"missing/out.json": "missing/out.json", "k.ptx/out.json": "k.ptx/out.json",
                "long": "o" * 300 + ".json"}.get(place, "out.json")
            if words[-1].endswith("="):
                line = [*words[:-1], words[-1] + target]
            elif name == "output":
                line = [*words, "x=" + target]
            else:
                line = [*words, target]
            yield Case(f"files/out/{name}/{place.replace('/', '_')}", line, files, HANDLED - {3}, prepare=prepare)
    # Outputs over inputs, and over one another.
    for number, words in enumerate([
            ["run", "k.ptx", *launch, "--output", "x=k.ptx"], ["run", "k.ptx", *launch, "--stats", "k.ptx"], ["run", "k.ptx",
            *launch, "--stats", "./././k.ptx"], ["run", "k.ptx", *launch, "--output", "x=a", "--stats", "a"], ["run", "k.ptx",
            *launch, "--output", "x=a", "--stats", "./a"],
            ["run", "k.ptx", *launch, "--json=a", "--stats", "a"], ["ptx", "k.ptx", "--json=k.ptx"], ["compare", "a.json",
            "b.json", "--json=a.json"], ["annotate", "k.ptx", *launch, "--json=k.ptx"], ["run", *small, "--machine", "m.yaml",
            "--stats", "m.yaml"], ["machine", "show", "m.yaml", "--json=m.yaml"],
            ["whatif", *small, "--machine", "m.yaml", "--csv", "m.yaml"], ["whatif", *small, "--csv", "a.svg", "--plot", "a.svg"],
            ["whatif", *small, "--csv", "a", "--json=a"], ["roofline", "a.json", "--json=a.json"],
            ["sweep", *small, "--machine", "m.yaml", "--csv", "m.yaml"], ["sweep", *small, "--csv", "a", "--json=a"], ["run",
                "k.ptx", *launch[:4], "--buffer", "x=f32:1:@b.bin", *launch[6:], "--output", "x=b.bin"], ["trace", "k.ptx",
                *launch, "--output", "x=t.json", "-o", "t.json"]]):
        yield Case(f"files/clash/{number}", words, {**files, "m.yaml": "extends: geforce-8800-gtx\n", "b.bin": b"\0\0\0\0"},
            BAD_INPUT)
    for name, environment in {"isa": {"WARPTIME_ISA": "zzz"}, "isa_empty": {"WARPTIME_ISA": ""},
        "isa_escape": {"WARPTIME_ISA": "\x1b[31m"}, "home": {"WARPTIME_HOME": "/nothing"},
        "home_file": {"WARPTIME_HOME": "/dev/null"}, "locale": {"LC_ALL": "xx_XX.UTF-9", "LANG": "\x1b"},
                              "no_path": {"PATH": ""}, "no_home": {"HOME": ""}, "columns": {"COLUMNS": "-5"},
                              "columns_huge": {"COLUMNS": "99999999999"}, "terminal": {"TERM": "\x1b[31m"},
                              "temp": {"TMPDIR": "/nothing"}}.items():
        for words in (["run", *small], ["list", "workloads"], ["machine", "show", "generic"], ["validate", "micro", "--only",
            "host/copy-latency", "--quiet"]):
            yield Case(f"environment/{name}/{words[0]}", words, files, HANDLED - {1, 3}, environment=environment)
