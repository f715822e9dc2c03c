#!/usr/bin/env python3
"""completion_test.py WARPTIME [--every-shell]: completes command lines in real shells, with the scripts that the program
prints. bash always; zsh and fish with --every-shell, where they are installed (status 77 if one is not).
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from shells import bash, bash_offers, fish, zsh

checked = failed = 0


def check(what, found, wanted):
    global checked, failed
    checked += 1
    if found != wanted:
        failed += 1
        print(f"{what}: {found!r}, not {wanted!r}")


# Typed, Tab, Enter: the words that the program gets. The same in every shell.
TYPED = [
    ("warptime vali", ["validate"]),
    ("warptime run mandelbrot:f6", ["run", "mandelbrot:f64"]),
    ("warptime run vecadd --stats-per", ["run", "vecadd", "--stats-per-instruction"]),
    ("warptime run vecadd --machine geforce-8800-gtx-me", ["run", "vecadd", "--machine", "geforce-8800-gtx-merge"]),
    ("warptime run vecadd --set issue.pol", ["run", "vecadd", "--set", "issue.policy="]),
    ("warptime run vecadd --set issue.policy=oldest", ["run", "vecadd", "--set", "issue.policy=oldest_first"]),
    ("warptime run vecadd --set=issue.policy=oldest", ["run", "vecadd", "--set=issue.policy=oldest_first"]),
    ("warptime run matmul:tiled --param ti", ["run", "matmul:tiled", "--param", "tile="]),
    ("warptime run vecadd --step qu", ["run", "vecadd", "--step", "quarter"]),
    ("warptime trace vecadd -o tra", ["trace", "vecadd", "-o", "trace-file.json"]),
    ("warptime machine sh", ["machine", "show"]),
    ("warptime machine show tesla-c10", ["machine", "show", "tesla-c1060"]),
    ("warptime list par", ["list", "parameters"]),
    ("warptime ptx ker", ["ptx", "kernel-file.ptx"]),
    ("warptime sweep vecadd --columns time_us,achieved_o", ["sweep", "vecadd", "--columns", "time_us,achieved_occupancy"]),
    ("warptime validate optimi", ["validate", "optimisations"]),
    ("warptime completion fi", ["completion", "fish"]),
    ("warptime man occu", ["man", "occupancy"]),
    ("warptime run vecadd --checkpoint-at 5 ker", ["run", "vecadd", "--checkpoint-at", "5", "kernel-file.ptx"]),
    ("warptime run vecadd --checkpoint-every 10 tra", ["run", "vecadd", "--checkpoint-every", "10", "trace-file.json"]),
    ("warptime run vecadd --checkpoint-at 5 x --qui", ["run", "vecadd", "--checkpoint-at", "5", "x", "--quiet"]),
    ("warptime run vecadd --param n=64 --qui", ["run", "vecadd", "--param", "n=64", "--quiet"]),
]


def typed_in(shell):
    for line, words in TYPED:
        check(f"{line!r} in the shell", [word.rstrip() for word in shell.words(line)], words)


def names(binary, what):
    listed = subprocess.run([binary, "list", what], capture_output=True, text=True, check=True).stdout.splitlines()
    return [line.split()[0] for line in listed if line[:1].strip()]


def options_in_help(binary, command):
    text = subprocess.run([binary, command, "--help"], capture_output=True, text=True, check=True).stdout
    # Under the headings of their groups: lines that begin with an option.
    listed = "\n".join(re.findall(r"^  --?\w.*", text.split("\nexamples:\n")[0], re.M))
    return sorted(set(re.findall(r"^ +(?:-\w, )?(--[\w-]+)", listed, re.M)) | set(re.findall(r"^ +(-\w), ", listed, re.M)))


def every_name(binary, offers):
    """`offers(line)`: everything that is listed or in a help text is offered, and nothing else is."""
    commands = re.findall(r"^  (\w+) ", subprocess.run([binary, "--help"], capture_output=True, text=True,
                          check=True).stdout.split("commands:\n")[1].split("\n\n")[0], re.M)
    check("commands", sorted({*offers("warptime "), *offers("warptime --")}), sorted([*commands, "--help", "--version"]))
    for command in commands:
        offered = sorted({offer.rstrip("=") for offer in offers(f"warptime {command} --")})
        check(f"options of {command}", offered, [o for o in options_in_help(binary, command) if o.startswith("--")])
    check("machines", sorted(offers("warptime run vecadd --machine g")),
          sorted(name for name in names(binary, "machines") if name.startswith("g")))
    check("parameters", sorted(offers("warptime run vecadd --set dram.")),
          sorted(f"{name}=" for name in names(binary, "parameters") if name.startswith("dram.")))
    workloads = sorted(name for name in names(binary, "workloads") if name.startswith("s"))
    check("workloads", sorted(name for name in offers("warptime run s") if ":" not in name), workloads)


def in_bash(binary, script, folder):
    offers = lambda line: bash_offers(script, line, folder)
    every_name(binary, offers)
    for command, flag in (("trace", "-o"), ("plot", "-x")):
        check(f"{flag} of {command}", flag in offers(f"warptime {command} -"), True)
    check("values are not words", offers("warptime run --param n=1 --threads 3 vecadd --param n"), ["n="])
    check("behind an option without a value", offers("warptime run --quiet saxpy:v"), ["vector"])
    check("--json takes no next word", offers("warptime run --json saxpy:v"), ["vector"])
    check("--json=", offers("warptime run vecadd --json=ker"), ["kernel-file.ptx"])
    check("second word", offers("warptime compare vecadd saxpy:v"), ["vector"])
    check("the first word of two", offers("warptime run vecadd --checkpoint-at "), [])
    check("a word behind two", offers("warptime run --checkpoint-at 5 x saxpy:v"), ["vector"])
    check("no second word", offers("warptime run vecadd sax"), [])
    check("a number", offers("warptime run vecadd --threads "), [])
    check("an unknown command", offers("warptime nothing "), [])
    check("an unknown option", offers("warptime run vecadd --nothing=a"), [])
    check("several values", offers("warptime sweep vecadd --set issue.policy=round_robin,old"), ["round_robin,oldest_first"])
    check("several machines", offers("warptime sweep vecadd --machine generic,tesla-c10"), ["generic,tesla-c1060"])
    check("outputs", offers("warptime run mandelbrot --output im"), ["image="])
    check("output files", offers("warptime run mandelbrot --output image=ker"), ["kernel-file.ptx"])
    check("switches", sorted(offers("warptime run vecadd --set map_f64_to_f32=")), ["false", "true"])
    check("no breaks", bash_offers(script, "warptime run mandelbrot:f6", folder, " "), ["mandelbrot:f64"])
    check("no breaks", bash_offers(script, "warptime run x --set issue.policy=old", folder, " "), ["issue.policy=oldest_first"])
    check("a folder before", offers("build/warptime vali"), ["validate"])
    check("a file with a blank", offers("warptime ptx a"), ["a b.ptx"])
    for odd in ("warptime run '", "warptime run \"a b", "warptime run *", "warptime run $(touch gone)", "warptime \\", "warptime run --=",
                "warptime run --set =", "warptime run --param =", "warptime run ::", "warptime   run   ", "warptime run \x01"):
        offers(odd)
    check("nothing was executed", os.path.exists(os.path.join(folder, "gone")), False)


def main():
    binary = os.path.abspath(sys.argv[1])
    every_shell = "--every-shell" in sys.argv[2:]
    with tempfile.TemporaryDirectory() as folder:
        scripts = pathlib.Path(folder, "scripts")
        scripts.mkdir()
        work = pathlib.Path(folder, "work")
        work.mkdir()
        for name in ("kernel-file.ptx", "trace-file.json", "a b.ptx"):
            (work / name).touch()
        for shell, name in (("bash", "warptime"), ("zsh", "_warptime"), ("fish", "warptime.fish")):
            subprocess.run([binary, "completion", shell, "--output", str(scripts / name)], check=True)
        missing = []
        in_bash(binary, str(scripts / "warptime"), str(work))
        shell = bash(scripts / "warptime", str(work))
        typed_in(shell)
        shell.close()
        if every_shell:
            if shutil.which("zsh"):
                check("zsh -n", subprocess.run(["zsh", "-n", str(scripts / "_warptime")]).returncode, 0)
                shell = zsh(scripts, str(work))
                typed_in(shell)
                shell.close()
            else:
                missing.append("zsh")
            if shutil.which("fish"):
                check("fish -n", subprocess.run(["fish", "-n", str(scripts / "warptime.fish")]).returncode, 0)
                offers = lambda line: fish(scripts / "warptime.fish", line, str(work))
                every_name(binary, offers)
                for line, words in TYPED:
                    check(f"{line!r} in fish", offers(line), words[-1:])
            else:
                missing.append("fish")
    print(f"{checked - failed} passed, {failed} failed" + (f"; not installed: {', '.join(missing)}" if missing else ""))
    return 1 if failed else 77 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
