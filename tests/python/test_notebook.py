"""docs/notebooks/what-if.ipynb runs, and shows what is in the file."""
import json
import os
import subprocess
import sys

import pytest
from conftest import ROOT

NOTEBOOK = os.path.join(ROOT, "docs", "notebooks", "what-if.ipynb")


def test_ten_cells_with_their_outputs():
    with open(NOTEBOOK, encoding="utf-8") as file:
        cells = json.load(file)["cells"]
    assert len(cells) == 10 and all(cell["outputs"] for cell in cells[1:] if cell["cell_type"] == "code" and "plot" in "".join(cell["source"]))


@pytest.mark.long
def test_the_outputs_are_those_of_today():
    done = subprocess.run([sys.executable, os.path.join(ROOT, "tests", "tools", "update_notebook"), "--check"],
                          capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
