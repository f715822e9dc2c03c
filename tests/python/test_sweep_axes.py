"""Axes of machines, ranges, points in step or at random, columns, and files of rows: as the command line has them."""
import numpy as np
import pandas
import pytest
import warptime


def test_axes():
    frame = warptime.sweep("vecadd", machine=["geforce-8800-gtx", "geforce-gtx-280"], n=[500, 1000], zip=True, columns=["time_us", "cycles"])
    assert list(frame.columns) == ["machine", "n", "status", "time_us", "cycles", "sweep"]
    assert list(frame["machine"]) == ["geforce-8800-gtx", "geforce-gtx-280"] and list(frame["n"]) == [500, 1000]
    for machine, n, cycles in zip(frame["machine"], frame["n"], frame["cycles"]):
        assert warptime.run("vecadd", n=n, machine=machine).total.cycles == cycles
    assert list(warptime.sweep("vecadd", n="256:1024:*2", columns="bound")["n"]) == [256, 512, 1024]
    points = warptime.sweep("vecadd", n="16:4096", random=3, seed=2, columns="cycles")
    pandas.testing.assert_frame_equal(points, warptime.sweep("vecadd", n="16:4096", random=np.int64(3), seed=2, columns="cycles"))
    assert len(points) == 3 and points["n"].between(16, 4096).all()


def test_a_file_of_rows(tmp_path):
    file = tmp_path / "rows.csv"
    sweep = lambda **more: warptime.sweep("vecadd", n=[100, 200, 300], csv=file, **more)
    frame = sweep()
    assert list(frame["n"]) == [100, 200, 300]
    whole = file.read_text()
    lines = whole.splitlines(keepends=True)
    file.write_text("".join(lines[:2]))
    pandas.testing.assert_frame_equal(sweep(resume=True), frame)
    assert file.read_text() == whole
    with pytest.raises(warptime.Error, match="--force|--resume"):
        sweep()
    pandas.testing.assert_frame_equal(sweep(force=True), frame)


def test_what_does_not_fit():
    m = warptime.machine()
    m.memory.partitions = 4
    with pytest.raises(warptime.Error, match="settings of its own"):
        warptime.sweep("vecadd", machine=[m, "geforce-gtx-280"], n=[100])
    with pytest.raises(warptime.Error, match="no machine"):
        warptime.sweep("vecadd", machine=["geforce", "generic"], n=[100])
    with pytest.raises(warptime.Error):
        warptime.sweep("vecadd", n=[100, 200], set={"chip.tpcs": [1, 2, 3]}, zip=True)
