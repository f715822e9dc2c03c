"""Scripts of the debugger: every command with odd words, and long sessions of random commands."""

import random

from case import Case

COMMANDS = ["continue", "run", "stepi", "step", "next", "finish", "until", "advance", "cycle", "goto", "reverse-stepi",
    "reverse-step", "reverse-continue", "last-write", "break", "tbreak", "watch", "rwatch", "awatch", "catch", "condition", "delete",
    "info", "cuda", "print", "x", "list", "backtrace", "help", "quit"]
ODD = ["", "0", "-1", "18446744073709551616", "18446744073709551615", "1e9", "x", "%", "%r1", "%rd1", "%tid.x", "%clock64", "$", "$cycle",
    "[", "]", "[]", "[0]", "[%rd1]", "f32 [a]", "shared.f64 [99999999]", "local.u8 [0]", "const.b32 [0]", "param.u64 [0]", "b128 [0]",
    "pred [0]", "[-1]", "[9223372036854775807]", "(", "((((", ")", "1+", "1<<99", "1/0", "7%0", "-9223372036854775808/-1", "!", "~", "\"",
    "'", "\\", "{}", "%s%n", "ä", "\x1b[31m", "\udcff", "if", "if if", "1 if", "35 if [", ":", ":1", "1:", "vecadd.ptx:", "vecadd.cu:4",
    "/", "/x", "/99f", "/0x 0", "/4zz 0", "/all", "/all %r1", "/4096xb64 a", "block", "block 0", "block 9,9,9", "thread ,,", "sm 0 warp 63 lane 99",
    "cycle", "cycle 70", "cycle 18446744073709551615", "barrier", "stall", "stall barrier 0", "stall global_dependency 1", "launch",
    "end", "divergence", "warp", "a" * 5000, "(" * 5000, "-" * 5000, "1 2 3 4"]
SESSIONS, LENGTH = 40, 60


def cases():
    for command in COMMANDS:
        lines = [f"{command} {word}" for word in ODD if command not in ("quit", "run")]
        # In the middle of a launch, and again at its end, where no warp is resident.
        script = ["goto cycle 600", *lines, "delete", "goto cycle 999999", *lines, "delete", "continue", *lines]
        yield Case(f"debug/{command}", ["debug", "vecadd", "--param", "n=300", "--script", "s.txt"],
                   {"s.txt": "\n".join(script) + "\n"}, frozenset({0}))
    chance = random.Random(5)
    for number in range(SESSIONS):
        script = "\n".join(f"{chance.choice(COMMANDS[:-1])} {chance.choice(ODD) if chance.random() < 0.6 else ''}"
                           for _ in range(LENGTH))
        yield Case(f"debug/session/{number}", ["debug", "vecadd", "--param", "n=300", "--script", "s.txt"], {"s.txt": script},
                   frozenset({0}))
    for name, text in {"empty": "", "binary": bytes(range(256)) * 20, "one_line": "print " + "1+" * 20000 + "1",
                       "no_end": "continue"}.items():
        yield Case(f"debug/script/{name}", ["debug", "vecadd", "--param", "n=300", "--script", "s.txt"], {"s.txt": text},
                   frozenset({0}))
