"""warptime.Device: a device whose memory, modules, streams and clock outlive a launch."""

from __future__ import annotations

import sys
import warnings
from typing import TYPE_CHECKING, Any, Dict, List, Mapping, Optional, Sequence, Tuple, Union

from . import _core
from ._call import Call, Extents, a, call_of, extents, name_text, symbols_of, utf8, whole
from ._errors import Error, Fault, Warning, bad_input
from ._result import Record, Result
from ._run import Kernel
from ._words import MachineLike, Words, target_text

if TYPE_CHECKING:
    import numpy


class Stream:
    """A queue of the device: its copies and launches may overlap those of other streams, where the machine can."""

    def __init__(self, device: "Device", number: int) -> None:
        self.device, self._number = device, number

    def synchronize(self) -> None:
        """The host waits until the stream has finished all calls so far."""
        self.device._work(lambda core: core.synchronize(self._number))

    def wait(self, event: "Event") -> None:
        """Later calls in the stream begin after the event."""
        self.device._own(event, Event, "event")
        self.device._work(lambda core: core.wait(self._number, event.when_us))

    def __repr__(self) -> str:
        return f"<warptime.Stream {self._number}>"


class Event:
    """A moment of a stream: when it had finished all calls before `Device.event`."""

    def __init__(self, device: "Device", when_us: float) -> None:
        self.device = device
        #: Microseconds since the program began; 0 in functional runs.
        self.when_us: float = when_us

    def __sub__(self, other: "Event") -> float:
        """Microseconds from the other event to this one."""
        if not isinstance(other, Event):
            return NotImplemented
        return self.when_us - other.when_us

    def __repr__(self) -> str:
        return f"<warptime.Event at {self.when_us:,.3f} us>"


class Array:
    """Memory of a device with the shape and the dtype of a NumPy array."""

    def __init__(self, device: "Device", shape: Tuple[int, ...], dtype: "numpy.dtype[Any]", name: str) -> None:
        import math

        self.device, self.shape, self.dtype, self.name = device, shape, dtype, name
        #: Elements, and bytes of all of them.
        self.size: int = math.prod(shape)
        self.nbytes: int = self.size * dtype.itemsize
        if self.nbytes == 0:
            raise bad_input(f"{name} is an array without elements")
        #: Where it lies in device memory.
        self.address: int = device._work(lambda core: core.allocate(self.nbytes, utf8(name)))
        self._freed = False

    def get(self, *, stream: Optional[Stream] = None) -> "numpy.ndarray[Any, Any]":
        """A copy on the host. After a fault it takes no time, and shows what memory held then."""
        import numpy

        out = numpy.empty(self.shape, self.dtype)
        number = self.device._stream(stream)
        self._check()
        self.device._work(lambda core: core.copy_out(out.reshape(-1).view(numpy.uint8), self.address, utf8(self.name),
                                                     number))
        return out

    def set(self, values: Any, *, stream: Optional[Stream] = None) -> None:
        """Copies values from the host, or from another array of the device; one number fills all elements."""
        self._check()
        number = self.device._stream(stream)
        if isinstance(values, Array):
            self.device._own(values, Array, "the array")
            values._check()
            if values.nbytes != self.nbytes:
                raise bad_input(f"{self.name} has {self.nbytes} bytes, and {values.name} {values.nbytes}")
            self.device._work(lambda core: core.copy(self.address, values.address, self.nbytes, utf8(self.name), number))
            return
        import numpy

        try:
            host = numpy.ascontiguousarray(numpy.broadcast_to(numpy.asarray(values, self.dtype), self.shape))
        except (ValueError, TypeError) as error:
            raise bad_input(f"{self.name} cannot have these values: {error}") from None
        self.device._work(lambda core: core.copy_in(self.address, host.reshape(-1).view(numpy.uint8), utf8(self.name),
                                                    number))

    def clear(self, *, stream: Optional[Stream] = None) -> None:
        """Sets all bytes to 0 on the device (cudaMemset)."""
        self._check()
        number = self.device._stream(stream)
        self.device._work(lambda core: core.fill(self.address, 0, self.nbytes, utf8(self.name), number))

    def free(self) -> None:
        """Gives the memory back; the host first waits for the device."""
        self._check()
        self.device._work(lambda core: core.free(self.address))
        self._freed = True

    def _check(self) -> None:
        if self._freed:
            raise bad_input(f"{self.name} was freed")

    def __array__(self, dtype: Any = None, copy: Any = None) -> "numpy.ndarray[Any, Any]":
        values = self.get()
        return values if dtype is None else values.astype(dtype)

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError("an array without dimensions has no length")
        return self.shape[0]

    def __repr__(self) -> str:
        return f"<warptime.Array {self.name}: {self.dtype} {self.shape}>"


