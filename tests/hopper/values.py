#!/usr/bin/env python3
"""values.py WARPTIME [KERNEL...]: the smallest launch of each kernel of validation/hopper, element by element, against what
references_holdout.py and references_more.py compute from the same inputs."""
import sys

sys.dont_write_bytecode = True  # before the modules beside it are imported

import references_holdout
import references_more
from buffers import FOLDER, Run

REFERENCES = references_holdout.REFERENCES | references_more.REFERENCES


def smallest_files():
    """The launch file with the fewest bytes of buffers, by kernel."""
    files = {}
    for group in ("holdout", "more"):
        for line in (FOLDER / f"{group}.list").read_text(encoding="utf-8").splitlines():
            file = line.split()[1]
            text = (FOLDER / file).read_text(encoding="utf-8")
            count = sum(int(field.split(": ")[1]) for field in text.replace("}", ",").split(",") if field.startswith(" count: "))
            files.setdefault(file.split(".")[0], []).append((count, file))
    return {kernel: min(found)[1] for kernel, found in files.items()}


def difference(found, expected, tolerance):
    """Where the first element differs by more than the tolerance, or an empty text."""
    if len(found) != len(expected):
        return f"{len(found)} elements, expected {len(expected)}"
    for i, (a, b) in enumerate(zip(found, expected)):
        if not abs(a - b) <= tolerance * max(1, abs(b)):
            return f"element {i}: {a}, expected {b}"
    return ""


def main():
    warptime, kernels = sys.argv[1], sys.argv[2:]
    files = smallest_files()
    wrong = [f"{kernel}: no reference" for kernel in files if kernel not in REFERENCES]
    for kernel in kernels or sorted(files):
        tolerance, function = REFERENCES[kernel]
        run = Run(warptime, files[kernel])
        for name, expected in function(run).items():
            if text := difference(run[name], expected, tolerance):
                wrong.append(f"{files[kernel]}: {name}: {text}")
    print("".join(line + "\n" for line in wrong) + f"{len(kernels or files)} kernels, {len(wrong)} differ")
    return 1 if wrong else 0


sys.exit(main())
