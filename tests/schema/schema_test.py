#!/usr/bin/env python3
"""Compares the JSON Schemas of `warptime schema` with the program: every shipped file fits its schema, files that are
wrong in one thing are refused by the schema and by the program, and the reference pages are what the program prints.

usage: schema_test.py PROGRAM [--write]
--write renews docs/reference/."""

import json
import pathlib
import subprocess
import sys

import jsonschema
import yaml

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
HERE = ROOT / "tests/schema"
PAGES = {"launch": "launch-file.md", "machine": "machine-file.md", "processor": "processor-file.md",
         "validation": "validation-file.md"}


def shipped():
    """(kind, file) of every YAML file that users see."""
    for path in sorted((ROOT / "configs").glob("*.yaml")):
        yield "processor" if path.name.startswith("cpu-") else "machine", path
    for path in sorted((ROOT / "validation").glob("*.yaml")):
        yield "validation", path
    for path in sorted((ROOT / "docs").rglob("*.yaml")):
        yield kind_of(path), path
    for kind in PAGES:
        yield kind, HERE / "good" / f"{kind}.yaml"


def kind_of(path):
    content = yaml.safe_load(path.read_text())
    if "launches" in content:
        return "launch"
    return "validation" if "rows" in content or "measured" in content else "machine"


def program_refuses(program, kind, path):
    """Its message, if it refuses the file as bad input."""
    words = {"launch": ["run", path, "--quiet"], "machine": ["machine", "show", path],
             "processor": ["run", "saxpy", "--param", "n=64", f"--cpu={path}", "--quiet"],
             "validation": ["validate", path]}[kind]
    done = subprocess.run([program, *map(str, words)], capture_output=True, text=True)
    if done.returncode not in (0, 2):
        sys.exit(f"{path}: exit status {done.returncode}\n{done.stderr}")
    return done.stderr if done.returncode == 2 else None


def main():
    program = sys.argv[1]
    write = "--write" in sys.argv
    mistakes = []
    validators = {}
    for kind in PAGES:
        schema = json.loads(subprocess.run([program, "schema", kind], check=True, capture_output=True).stdout)
        jsonschema.Draft7Validator.check_schema(schema)
        validators[kind] = jsonschema.Draft7Validator(schema)

    files = wrong = 0
    for kind, path in shipped():
        files += 1
        for error in validators[kind].iter_errors(yaml.safe_load(path.read_text())):
            mistakes.append(f"{path}: {kind} schema: {'.'.join(map(str, error.path))}: {error.message}")
    for kind in PAGES:
        path = HERE / "good" / f"{kind}.yaml"
        if message := program_refuses(program, kind, path):
            mistakes.append(f"{path}: the program refuses it:\n{message}")
    for path in sorted((HERE / "wrong").rglob("*.yaml")):
        wrong += 1
        kind = path.parent.name
        if validators[kind].is_valid(yaml.safe_load(path.read_text())):
            mistakes.append(f"{path}: the schema takes it")
        message = program_refuses(program, kind, path)
        if message is None:
            mistakes.append(f"{path}: the program takes it")
        elif path.name not in message:
            mistakes.append(f"{path}: the message does not say where:\n{message}")
    for kind, name in PAGES.items():
        page = ROOT / "docs/reference" / name
        printed = subprocess.run([program, "schema", kind, "--markdown"], check=True, capture_output=True, text=True).stdout
        if write:
            page.write_text(printed)
        elif not page.exists() or page.read_text() != printed:
            mistakes.append(f"{page} is not what `warptime schema {kind} --markdown` prints: schema_test.py PROGRAM --write")
    if files < 40 or wrong < 30:
        mistakes.append(f"only {files} good and {wrong} wrong files were found")
    print("\n".join(mistakes) if mistakes else f"{files} files fit their schemas; {wrong} wrong ones are refused twice")
    return 1 if mistakes else 0


if __name__ == "__main__":
    sys.exit(main())