class DeviceKernel:
    """A kernel of a module that is loaded on a device. Calling it launches it."""

    def __init__(self, module: "Module", name: str) -> None:
        self.module, self.name = module, name

    def __call__(self, *args: Any, grid: Extents, block: Extents, shared: int = 0, registers: Optional[int] = None,
                 stream: Optional[Stream] = None) -> None:
        """Launches the kernel; the host goes on after the call.

        args: in the order of its parameters: an `Array`, a number (which gets the parameter's type), a NumPy scalar (which
            keeps its own), bytes or a NumPy record (a struct).
        grid, block: blocks and threads in x, y and z: 16, (16, 8).
        shared: dynamic shared memory per block, bytes. registers: per thread, instead of the estimate.
        """
        device = self.module.device
        call = Call()
        for index, value in enumerate(args):
            what = f"argument {index + 1} of {self.name}"
            if isinstance(value, Array):
                device._own(value, Array, what)
                value._check()
                call.arguments.append(("buffer", (value.address, value.nbytes)))
            elif type(value).__name__ == "ndarray":
                raise bad_input(f"{what} is a NumPy array on the host", "device.array(values) makes one on the device")
            else:
                call.add(value, what)
        device._work(lambda core: core.launch({
            "module": self.module._number, "kernel": utf8(self.name), "grid": extents(grid, "grid"),
            "block": extents(block, "block"), "shared": whole(shared, "shared", 0, 0xFFFFFFFF),
            "registers": 0 if registers is None else whole(registers, "registers", 1, 0xFFFFFFFF),
            "stream": device._stream(stream), "args": call.arguments}))

    def __repr__(self) -> str:
        return f"<warptime.DeviceKernel {self.name}>"


class Module:
    """PTX that is loaded on a device: its variables have memory there."""

    def __init__(self, device: "Device", number: int, name: str) -> None:
        self.device, self.name, self._number = device, name, number

    @property
    def kernels(self) -> List[Kernel]:
        """The kernels of the module, as `warptime.kernels` describes them."""
        return [Kernel(**entry) for entry in self.device._work(lambda core: core.kernels(self._number))]

    def kernel(self, name: Optional[str] = None) -> DeviceKernel:
        """The kernel of this name, mangled or not; it may be left out if there is one."""
        rows = self.kernels
        if name is None:
            if len(rows) != 1:
                raise bad_input(f"{self.name} has {len(rows)} kernels: say which",
                                "kernel(NAME) with one of " + ", ".join(row.name for row in rows) if rows else "")
            name = rows[0].name
        return DeviceKernel(self, name_text(name, "a kernel's name"))

    def set(self, name: str, value: Any) -> None:
        """Copies a NumPy array or bytes to a module-scope `.const` or `.global` variable."""
        for symbol, content in symbols_of({name: value}):
            self.device._work(lambda core: core.set_symbol(self._number, symbol, content))

    def __repr__(self) -> str:
        return f"<warptime.Module {self.name}>"


