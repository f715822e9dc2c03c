#!/usr/bin/env python3
"""saved_members.py ROOT: checkpoints forget nothing: a class with a `serialize` (src/base/state_archive.h) names each of its members there, or
unsaved_members.txt lists the member under a reason. A member that the list has without need is a breach, too."""
import os
import re
import sys

ROOT = sys.argv[1]
LIST = os.path.join(ROOT, "tests/rules/unsaved_members.txt")
SOURCES = os.path.join(ROOT, "src")
BEGIN = re.compile(r"\b(?:class|struct)\s+(?:alignas\([^)]*\)\s*)?(\w+)(?:\s+final)?(?:\s*:[^;{]*)?\s*\{")
SERIALIZE = re.compile(r"\bvoid\s+serialize\s*\(Archive&\s*\w+(?:,[^)]*)?\)\s*\{")


def without_comments(text):
    text = re.sub(r"//[^\n]*", "", text)
    text = re.sub(r"\[\[[^\]]*\]\]", "", text)
    return re.sub(r"(?m)^#.*(?:\\\n.*)*$", "", text)


def end_of(text, open_brace):
    """Behind the brace that closes this one."""
    depth = 0
    for at in range(open_brace, len(text)):
        depth += (text[at] == "{") - (text[at] == "}")
        if depth == 0:
            return at + 1
    return len(text)


def own_text(body):
    """A class body without what is in braces: functions' bodies, nested classes, initialisers."""
    out, depth = [], 0
    for character in body:
        if character == "}":
            depth -= 1
            if depth == 0:
                out.append("{}")
        elif character == "{":
            depth += 1
        elif depth == 0:
            out.append(character)
    return "".join(out)


def members(body):
    """Names of the data members."""
    text = re.sub(r"\b(public|private|protected)\s*:", ";", own_text(body))
    text = re.sub(r"alignas\([^)]*\)", "", text)
    text = re.sub(r"\)[^;{}]*\{\}", ");", text)  # a function ends with its body
    for declaration in text.split(";"):
        declaration = re.sub(r"=[^,]*", "", declaration.replace("{}", "")).strip()
        if re.match(r"(using|typedef|friend|static|struct|class|enum|union|template|extern|explicit|inline|concept)\b", declaration):
            continue
        pointer = re.search(r"\(\*(\w+)\)\s*\(", declaration)
        if pointer:
            yield pointer[1]
            continue
        while re.search(r"<[^<>]*>", declaration):
            declaration = re.sub(r"<[^<>]*>", "", declaration)
        if not declaration or "(" in declaration or ")" in declaration or "operator" in declaration:
            continue
        for part in declaration.split(","):
            name = re.search(r"(\w+)\s*(?::\s*\d+)?\s*$", part)
            if name and (len(part.split()) > 1 or "," in declaration):
                yield name[1]


def classes(text, outer=""):
    """(name, body) of all classes, the nested ones among them."""
    at = 0
    while found := BEGIN.search(text, at):
        end = end_of(text, found.end() - 1)
        body = text[found.end():end - 1]
        name = outer + found[1]
        yield name, body
        yield from classes(body, name + "::")
        at = end


def saved_by(body):
    """The text of the class's own serialize functions; nothing: it has none."""
    out = ""
    for found in SERIALIZE.finditer(body):
        depth = body[:found.start()].count("{") - body[:found.start()].count("}")
        if depth == 0:
            out += body[found.end():end_of(body, found.end() - 1)]
    return out


def unsaved(root):
    """(class, member): its file, of each member that is not named in its class's serialize."""
    out = {}
    for folder, _, names in os.walk(root):
        for name in sorted(names):
            if not name.endswith((".h", ".cc")):
                continue
            path = os.path.join(folder, name)
            with open(path, encoding="utf-8") as source:
                text = without_comments(source.read())
            for of, body in classes(text):
                saved = saved_by(body) + DEFINED.get(of, "")
                if saved:
                    out.update({(of, member): os.path.relpath(path, root) for member in members(body)
                                if not re.search(rf"\b{member}\b", saved)})
    return out


def defined_elsewhere(root):
    """serialize of a class template, in a file of its own: {class: body}."""
    out = {}
    for folder, _, names in os.walk(root):
        for name in names:
            if not name.endswith(".cc"):
                continue
            with open(os.path.join(folder, name), encoding="utf-8") as file:
                text = without_comments(file.read())
            for found in re.finditer(r"\bvoid\s+(\w+)<\w+>::serialize\s*\(Archive&\s*\w+\)\s*\{", text):
                out[found[1]] = text[found.end():end_of(text, found.end() - 1)]
    return out


DEFINED = defined_elsewhere(SOURCES)
listed, breaches = set(), []
if os.path.exists(LIST):
    with open(LIST, encoding="utf-8") as lines:
        for line in lines:
            if line.strip() and not line.startswith("#"):
                of, _, names = line.strip().partition(": ")
                listed.update((of, name) for name in names.split())
found = unsaved(SOURCES)
for of, member in sorted(found.keys() - listed):
    breaches.append(f"src/{found[of, member]}: {of} does not save {member}, and tests/rules/unsaved_members.txt does not list it")
for of, member in sorted(listed - found.keys()):
    breaches.append(f"tests/rules/unsaved_members.txt: {of} saves {member}, or has none")
for breach in breaches:
    print(breach)
sys.exit(1 if breaches else 0)
