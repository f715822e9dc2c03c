"""What `./dev python` makes: the importable folder, the wheel, the command line in it; and what docs/python.md shows."""
import os
import re
import subprocess
import sys
import zipfile

import pytest
import warptime
from conftest import BINARY, ROOT, command, without_host

PACKAGE = os.path.dirname(os.path.abspath(warptime.__file__))
BUILT = os.path.dirname(PACKAGE)


def wheel():
    with open(os.path.join(BUILT, "wheel.txt"), encoding="utf-8") as file:
        return os.path.join(BUILT, file.read().strip())


def clean(folder):
    """An environment in which only the installed package can be found."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "WARPTIME"))}
    return {"env": environment, "cwd": folder, "capture_output": True, "text": True, "check": True}


def test_the_wheel_lists_its_files():
    import base64
    import hashlib

    with zipfile.ZipFile(wheel()) as archive:
        names = archive.namelist()
        record = archive.read(next(name for name in names if name.endswith("RECORD"))).decode().splitlines()
        for line in record[:-1]:
            name, digest, size = line.rsplit(",", 2)
            data = archive.read(name)
            found = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
            assert digest == f"sha256={found}" and int(size) == len(data)
        assert len(record) == len(names) and not [name for name in names if "__pycache__" in name]
        assert {"warptime/py.typed", "warptime/_core.pyi", "warptime/data/configs/generic.yaml",
                "warptime/data/workloads/vecadd/vecadd.ptx"} <= set(names)
        texts = [archive.read(name) for name in names if name.endswith((".py", ".pyi", "METADATA"))]
        assert not any(ROOT.encode() in text for text in texts)


@pytest.mark.long
def test_the_wheel_in_an_environment_without_network(tmp_path):
    """Installed by pip, it runs without the source tree, the build folder and NumPy."""
    folder = tmp_path / "environment"
    subprocess.run([sys.executable, "-m", "venv", str(folder)], **clean(tmp_path))
    python = str(folder / "bin" / "python")
    subprocess.run([python, "-m", "pip", "install", "--no-index", "--no-deps", "--quiet", wheel()], **clean(tmp_path))
    program = ("import warptime; r = warptime.run('vecadd', n=1000); print(warptime.__file__); print(r.to_json()); "
               "print(len(warptime.workloads()), len(warptime.machines()))")
    done = subprocess.run([python, "-c", program], **clean(tmp_path))
    place, _, rest = done.stdout.partition("\n")
    statistics, counts = rest.rstrip("\n").rsplit("\n", 1)
    assert place.startswith(str(folder)) and counts == f"{len(warptime.workloads())} {len(warptime.machines())}"
    file = tmp_path / "statistics.json"
    command("run", "vecadd", "--param", "n=1000", "--quiet", "--stats", str(file))
    assert without_host(statistics.rstrip("\n") + "\n") == without_host(file.read_text())
    # The libraries that came with it are used, not those of the system.
    done = subprocess.run([python, "-c", "import warptime; print(open('/proc/self/maps').read())"], **clean(tmp_path))
    loaded = set(re.findall(r"(\S+/lib(?:fmt|yaml-cpp|boost_program_options)\.so\S*)", done.stdout))
    assert len(loaded) == 3 and all(path.startswith(str(folder)) for path in loaded)
    # Its command line.
    done = subprocess.run([str(folder / "bin" / "warptime"), "list", "machines"], **clean(tmp_path))
    assert done.stdout == command("list", "machines")


def test_the_command_line_of_the_package():
    words = ["run", "vecadd", "--param", "n=64", "--set", "memory.partitons=3"]
    ours = subprocess.run([sys.executable, "-m", "warptime", *words], capture_output=True, text=True, check=False)
    theirs = subprocess.run([BINARY, *words], capture_output=True, text=True, check=False)
    assert (ours.returncode, ours.stdout, ours.stderr) == (theirs.returncode, theirs.stdout, theirs.stderr)
    assert ours.returncode == 2


def blocks(page):
    with open(os.path.join(ROOT, page), encoding="utf-8") as file:
        return re.findall(r"^```python\n(.*?)^```", file.read(), re.S | re.M)


def test_the_programs_of_the_page():
    """In one namespace, one after the other; a line `# prints: TEXT` is the output of the block."""
    import contextlib
    import io

    namespace = {}
    found = blocks("docs/python.md")
    assert len(found) >= 6
    for block in found:
        shown = re.findall(r"^# prints: (.*)$", block, re.M)
        output = io.StringIO()
        with contextlib.redirect_stdout(output):
            exec(compile(block, "docs/python.md", "exec"), namespace)
        assert output.getvalue().splitlines() == shown, block


def test_the_page_names_everything_public():
    with open(os.path.join(ROOT, "docs", "python.md"), encoding="utf-8") as file:
        page = file.read()
    missing = [name for name in warptime.__all__ if f"`{name}" not in page and f"`warptime.{name}" not in page]
    assert not missing
    for name in warptime.__all__:
        assert getattr(warptime, name).__doc__, name
