#!/usr/bin/env python3
"""build_programs.py FOLDER RUNTIME [NAME...]: builds the CUDA programs of tests/cuda/programs/ in FOLDER, by g++ and their
committed PTX, without a CUDA toolkit. RUNTIME is the folder with libcudart.so.13. With --nvcc: by nvcc, as users build.

A program is NAME.cu, or NAME/*.cu (several files, -rdc=true). The host's side goes through g++ with minimal/cuda_minimal.h,
after device functions have lost their bodies and kernel<<<...>>>(...) has become a call; the device's side is the .ptx
beside the source (`./dev ptx`), in a fat binary as src/cuda/fat_binary.h describes it. What nvcc generates to register
both is written here: every kernel and variable in PTX has the name that g++ gives to the function or variable, too.
Programs whose sources say "nvcc only" are left out without nvcc."""
import argparse
import concurrent.futures
import os
import re
import shlex
import shutil
import struct
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
PROGRAMS = os.path.join(HERE, "programs")
SOURCE = os.path.normpath(os.path.join(HERE, "..", "..", "src"))


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def write(path, text):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def sources_of(name):
    folder = os.path.join(PROGRAMS, name)
    if os.path.isdir(folder):
        return [os.path.join(folder, file) for file in sorted(os.listdir(folder)) if file.endswith(".cu")]
    return [folder + ".cu"]


def all_names():
    return sorted(name.removesuffix(".cu") for name in os.listdir(PROGRAMS)
                  if name.endswith(".cu") or os.path.isdir(os.path.join(PROGRAMS, name)))


def is_for_nvcc(name):
    return any("nvcc only" in read(path) for path in sources_of(name))


def flags_of(name):
    """What comments of its sources ask for: "// flags: -rdc=true"."""
    found = [re.search(r"^// flags: (.*)$", read(path), re.M) for path in sources_of(name)]
    return [flag for one in found if one for flag in shlex.split(one[1])]


# ---- The host's side

def closing(text, at):
    """Where the bracket at `at` is closed."""
    depth = 0
    for i in range(at, len(text)):
        depth += (text[i] in "([{") - (text[i] in ")]}")
        if depth == 0:
            return i
    raise ValueError("a bracket is not closed")


def without_device_bodies(text):
    out, at = "", 0
    for match in re.finditer(r"__(global|device)__(?!\()", text):
        head = text[match.start():match.start() + 400]
        found = re.match(r"[^;={}()]*(__(?:launch_bounds|cluster_dims)__\([^)]*\))?[^;={}()]*\(", head)
        before = text[text.rfind("\n", 0, match.start()) + 1:match.start()]
        if match.start() < at or found is None or "__host__" in before + found[0]:
            continue
        end = closing(text, match.start() + found.end() - 1)
        body = re.compile(r"[^;{]*").match(text, end + 1).end()
        if text[body] != "{":
            continue
        out += text[at:body] + "{ __builtin_trap(); }"
        at = closing(text, body) + 1
    return out + text[at:]


def with_calls(text):
    launch = re.compile(r"((?:\w+::)*\w+(?:<[^<>;{}]*>)?)\s*<<<(.*?)>>>\s*\(", re.S)
    return launch.sub(r"cuda_minimal::call(\1, \2)(", text)


def with_managed(text):
    """A __managed__ variable becomes an address that the runtime fills in, and an expression behind its name."""
    def replace(match):
        kind, name, extent = match.groups()
        return (f"void* managed_{name};\nusing managed_{name}_type = {kind}{extent};\n"
                f"#define {name} cuda_minimal::managed<managed_{name}_type>(managed_{name})\n")
    return re.sub(r"__managed__\s+([\w:]+)\s+(\w+)((?:\[[^\]]*\])*)\s*;", replace, text)


def host_source(path):
    text = re.sub(r"//[^\n]*", "", read(path))
    line = f'#include "cuda_minimal.h"\n#line 1 "{path}"\n'
    return line + with_managed(with_calls(without_device_bodies(text)))


