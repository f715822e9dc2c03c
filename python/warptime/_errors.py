"""The exceptions and warnings of warptime."""

from __future__ import annotations

from typing import TYPE_CHECKING, Optional

if TYPE_CHECKING:
    from ._result import Result


class Error(Exception):
    """Bad input: PTX, a machine, a launch file, an argument.

    ``diagnostics`` is the whole text that the command line prints: for each mistake its place, the line with a caret
    below it, and often a suggestion. ``str(error)`` is the same text.
    """

    def __init__(self, diagnostics: str) -> None:
        super().__init__(diagnostics)
        self.diagnostics: str = diagnostics

    def __str__(self) -> str:
        return self.diagnostics.rstrip("\n")


class ParameterError(Error, AttributeError):
    """A machine has no parameter or group of this name."""


class Fault(Error):
    """The simulated program faulted: a bad address, a deadlock, a divergent barrier, a limit that was reached.

    ``diagnostics`` says which thread and instruction; ``result`` is the :class:`Result` of what ran until then (its
    ``complete`` is false). Arrays have the bytes that their buffers had at that moment.
    """

    def __init__(self, diagnostics: str, result: "Optional[Result]" = None) -> None:
        super().__init__(diagnostics)
        self.result: "Optional[Result]" = result


class Warning(UserWarning):  # noqa: A001 - always used as warptime.Warning
    """What the command line prints as a warning or a note, a failed check of results included."""


def bad_input(message: str, hint: str = "") -> Error:
    """An error in the form of the program's own."""
    return Error(f"error: {message}\n" + (f"         hint: {hint}\n" if hint else ""))
