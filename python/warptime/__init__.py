"""warptime: runs PTX programs on a simulated GPU, functionally exact and timed cycle by cycle.

    import warptime
    r = warptime.run("matmul:tiled", n=128, machine="geforce-8800-gtx", set={"memory.partitions": 4})
    r.total.time_us, r["total"]["time_us"]

`run`, `sweep`, `whatif` run programs; a `Device` keeps its memory from launch to launch; `machine`, `machines`, `parameters`, `workloads`, `kernels` say what there is. Bad
input raises `Error`, a fault of the simulated program `Fault`; both have the text of the command line in `diagnostics`.
"""

from __future__ import annotations

import os as _os
from typing import Dict as _Dict

from . import _core

_core.set_home(_os.path.join(_os.path.dirname(_os.path.abspath(__file__)), "data"))

from ._device import Array, Device, DeviceKernel, Event, Module, Stream  # noqa: E402
from ._errors import Error, Fault, ParameterError, Warning  # noqa: E402, A004
from ._machine import Group, Machine, Parameter, machine, machines, parameters  # noqa: E402
from ._result import Record, Result  # noqa: E402
from ._run import Kernel, kernels, run  # noqa: E402
from ._sweep import sweep, whatif  # noqa: E402

__version__: str = _core.version()

__all__ = ["Array", "Device", "DeviceKernel", "Error", "Event", "Fault", "Group", "Kernel", "Machine", "Module", "Parameter",
           "ParameterError", "Record", "Result", "Stream", "Warning", "kernels", "machine", "machines", "parameters", "run", "sweep", "whatif", "workloads"]


def workloads() -> _Dict[str, Record]:
    """The workloads by name, each with `what`, `variants`, `parameters`, `published` and `outputs`
    (`warptime list workloads --json`)."""
    import json

    return {row["name"]: row for row in json.loads(_core.workloads(), object_pairs_hook=Record)}
