"""Values of any type in any place: a result, a warptime.Error or Python's own TypeError, and the interpreter goes on."""
import datetime
import itertools

import numpy as np
import pytest
import warptime
from warptime import _core


class Odd:
    def __index__(self):
        raise RuntimeError("odd")


class Liar(str):
    def encode(self, *ignored):
        return 5


VALUES = [None, True, False, 0, -1, 2**70, 0.5, float("nan"), float("inf"), 1j, "", "x", "\0", "\udc80", "a,b", "x" * 5000, b"", b"x",
          [], [1], [[1]], (), (1, 2, 3, 4), {}, {"x": 1}, {1: 2}, {"": ""}, {"memory.partitions": [[]]}, set(), range(3), object(), int, len,
          lambda: 1, Odd(), Liar("x"), np.float32(1), np.array(1.0), np.array([]), np.zeros((2, 0)), np.array(["a"]), np.array([None]), np.datetime64("now"),
          np.ma.masked_array([1.0], [True]), np.matrix([[1.0]]), datetime.date.today(), memoryview(b"xy"), Exception("x"), warptime, ...]
ALLOWED = (warptime.Error, TypeError, RuntimeError)

KEYWORDS = ["machine", "set", "kernel", "grid", "block", "args", "constants", "shared", "registers", "name", "functional", "check", "sample",
            "sample_seed", "max_cycles", "threads", "attribution", "per_instruction", "params", "n"]


def survives(call):
    try:
        return call()
    except ALLOWED as error:
        assert not isinstance(error, RuntimeError) or str(error) == "odd"
        assert str(error)


@pytest.mark.filterwarnings("ignore::warptime.Warning", "error::DeprecationWarning", "error::FutureWarning")
@pytest.mark.parametrize("keyword", KEYWORDS)
def test_keywords_of_run(keyword, scale):
    for value in VALUES:
        survives(lambda: warptime.run("vecadd", **{"n": 10, keyword: value}))
        call = dict(grid=1, block=8, args=[np.ones(8, np.float32), 2.0, 8])
        survives(lambda: warptime.run(scale, **{**call, keyword: value}))


def test_arguments_of_a_kernel(scale):
    for value, place in itertools.product(VALUES, range(3)):
        args = [np.ones(8, np.float32), 2.0, 8]
        args[place] = value
        survives(lambda: warptime.run(scale, grid=1, block=8, args=args, max_cycles=100000))


def test_targets_and_machines():
    for value in VALUES:
        survives(lambda: warptime.run(value))
        survives(lambda: warptime.kernels(value))
        survives(lambda: warptime.machine(value))
        m = warptime.machine()
        survives(lambda: setattr(m.memory, "partitions", value))
        survives(lambda: m.__setitem__("issue.policy", value))
        survives(lambda: m.__setitem__("features", value))
        survives(lambda: m.__setitem__(value, 1))
        survives(lambda: m[value])
        survives(lambda: warptime.sweep(value, n=[1]) if not isinstance(value, str) else None)
        survives(lambda: warptime.sweep("vecadd", jobs=1, n=value) if not isinstance(value, (str, int, float)) else None)


def test_the_extension_module_itself():
    """Users do not call it; even so it must not crash."""
    for value in VALUES:
        for call in (lambda: _core.run(value), lambda: _core.run([b"run", b"vecadd", b"--param=n=1"], value), lambda: _core.kernels(value, value),
                     lambda: _core.Machine(value)):
            try:
                call()
            except (warptime.Error, TypeError, KeyError, ValueError, RuntimeError):
                pass
