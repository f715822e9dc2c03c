"""Machines: the parameters of `warptime list parameters` as attributes."""

from __future__ import annotations

import functools
import os
from typing import Any, Dict, List, NamedTuple, Tuple, Type, Union

from . import _core
from ._errors import ParameterError, bad_input


class Parameter(NamedTuple):
    """A row of the table of parameters."""

    path: str  #: "memory.partitions"
    type: str  #: "whole number", "number", "word", "list", "text", "true or false"
    legal: str  #: "1 to 16", or the words
    scope: str  #: "in each SM"; empty: of the machine as a whole
    what: str  #: what it is, with its unit

    @property
    def doc(self) -> str:
        scope = f"{self.scope}: " if self.scope else ""
        legal = f": {self.legal}" if self.legal else ""
        return f"{scope}{self.what}.\n\nA {self.type}{legal}."


@functools.lru_cache(maxsize=None)
def parameters() -> Tuple[Parameter, ...]:
    """Every parameter of a machine, in the order of the tables."""
    return tuple(Parameter(*row) for row in _core.parameters())


def _accessor(row: Parameter) -> property:
    def read(group: "Group") -> Any:
        return group._machine[row.path]

    def write(group: "Group", value: Any) -> None:
        group._machine[row.path] = value

    return property(read, write, doc=row.doc)


def _group_accessor(name: str, prefix: str, path: str) -> property:
    def read(group: "Group") -> "Group":
        return _groups()[path](group._machine)

    return property(read, doc=f"The parameters {path}.*")


class Group:
    """A group of a machine's parameters, such as `memory`."""

    _path = ""
    _names: Tuple[str, ...] = ()

    def __init__(self, machine: "Machine") -> None:
        object.__setattr__(self, "_owner", machine)

    @property
    def _machine(self) -> "Machine":
        return object.__getattribute__(self, "_owner")

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        raise self._unknown(name)

    def __setattr__(self, name: str, value: Any) -> None:
        if name not in self._names:
            raise self._unknown(name)
        if isinstance(getattr(type(self), name), property) and getattr(type(self), name).fset is None:
            path = self._path + name
            raise ParameterError(f'error: "{path}" is a group of parameters\n'
                                 f"         hint: one of {', '.join(_groups()[path]._names)}\n")
        object.__setattr__(self, name, value)

    def _unknown(self, name: str) -> ParameterError:
        import difflib

        near = difflib.get_close_matches(name, self._names, 1)
        hint = f'did you mean "{self._path}{near[0]}"?' if near else f"available: {', '.join(self._names)}"
        return ParameterError(f'error: unknown parameter "{self._path}{name}"\n         hint: {hint}\n')

    def __dir__(self) -> List[str]:
        return [*super().__dir__(), *self._names] if isinstance(self, Machine) else list(self._names)

    def to_dict(self) -> Dict[str, Any]:
        """The values as nested dictionaries."""
        out = {}
        for name in self._names:
            value = getattr(self, name)
            out[name] = value.to_dict() if isinstance(value, Group) else value
        return out

    def __repr__(self) -> str:
        rows = [row for row in parameters() if row.path.startswith(self._path)]
        return "\n".join(f"{row.path} = {self._machine[row.path]!r}" for row in rows)


def _members(path: str) -> Dict[str, Any]:
    """The properties of a group: of its own parameters, and of the groups in it."""
    names: Dict[str, Any] = {}
    for row in parameters():
        if not row.path.startswith(path):
            continue
        name, _, rest = row.path[len(path):].partition(".")
        if name not in names:
            names[name] = _group_accessor(name, path, path + name) if rest else _accessor(row)
    return {**names, "_path": path, "_names": tuple(names)}


