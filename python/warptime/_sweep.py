"""warptime.sweep and warptime.whatif: many runs as a pandas DataFrame."""

from __future__ import annotations

import contextlib
import io
import os
import warnings
from typing import TYPE_CHECKING, Any, Iterator, Mapping, Optional, Sequence, Tuple, Union

from ._call import Extents, call_of, extents, is_ptx, mapping, name_text
from ._errors import Warning, bad_input
from ._run import kernels, refuse_ptx_only
from ._words import MachineLike, Words, machine_text, target_text

if TYPE_CHECKING:
    import pandas

FileName = Union[str, "os.PathLike[str]"]


def _pandas() -> Any:
    try:
        import pandas
    except ImportError:
        raise bad_input("a DataFrame needs pandas", "install python3-pandas, or pandas with pip") from None
    return pandas


def _frame(csv: str, columns_of_text: Sequence[str]) -> "pandas.DataFrame":
    pandas = _pandas()
    return pandas.read_csv(io.StringIO(csv), dtype={name: str for name in columns_of_text},
                           float_precision="round_trip")  # the numbers of the statistics, to the last bit


def _scalar_word(kind: str, value: Any, parameter: Optional[str], index: int) -> str:
    """An argument as --arg has it: TYPE=VALUE."""
    if kind == "bytes" or (parameter or "").endswith("]"):
        raise bad_input(f"args[{index}] is a struct, which only run and launch files can pass")
    if kind in ("int", "float"):
        if parameter is None:
            raise bad_input(f"args[{index}]: the kernel has fewer parameters")
        return f"{parameter}={value!r}" if kind == "float" else f"{parameter}={value}"
    # A NumPy scalar: its bits.
    return f"{kind.replace('s', 'u').replace('f', 'b')}={value}"


@contextlib.contextmanager
def _ptx_folder(words: Words, target: str, given: Mapping[str, Any]) -> Iterator[str]:
    """A folder with the PTX and its arrays as the files of a command line."""
    if given["kernel"] is not None:
        name_text(given["kernel"], "kernel")
    call, _, text = call_of(target, None, given["args"])
    rows = [row for row in kernels(target) if given["kernel"] in (None, row.name)]
    types = [kind for _, kind in rows[0].parameters] if len(rows) == 1 else []
    words.option("kernel", given["kernel"])
    for name in ("grid", "block"):
        words.option(name, ",".join(map(str, extents(given[name], name))))
    words.option("shared", given["shared"])
    words.option("registers", given["registers"])
    import tempfile

    with tempfile.TemporaryDirectory(prefix="warptime-") as folder:
        with open(os.path.join(folder, "kernel.ptx"), "wb") as file:
            file.write(text)
        for index, (_, memory, _) in enumerate(call.arrays):
            with open(os.path.join(folder, f"a{index}.bin"), "wb") as file:
                file.write(memory)
            words.repeat("buffer", f"a{index}=u8:{memory.nbytes}:@a{index}.bin")
        for index, (kind, value) in enumerate(call.arguments):
            parameter = types[index] if index < len(types) else None
            words.repeat("arg", f"a{value}" if kind == "array" else _scalar_word(kind, value, parameter, index))
        yield folder


def _run(words_for: Any, target: str, ptx_only: Mapping[str, Any]) -> Tuple[str, str]:
    from ._command import run_command  # what it imports takes longer than a small run

    _pandas()  # that it is missing is better known before a long sweep than after it
    if not is_ptx(target):
        refuse_ptx_only(ptx_only, target)
        return run_command(words_for(target, False).texts())
    words = words_for("kernel.ptx", True)
    with _ptx_folder(words, target, ptx_only) as folder:
        return run_command(words.texts(), folder)


