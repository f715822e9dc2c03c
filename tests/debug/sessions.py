#!/usr/bin/env python3
"""Sessions of `warptime debug` with what they print. A session begins with a line "$ warptime debug ..."; its commands are the
lines that begin with "(warptime) ". A page of Markdown has sessions in its `text` blocks.

    tests/debug/sessions.py build/warptime FILE...             compares
    tests/debug/sessions.py --update build/warptime FILE...    writes what is printed now
"""

import difflib
import pathlib
import re
import shlex
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
START, PROMPT = "$ warptime ", "(warptime) "


def run(program, text):
    first, *lines = text.splitlines()
    commands = "".join(line[len(PROMPT):] + "\n" for line in lines if line.startswith(PROMPT))
    done = subprocess.run([program, *shlex.split(first[len(START):]), "--script", "-"], input=commands, cwd=ROOT,
                          capture_output=True, text=True, timeout=120)
    return f"{first}\n{done.stdout}{done.stderr}"


def main():
    words = sys.argv[1:]
    update = "--update" in words
    program, *files = [word for word in words if word != "--update"]
    program = str(pathlib.Path(program).resolve())
    wrong, count = 0, 0
    for file in map(pathlib.Path, files):
        old = file.read_text()
        if file.suffix == ".md":
            pattern = re.compile(r"(?<=```text\n)(\$ warptime debug .*?\n)(?=```)", re.S)
            count += len(pattern.findall(old))
            new = pattern.sub(lambda found: run(program, found.group(1)), old)
        else:
            count += 1
            new = run(program, old)
        if new == old:
            continue
        if update:
            file.write_text(new)
            continue
        wrong += 1
        sys.stdout.writelines(difflib.unified_diff(old.splitlines(True), new.splitlines(True), str(file), "now"))
    if count == 0:
        sys.exit("no session was found")
    sys.exit(wrong != 0)


main()
