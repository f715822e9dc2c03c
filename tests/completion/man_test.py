#!/usr/bin/env python3
"""man_test.py WARPTIME: every manual page is formatted without a warning, and says all that --help says. Status 77 where
groff is not installed.
"""

import pathlib
import re
import shutil
import subprocess
import sys
import tempfile


def text(command, **more):
    return subprocess.run(command, capture_output=True, text=True, check=True, **more).stdout


def squeezed(words):
    """Without blanks, line breaks and the capitals of the page's head."""
    return re.sub(r"\s+", "", words)


def parts_of_help(help_text):
    """What a page has to say: the columns of the help's lines, but its headings and the row about itself."""
    for line in help_text.splitlines():
        line = re.sub(r"^usage: ", "", line.strip())
        if line.endswith(":") or re.match(r"(--help  |`warptime COMMAND --help`|exit status: |memory; 3 |130 and 143 |warptime COMMAND \.\.\.)", line):
            continue
        yield from re.split(r"  +", line.removesuffix(" \\"))


def main():
    if not shutil.which("groff"):
        return 77
    binary, problems = sys.argv[1], []
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([binary, "man", "--folder", folder], check=True)
        pages = sorted(pathlib.Path(folder).iterdir())
        commands = re.findall(r"^  (\w+) ", text([binary, "--help"]).split("commands:\n")[1].split("\n\n")[0], re.M)
        wanted = sorted(["warptime.1", *(f"warptime-{command}.1" for command in commands)])
        if [page.name for page in pages] != wanted:
            problems.append(f"pages: {[page.name for page in pages]}, not {wanted}")
        for page in pages:
            if not page.read_text().isascii():
                problems.append(f"{page.name}: not ASCII")
            # Without a break in long words, so that the text can be compared.
            groff = subprocess.run(["groff", "-ww", "-man", "-Tascii", "-P-cbou", "-rLL=30000n", "-rHY=0", str(page)],
                                   capture_output=True, text=True)
            if groff.returncode != 0 or groff.stderr:
                problems.append(f"{page.name}: groff: {groff.stderr}")
            shown = squeezed(groff.stdout)
            name = page.stem.removeprefix("warptime-")
            command = [binary] if page.stem == "warptime" else [binary, name]
            if text([*command[:1], "man", *command[1:]]) != page.read_text():
                problems.append(f"{page.name}: `warptime man {name}` prints another page")
            missing = [part for part in parts_of_help(text([*command, "--help"])) if squeezed(part) not in shown]
            problems += [f"{page.name}: lacks {part!r}" for part in missing]
        if shutil.which("man"):
            man = subprocess.run(["man", "--warnings", "-l", str(pages[0])], capture_output=True, text=True)
            if man.returncode != 0 or man.stderr:
                problems.append(f"man: {man.stderr}")
    print("\n".join(problems) or f"{len(pages)} pages")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
