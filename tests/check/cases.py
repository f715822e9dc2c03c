"""The cases of programs/: a file for each, in sections that "---- NAME" begins.

    (the beginning)     what `warptime check` has to find, as YAML:
      machine, mended_machine   where the program and its mended twin run
      tool, kind, line, kernel, block, thread   of the finding; a list of lines: any of them; thread null: not compared
      source_line               of the CUDA source, where there is one
                                of a race: those of the access that comes second in the functional run
      with_line                 of a race: the line of the other access
      buffer                    of the address, where it lies in one or beside one
      variable, remedy          of the finding, where they are given
      notes                     kinds of notes that the program and its twin may get
      also                      kinds that the same fault shows as well, at other lines or to other threads
    launch.yaml         the launch of fault.ptx
    expect.yaml         the results of the twin, which has the same launch
    mended.yaml         the launch of the twin and its results, if the launch is another one
    fault.ptx, mended.ptx       the modules; those of CUDA sources lie in the folder of the case's name, where `./dev ptx` makes them
    compute-sanitizer   what it found, recorded by sanitizer/
"""
import pathlib
import re
import shutil

import yaml

PROGRAMS = pathlib.Path(__file__).resolve().parent / "programs"
FINDINGS = "compute-sanitizer"
TOOLS = ["memcheck", "initcheck", "racecheck", "synccheck"]


class CaseFile:
    def __init__(self, name):
        self.name = name
        self.path = PROGRAMS / f"{name}.case"
        begin, *rest = re.split(r"^---- (\S+)\n", self.path.read_text(), flags=re.M)
        self.expected = yaml.safe_load(begin)
        self.begin = begin
        self.sections = dict(zip(rest[::2], rest[1::2]))

    def unpack(self, folder):
        """Writes the files that the commands take; their lines are those of the sections."""
        folder = pathlib.Path(folder)
        if (PROGRAMS / self.name).is_dir():
            shutil.copytree(PROGRAMS / self.name, folder, dirs_exist_ok=True)
        files = {name: text for name, text in self.sections.items() if name not in ("expect.yaml", FINDINGS)}
        if "mended.yaml" not in files:
            files["mended.yaml"] = files["launch.yaml"].replace("fault.ptx", "mended.ptx") + self.sections.get("expect.yaml", "")
        for name, text in files.items():
            (folder / name).write_text(text)

    def replace(self, section, text):
        """Writes the case anew with this text in a section."""
        self.sections[section] = text
        self.path.write_text(self.begin + "".join(f"---- {name}\n{text}" for name, text in self.sections.items()))


def all_cases():
    """By name; those of a tool together."""
    cases = [CaseFile(path.stem) for path in sorted(PROGRAMS.glob("*.case"))]
    return {case.name: case for case in sorted(cases, key=lambda case: TOOLS.index(case.expected["tool"]))}
