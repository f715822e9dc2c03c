"""CUDA sources with nvcc and clang++, where this host has them: right ones, and ones that should harm the grader or read
what is not theirs, with and without Landlock."""
import os
import pathlib
import shutil
import tempfile

import harness
from harness import LABS, PROGRAM, ROOT, expect, grade, run
from part_compiler import GOOD, KERNEL, LAB, SECRET, SYSTEM, messages, reasons


def compilers(folder):
    """(name, PATH) of those that this host has."""
    found = []
    if nvcc := shutil.which("nvcc"):
        found.append(("nvcc", f"{os.path.dirname(nvcc)}:{SYSTEM}"))
    if clang := shutil.which("clang++"):
        (folder / "clang").mkdir()
        os.symlink(os.path.realpath(clang), folder / "clang/clang++")
        found.append(("clang++", f"{folder / 'clang'}:{SYSTEM}"))
    return found


def hostile_sources(name, folder):
    """(name, text, kinds that may be the reason)."""
    secret = folder / "secret.h"
    secret.write_text(f"int {SECRET.replace('-', '_')} = 1\n#define TOLD \"{SECRET}\"\n")
    refused = {"compile_error"}
    yield "include", f'#include "{secret}"\n#pragma message(TOLD)\n{GOOD}', refused
    yield "include by a macro, of the device's pass", f'#ifdef __CUDA_ARCH__\n#define P "{secret}"\n#include P\n#endif\n{GOOD}', refused
    if name == "nvcc":  # clang++ makes no such pass
        yield "include of the host's pass", f'#ifndef __CUDA_ARCH__\n#include "{secret}"\n#endif\n{GOOD}', refused
    yield "include by another path", f'#include "/usr/include/../..{secret}"\n{GOOD}', refused
    yield "include of a system file", f'#include "/etc/passwd"\n{GOOD}', refused
    yield "include of the solution", f'#include "{LABS / "vector_scale/solution.cu"}"\n', refused
    yield "line of another file", f'#line 1 "{secret}"\n{KERNEL} {{ y[n + 100000000] = 1; }}\n', {"compile_error", "out_of_bounds_global"}
    yield "an endless include", f'#include "/dev/zero"\n{GOOD}', {"compile_error", "limit"}
    yield "a file that includes itself", f'#include __FILE__\n{GOOD}', {"compile_error", "limit"}
    yield "templates", "template <int A, int B> struct F { static const long v = F<A - 1, B>::v + F<A - 1, B + 1>::v + F<A - 1, B * 2>::v; };\n" \
        "template <int B> struct F<0, B> { static const long v = B; };\n" + KERNEL + " { y[0] = F<100, 1>::v; }\n", {"compile_error", "limit"}
    yield "a bracket that asm closes", KERNEL + ' { asm volatile("} .visible .entry more() { ret;"); y[0] = 1; }\n', {"refused"}
    yield "bytes of a file by asm", f'asm(".incbin \\"{secret}\\"");\n{KERNEL} {{ asm volatile(".incbin \\"{secret}\\""); }}\n', {"compile_error", "refused"}
    yield "another name", GOOD.replace("scale", "scael"), {"refused"}


def test_real(name, path, folder):
    for lab in ("vector_scale", "histogram"):
        done, json = grade(LABS / lab / "lab.yaml", LABS / lab / "solution.cu", path=path)
        expect(done.returncode == 0, f"{name}: the solution of {lab}", json, done.stderr)
    (folder / "race.cu").write_text((ROOT / "tests/labs/wrong/stencil_missing_barrier.cu").read_text())
    done = run("grade", LABS / "stencil/lab.yaml", "race.cu", folder=folder, path=path)
    expect("race.cu:15:" in done.stdout and "sum += tile[t + k];" in done.stdout and "between lines 11 and 15" in done.stdout,
           f"{name}: the student's line, with its text", done.stdout)
    (folder / "typo.cu").write_text(GOOD.replace("y[i]", "z[i]"))
    done, json = grade(LAB, "typo.cu", folder=folder, path=path)
    expect(reasons(json) == ["compile_error"] and "z" in messages(json) and json["submissions"][0]["findings"][0]["source_line"] == 1,
           f"{name}: a mistake has its line", json)
    (folder / "host.cu").write_text("#include <cstdlib>\nstruct Evil { Evil() { system(\"touch evil\"); } };\n"
                                    f"#ifdef __NVCC__\nEvil evil;\nint main() {{ Evil e; }}\n#endif\n{GOOD}")
    done, json = grade(LAB, "host.cu", folder=folder, path=path)
    expect(done.returncode == 0 and not (folder / "evil").exists(), f"{name}: host code is not run", json)

    for what, text, kinds in hostile_sources(name, folder):
        (folder / "s.cu").write_text(text)
        for program in ((PROGRAM,), ("python3", ROOT / "tests/labs/without_landlock.py", PROGRAM)):
            walls = "" if len(program) == 1 else " (without Landlock)"
            harness.WRAPPER = program[:-1]
            done, json = grade(LAB, "s.cu", "--seconds", "4", "--memory", "1024", folder=folder, path=path)
            harness.WRAPPER = ()
            expect(done.returncode == 1 and set(reasons(json)) & kinds, f"{name}: {what}{walls}", json, done.stderr)
            text_of = done.stdout + done.stderr
            expect(SECRET not in text_of and SECRET.replace("-", "_") not in text_of and "root:x" not in text_of, f"{name}: {what}{walls}: nothing leaks", text_of)


def test():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for compiler, path in compilers(folder):
            test_real(compiler, path, folder)
