"""warptime.Device: memory, modules, streams and a clock from launch to launch."""
import math
import threading

import numpy as np
import pytest
import warptime
from conftest import SCALE, command, without_host

RELAX = "docs/examples/relax.ptx"
PRINTS = """.version 2.1
.target sm_20
.address_size 64
.extern .func (.param .b32 r) vprintf (.param .b64 f, .param .b64 a);
.global .align 1 .b8 text[4] = {104, 105, 10, 0};
.global .align 4 .u32 factor;
.entry speak () { .reg .u64 %rd<3>; .param .b64 f; .param .b64 a; .param .b32 r;
  mov.u64 %rd1, text; cvta.global.u64 %rd1, %rd1; mov.u64 %rd2, 0;
  st.param.b64 [f], %rd1; st.param.b64 [a], %rd2; call (r), vprintf, (f, a); ret; }
.entry store (.param .u64 to) { .reg .u64 %rd1; .reg .u32 %r1;
  ld.param.u64 %rd1, [to]; ld.global.u32 %r1, [factor]; st.global.u32 [%rd1], %r1; ret; }
"""


def relax_on_host(values, limit):
    values, steps = values.copy(), 0
    while True:
        after = values.copy()
        after[1:-1] = np.float32(0.5) * (values[:-2] + values[2:])
        moved = np.any(np.abs(after - values) > limit)
        values, steps = after, steps + 1
        if not moved:
            return values, steps


@pytest.mark.parametrize("machine", ["geforce-8800-gtx", "geforce-gtx-480", "generic"])
def test_loop_until_convergence(machine):
    values = np.zeros(64, np.float32)
    values[0], values[-1] = 1, 2
    device = warptime.Device(machine)
    relax = device.module(RELAX).kernel("relax")
    old, new, moved = device.array(values), device.zeros(64), device.zeros(1, np.int32)
    steps = 0
    while steps == 0 or moved.get()[0]:
        moved.clear()
        relax(new, old, 64, 1e-3, moved, grid=1, block=64)
        old, new, steps = new, old, steps + 1
    expected, count = relax_on_host(values, np.float32(1e-3))
    assert steps == count > 10 and np.array_equal(old.get(), expected)
    assert len(device.launches) == steps and all(launch.kernel == "relax" for launch in device.launches)
    timed = machine != "generic"
    assert (device.now_us > 0) == timed and len(device.result().launches) == steps
    if timed:
        kinds = [event.kind for event in device.timeline]
        assert kinds.count("kernel") == steps and kinds.count("fill") == steps and kinds.count("copy") == steps + 2
        assert device.result().total.cycles == sum(launch.cycles for launch in device.launches)


def test_a_launch_has_the_statistics_of_run():
    x = np.arange(1000, dtype=np.float32)
    once = warptime.run(SCALE, grid=4, block=256, args=[x.copy(), 2.5, 1000]).launches[0]
    device = warptime.Device()
    array = device.array(x, name="x")
    device.module(SCALE).kernel()(array, np.float32(2.5), np.uint32(1000), grid=4, block=(256,))
    assert device.launches[0] == once and np.array_equal(array, x * np.float32(2.5))


def test_as_the_launch_file(tmp_path):
    file = tmp_path / "statistics.json"
    command("run", "docs/examples/scale.yaml", "--quiet", "--stats", str(file))
    device = warptime.Device(name="docs/examples/scale.yaml")
    x = device.array(np.arange(1000, dtype=np.float32), name="x")
    device.module(SCALE).kernel("scale")(x, 2.5, 1000, grid=4, block=256)
    x.get()
    import json

    mine, theirs = json.loads(device.result().to_json()), json.loads(file.read_text())
    assert mine["launches"] == theirs["launches"]
    assert [event["kind"] for event in mine["timeline"]] == ["copy", "kernel", "copy"]


