"""A kernel's arguments: NumPy arrays as device buffers, scalars with the type of their parameter."""

from __future__ import annotations

import os
import sys
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, Tuple, Union

from . import _core
from ._errors import Error, bad_input

Extents = Union[int, Sequence[int]]

# PTX types by NumPy's kind and width of a scalar.
_SCALARS = {"u": {1: "u8", 2: "u16", 4: "u32", 8: "u64"}, "i": {1: "s8", 2: "s16", 4: "s32", 8: "s64"},
            "f": {2: "f16", 4: "f32", 8: "f64"}, "b": {1: "u8"}}


def is_ptx_text(target: str) -> bool:
    """PTX itself, not the name of something: it has lines."""
    return "\n" in target or "\r" in target or ".entry" in target


def is_ptx(target: str) -> bool:
    return is_ptx_text(target) or target.endswith(".ptx")


def a(value: Any) -> str:
    """"a list", "an int": what a value is, for messages."""
    name = type(value).__name__
    return f"an {name}" if name[0].lower() in "aeiou" else f"a {name}"


def whole(value: Any, what: str, low: int, high: int) -> int:
    """A whole number of Python's or NumPy's."""
    try:
        if isinstance(value, bool):
            raise TypeError
        number = value.__index__()
    except (AttributeError, TypeError):
        raise bad_input(f"{what} is a whole number, not {a(value)}") from None
    if not low <= number <= high:
        raise bad_input(f"{what} must be {low} to {high}, not {number}")
    return number


def flag(value: Any, what: str) -> bool:
    """True or False, of Python or NumPy."""
    if type(value).__name__ not in ("bool", "bool_"):
        raise bad_input(f"{what} is True or False, not {a(value)}")
    return bool(value)


def mapping(given: Any, what: str) -> Mapping[str, Any]:
    """A dictionary with texts as keys; None is an empty one."""
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        raise bad_input(f"{what} is a dictionary, not {a(given)}", f'{what}={{"NAME": VALUE}}')
    for name in given:
        name_text(name, f"a name in {what}")
    return given


def extents(value: Optional[Extents], what: str) -> Tuple[int, int, int]:
    if value is None:
        raise bad_input(f"running PTX needs {what}", f"{what}=16 or {what}=(16, 8), in x, y and z")
    parts = list(value) if isinstance(value, (tuple, list)) else [value]
    if not 1 <= len(parts) <= 3:
        raise bad_input(f"{what} has one to three numbers, not {len(parts)}")
    x, y, z = (whole(part, what, 1, 0xFFFFFFFF) for part in parts + [1] * (3 - len(parts)))
    return x, y, z


def utf8(text: str) -> bytes:
    return str.encode(text, "utf-8", "replace")


def name_text(value: Any, what: str) -> str:
    if not isinstance(value, str):
        raise bad_input(f"{what} is a text, not {a(value)}")
    return value


def _numpy() -> Any:
    """NumPy if the program has it: who never imported it has no arrays either."""
    return sys.modules.get("numpy")


def _scalar(value: Any, name: str) -> Tuple[str, Any]:
    kinds = _SCALARS.get(value.dtype.kind, {})
    if value.dtype.kind == "V" and not value.dtype.hasobject:
        return "bytes", value.tobytes()
    if value.dtype.itemsize not in kinds:
        raise bad_input(f"{name} is {a(value)}, which no parameter of a kernel can be")
    return kinds[value.dtype.itemsize], int.from_bytes(value.tobytes(), sys.byteorder)


class Call:
    """The arguments of one launch, and what to do with the arrays after it."""

    def __init__(self) -> None:
        self.arguments: List[Tuple[str, Any]] = []
        self.arrays: List[Tuple[str, Any, bool]] = []  # name, contiguous memory, whether it is written back
        self._known: Dict[Tuple[int, int], int] = {}
        self._after: List[Callable[[], None]] = []

    def add(self, value: Any, name: str) -> None:
        numpy = _numpy()
        if isinstance(value, (bytes, bytearray)):
            self.arguments.append(("bytes", bytes(value)))
        elif isinstance(value, int):  # bool, too
            self.arguments.append(("int", str(int(value))))
        elif numpy is not None and isinstance(value, numpy.generic):
            self.arguments.append(_scalar(value, name))
        elif isinstance(value, float):
            self.arguments.append(("float", value))
        elif numpy is not None and isinstance(value, numpy.ndarray):
            self.arguments.append(("array", self._add_array(value, name)))
        else:
            raise bad_input(f"{name} is {a(value)}, not a NumPy array, a number or bytes",
                            "numpy.array(..., dtype=numpy.float32) makes an array of it"
                            if isinstance(value, (list, tuple)) else "")

    def _add_array(self, array: Any, name: str) -> int:
        numpy = _numpy()
        if array.dtype.hasobject:
            raise bad_input(f"{name} is an array of Python objects", "give it a dtype such as numpy.float32")
        if not array.dtype.isnative:
            raise bad_input(f"{name} has the other byte order ({array.dtype.str})",
                            "array.astype(array.dtype.newbyteorder('='))")
        if array.nbytes == 0:
            raise bad_input(f"{name} is an array without elements")
        writable = array.flags.writeable
        memory = array = array.view(numpy.ndarray)  # of a subclass the plain memory
        if not array.flags.c_contiguous:
            if array.flags.f_contiguous:
                memory = array.T  # the same memory, in order
            else:
                memory = numpy.ascontiguousarray(array)
                if writable:
                    self._after.append(lambda: numpy.copyto(array, memory))
        place = (memory.__array_interface__["data"][0], memory.nbytes)
        if place not in self._known:
            self._known[place] = len(self.arrays)
            # Bytes, because NumPy gives no buffer of some dtypes (datetime64).
            self.arrays.append((name, memory.reshape(-1).view(numpy.uint8), writable))
        return self._known[place]

    def finish(self) -> None:
        """Copies back what was not plain memory."""
        for work in self._after:
            work()


def call_of(target: str, name: Optional[str], args: Sequence[Any]) -> Tuple[Call, str, bytes]:
    """The arguments, the name of the PTX in messages and statistics, and its text."""
    if isinstance(args, (str, bytes)) or not isinstance(args, Sequence):
        raise bad_input(f"args is a list of the kernel's arguments, not {a(args)}")
    call = Call()
    for index, value in enumerate(args):
        call.add(value, f"args[{index}]")
    if is_ptx_text(target):
        return call, name or "kernel.ptx", utf8(target)
    return call, target, _core.read_file(path_bytes(target))


def symbols_of(given: Optional[Mapping[str, Any]]) -> List[Tuple[bytes, bytes]]:
    """Module-scope variables to fill: their bytes."""
    numpy = _numpy()
    out = []
    for name, value in mapping(given, "constants").items():
        if numpy is not None and isinstance(value, (numpy.ndarray, numpy.generic)) and not value.dtype.hasobject:
            value = value.tobytes()
        if not isinstance(value, (bytes, bytearray)):
            raise bad_input(f"constants[{name!r}] is {a(value)}, not a NumPy array or bytes")
        out.append((utf8(name), bytes(value)))
    return out


def path_bytes(text: str) -> bytes:
    if "\0" in text:
        raise bad_input(f"{text!r} has a zero byte in it")
    try:
        return os.fsencode(text)
    except UnicodeEncodeError as error:
        raise Error(f"error: {text!r} cannot be encoded: {error}\n") from None
