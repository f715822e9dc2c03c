"""Compares the options that src/cli looks up by a literal name with those that its tables declare."""
import pathlib
import re
import sys

DECLARED = re.compile(r'\{\s*"([a-z][a-z0-9-]*)",\s*(?:Option::)?Kind::')
# Names of tables of another form: {"check-memory", debug::Tool::..., and constants that a table begins with.
OTHER_TABLES = re.compile(r'CheckOption\{"([a-z-]+)"')
LOOKED_UP = re.compile(r'\barguments_?(?:\.|->)(?:has|value|all|texts|number|choice)\(\s*"([^"]*)"')
REFUSED = re.compile(r'\brefuse\(arguments, \{([^}]*)\}')


def main():
    declared, uses = set(), []
    for path in sorted(pathlib.Path(sys.argv[1], "src/cli").rglob("*.cc")):
        text = path.read_text()
        declared.update(DECLARED.findall(text), OTHER_TABLES.findall(text))
        for found in LOOKED_UP.finditer(text):
            uses.append((path, text.count("\n", 0, found.start()) + 1, found[1]))
        for found in REFUSED.finditer(text):
            uses += [(path, text.count("\n", 0, found.start()) + 1, name) for name in re.findall(r'"([^"]*)"', found[1])]
    wrong = [use for use in uses if use[2] not in declared]
    for path, line, name in wrong:
        print(f'{path}:{line}: no command declares an option "{name}": the look-up never finds it')
    return 1 if wrong else 0


sys.exit(main())
