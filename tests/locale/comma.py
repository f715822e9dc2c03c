"""A locale with a decimal comma and groups of digits, made from nothing but localedef, which is part of the C library:
no machine lacks it, so no test has a reason to skip."""

import os
import pathlib
import subprocess

NAME = "comma"
SOURCE = """comment_char %
escape_char /
LC_NUMERIC
decimal_point ","
thousands_sep "."
grouping 3;3
END LC_NUMERIC
"""


def environment(folder):
    """Environment variables under which setlocale(LC_ALL, "") chooses it; it is made in `folder`."""
    folder = pathlib.Path(folder)
    characters = "".join(f"<U{code:04X}> /x{code:02x} a character\n" for code in range(128))
    (folder / "characters").write_text(
        f"<code_set_name> ANSI_X3.4-1968\n<comment_char> %\n<escape_char> /\nCHARMAP\n{characters}END CHARMAP\n")
    (folder / "source").write_text(SOURCE)
    # It ends with 1, as the other categories are left as they are without a locale.
    subprocess.run(["localedef", "-c", "-f", folder / "characters", "-i", folder / "source", folder / NAME],
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env={"PATH": os.environ["PATH"] + ":/usr/bin"})
    if not (folder / NAME / "LC_NUMERIC").exists():
        raise SystemExit("localedef made no locale")
    return {"LOCPATH": str(folder), "LC_ALL": NAME}
