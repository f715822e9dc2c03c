"""Interactive shells on a pseudo terminal, in which a line is typed and completed as a user does it.

`warptime` is a function there that prints its words, so what was completed is what the shell then runs.
"""

import os
import pty
import re
import select
import signal
import subprocess
import time

MARK = "=ready="


class Shell:
    """bash or zsh, with the completion script loaded."""

    def __init__(self, command, setup, folder):
        pid, self.terminal = pty.fork()
        if pid == 0:
            os.chdir(folder)
            os.environ.update(TERM="dumb", HOME=folder, PS1="", COLUMNS="2000", LINES="50", INPUTRC="/dev/null", LC_ALL="C.UTF-8")
            os.execvp(command[0], command)
        self.pid = pid
        # The two halves are joined by the shell: the echo of the line is not the mark.
        self.mark = "printf '%s%s\\n' '=rea' 'dy='"
        self.send(setup + "\n" + self.mark + "\n")
        self.read_until(MARK)

    def send(self, text):
        os.write(self.terminal, text.encode())

    def read_until(self, text, seconds=30):
        read, end = "", time.monotonic() + seconds
        while text not in read:
            ready, _, _ = select.select([self.terminal], [], [], max(0, end - time.monotonic()))
            if not ready:
                raise TimeoutError(f"no {text!r} after {seconds} s in {read!r}")
            read += os.read(self.terminal, 65536).decode(errors="replace")
        return read

    def words(self, line):
        """The words that `warptime` gets when `line` is typed, completed by Tab, and entered."""
        self.send(line + "\t")
        time.sleep(0.05)
        self.send("\n" + self.mark + "\n")
        output = self.read_until(MARK)
        lists = re.findall(r"<<(.*?)>>", output)
        if not lists:
            raise AssertionError(f"{line!r} was not run: {output!r}")
        return lists[-1].split("|")[1:]

    def close(self):
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)
        os.close(self.terminal)


SPY = "warptime() { printf '<<'; printf '|%s' \"$@\"; printf '>>\\n'; }"


def bash(script, folder):
    return Shell(["bash", "--norc", "--noprofile", "-i"], f"bind 'set enable-bracketed-paste off'; {SPY}; source {script}", folder)


def zsh(script_folder, folder):
    return Shell(["zsh", "-f", "-i"], f"unsetopt zle_bracketed_paste beep; unset zle_bracketed_paste; fpath=({script_folder} $fpath); "
                 f"autoload -Uz compinit; compinit -u -D; {SPY}", folder)


def fish(script, line, folder):
    """What fish offers for a line, without descriptions."""
    out = subprocess.run(["fish", "--no-config", "-c", f"source {script}; complete -C '{line}'"], cwd=folder, text=True,
                         capture_output=True, check=True, env={**os.environ, "HOME": folder})
    assert out.stderr == "", out.stderr
    return [offer.split("\t")[0] for offer in out.stdout.splitlines()]


def bash_offers(script, line, folder, breaks=" \t\n\"'><=;|&(:"):
    """What the bash function offers for a line, as readline calls it."""
    program = ('source "$1"; COMP_LINE=$2 COMP_POINT=${#2} COMP_WORDBREAKS=$3; _warptime; '
               '((${#COMPREPLY[@]})) && printf "%s\\n" "${COMPREPLY[@]}"; true')
    out = subprocess.run(["bash", "--norc", "-c", program, "bash", script, line, breaks], cwd=folder, text=True,
                         capture_output=True, check=True)
    assert out.stderr == "", out.stderr
    return out.stdout.splitlines()
