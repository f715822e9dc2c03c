"""Bad input: an exception with the text of the command line, never the end of the interpreter."""
import copy
import os
import pickle
import subprocess
import sys

import numpy as np
import pytest
import warptime
from conftest import BINARY, ROOT

X = np.ones(8, np.float32)
CALL = dict(grid=1, block=8, args=[X, 2.0, 8])


@pytest.mark.parametrize("target, keywords, says", [
    ("matmull", {}, 'did you mean "matmul"?'),
    ("matmul:tyled", {}, "tiled"),
    ("vecadd", dict(n="x"), "is not a whole number"),
    ("vecadd", dict(m=3), 'no parameter "m"'),
    ("vecadd", dict(n=[1, 2]), "is not a whole number"),
    ("vecadd", dict(n=None), "n is a NoneType"),
    ("vecadd", dict(set={"memory.partitons": 4}), 'did you mean "memory.partitions"?'),
    ("vecadd", dict(set={"memory.partitions": 400}), "must be 1 to 128, not 400"),
    ("vecadd", dict(set={"memory.partitions": object()}), "is an object"),
    ("vecadd", dict(set=[1]), "set is a dictionary"),
    ("vecadd", dict(set={1: 2}), "is a text"),
    ("vecadd", dict(machine="geforce"), "machines in"),
    ("vecadd", dict(functional="no"), "functional is True or False, not a str"),
    ("vecadd", dict(params=5), "params is a dictionary"),
    ("vecadd", dict(machine=3), "machine is an int"),
    ("vecadd", dict(threads=0), "--threads must be 1 to 1024, not 0"),
    ("vecadd", dict(sample="tyming"), "timing"),
    ("vecadd", dict(grid=1), "grid goes with PTX only"),
    ("vecadd", dict(max_cycles=-1), "--max-cycles"),
    ("", {}, "error"),
    ("--help", {}, "no workload"),
    ("a\0b", {}, "zero byte"),
    ("\udc80", {}, "no workload"),
    ("none.yaml", {}, "cannot read"),
    ("none.ptx", CALL, "cannot read"),
    ("docs", {}, "no workload"),
    (5, {}, "not an int"),
    (None, {}, "not a NoneType"),
    ("PTX", {}, "running PTX needs grid"),
    ("PTX", dict(grid=1), "running PTX needs block"),
    ("PTX", dict(CALL, grid=0), "grid must be 1 to 4294967295, not 0"),
    ("PTX", dict(CALL, grid="4"), "grid is a whole number"),
    ("PTX", dict(CALL, grid=(1, 2, 3, 4)), "one to three numbers"),
    ("PTX", dict(CALL, block=5000), "512"),
    ("PTX", dict(CALL, args=[X, 2.0]), "takes 3 arguments, but 2 were given"),
    ("PTX", dict(CALL, args=[X, 2.0, 8, 9]), "takes 3 arguments, but 4 were given"),
    ("PTX", dict(CALL, args=[[1.0], 2.0, 8]), "args[0] is a list"),
    ("PTX", dict(CALL, args=[X, 2.0, 8.5]), "floating-point number 8.5"),
    ("PTX", dict(CALL, args=[X, 2.0, -8]), "0 to 4294967295"),
    ("PTX", dict(CALL, args=[X, 2.0, np.uint64(8)]), "a .u64 was given"),
    ("PTX", dict(CALL, args=[X, 2.0, 10**400]), "out of the range"),
    ("PTX", dict(CALL, args=[X, 2j, 8]), "args[1] is a complex"),
    ("PTX", dict(CALL, args=[X, X, 8]), "the address of a buffer"),
    ("PTX", dict(CALL, args=[X, b"12", 8]), "2 bytes"),
    ("PTX", dict(CALL, args=5), "args is a list"),
    ("PTX", dict(CALL, args=[X.astype(">f4"), 2.0, 8]), "byte order"),
    ("PTX", dict(CALL, args=[np.array([None]), 2.0, 8]), "Python objects"),
    ("PTX", dict(CALL, args=[X[:0], 2.0, 8]), "without elements"),
    ("PTX", dict(CALL, kernel="scal"), 'did you mean "scale"?'),
    ("PTX", dict(CALL, kernel=5), "kernel is a text"),
    ("PTX", dict(CALL, name=b"x"), "name is a text"),
    ("PTX", dict(CALL, constants=[1]), "constants is a dictionary"),
    ("PTX", dict(CALL, constants={1: X}), "is a text"),
    ("PTX", dict(CALL, constants={"t": X}), 'variable "t"'),
    ("PTX", dict(CALL, constants={"t": "text"}), "not a NumPy array or bytes"),
    ("PTX", dict(CALL, registers=10**12), "registers must be"),
    ("PTX", dict(CALL, args=[np.zeros(1 << 20, np.float32), 2.0, 8], set={"memory.bytes": 1 << 20}), "does not fit"),
    ("PTX", dict(CALL, n=5), 'no argument "n"'),
    (".entry\n\0\udcff", CALL, "error"),
])
def test_bad_input(target, keywords, says, scale):
    with pytest.raises(warptime.Error) as raised:
        warptime.run(scale if target == "PTX" else target, **keywords)
    assert says in raised.value.diagnostics and "error:" in raised.value.diagnostics
    assert raised.value.diagnostics.startswith(str(raised.value))