def test_streams_overlap_and_events_measure():
    device = warptime.Device("geforce-gtx-480")
    kernel = device.module(SCALE).kernel()
    arrays, streams = [device.array(np.ones(256, np.float32)) for _ in range(2)], [device.stream() for _ in range(2)]
    begin = device.event()
    for array, stream in zip(arrays, streams):
        kernel(array, 3.0, 256, grid=1, block=256, stream=stream)
    done = device.event(streams[0])
    streams[1].wait(done)
    for stream in streams:
        stream.synchronize()
    first, second = [event for event in device.timeline if event.kind == "kernel"]
    assert second.start_us < first.end_us and second.stream != first.stream
    assert done - begin > 0 and math.isclose(done.when_us - begin.when_us, done - begin)
    assert all(np.all(array.get(stream=stream) == 3) for array, stream in zip(arrays, streams))


def test_variables_output_and_memory():
    device = warptime.Device("geforce-gtx-480", functional=True)
    module = device.module(PRINTS)
    module.kernel("speak")(grid=1, block=2)
    assert device.output == "hi\nhi\n"
    module.set("factor", np.uint32(7))
    out, copy = device.zeros((1, 1), np.uint32), device.zeros(1, "u4")
    module.kernel("store")(out, grid=1, block=1)
    copy.set(out)
    assert int(copy.get()[0]) == 7 and len(out) == 1 and [row.name for row in module.kernels] == ["speak", "store"]
    out.set(5)
    assert out.get().tolist() == [[5]]
    out.free()
    with pytest.raises(warptime.Error, match="was freed"):
        out.get()


def test_mistakes_are_errors_with_a_hint():
    device, other = warptime.Device(), warptime.Device()
    module = device.module(SCALE)
    kernel, x = module.kernel(), device.zeros(10)
    host = np.zeros(10, np.float32)
    for work, words in [
        (lambda: kernel(host, 1.0, 10, grid=1, block=32), "device.array"),
        (lambda: kernel(other.zeros(10), 1.0, 10, grid=1, block=32), "of another device"),
        (lambda: kernel(x, 1.0, grid=1, block=32), "kernel \"scale\""),
        (lambda: kernel(x, 1.0, 2.5, grid=1, block=32), "floating-point"),
        (lambda: kernel(x, 1.0, 10, grid=1, block=100000), "block"),
        (lambda: kernel(x, 1.0, 10, grid=1, block=32, stream=x), "not a warptime.Stream"),
        (lambda: module.kernel("scal")(x, grid=1, block=1), "scal"),
        (lambda: module.set("nothing", b"1"), "nothing"),
        (lambda: x.set([1, 2, 3]), "cannot have these values"),
        (lambda: device.zeros(0), "without elements"),
        (lambda: device.zeros(2**36), "does not fit"),
        (lambda: device.array([object()]), "no elements"),
        (lambda: device.module(".version 1.4\n.target sm_10\n.entry k () { nonsense; }"), "nonsense"),
        (lambda: warptime.Device("no-such-machine"), "no-such-machine"),
        (lambda: warptime.Device(set={"memory.partitons": 4}), "did you mean"),
    ]:
        with pytest.raises(warptime.Error, match=words):
            work()
    kernel(x, 1.0, 10, grid=1, block=32)  # and all goes on
    assert len(device.launches) == 1


def test_after_a_fault_memory_remains():
    device = warptime.Device()
    kernel, x = device.module(SCALE).kernel(), device.array(np.ones(32, np.float32), name="x")
    with pytest.raises(warptime.Fault, match='"x"') as caught:
        kernel(x, 2.0, 64, grid=2, block=32)
    assert caught.value.result.complete is False
    with pytest.raises(warptime.Fault, match='"x"'):
        device.zeros(1)
    assert x.get().shape == (32,) and device.result().complete is False


def test_threads_share_a_device():
    device = warptime.Device()
    kernel = device.module(SCALE).kernel()
    x = device.array(np.ones(256, np.float32))
    threads = [threading.Thread(target=lambda: kernel(x, 2.0, 256, grid=1, block=256)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert np.all(x.get() == 16) and len(device.launches) == 4
    assert without_host(device.result().to_json()) == without_host(device.result().to_json())
