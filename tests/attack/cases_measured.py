"""Bad CSV files of measured launches in validation tables."""

from case import BAD_INPUT, HANDLED, Case

CSV = "target,parameters,kernel,us\nvecadd,n=64,vecadd,2.5\n"
ENTRY = 'csv: m.csv, name: "{target}", target: "{target}", param: "{parameters}", launch: "{kernel}", published: us, role: predicted, source: s'
CSVS = [
    "", "\n", ",", ",,,\n", "\"", "\"\"\"\n", "target\nvecadd\n", CSV + CSV, CSV[:-5], CSV + "vecadd", CSV + "\"vecadd,n=64,vecadd,2.5", CSV + "," * 70000,
    CSV.replace("2.5", "0"), CSV.replace("2.5", "-1"), CSV.replace("2.5", "nan"), CSV.replace("2.5", "1e999"), CSV.replace("2.5", "9" * 5000),
    CSV.replace("2.5", ""), CSV.replace("n=64", "n"), CSV.replace("n=64", "=64"), CSV.replace("n=64", "m=64"), CSV.replace("n=64", "n=" + "9" * 5000),
    CSV.replace("vecadd,2", "other,2"), CSV.replace("vecadd,2", ",2"), CSV.replace("vecadd,2", "7,2"), CSV.replace("vecadd,2", "-1,2"),
    CSV.replace("vecadd,2", "a b,2"), CSV.replace("vecadd,2", "a.b,2"), CSV.replace("vecadd,2", "\x1b[31m,2"), CSV.replace("\nvecadd", "\nnothing"),
    CSV.replace("\nvecadd", "\nv.yaml"), CSV.replace("\nvecadd", "\n\u00fc"), CSV.replace("\nvecadd", "\n/dev/zero.yaml"), "\ufeff" + CSV,
    CSV.replace("\n", "\r\n"), CSV.replace("\n", "\r"), CSV.replace(",", ";"), "\0" * 100, CSV + "\0", ("a" * 70000) + "\n",
]
ENTRIES = [
    "", "5", "[]", "{}", "csv: m.csv", "csv: ''", "csv: .", "csv: /dev/zero", "csv: v.yaml", "csv: [m.csv]", "name: ''", "name: '{'", "name: '}'", "name: '{}'",
    "name: '{{target}}'", "name: '{us}{us}'", "name: {target}", "launch: 0", "launch: 99999999999999999999", "launch: -1", "launch: []", "published: ''",
    "published: 1", "published: us +", "published: us / 0", "published: kernel", "published: us < 1", "published: " + "(" * 9000, "where: {us: 2.5}",
    "where: {us: 3}", "where: {no: 1}", "where: 5", "where: {us: []}", "where: []", "machine: nothing", "machine: generic", "machine: '{target}'",
    "conditions: 5", "conditions: {chip.tpcs: 0}", "conditions: {no.such: 1}", "conditions: {chip.tpcs: []}", "role: ''", "role: [predicted]",
    "roles: 5", "roles: {vecadd: x}", "roles: {none: fitted}", "roles: {vecadd: []}", "notes: {vecadd: {}}", "notes: [a]", "quantity: s", "source: ''",
    "source: []", "param: 5", "param: []", "target: 5", "target: []", "target: '{kernel}:x'",
]


def cases():
    for number, text in enumerate(CSVS):
        yield Case(f"measured/csv/{number}", ["validate", "v.yaml"], {"m.csv": text, "v.yaml": f"measured:\n  a: {{{ENTRY}}}\n"}, HANDLED)
    for number, text in enumerate(ENTRIES):
        key = text.split(":")[0]
        others = ", ".join(part for part in ENTRY.split(", ") if part.split(":")[0] != key)
        yield Case(f"measured/entry/{number}", ["validate", "v.yaml"], {"m.csv": CSV, "v.yaml": f"measured:\n  a: {{{others}, {text}}}\n"}, HANDLED)
    for number, text in enumerate(("measured: 5\n", "measured: {}\n", "measured: [a]\n", "measured:\n  a-b: {}\n", "measured:\n  a: 5\n", "only_if_named: true\n",
                                   "only_if_named: 5\nmeasured: {}\n", "runs: {}\nmeasured: {}\n", "rows: {}\nmeasured: {}\n")):
        yield Case(f"measured/table/{number}", ["validate", "v.yaml"], {"v.yaml": text}, BAD_INPUT)