def test_the_text_is_that_of_the_command_line(scale):
    for words, keywords in [(["vecadd", "--set=memory.partitions=400"], dict(set={"memory.partitions": 400})),
                            (["vecadd", "--param=n=0"], dict(n=0))]:
        done = subprocess.run([BINARY, "run", *words], capture_output=True, text=True, cwd=ROOT, check=False)
        with pytest.raises(warptime.Error) as raised:
            warptime.run("vecadd", **keywords)
        assert done.returncode == 2 and raised.value.diagnostics == done.stderr
    with pytest.raises(warptime.Error) as raised:
        warptime.run(scale.replace("mul.f32", "mull.f32"), **CALL)
    assert raised.value.diagnostics.startswith('kernel.ptx:25:3: error: unknown instruction "mull"\n')
    assert "   25 |   mull.f32 %f3, %f2, %f1;\n       |   ^~~~\n" in raised.value.diagnostics


def test_a_machine_checks_each_value():
    m = warptime.machine("geforce-8800-gtx")
    before = m.hash
    for bad in (400, -1, "many", None, object(), 2.5, [1]):
        with pytest.raises(warptime.Error):
            m.memory.partitions = bad
    with pytest.raises(warptime.ParameterError, match='did you mean "memory.partitions"'):
        m.memory.partitons = 4
    with pytest.raises(warptime.ParameterError, match="is a group of parameters"):
        m.memory = 4
    with pytest.raises(AttributeError):
        m.memery
    with pytest.raises(warptime.Error):
        m["memory.partitons"]
    assert m.hash == before and m.settings == [] and m.memory.partitions == 6
    m.sm.max_warps = 1  # by itself it is legal; with the rest of the machine it is not
    with pytest.raises(warptime.Error, match="max_warps"):
        m.hash
    with pytest.raises(warptime.Error, match="max_warps"):
        warptime.run("vecadd", n=10, machine=m)


def test_machines_are_what_the_table_says():
    m = warptime.machine()
    rows = warptime.parameters()
    assert len(rows) > 150 and all(m[row.path] == _attribute(m, row.path) for row in rows)
    assert {row.path.split(".")[0] for row in rows} <= set(dir(m)) and "partitions" in dir(m.memory)
    doc = type(m.memory).partitions.__doc__
    assert "memory partitions" in doc.lower() and "1 to 128" in doc
    assert "memory.partitions" in type(m.memory).__doc__
    other = copy.deepcopy(m)
    other.issue.policy = "oldest_first"
    other.memory.partitions = np.int64(4)
    other.memory.partitions = 5
    other.has_timing = True
    assert other.settings == ["issue.policy=oldest_first", "memory.partitions=5", "has_timing=true"]
    assert m.settings == [] and m.issue.policy == "round_robin" and other.to_dict()["memory"]["partitions"] == 5
    assert warptime.run("vecadd", n=100, machine=other).machine.hash == other.hash != m.hash
    again = pickle.loads(pickle.dumps(other))
    assert again.settings == other.settings and again.hash == other.hash
    assert "memory.partitions = 5" in repr(other.memory) and "geforce-8800-gtx" in warptime.machines()
    assert "partitions: 5" in other.to_yaml()


def _attribute(machine, path):
    value = machine
    for name in path.split("."):
        value = getattr(value, name)
    return value


def test_lists():
    workloads = warptime.workloads()
    assert "tiled" in workloads["matmul"].variants and workloads["vecadd"].parameters[0].name == "n"


@pytest.mark.parametrize("place, says", [("/dev/zero", "is a device"), ("/dev/null", "is a device"), (".", "is a directory")])
def test_what_has_no_end_is_not_read(tmp_path, place, says):
    link = tmp_path / "link.ptx"
    link.symlink_to(place)
    for read in (lambda: warptime.kernels(place), lambda: warptime.kernels(link), lambda: warptime.run(link, **CALL),
                 lambda: warptime.sweep(link, **CALL), lambda: warptime.Machine(str(link) + "/../link.yaml")):
        with pytest.raises(warptime.Error, match="cannot read") as raised:
            read()
        if "link.yaml" not in str(raised.value):
            assert says in str(raised.value)


LOCALISED = """
import locale, numpy, warptime
locale.setlocale(locale.LC_ALL, "")
assert locale.localeconv()["decimal_point"] == ","
x = numpy.ones(8, numpy.float32)
result = warptime.run("docs/examples/scale-any.yaml", n=100, set={"clocks.core_mhz": 512.5})
print(warptime.run("docs/examples/scale.ptx", grid=1, block=8, args=[x, 2.5, 8]).total["time_us"], x[0], result.total["time_us"])
try:
    warptime.run("none.yaml")
except warptime.Error as error:
    print(error)
"""


def test_the_locale_of_the_program_changes_nothing(tmp_path):
    sys.path.append(os.path.join(ROOT, "tests", "locale"))
    import comma
    outcomes = [subprocess.run([sys.executable, "-c", text], env={**os.environ, **environment}, capture_output=True,
                               text=True, cwd=ROOT, check=True).stdout
                for text, environment in ((LOCALISED, comma.environment(tmp_path)),
                                          (LOCALISED.replace('== ","', '== "."'), {"LC_ALL": "C"}))]
    assert outcomes[0] == outcomes[1]
    assert "No such file or directory" in outcomes[0]