class Device:
    """A simulated GPU that keeps its memory, its modules and its clock from launch to launch.

        d = warptime.Device("geforce-gtx-480")
        x = d.array(numpy.arange(1000, dtype=numpy.float32))
        scale = d.module("docs/examples/scale.ptx").kernel()
        scale(x, 2.5, 1000, grid=4, block=256)
        x.get(), d.launches[0].time_us

    machine, set, functional, max_cycles, threads: as of `warptime.run`. name: `target` in statistics.

    Copies, fills and launches take simulated time, of the machine's `host` section; the host's own computation takes
    none. Values change in the order of the calls, whatever the streams. After a fault, calls raise it again;
    `Array.get` and the statistics remain. One thread at a time uses a device; others wait.
    """

    def __init__(self, machine: Optional[MachineLike] = None, *, set: Optional[Mapping[str, Any]] = None,  # noqa: A002
                 functional: bool = False, max_cycles: Optional[int] = None, threads: Optional[int] = None,
                 name: str = "python") -> None:
        words = Words("run", name_text(name, "name"))
        words.machine(machine)
        words.settings(set)
        words.flag("functional", functional, "functional")
        words.option("max-cycles", max_cycles)
        words.option("threads", threads)
        self._core = _core.Device(words.bytes())
        #: What device code has printed so far; it also goes to `sys.stdout`.
        self.output: str = ""
        self._records: List[Record] = []
        self._arrays = 0

    def array(self, values: Any, *, name: Optional[str] = None, stream: Optional[Stream] = None) -> Array:
        """Device memory with a copy of these values. name: for messages and the timeline."""
        import numpy

        host = numpy.asarray(values)
        out = self.zeros(host.shape, host.dtype, name=name)
        out.set(host, stream=stream)
        return out

    def zeros(self, shape: Union[int, Sequence[int]], dtype: Any = "float32", *, name: Optional[str] = None) -> Array:
        """Device memory, which is zero at first; this takes no time."""
        import numpy

        try:
            kind = numpy.dtype(dtype)
        except TypeError as error:
            raise bad_input(f"dtype: {error}") from None
        if kind.hasobject or not kind.isnative:
            raise bad_input(f"a device has no elements of {kind.str}", "give the array a dtype such as numpy.float32")
        parts = shape if isinstance(shape, (tuple, list)) else [shape]
        self._arrays += 1
        return Array(self, tuple(whole(part, "shape", 0, 2**40) for part in parts), kind,
                     name_text(name, "name") if name is not None else f"array {self._arrays}")

    def module(self, ptx: Any, *, name: Optional[str] = None, kernel: Optional[str] = None) -> Module:
        """Loads PTX: a text, or the name of a .ptx file. kernel: one that it has, if the file has several modules."""
        _, named, text = call_of(target_text(ptx), name, ())
        number = self._work(lambda core: core.load(utf8(named), text, utf8(kernel or "")))
        return Module(self, number, named)

    def stream(self) -> Stream:
        """A new stream."""
        return Stream(self, self._work(lambda core: core.stream()))

    def event(self, stream: Optional[Stream] = None) -> Event:
        """Records an event. `later - earlier` of two are the microseconds between them."""
        number = self._stream(stream)
        return Event(self, self._work(lambda core: core.record(number)))

    def synchronize(self) -> None:
        """The host waits until the device has finished all calls."""
        self._work(lambda core: core.synchronize(None))

    @property
    def now_us(self) -> float:
        """The time of the host program after all calls so far, microseconds."""
        return self._work(lambda core: core.now())

    @property
    def launches(self) -> List[Record]:
        """The statistics of each launch so far, as `warptime run --stats` has them."""
        import json

        count = self._work(lambda core: core.launches())
        for number in range(len(self._records), count):
            text = self._core.statistics(number)
            self._records.append(json.loads(text, object_pairs_hook=Record)["launches"][0])
        return list(self._records)

    @property
    def timeline(self) -> List[Record]:
        """Copies, fills and launches in the order of the calls, with their times."""
        return self.result().timeline

    def result(self) -> Result:
        """All statistics so far, as `warptime.run` returns them."""
        return Result(self._core.statistics(None), output=self.output)

    def _work(self, work: Any) -> Any:
        """Calls work(core), shows what device code printed and warnings, and gives a fault its result."""
        try:
            return work(self._core)
        except Fault as fault:
            fault.result = self.result()
            raise
        finally:
            printed = self._core.take_printed()
            if printed:
                self.output += printed
                sys.stdout.write(printed)
            message = self._core.take_warnings()
            if message:
                warnings.warn(message.rstrip("\n"), Warning, stacklevel=4)

    def _stream(self, stream: Optional[Stream]) -> int:
        return 0 if stream is None else self._own(stream, Stream, "stream")._number

    def _own(self, value: Any, kind: type, what: str) -> Any:
        if not isinstance(value, kind):
            raise bad_input(f"{what} is {a(value)}, not a warptime.{kind.__name__}")
        if value.device is not self:
            raise bad_input(f"{what} is of another device")
        return value

    def __repr__(self) -> str:
        machine: Dict[str, Any] = self.result()["machine"]
        return f"<warptime.Device {machine['name']}>"
