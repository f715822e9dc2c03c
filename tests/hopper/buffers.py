"""Runs a launch file of validation/hopper and reads what its buffers hold before and after."""
import pathlib
import re
import struct
import subprocess
import tempfile

FOLDER = pathlib.Path(__file__).resolve().parents[2] / "validation" / "hopper"
FORMATS = {"u8": "B", "u32": "I", "s32": "i", "f32": "f", "f64": "d", "f16": "e"}
WORD = 0xFFFFFFFF


def f32(number):
    """The nearest number of single precision."""
    return struct.unpack("f", struct.pack("f", number))[0]


def signed_bytes(words):
    """The bytes of 32-bit words, lowest first, as signed numbers."""
    return [((word >> shift & 255) ^ 128) - 128 for word in words for shift in (0, 8, 16, 24)]


class Run:
    """A functional run: run[NAME] is a buffer after it, run.before[NAME] one with random contents before it; run.numbers are the
    kernel's arguments that are not addresses, run.grid and run.block its extents."""

    def __init__(self, warptime, file):
        text = (FOLDER / file).read_text(encoding="utf-8").split("expect:")[0]
        kernel = file.split(".")[0]
        launch = re.search(rf"kernel: {kernel}\n    grid: \[(.*)\]\n    block: \[(.*)\]\n(?:    shared.*\n)?    args: \[(.*)\]", text)
        self.grid, self.block = ([int(extent) for extent in launch[i].split(",")] for i in (1, 2))
        self.numbers = [float(value) if kind == "f32" else int(value) for kind, value in re.findall(r"\{(\w+): ([^}]+)\}", launch[3])]
        self.after, self.before = {}, {}
        with tempfile.TemporaryDirectory() as folder:
            types = self._write(text, pathlib.Path(folder))
            result = subprocess.run([warptime, "run", f"{folder}/launch.yaml", "--machine", "generic", "--functional", "--quiet"],
                                    capture_output=True, text=True, check=False)
            if result.returncode != 0:
                raise ValueError(result.stderr)
            for name, kind in types.items():
                raw = pathlib.Path(folder, name).read_bytes()
                values = list(struct.unpack(f"<{len(raw) // struct.calcsize(FORMATS[kind])}{FORMATS[kind]}", raw))
                if name.endswith("_before"):
                    self.before[name.removesuffix("_before")] = values
                else:
                    self.after[name] = values

    def __getitem__(self, name):
        return self.after[name]

    @staticmethod
    def _write(text, folder):
        """Writes the launch file with an output for each buffer and a second buffer for each with random contents, which no kernel
        is given; returns the types by name."""
        types, copies = {}, ""
        for name, form, kind in re.findall(r"^  (\w+): (\{type: (\w+), .*\})$", text, re.M):
            constant = name == "kTable"
            if not constant:
                types[name] = kind
            if constant or "random" in form:
                types[f"{name}_before"] = kind
                copies += f"  {name}_before: {form}\n"
        text = text.replace("module: ", f"module: {FOLDER}/").replace("buffers:\n", "buffers:\n" + copies)
        text += "outputs:\n" + "".join(f"  {name}: {folder}/{name}\n" for name in types)
        (folder / "launch.yaml").write_text(text, encoding="utf-8")
        return types
