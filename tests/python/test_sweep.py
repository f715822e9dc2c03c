"""warptime.sweep and warptime.whatif: the CSV of the command line as a DataFrame."""
import io

import numpy as np
import pandas
import pytest
import warptime
from conftest import command


def test_the_table_of_the_command_line():
    csv = command("sweep", "vecadd", "--set", "memory.partitions=2,4", "--param", "n=500,1000", "--quiet")
    frame = warptime.sweep("vecadd", set={"memory.partitions": [2, 4]}, n=np.array([500, 1000]))
    pandas.testing.assert_frame_equal(frame, pandas.read_csv(io.StringIO(csv), dtype={"sweep": str}, float_precision="round_trip"))
    assert list(frame["n"]) == [500, 1000] * 2 and list(frame["status"]) == [0] * 4
    run = warptime.run("vecadd", n=1000, set={"memory.partitions": 4})
    assert frame["time_us"].iloc[3] == run.total.time_us
    assert frame["issue.stalls.global_dependency"].iloc[3] == run.total.issue.stalls.global_dependency


def test_of_a_kernel_in_a_text(scale):
    x = np.arange(1000, dtype=np.float32)
    call = dict(grid=4, block=256, args=[x, 2.5, np.uint32(1000)])
    frame = warptime.sweep(scale, set={"memory.partitions": "2,6"}, **call)
    for partitions, time in zip(frame["memory.partitions"], frame["time_us"]):
        assert warptime.run(scale, set={"memory.partitions": partitions}, grid=4, block=256,
                            args=[x.copy(), np.float32(2.5), 1000]).total.time_us == time
    assert np.array_equal(x, np.arange(1000))
    again = warptime.sweep(scale, set={"memory.partitions": "2,6"}, **call)
    pandas.testing.assert_frame_equal(frame, again)


def test_a_machine_with_settings():
    m = warptime.machine()
    m.memory.partitions = 4
    frame = warptime.sweep("vecadd", machine=m, n=[500, 1000], jobs=1)
    assert list(frame["memory.partitions"]) == [4, 4] and frame.columns[1] == "n"


def test_a_point_that_fails_is_a_row_and_a_warning():
    with pytest.warns(warptime.Warning, match="1 of 2 points failed"):
        frame = warptime.sweep("vecadd", set={"sm.max_warps": [1, 24]}, n=1000)
    assert list(frame["status"]) == [2, 0] and pandas.isna(frame["time_us"].iloc[0])


@pytest.mark.parametrize("target, keywords, says", [
    ("vecadd", {}, "nothing to sweep over"),
    ("vecadd", dict(n=[]), "no values"),
    ("vecadd", dict(n=[0, "x"]), "is not a whole number"),
    ("vecadd", dict(n=[{}]), "is a dict"),
    ("vecadd", dict(set={"memory.partitons": [1]}), "did you mean"),
    ("vecadd", dict(n=[1], jobs=0), "--jobs must be"),
    ("vecadd", dict(n=[1], grid=3), "grid goes with PTX only"),
    ("PTX", dict(set={"chip.tpcs": [1]}, grid=1, block=1, args=[b"1234"]), "is a struct"),
    ("PTX", dict(set={"chip.tpcs": [1]}, grid=1, block=1, args=[1, 2, 3, 4]), "fewer parameters"),
])
def test_bad_input(target, keywords, says, scale):
    with pytest.raises(warptime.Error) as raised:
        warptime.sweep(scale if target == "PTX" else target, **keywords)
    assert says in raised.value.diagnostics


def test_whatif(scale):
    call = dict(grid=4, block=64, args=[np.ones(256, np.float32), 2.0, 256])
    frame = warptime.whatif(scale, **call)
    assert list(frame.columns[:4]) == ["parameter", "value", "time_us", "change"] and len(frame) > 50
    row = frame[(frame["parameter"] == "memory.partitions")].iloc[0]
    run = warptime.run(scale, set={"memory.partitions": row["value"]}, **call)
    assert run.total.time_us == row["time_us"]
