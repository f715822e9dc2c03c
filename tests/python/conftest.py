"""What the tests of the Python package share."""
import os
import re
import subprocess

import pytest

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", ".."))
BINARY = os.environ.get("WARPTIME_BINARY", os.path.join(ROOT, "build", "warptime"))
SCALE = os.path.join(ROOT, "docs", "examples", "scale.ptx")


def pytest_configure(config):
    config.addinivalue_line("markers", "long: only in `./dev test --all`")


@pytest.fixture(autouse=True)
def in_root(monkeypatch):
    monkeypatch.chdir(ROOT)


@pytest.fixture
def scale():
    with open(SCALE, encoding="utf-8") as file:
        return file.read()


def without_host(statistics):
    """The statistics but for the costs on this host, which differ from run to run."""
    text, count = re.subn(r',\n  "host": \{[^}]*\}', "", statistics)
    assert count == 1
    return text


def command(*words, status=0):
    done = subprocess.run([BINARY, *words], capture_output=True, text=True, cwd=ROOT, check=False)
    assert done.returncode == status, done.stderr
    return done.stdout
