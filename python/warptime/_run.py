"""warptime.run."""

from __future__ import annotations

import sys
import warnings
from typing import Any, Dict, List, Mapping, NamedTuple, Optional, Sequence, Tuple, Union

from . import _core
from ._call import Extents, call_of, extents, flag, is_ptx, mapping, name_text, symbols_of, utf8, whole
from ._errors import Fault, Warning, bad_input
from ._result import Result
from ._words import MachineLike, Words, target_text


class Kernel(NamedTuple):
    """A kernel of a PTX module, as `warptime ptx` describes it."""

    name: str
    parameters: List[Tuple[str, str]]  #: name and PTX type of each: ("n", "u32")
    registers: int  #: per thread, estimated
    shared_bytes: int  #: static, per block
    local_bytes: int  #: per thread
    unsupported: str = ""  #: why it cannot run, as `warptime ptx` says it; empty: it can


def kernels(ptx: str) -> List[Kernel]:
    """Parses and checks PTX (a text, or the name of a .ptx file) and describes its kernels."""
    call, name, text = call_of(target_text(ptx), None, ())
    return [Kernel(**entry) for entry in _core.kernels(utf8(name), text)]


def refuse_ptx_only(given: Mapping[str, Any], target: str) -> None:
    for name, value in given.items():
        if value is not None and not (isinstance(value, tuple) and not value):
            raise bad_input(f'{name} goes with PTX only, and "{target}" is not PTX')


def run(target: str, *, machine: Optional[MachineLike] = None, set: Optional[Mapping[str, Any]] = None,  # noqa: A002
        kernel: Optional[str] = None, grid: Optional[Extents] = None, block: Optional[Extents] = None,
        args: Sequence[Any] = (), constants: Optional[Mapping[str, Any]] = None, shared: Optional[int] = None,
        registers: Optional[int] = None, name: Optional[str] = None, functional: bool = False, check: bool = True,
        sample: Union[bool, str] = False, sample_seed: Optional[int] = None, max_cycles: Optional[int] = None,
        threads: Optional[int] = None, attribution: bool = True, per_instruction: bool = False,
        params: Optional[Mapping[str, Any]] = None, **parameters: Any) -> Result:
    """Runs a program on a simulated machine and returns its statistics.

    target: a workload ("matmul"), a variant of one ("matmul:tiled"), a launch file ("x.yaml"), a PTX file ("x.ptx"),
        or PTX itself.
    machine: a name of `warptime.machines()`, a file, or a `Machine`; default geforce-8800-gtx.
    set: parameters of the machine to override: {"memory.partitions": 4}.
    params and further keywords: parameters of a workload or launch file: n=128. (params: of names that are keywords here.)

    Of PTX only:
    kernel: its name; may be left out if the module has one.
    grid, block: blocks and threads in x, y and z: 16, (16, 8).
    args: the kernel's arguments in order. A NumPy array is a device buffer of its bytes; after the launch it has
        what the kernel wrote (a read-only array stays as it is). The same array twice is one buffer. A whole number or a
        float gets the type of its parameter, a NumPy scalar keeps its own; bytes (or a NumPy record) are a struct.
    constants: module-scope variables to fill before the launch: {"table": array}.
    shared: dynamic shared memory per block, bytes. registers: per thread, instead of the estimate.
    name: what the PTX text is called in messages and statistics; default kernel.ptx.

    functional: values only, no timing. check: compare results with the CPU reference.
    sample: True times a sample of the blocks, "timing" also executes only the sample. sample_seed: which sample.
    max_cycles: give up after so many shader cycles. threads: of the host. attribution: charge stalled issue slots to
    reasons. per_instruction: fill `instructions`.

    The global interpreter lock is released meanwhile, and Ctrl-C raises KeyboardInterrupt.
    Raises Error (bad input) or Fault (the simulated program faulted). Issues `warptime.Warning` for warnings and for
    failed checks. What device code prints goes to sys.stdout.
    """
    text = target_text(target)
    call: Optional[Dict[str, Any]] = None
    finish = None
    ptx_only = {"kernel": kernel, "grid": grid, "block": block, "args": args, "constants": constants, "shared": shared,
                "registers": registers, "name": name}
    if is_ptx(text):
        for what, value in (("kernel", kernel), ("name", name)):
            if value is not None:
                name_text(value, what)
        arguments, text, module = call_of(text, name, args)
        finish = arguments.finish
        call = {"name": utf8(text), "ptx": module, "kernel": utf8(kernel or ""), "grid": extents(grid, "grid"),
                "block": extents(block, "block"), "args": arguments.arguments, "arrays": arguments.arrays,
                "symbols": symbols_of(constants),
                "shared": 0 if shared is None else whole(shared, "shared", 0, 0xFFFFFFFF),
                "registers": 0 if registers is None else whole(registers, "registers", 1, 0xFFFFFFFF)}
        for unknown in {**mapping(params, "params"), **parameters}:
            raise bad_input(f'run has no argument "{unknown}", and PTX has no parameters of that kind')
    else:
        refuse_ptx_only(ptx_only, text)
    words = Words("run", text)
    words.machine(machine)
    words.settings(set)
    words.parameters({**mapping(params, "params"), **parameters})
    words.flag("functional", functional, "functional")
    words.flag("no-check", check, "check", unless=True)
    words.option("sample", sample)
    words.option("sample-seed", sample_seed)
    words.option("max-cycles", max_cycles)
    words.option("threads", threads)
    words.option("attribution", None if flag(attribution, "attribution") else "off")
    words.flag("stats-per-instruction", per_instruction, "per_instruction")
    outcome = _core.run(words.bytes(), call)
    if finish is not None:
        finish()
    if outcome["printed"]:
        sys.stdout.write(outcome["printed"])
    result = Result(outcome["statistics"], output=outcome["printed"], warnings=outcome["warnings"])
    for message in (outcome["warnings"], outcome["failures"]):
        if message:
            warnings.warn(message.rstrip("\n"), Warning, stacklevel=2)
    if outcome["fault"]:
        raise Fault(outcome["fault"], result)
    return result
