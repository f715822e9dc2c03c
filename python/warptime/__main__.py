"""`python -m warptime ...` is the command line `warptime ...`."""

import os
import sys


def main() -> int:
    import signal

    from warptime import _core

    # Ctrl-C and closed pipes are handled by the commands, as in a program without an interpreter.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    return _core.main([os.fsencode(word) for word in sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