@functools.lru_cache(maxsize=None)
def _groups() -> Dict[str, Type[Group]]:
    paths = {row.path[:at] for row in parameters() for at, char in enumerate(row.path) if char == "."}
    out = {}
    for path in sorted(paths):
        rows = [row for row in parameters() if row.path.startswith(path + ".")]
        listed = "\n".join(f"{row.path}: {row.scope + ': ' if row.scope else ''}{row.what}"
                           f"{f' ({row.legal})' if row.legal else ''}" for row in rows)
        doc = f"The parameters {path}.* of a machine.\n\n{listed}"
        out[path] = type("Group_" + path.replace(".", "_"), (Group,), {**_members(path + "."), "__doc__": doc})
    return out


class Machine(Group):
    """A machine: `m = warptime.machine("geforce-8800-gtx")`.

    Its parameters are attributes, with the names of `warptime list parameters`: `m.memory.partitions = 4`,
    `m["memory.partitions"]`. A value that the parameter does not allow raises Error at once; whether values fit each
    other is checked by `hash`, `to_yaml` and `run`. `help(type(m.memory))` describes the parameters of a group.
    """

    def __init__(self, name: Union[str, "os.PathLike[str]"] = "geforce-8800-gtx", *, _like: Any = None) -> None:
        if _like is None:
            if not isinstance(name, (str, os.PathLike)):
                raise bad_input(f"a machine is a name or a file, not {type(name).__name__}")
            from ._call import path_bytes

            _like = _core.Machine(path_bytes(os.fspath(name)))
        object.__setattr__(self, "_core", _like)
        object.__setattr__(self, "_owner", self)

    @property
    def _given(self) -> str:
        return self._core.given

    @property
    def name(self) -> str:
        """The name of the machine's file."""
        return self._core.name

    @property
    def settings(self) -> List[str]:
        """What was set, as the command line has it: ["memory.partitions=4"]."""
        return list(self._core.settings)

    @property
    def hash(self) -> str:
        """16 hexadecimal digits over every value, as in the statistics. Raises Error if values do not fit each other."""
        return self._core.hash

    def to_yaml(self) -> str:
        """The whole machine as a file, each value with its origin (`warptime machine show`)."""
        return self._core.yaml()

    def copy(self) -> "Machine":
        """Another machine with the same values."""
        return Machine(_like=type(self._core)(self._core))

    __copy__ = copy

    def __deepcopy__(self, memo: Any) -> "Machine":
        return self.copy()

    def __reduce__(self) -> Any:  # for pickle, and so for multiprocessing
        return _rebuilt, (self._given, self.settings)

    def __getitem__(self, path: str) -> Any:
        if not isinstance(path, str):
            raise bad_input(f"the path of a parameter is a text, not {type(path).__name__}")
        from ._call import path_bytes

        return self._core.get(path_bytes(path))

    def __setitem__(self, path: str, value: Any) -> None:
        from ._call import path_bytes
        from ._words import value_text

        if not isinstance(path, str):
            raise bad_input(f"the path of a parameter is a text, not {type(path).__name__}")
        self._core.set(path_bytes(f"{path}={value_text(value, path)}"))

    def _ipython_key_completions_(self) -> List[str]:
        return [row.path for row in parameters()]

    def __repr__(self) -> str:
        settings = "".join(f", {setting}" for setting in self.settings)
        return f"<warptime.Machine {self.name}{settings}>"


def _rebuilt(name: str, settings: List[str]) -> Machine:
    out = Machine(name)
    for setting in settings:
        path, _, value = setting.partition("=")
        out[path] = value
    return out


def _complete(machine_class: type) -> None:
    """Gives Machine the properties of the first level."""
    for name, value in _members("").items():
        setattr(machine_class, name, value)


_complete(Machine)


def machine(name: Union[str, "os.PathLike[str]"] = "geforce-8800-gtx") -> Machine:
    """The machine of this name (`warptime.machines()`), or of a file."""
    return Machine(name)


def machines() -> Dict[str, str]:
    """The names of the machines, each with a sentence on what it is."""
    return dict(_core.machines())
