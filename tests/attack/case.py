"""One run of the program: its words, the files in its folder, and the exit statuses that are right."""

import dataclasses
import typing

BAD_INPUT, FAULT = frozenset({2}), frozenset({3})
REFUSED = BAD_INPUT | FAULT              # found before the run or in it
HANDLED = frozenset({0, 1, 2, 3})        # anything but a fault of warptime itself


@dataclasses.dataclass
class Case:
    name: str
    words: list
    files: dict = dataclasses.field(default_factory=dict)
    allowed: frozenset = BAD_INPUT
    environment: dict = dataclasses.field(default_factory=dict)
    prepare: typing.Callable = None      # called with the folder: links, pipes, modes
    stdin: str = "/dev/null"             # beside the files
    limits: dict = dataclasses.field(default_factory=dict)  # by name: {"AS": bytes}; not with sanitizers
