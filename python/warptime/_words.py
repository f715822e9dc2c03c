"""Python's arguments as the options of the command line, which have the same names, meanings and errors."""

from __future__ import annotations

import os
from typing import Any, List, Mapping, Optional, Union

from ._call import a, flag, mapping, path_bytes
from ._errors import bad_input
from ._machine import Machine

MachineLike = Union[str, "os.PathLike[str]", Machine]


def value_text(value: Any, what: str) -> str:
    """One value as `--set` and `--param` spell it."""
    if isinstance(value, str):
        return value
    if type(value).__name__ in ("bool", "bool_"):
        return "true" if value else "false"
    if isinstance(value, (list, tuple)):
        return "[" + ",".join(value_text(part, what) for part in value) + "]"
    if hasattr(value, "item") and getattr(value, "ndim", None) == 0:
        value = value.item()  # a scalar of NumPy
    if isinstance(value, (int, float)):
        return repr(value)
    raise bad_input(f"{what} is {a(value)}, not a number, a word or a list of words")


def axis_text(values: Any, what: str) -> str:
    """The values of one axis of a sweep: "1,2,4". A text is handed on as it is."""
    if hasattr(values, "tolist") and getattr(values, "ndim", 0) > 0:
        values = values.tolist()
    if isinstance(values, (list, tuple, range)):
        if len(values) == 0:
            raise bad_input(f"{what} has no values to sweep over")
        return ",".join(value_text(value, what) for value in values)
    return value_text(values, what)


def target_text(target: Any) -> str:
    if not isinstance(target, (str, os.PathLike)):
        raise bad_input(f"a target is a workload, a file or PTX, not {a(target)}")
    return os.fspath(target)


def machine_text(machine: MachineLike, absolute: bool = False) -> str:
    """The name of a machine, or its file; `absolute`: the program runs in another folder."""
    if isinstance(machine, Machine):
        text = machine._given
    elif isinstance(machine, (str, os.PathLike)):
        text = os.fspath(machine)
    else:
        raise bad_input(f"machine is {a(machine)}, not a name, a file or a warptime.Machine")
    if absolute and ("/" in text or text.endswith((".yaml", ".yml"))):
        text = os.path.abspath(text)
    return text


class Words:
    """The words of a command line, one after the other."""

    def __init__(self, command: str, target: str) -> None:
        self._words: List[str] = [command]
        self._last: List[str] = []
        if target.startswith("-"):
            self._last = ["--", target]
        else:
            self._words.append(target)

    def option(self, name: str, value: Any, what: Optional[str] = None) -> None:
        """--name=value; False and None: not at all, True: without a value."""
        if value is None or value is False:
            return
        self._words.append(f"--{name}" if value is True else f"--{name}={value_text(value, what or name)}")

    def flag(self, name: str, value: Any, what: str, *, unless: bool = False) -> None:
        """--name if the value is true; with `unless` if it is false."""
        if flag(value, what) != unless:
            self._words.append(f"--{name}")

    def repeat(self, name: str, text: str) -> None:
        self._words.append(f"--{name}={text}")

    def machine(self, machine: Optional[MachineLike], *, absolute: bool = False) -> None:
        if machine is None:
            return
        text, settings = machine_text(machine, absolute), []
        if isinstance(machine, Machine):
            settings = machine.settings
        self._words.append(f"--machine={text}")
        self._words += [f"--set={setting}" for setting in settings]

    def settings(self, given: Optional[Mapping[str, Any]], *, axes: bool = False) -> None:
        for path, value in mapping(given, "set").items():
            self._words.append(f"--set={path}={self._value(value, f'set[{path!r}]', axes)}")

    def parameters(self, given: Optional[Mapping[str, Any]], *, axes: bool = False) -> None:
        for name, value in mapping(given, "params").items():
            self._words.append(f"--param={name}={self._value(value, name, axes)}")

    @staticmethod
    def _value(value: Any, what: str, axes: bool) -> str:
        return axis_text(value, what) if axes else value_text(value, what)

    def texts(self) -> List[str]:
        return self._words + self._last

    def bytes(self) -> List[bytes]:
        return [path_bytes(word) for word in self.texts()]