# ---- The device's side

def lz4(data):
    """Literals alone, which are an LZ4 block, too."""
    rest, length = len(data) - 15, b""
    while rest >= 255:
        length += b"\xff"
        rest -= 255
    return b"\xf0" + length + bytes([rest]) + data


def zstd(data):
    """A frame whose blocks are as they are."""
    out = struct.pack("<IBQ", 0xFD2FB528, 0xE0, len(data))
    most = 1 << 17
    for at in range(0, len(data), most):
        block = data[at:at + most]
        out += struct.pack("<I", len(block) << 3 | (at + most >= len(data)))[:3] + block
    return out


PACKINGS = [(0, None), (0x2000, lz4), (0x8000, zstd)]


def fat_binary(ptx, index):
    """A container with one entry of PTX, packed in one of three ways."""
    flag, pack = PACKINGS[index % len(PACKINGS)]
    capability = int(re.search(r"^\.target sm_(\d+)", ptx, re.M)[1])
    data = ptx.encode() + b"\0"
    stored = pack(data) if pack else data
    padded = stored + b"\0" * (-len(stored) % 8)
    entry = struct.pack("<HHIQIIHHIQQQQ", 1, 0x101, 64, len(padded), len(stored) if pack else 0, 0, 0, 8, capability, 0,
                        0x11 | flag, 0, len(data) if pack else 0)
    return struct.pack("<IHHQ", 0xBA55ED50, 1, 16, len(entry) + len(padded)) + entry + padded


def registration(ptx, files, number):
    """The constructor that registers the kernels and variables of one or, linked, several modules."""
    everything = "\n".join(ptx)
    kernels = list(dict.fromkeys(re.findall(r"^(?:\.visible |\.weak )?\.entry ([\w$]+)", everything, re.M)))
    variables = re.findall(r"^(?:\.visible |\.weak )?\.(const|global) (?:\.attribute\(\.(managed)\) )?.*?([\w$]+)(?:\[(\d+)\])?(?: =|;)",
                           everything, re.M)
    out = ['extern "C" {', "void** __cudaRegisterFatBinary(const void*); void __cudaRegisterFatBinaryEnd(void**);",
           "void __cudaUnregisterFatBinary(void**); int atexit(void (*)());",
           "void __cudaRegisterFunction(void**, const char*, char*, const char*, int, void*, void*, void*, void*, int*);",
           "void __cudaRegisterVar(void**, char*, char*, const char*, int, unsigned long, int, int);",
           "void __cudaRegisterManagedVar(void**, void**, char*, const char*, int, unsigned long, int, int);", "}",
           "namespace cuda_minimal { inline void** module_of_managed; }", "static void** handle;"]
    for i, file in enumerate(files):
        out.append(f'asm(".section .nv_fatbin,\\"a\\"\\n.balign 8\\n.globl fat{i}\\nfat{i}: .incbin \\"{file}\\"\\n.previous");')
        out.append(f"extern \"C\" const char fat{i}[];")
    linked = len(files) > 1
    out.append("static const void* const containers[] = {" + "".join(f"fat{i}, " for i in range(len(files))) + "nullptr};")
    out.append('__attribute__((section(".nvFatBinSegment"), used)) static struct { int magic, version; const void *data, *linked; } '
               f"wrapper = {{0x466243b1, {2 if linked else 1}, fat0, {'containers' if linked else 'nullptr'}}};")
    calls = []
    for i, kernel in enumerate(kernels):
        out.append(f'extern "C" char kernel{i} asm("{kernel}");')
        calls.append(f'__cudaRegisterFunction(handle, &kernel{i}, &kernel{i}, "{kernel}", -1, 0, 0, 0, 0, 0);')
    for i, (space, managed, variable, count) in enumerate(variables):
        if variable.startswith(("$", "_")):
            continue  # texts, tables of virtual functions and of the toolkit: nothing of the host
        if managed:
            out.append(f"extern void* managed_{variable};")
            calls.append(f'__cudaRegisterManagedVar(handle, &managed_{variable}, 0, "{variable}", 0, 0, 0, 0);')
        else:
            out.append(f'extern "C" char variable{i} asm("{variable}");')
            calls.append(f'__cudaRegisterVar(handle, &variable{i}, &variable{i}, "{variable}", 0, {count or 0}, {int(space == "const")}, 0);')
    body = "\n  ".join(["handle = cuda_minimal::module_of_managed = __cudaRegisterFatBinary(&wrapper);", *calls,
                        "__cudaRegisterFatBinaryEnd(handle);", "atexit([] { __cudaUnregisterFatBinary(handle); });"])
    out.append(f"__attribute__((constructor(101))) static void register_all() {{\n  {body}\n}}")
    return "\n".join(out) + "\n"


