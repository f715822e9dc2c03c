"""make_package.py --source FOLDER --module FILE --version V --output FOLDER: the importable package and its wheel.

The package gets machines, workloads and published figures, and the shared libraries of the module that are not on every
Linux. A wheel is a zip file with a list of its files (PEP 427); the same files give the same bytes.
"""
import argparse
import base64
import hashlib
import os
import re
import shutil
import subprocess
import sysconfig
import zipfile

# What PEP 599 and its successors let a wheel take for granted, as far as the module uses it.
ON_EVERY_LINUX = re.compile(r"^(ld-linux.*|lib(c|m|dl|rt|pthread|stdc\+\+|gcc_s|z)\.so\..*|linux-vdso\.so.*)$")
LEFT_OUT = (".cc", ".h")  # the module has the host code of workloads


def copy_tree(source, target, *, without=()):
    for folder, names, files in os.walk(source):
        names.sort()
        for name in sorted(files):
            if name.endswith(without):
                continue
            to = os.path.join(target, os.path.relpath(os.path.join(folder, name), source))
            os.makedirs(os.path.dirname(to), exist_ok=True)
            shutil.copyfile(os.path.join(folder, name), to)


def bring_libraries(module, target):
    os.makedirs(target)
    listed = subprocess.run(["ldd", module], check=True, capture_output=True, text=True).stdout
    for name, path in re.findall(r"(\S+) => (\S+)", listed):
        if ON_EVERY_LINUX.match(os.path.basename(name)):
            continue
        if path == "not":
            raise SystemExit(f"{module} needs {name}, which is not installed")
        shutil.copyfile(path, os.path.join(target, name))
        os.chmod(os.path.join(target, name), 0o755)


def tag():
    version = sysconfig.get_config_var("py_version_nodot")
    platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
    return f"cp{version}-cp{version}-{platform}"


def digest(data):
    return "sha256=" + base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()


def write_wheel(package, version, output):
    info = f"warptime-{version}.dist-info"
    files = {}
    for folder, names, found in os.walk(package):
        names[:] = sorted(n for n in names if n != "__pycache__")
        for name in sorted(found):
            path = os.path.join(folder, name)
            with open(path, "rb") as file:
                files[os.path.relpath(path, os.path.dirname(package))] = file.read()
    files[f"{info}/METADATA"] = (
        f"Metadata-Version: 2.1\nName: warptime\nVersion: {version}\n"
        "Summary: Runs PTX programs on a simulated GPU, timed cycle by cycle\n"
        "Requires-Python: >=3.9\n"
        "Provides-Extra: arrays\nRequires-Dist: numpy; extra == 'arrays'\n"
        "Provides-Extra: frames\nRequires-Dist: pandas; extra == 'frames'\n").encode()
    files[f"{info}/WHEEL"] = (
        f"Wheel-Version: 1.0\nGenerator: warptime\nRoot-Is-Purelib: false\nTag: {tag()}\n").encode()
    files[f"{info}/entry_points.txt"] = b"[console_scripts]\nwarptime = warptime.__main__:main\n"
    record = "".join(f"{name},{digest(data)},{len(data)}\n" for name, data in files.items())
    files[f"{info}/RECORD"] = (record + f"{info}/RECORD,,\n").encode()
    wheel = os.path.join(output, f"warptime-{version}-{tag()}.whl")
    with zipfile.ZipFile(wheel + ".part", "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
            entry.external_attr = (0o755 if ".so" in os.path.basename(name) else 0o644) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, data)
    os.replace(wheel + ".part", wheel)
    return wheel


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for option in ("source", "module", "version", "output"):
        parser.add_argument(f"--{option}", required=True)
    given = parser.parse_args()
    package = os.path.join(given.output, "warptime")
    for name in os.listdir(package):  # all but the module, which the linker has put there
        path = os.path.join(package, name)
        if os.path.isdir(path):
            shutil.rmtree(path)
        elif path != given.module:
            os.remove(path)
    for name in os.listdir(given.output):
        if name.endswith(".whl"):
            os.remove(os.path.join(given.output, name))
    copy_tree(os.path.join(given.source, "python", "warptime"), package, without=(".pyc",))
    for folder in ("configs", "workloads", "validation"):
        copy_tree(os.path.join(given.source, folder), os.path.join(package, "data", folder), without=LEFT_OUT)
    shutil.copyfile(os.path.join(given.source, "LICENSE"), os.path.join(package, "LICENSE"))
    bring_libraries(given.module, os.path.join(package, "libraries"))
    wheel = write_wheel(package, given.version, given.output)
    with open(os.path.join(given.output, "wheel.txt"), "w", encoding="utf-8") as file:
        file.write(os.path.basename(wheel) + "\n")


if __name__ == "__main__":
    main()
