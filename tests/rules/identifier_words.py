#!/usr/bin/env python3
"""Every word in the identifiers of src/sim is English (Debian's wamerican), C++ or POSIX (cpp_words.txt), a word of PTX
(what src/ptx spells in quotes), or explained in docs/glossary.md.

    tests/rules/identifier_words.py [ROOT]
"""

import pathlib
import re
import sys

ROOT = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else __file__ + "/../../..").resolve()
ENGLISH = pathlib.Path("/usr/share/dict/american-english")


def words_of(text):
    """In lower case; `tRCDLimit_of` has t, rcd, limit, of."""
    for name in re.findall(r"[A-Za-z_][A-Za-z0-9_]*", text):
        for word in re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])", name):
            yield word.lower()


def code_of(path):
    text = re.sub(r"//.*", "", path.read_text())
    text = re.sub(r'"(?:[^"\\\n]|\\.)*"', '""', text)
    return re.sub(r"\b[0-9]\w*", "0", re.sub(r"#\s*include.*", "", text))


def main():
    if not ENGLISH.exists():
        sys.exit(f"{ENGLISH} is missing: apt-get install wamerican")
    known = {line.strip().lower() for line in ENGLISH.read_text().splitlines()}
    known |= set(words_of((ROOT / "tests/rules/cpp_words.txt").read_text()))
    known |= set(words_of((ROOT / "docs/glossary.md").read_text()))
    for path in sorted([*(ROOT / "src/ptx/isa").glob("*.h"), *(ROOT / "src/ptx").rglob("special.cc")]):
        for text in re.findall(r'"((?:[^"\\\n]|\\.)*)"', path.read_text()):
            known |= set(words_of(text))
    breaches = {}
    for path in sorted((ROOT / "src/sim").rglob("*")):
        if path.suffix in (".h", ".cc"):
            for word in words_of(code_of(path)):
                singular = {re.sub(r"ies$", "y", word), re.sub(r"s$", "", word)}
                if len(word) > 2 and word not in known and not known.intersection(singular):
                    breaches.setdefault(word, path.relative_to(ROOT))
    for word, path in breaches.items():
        print(f"{path}: \"{word}\" is neither English nor C++ nor PTX: use the field's word, or explain it in docs/glossary.md")
    sys.exit(1 if breaches else 0)


main()