# ---- Building

def run(command, what):
    result = subprocess.run(command, capture_output=True, text=True)
    if result.returncode != 0:
        raise RuntimeError(f"{what} was not built: {shlex.join(command)}\n{result.stderr[-3000:]}")


def build_by_nvcc(name, folder, nvcc):
    program = os.path.join(folder, name)
    flags = flags_of(name)
    if not any(flag.startswith("-arch=") for flag in flags):
        flags = ["-arch=compute_75", *flags]
    run([nvcc, "-cudart", "shared", "-std=c++17", "-w", "-I" + PROGRAMS, *flags, *sources_of(name), "-o", program], name)
    return program


def build_by_gcc(name, folder, runtime, compiler):
    program, sources = os.path.join(folder, name), sources_of(name)
    modules = [path.removesuffix(".cu") + ".ptx" for path in sources]
    ptx = [read(path) for path in modules]
    generated, files = [], []
    for i, (path, text) in enumerate(zip(sources, ptx)):
        generated.append(f"{program}.{i}.cc")
        write(generated[-1], host_source(path))
        files.append(f"{program}.{i}.fatbin")
        with open(files[-1], "wb") as file:
            file.write(fat_binary(text, len(name) + i))
    generated.append(f"{program}.registration.cc")
    write(generated[-1], registration(ptx, files, len(name)))
    per_thread = ["-DCUDA_API_PER_THREAD_DEFAULT_STREAM"] if "per-thread" in flags_of(name) else []
    run([*compiler, "-std=c++20", "-O0", "-w", "-pthread", *per_thread, "-I" + os.path.join(HERE, "minimal"), "-I" + SOURCE,
         "-I" + os.path.dirname(sources[0]), *generated, "-o", program, "-L" + runtime, "-l:libcudart.so.13", "-Wl,--allow-shlib-undefined"], name)
    return program


def build(names, folder, runtime, nvcc=None, jobs=2):
    """The programs by name: a path, or the error that says why there is none."""
    os.makedirs(folder, exist_ok=True)
    compiler = shlex.split(os.environ.get("CXX", "g++"))

    def one(name):
        try:
            return build_by_nvcc(name, folder, nvcc) if nvcc else build_by_gcc(name, folder, runtime, compiler)
        except (RuntimeError, OSError, ValueError, TypeError) as error:
            return error

    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        return dict(zip(names, pool.map(one, names)))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder")
    parser.add_argument("runtime")
    parser.add_argument("names", nargs="*")
    parser.add_argument("--nvcc", action="store_true")
    arguments = parser.parse_args()
    nvcc = (shutil.which("nvcc") or sys.exit("nvcc is not there")) if arguments.nvcc else None
    names = arguments.names or [name for name in all_names() if nvcc or not is_for_nvcc(name)]
    failed = [built for built in build(names, arguments.folder, arguments.runtime, nvcc).values() if isinstance(built, Exception)]
    print(*failed, f"{len(names) - len(failed)} built, {len(failed)} not", sep="\n")
    sys.exit(bool(failed))


if __name__ == "__main__":
    main()
