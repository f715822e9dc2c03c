"""Runs a command of the program in a process of its own, for commands that start processes themselves: those are then
no children of the user's program, whose signals and `wait` stay untouched."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import threading
from typing import List, Optional, Sequence, Tuple

from ._errors import Error, Fault

_START = "import sys; sys.path.insert(0, sys.argv.pop(1)); from warptime.__main__ import main; sys.exit(main())"
_PROGRESS = re.compile(r"^\s+\d[\d,]* of \d")


def run_command(words: Sequence[str], folder: Optional[str] = None) -> Tuple[str, str]:
    """Its standard output and what it said on standard error; progress lines are shown as they come. Raises Error."""
    parent = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    try:
        process = subprocess.Popen([sys.executable, "-I", "-c", _START, parent, *words], cwd=folder,
                                   stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    except (OSError, ValueError) as error:
        raise Error(f"error: cannot start {sys.executable}: {error}\n") from None
    assert process.stdout is not None and process.stderr is not None
    out, messages = process.stdout, process.stderr
    said: List[str] = []

    def listen() -> None:
        for line in messages:
            text = line.decode("utf-8", "replace")
            if _PROGRESS.match(text):
                sys.stderr.write(text)
            else:
                said.append(text)

    listener = threading.Thread(target=listen, daemon=True)
    listener.start()
    try:
        output = out.read()
        status = process.wait()
    except BaseException:  # Ctrl-C: its runs end with it
        process.terminate()
        process.wait()
        raise
    finally:
        listener.join(5)
        out.close()
        messages.close()
    text = "".join(said)
    if status == 3:
        raise Fault(text)
    if status not in (0, 1):
        raise Error(text or f"error: the process of `warptime {words[0]}` ended with status {status}\n")
    return output.decode("utf-8", "replace"), text