def sweep(target: str, *, set: Optional[Mapping[str, Any]] = None,  # noqa: A002
          machine: Union[MachineLike, Sequence[MachineLike], None] = None, params: Optional[Mapping[str, Any]] = None,
          kernel: Optional[str] = None, grid: Optional[Extents] = None, block: Optional[Extents] = None,
          args: Sequence[Any] = (), shared: Optional[int] = None, registers: Optional[int] = None,
          functional: bool = False, check: bool = True, sample: Union[bool, str] = False,
          sample_seed: Optional[int] = None, max_cycles: Optional[int] = None, jobs: Optional[int] = None,
          zip: bool = False, random: Optional[int] = None, seed: Optional[int] = None,  # noqa: A002
          columns: Union[str, Sequence[str], None] = None, csv: Optional[FileName] = None,
          resume: bool = False, force: bool = False, **parameters: Any) -> "pandas.DataFrame":
    """Runs a target with every combination of values: a row each, with the columns of `warptime sweep --csv`.

    set, params, further keywords: as of `run`, but with lists of values: set={"memory.partitions": [2, 4, 6]},
        n=[64, 128]. A text is taken as the command line has it ("2,4,6", and ranges).
    machine: one, or a list of names, which is then an axis, too.
    kernel, grid, block, args, shared, registers: as of `run`. Arrays are not changed.
    jobs: points at a time, each on one thread in a process of its own; default: the host's cores.
    zip: the axes in step instead of every combination. random, seed: so many random points instead.
    columns: which numbers, instead of all: ["time_us", "issue.*"].
    csv: a file to which each row is added as it comes. resume: keep the rows that an interrupted sweep left in it.
        force: replace an existing file.

    Columns: the swept values, `status` (0: done, 1: a check failed, 2: bad input, 3: a fault), `launches`, and the
    numbers of `total`. A failed point is a row with its status; a `warptime.Warning` says why. Raises Error if the
    sweep itself cannot begin.
    """
    text = target_text(target)

    def words_for(name: str, elsewhere: bool) -> Words:
        words = Words("sweep", name)
        if isinstance(machine, Sequence) and not isinstance(machine, str):
            words.option("machine", ",".join(machine_text(each, elsewhere) for each in machine))
            if any(getattr(each, "settings", None) for each in machine):
                raise bad_input("a machine of a list has settings of its own", "sweep each of them, or use set=")
        else:
            words.machine(machine, absolute=elsewhere)
        words.settings(set, axes=True)
        words.parameters({**mapping(params, "params"), **parameters}, axes=True)
        words.flag("functional", functional, "functional")
        words.flag("no-check", check, "check", unless=True)
        words.option("sample", sample)
        words.option("sample-seed", sample_seed)
        words.option("max-cycles", max_cycles)
        words.option("jobs", jobs)
        words.flag("zip", zip, "zip")
        words.option("random", random)
        words.option("seed", seed)
        words.option("columns", ",".join(map(str, columns)) if isinstance(columns, (list, tuple)) else columns)
        words.option("csv", None if csv is None else os.path.abspath(target_text(csv)))
        words.flag("resume", resume, "resume")
        words.flag("force", force, "force")
        return words

    text_of_rows, said = _run(words_for, text, {"kernel": kernel, "grid": grid, "block": block, "args": args, "shared": shared,
                                       "registers": registers})
    if said:
        warnings.warn(said.rstrip("\n"), Warning, stacklevel=2)
    if csv is not None:
        with open(csv, encoding="utf-8", errors="replace", newline="") as file:
            text_of_rows = file.read()
    return _frame(text_of_rows, ["sweep"])


def whatif(target: str, *, machine: Optional[MachineLike] = None, set: Optional[Mapping[str, Any]] = None,  # noqa: A002
           params: Optional[Mapping[str, Any]] = None, kernel: Optional[str] = None, grid: Optional[Extents] = None,
           block: Optional[Extents] = None, args: Sequence[Any] = (), shared: Optional[int] = None,
           registers: Optional[int] = None, jobs: Optional[int] = None, **parameters: Any) -> "pandas.DataFrame":
    """Changes each parameter of the machine that the program can notice, one at a time: `warptime whatif --csv`.

    Columns: `parameter`, `value`, `time_us`, `change` (of the time: -0.2 is a fifth less). Arguments as of `run`.
    """
    text = target_text(target)

    def words_for(name: str, elsewhere: bool) -> Words:
        words = Words("whatif", name)
        words.machine(machine, absolute=elsewhere)
        words.settings(set)
        words.parameters({**mapping(params, "params"), **parameters})
        words.option("jobs", jobs)
        words.option("csv", "-")
        return words

    csv, said = _run(words_for, text, {"kernel": kernel, "grid": grid, "block": block, "args": args, "shared": shared,
                                       "registers": registers})
    if said:
        warnings.warn(said.rstrip("\n"), Warning, stacklevel=2)
    return _frame(csv, ["parameter", "value"])
