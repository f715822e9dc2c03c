"""Pictures of tables, comparisons of many runs, and limits of errors: what a user can get wrong."""

from case import BAD_INPUT, Case, HANDLED
from cases_data import RUN_STATISTICS

GOOD = "x,y,word\n1,2,a\n2,3,b\n"
# What has nothing to draw, or is broken.
TABLES = ["", "\n", "\0", "x,y\n", "x,y\n1\n", "x,y\n1,2,3\n", 'x,y\n"1,2\n', "x,y\n,\n", "x,y\n1,nan\n", "x,y\n1,1e999\n",
          "x,y\n1,0x\n", "\xff\xfe,y\n1,2\n", "y\n5\n", "x;y\n1;2\n", "x,y\n" + "1,two\n" * 500, ",\n1,2\n"]
DOCUMENTS = ["", "{", "[", "[]", "{}", "null", "5", '"x"', '{"rows": 5}', '{"rows": [5]}', '{"rows": []}', '{"rows": [{}]}',
             '{"launches": []}', '{"launches": [[]]}', "[" * 300 + "]" * 300, '[{"x": 1}]', '[{"x": {"y": [1, 2]}}]', '{"rows": [{"x": 1, "y": "a"}]}',
             '[{"x": 1, "y": 1e999}]', '[{"x": 1, "y": 2}, 3]', '{"total": 5, "launches": [{"x": 1}], "machine": 5}', '[{"x": "\\ud800", "y": 2}]',
             '{"schema": 1, "launches": [{"x": null, "y": null}]}']
WORDS = [["-x", "x"], ["-y", "y"], ["-x", "x", "-y", ""], ["-x", "", "-y", "y"], ["-x", "x", "-y", "y,"], ["-x", "x", "-y", ",,"], ["-x", "x", "-y", "word"],
         ["-x", "x", "-y", "y", "--by", ""], ["-x", "x", "-y", "y", "--kind", "pie"], ["-x", "x", "-y", "y", "--kind", "heat"],
         ["-x", "word", "-y", "y", "--log", "x"], ["-x", "x", "-y", "y", "--log", "z"], ["-x", "x", "-y", "y", "--log", "y", "--reference", "0"],
         ["-x", "x", "-y", "y", "--reference", "w"], ["-x", "x", "-y", "x,y", "--by", "word", "--kind", "heat"],
         ["-x", "x", "-y", "y", "--reference", "1e999"], ["-x", "x", "-y", "y", "--kind", "bar", "--log", "xy"], ["-x", "x" * 9000, "-y", "y"]]
# Values that are hard to draw, and names that are hard to write.
ODD = ["x,y\n1,1e308\n2,-1e308\n", "x,y\n1e-300,5\n1e300,6\n", "x,y\n0,0\n", "x,y\n1,5\n1,5\n", "x,y\n-1,-5\n-2,-7\n",
       "x,y\n`touch hacked`,5\n$(id),6\n", "x,y\n\"a\"\"b\\\",5\n<b>&amp;,6\nEOD,7\n", "x,y\n" + "w" * 5000 + ",5\n", "x,y\n\x1b[31m,5\n",
       "x,y\n" + "".join(f"name{i},{i}\n" for i in range(199)), "x,y\n" + "".join(f"{i},{i}\n" for i in range(5000))]
FIGURES = ["1 +- x", "1 +-", "+- 1", "1 +- -1", "5..1", "1..", "..5", "1...5", "[1]", "[]", "[1, x]", "[[1, 2]]", "{}", "0 +- 1", "1e308 +- 1e308",
           "[1e308, 1e308]", "[1, -1]", "1 +- 1 +- 1", "1..2..3", "[.nan, 1]"]
LIMITS = ["", "%", "x", "-1%", "5", "1e999%", "10 % of all", "nan", "0x", "10%%"]


def cases():
    draw = ["-x", "x", "-y", "y", "-o", "p.svg"]
    for number, text in enumerate(TABLES):
        yield Case(f"plot/csv/{number}", ["plot", "t.csv", *draw], {"t.csv": text}, BAD_INPUT)
    for number, text in enumerate(DOCUMENTS):
        yield Case(f"plot/json/{number}", ["plot", "t.json", *draw], {"t.json": text}, BAD_INPUT)
        yield Case(f"plot/several/{number}", ["plot", "t.json", "s.json", *draw], {"t.json": text, "s.json": RUN_STATISTICS}, BAD_INPUT)
    for number, words in enumerate(WORDS):
        yield Case(f"plot/words/{number}", ["plot", "t.csv", *words, "-o", "p.svg"], {"t.csv": GOOD}, BAD_INPUT)
    for number, text in enumerate(ODD):
        for kind in ("line", "bar", "scatter"):
            yield Case(f"plot/odd/{kind}/{number}", ["plot", "t.csv", *draw, "--kind", kind, "--by", "x"], {"t.csv": text}, frozenset({0, 2}))
            yield Case(f"plot/log/{kind}/{number}", ["plot", "t.csv", *draw, "--kind", kind, "--log", "y"], {"t.csv": text}, frozenset({0, 2}))
        yield Case(f"plot/odd/heat/{number}", ["plot", "t.csv", *draw, "--kind", "heat", "--by", "x"], {"t.csv": text}, frozenset({0, 2}))
    for name in ("p.gif", "p", ".", "", "nowhere/p.svg", "t.csv"):
        yield Case(f"plot/out/{name}", ["plot", "t.csv", "-x", "x", "-y", "y", "-o", name], {"t.csv": GOOD}, BAD_INPUT)
    yield Case("plot/title", ["plot", "t.csv", *draw, "--title", '"; system "touch hacked"'], {"t.csv": GOOD}, frozenset({0}))
    runs = {"a.json": RUN_STATISTICS, "b.json": RUN_STATISTICS, "c.json": RUN_STATISTICS}
    for words in (["a.json", "b.json", "d.json"], ["a.json", "b.json", "c.json", "--baseline", "4"], ["a.json", "b.json", "--baseline", "x"],
                  ["a.json", "--baseline", "1"], ["vecadd", "--baseline", "1"], ["vecadd", "nothing"], ["vecadd", "k.ptx"], ["vecadd", ""],
                  ["a.json", "b.json", "c.json", "--set", "chip.tpcs=1"], ["a.json", "vecadd", "--param", "m=1"],
                  ["vecadd", "matmul:tiled", "--param", "n=64", "--machine", "generic", "--machine", "tesla-c870"]):
        yield Case("compare/many/" + "_".join(words), ["compare", *words], runs, BAD_INPUT)
    for number, figure in enumerate(FIGURES):
        table = ("source: s\nruns: {a: {target: vecadd, param: {n: 64}}}\n"
                 f"rows: {{r: {{published: {figure}, quantity: us, role: predicted, value: a.time_us}}}}\n")
        yield Case(f"validate/figure/{number}", ["validate", "./v.yaml", "--quiet"], {"v.yaml": table}, HANDLED - {1, 3})
    for limit in LIMITS:
        for option in ("--max-error", "--max-mean-error"):
            yield Case(f"validate/{option}/{limit}", ["validate", "micro", "--only", "host/copy-latency", "--quiet", f"{option}={limit}"], {},
                BAD_INPUT)
