"""Shards of a sweep and plans of Slurm that are not what they should be."""

import os

from case import BAD_INPUT, HANDLED, Case

HEADER = '{"version":"%s","plan":"0123456789abcdef","command":"sweep","tasks":2,"words":["sweep","vecadd","--param","n=64,96"]}'


def line(first, text, mark=""):
    value = 0xCBF29CE484222325
    for byte in f"{first} {text}".encode():
        value = (value ^ byte) * 0x100000001B3 % 2**64
    return f"{mark}{first} {value:016x} {text}\n"


def header(text):
    return line("1", text, "warptime-shard ")


# attack.py says which build it attacks: shards of another one are refused at once.
BUILD = os.environ.get("WARPTIME_BUILD", "0.1.0")
GOOD = header(HEADER % BUILD)
SHARDS = ["", "\n", "\0", "warptime-shard", "warptime-shard ", "warptime-shard 1\n", "warptime-shard 2 0 {}\n", GOOD[:-9], GOOD,
    header("{}"), header("[]"), header("x"), header("[" * 9000), header(HEADER % "9.9"), header((HEADER % BUILD).replace("2,", "-2,")),
    header((HEADER % BUILD).replace("2,", "1e99,")), header((HEADER % BUILD).replace(":2,", ":9999999999999,")),
    header((HEADER % BUILD).replace('"vecadd"', "7")), header((HEADER % BUILD).replace('"vecadd"', '"vecad"')),
    header((HEADER % BUILD).replace('"vecadd"', '"--help"')), header((HEADER % BUILD).replace('"sweep",', "")),
    header((HEADER % BUILD).replace('"words":[', '"words":[],"x":[')), header((HEADER % BUILD).replace("sweep", "\\u001b[31m")),
    header((HEADER % BUILD).replace('"command":"sweep"', '"command":"whatif"')),
    GOOD + "\n", GOOD + "0\n", GOOD + "0 1 2\n", GOOD + line("0", "{}"), GOOD + line("0", "{}") + line("1", "{}"), GOOD + line("2", "{}"),
    GOOD + line("-1", "{}"), GOOD + line("99999999999999999999", "{}"), GOOD + line("0", "x"), GOOD + line("0", "7") * 2, GOOD * 2,
    GOOD + line("0", '{"status":0,"message":"","launches":"1","total":{"time_us":5}}'),
    GOOD + "".join(line(str(i), '{"status":0,"message":"","launches":"1","total":{"time_us":5}}') for i in (0, 1)),
    GOOD + "".join(line(str(i), '{"status":0}') for i in (0, 1)), GOOD + "".join(line(str(i), '{"status":4}') for i in (0, 1)),
    GOOD + "".join(line(str(i), '{"status":0,"message":[],"launches":{},"total":[]}') for i in (0, 1)),
    GOOD + line("0", '{"status":0,"total":' + "[" * 100000 + "]" * 100000 + "}"), GOOD + line("0", '{"status":1e3}'),
    header((HEADER % BUILD).replace('"vecadd"', "[118,101,99,97,100,100]")), header((HEADER % BUILD).replace('"vecadd"', "[[[256]]]"))]
SUBMISSIONS = ["", "{}", "x", '{"tasks":[[0,1]],"elements":0}', '{"tasks":[[0,1]],"elements":99}', '{"tasks":[[1,0]],"elements":1}',
    '{"tasks":[[0,99999999999]],"elements":1}', '{"tasks":[[-5,-1]],"elements":1}', '{"tasks":7,"elements":1}',
    '{"tasks":[[0,1]],"elements":"x"}', '{"tasks":[[0]],"elements":1}']


def plan(folder, plan_text, submission):
    def prepare(place):
        os.mkdir(os.path.join(place, folder))
        for name, text in {"plan.json": plan_text, "submission-1.json": submission, "shard-1-1-1-0": plan_text}.items():
            with open(os.path.join(place, folder, name), "w", encoding="utf-8", errors="surrogateescape") as file:
                file.write(text)
    return prepare


def cases():
    sweep = ["sweep", "vecadd", "--param", "n=64,96"]
    for number, text in enumerate(SHARDS):
        files = {"s": text}
        yield Case(f"shard/merge/{number}", ["sweep", "--merge", "s"], files, BAD_INPUT)
        yield Case(f"shard/merge_twice/{number}", ["sweep", "--merge", "s", "./s", "--csv", "s"], files, BAD_INPUT)
        yield Case(f"shard/resume/{number}", [*sweep, "--shard", "1/2", "--csv", "s", "--resume"], files, HANDLED - {1, 3})
        for command in (["sweep", "--merge", "p.plan"], ["sweep", "--status", "p"], [*sweep, "--slurm", "--csv", "p", "--resume"]):
            yield Case(f"shard/plan/{command[1]}/{number}", command, {}, HANDLED - {1, 3},
                prepare=plan("p.plan", text, SUBMISSIONS[4]))
    for number, text in enumerate(SUBMISSIONS):
        for command in (["sweep", "--merge", "p.plan"], ["sweep", "--status", "p"]):
            yield Case(f"shard/submission/{command[1]}/{number}", command, {}, HANDLED - {1, 3}, prepare=plan("p.plan", GOOD, text))
