"""references.py [ROOT]: a file that a comment of src/ or tests/, or a page, names exists; by its name or the end of its
path (`sm.h`, `core/sm.h`). Names that are examples or patterns are left alone: `a.h`, `*.cc`, FILE.cc."""
import os
import re
import sys

root = sys.argv[1] if len(sys.argv) > 1 else os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
os.chdir(root)
NAME = re.compile(r"(?<![\w./*{}$-])([a-z_][\w/.-]*/)?([a-z_]{3,}\w*\.(?:h|cc|sh|py))(?![\w(]|\.\w)")
COMMENT = re.compile(r"(?://|^\s*#(?!include|define|if|elif|error|pragma|!))(.*)")
QUOTED = re.compile(r"`([^`]+)`")
CARRIES = {"add.cc", "sub.cc", "mad.cc"}  # of PTX


def files(*folders):
    for folder in folders:
        for path, names, found in os.walk(folder):
            names[:] = [n for n in names if not n.startswith((".", "build"))]
            yield from (os.path.normpath(os.path.join(path, f)) for f in found)


known = set()
for path in files("."):
    parts = path.split("/")
    known.update("/".join(parts[i:]) for i in range(len(parts)))
breaches = 0
for path in sorted(set(files("src", "tests", "docs")) | {"README.md"}):
    page = path.endswith(".md")
    if not page and not path.endswith((".h", ".cc")):
        continue
    if not os.path.exists(path):
        continue
    with open(path, encoding="utf-8", errors="replace") as file:
        for number, line in enumerate(file, 1):
            texts = QUOTED.findall(line) if page else [m.group(1) for m in [COMMENT.search(line)] if m]
            for text in texts:
                for match in NAME.finditer(text):
                    name = (match.group(1) or "") + match.group(2)
                    if name in known or name in CARRIES:
                        continue
                    print(f"{path}:{number}: no file is called {name}: name the file that has what is meant")
                    breaches += 1
if breaches:
    print(f"{breaches} breach(es)")
sys.exit(breaches > 0)
