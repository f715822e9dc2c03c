"""warptime.run: the statistics of the command line, arrays as buffers."""
import pathlib
import time

import numpy as np
import pytest
import warptime
from conftest import SCALE, command, without_host


@pytest.mark.parametrize("words, keywords", [
    (("vecadd", "--param", "n=1000"), dict(target="vecadd", n=1000)),
    (("matmul:tiled", "--param", "n=64", "--set", "memory.partitions=4"),
     dict(target="matmul:tiled", n=64, machine="geforce-8800-gtx", set={"memory.partitions": 4})),
    (("vecadd", "--param", "n=1000", "--stats-per-instruction", "--attribution", "off", "--no-check"),
     dict(target="vecadd", n=1000, per_instruction=True, attribution=False, check=False)),
    (("vecadd", "--param", "n=1000", "--functional", "--machine", "generic"),
     dict(target="vecadd", n=np.int32(1000), functional=True, machine=warptime.machine("generic"))),
    (("docs/examples/scale.yaml",), dict(target="docs/examples/scale.yaml")),
    (("docs/examples/scale-any.yaml", "--param", "n=2000"), dict(target=pathlib.Path("docs/examples/scale-any.yaml"), n=2000)),
    (("vecadd", "--param", "n=12000000", "--sample=timing", "--sample-seed", "3"),
     dict(target="vecadd", params={"n": 12000000}, sample="timing", sample_seed=3)),
])
def test_same_statistics_as_the_command_line(words, keywords, tmp_path):
    file = tmp_path / "statistics.json"
    command("run", *words, "--quiet", "--stats", str(file))
    assert without_host(warptime.run(**keywords).to_json()) == without_host(file.read_text())


def test_arrays_give_the_statistics_of_buffers(tmp_path):
    file, output = tmp_path / "statistics.json", tmp_path / "x.bin"
    command("run", "docs/examples/scale.ptx", "--grid", "4", "--block", "256", "--buffer", "x=f32:1000:iota", "--arg", "x",
            "--arg", "f32=2.5", "--arg", "u32=1000", "--output", f"x={output}", "--quiet", "--stats", str(file))
    x = np.arange(1000, dtype=np.float32)
    result = warptime.run("docs/examples/scale.ptx", grid=4, block=256, args=[x, 2.5, 1000])
    assert without_host(result.to_json()) == without_host(file.read_text())
    assert x.tobytes() == output.read_bytes()
    assert np.array_equal(x, np.arange(1000, dtype=np.float32) * np.float32(2.5))


def test_attributes_and_keys():
    result = warptime.run("vecadd", n=1000)
    assert result.total.time_us == result["total"]["time_us"] > 0
    assert result.launches[0].issue.stalls.global_dependency == result["launches"][0]["issue"]["stalls"]["global_dependency"]
    assert result.ok and result.complete and "total" in result and "total" in dir(result) and "time_us" in dir(result.total)
    with pytest.raises(AttributeError, match='did you mean "time_us"'):
        result.total.time_ms
    assert "vecadd on geforce-8800-gtx: 1 launch, " in repr(result)
    frame = result.frame()
    assert list(frame["time_us"]) == [result.total.time_us] and "issue.stalls.barrier" in frame.columns


def run_scale(ptx, x, *, n=None, **more):
    return warptime.run(ptx, grid=(4,), block=[256, 1, 1], args=[x, np.float32(2), np.uint32(len(x) if n is None else n)], **more)


def test_memory_of_arrays(scale):
    base = np.arange(2000, dtype=np.float32)
    every_second = base[::2]
    run_scale(scale, every_second)
    assert np.array_equal(base[::2], np.arange(0, 4000, 4)) and np.array_equal(base[1::2], np.arange(1, 2000, 2))
    constant = np.ones(1000, np.float32)
    constant.flags.writeable = False
    run_scale(scale, constant)
    assert np.all(constant == 1)
    columns = np.asfortranarray(np.arange(1000, dtype=np.float32).reshape(20, 50))
    run_scale(scale, columns, n=1000)
    assert np.array_equal(columns, np.arange(1000, dtype=np.float32).reshape(20, 50) * 2)


SUM = """.version 1.4
.target sm_10
.const .f32 weight;
.entry sum (.param .u32 out, .param .u32 a, .param .u32 b, .param .align 4 .b8 s[8])
{
  .reg .u32 %r<6>; .reg .f32 %f<6>;
  ld.param.u32 %r1, [out]; ld.param.u32 %r2, [a]; ld.param.u32 %r3, [b];
  ld.global.f32 %f1, [%r2]; ld.global.f32 %f2, [%r3];
  ld.param.f32 %f3, [s+4]; ld.const.f32 %f4, [weight];
  add.f32 %f1, %f1, %f2; mad.f32 %f1, %f3, %f4, %f1;
  st.global.f32 [%r1], %f1;
  exit;
}
"""


def test_one_array_twice_structs_and_constants():
    a, out = np.array([3], np.float32), np.zeros(1, np.float32)
    structure = np.array([(7, 0.5)], dtype=[("n", "i4"), ("x", "f4")])[0]
    result = warptime.run(SUM, grid=1, block=1, args=[out, a, a, structure], constants={"weight": np.float32(4)}, name="sum.ptx")
    assert out[0] == 8 and result.target == "sum.ptx"
    warptime.run(SUM, grid=1, block=1, args=[out, a, a, structure.tobytes()], constants={"weight": b"\0\0\0\0"})
    assert out[0] == 6
    assert warptime.kernels(SUM)[0].parameters == [("out", "u32"), ("a", "u32"), ("b", "u32"), ("s", "b8[8]")]
    assert warptime.kernels(SCALE)[0].name == "scale"


def test_a_fault_has_its_place_and_the_result_until_then(scale):
    x = np.ones(1000, np.float32)
    with pytest.raises(warptime.Fault) as raised:
        run_scale(scale, x, n=5000)
    assert "out-of-bounds load" in raised.value.diagnostics and "^~~" in raised.value.diagnostics
    assert raised.value.result.complete is False and raised.value.result.total.cycles > 0


def test_output_of_device_code(capsys):
    text = """.version 3.0
.target sm_20
.address_size 64
.extern .func (.param .b32 r) vprintf (.param .b64 f, .param .b64 a);
.global .align 1 .b8 hello[7] = {72, 101, 108, 108, 111, 10, 0};
.entry greet ()
{
  .reg .b64 %rd<3>;
  .param .b64 p0; .param .b64 p1; .param .b32 r;
  cvta.global.u64 %rd1, hello;
  mov.u64 %rd2, 0;
  st.param.b64 [p0], %rd1;
  st.param.b64 [p1], %rd2;
  call (r), vprintf, (p0, p1);
  exit;
}
"""
    result = warptime.run(text, grid=1, block=1, machine="geforce-gtx-480")
    assert result.output == "Hello\n" == capsys.readouterr().out


def test_no_slower_than_the_command_line():
    def fastest(work):
        times = []
        for _ in range(7):
            start = time.perf_counter()
            work()
            times.append(time.perf_counter() - start)
        return min(times)

    words = ("run", "vecadd", "--param", "n=1000", "--quiet", "--stats", "-")
    assert fastest(lambda: warptime.run("vecadd", n=1000).total) < fastest(lambda: command(*words)) + 0.005
