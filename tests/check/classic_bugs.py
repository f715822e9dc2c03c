#!/usr/bin/env python3
"""classic_bugs.py WARPTIME: the thirteen mistakes that courses on CUDA warn of, one in each program of classic/. `check` finds each
in its line of the CUDA source, and its remedy names what mends it.

A row: program, options of the launch, and findings that have to be there: kind, line, remedy."""
import json
import pathlib
import subprocess
import sys

CLASSIC = pathlib.Path(__file__).resolve().parent / "classic"


BUGS = {
    "missing_barrier": (
        "--grid 2 --block 128 --buffer in=f32:256:iota --buffer out=f32:256 --arg in --arg out",
        [("race_raw_shared", 8, "a barrier (__syncthreads()) between lines 5 and 8")]),
    "off_by_one": (
        "--grid 5 --block 64 --buffer x=f32:300:iota --buffer y=f32:300:iota --arg f32=2 --arg x --arg y --arg s32=300",
        [("out_of_bounds_global", 4, 'an index from 0 to 299: "y" has 300 elements; only element 300 is accessed beyond them: < in place of <=, '
                                     "or one thread or element fewer")]),
    "barrier_in_branch": (
        "--grid 2 --block 128 --buffer in=s32:200:iota --buffer out=s32:200 --arg in --arg out --arg s32=200",
        [("divergent_barrier", 7, "the condition in line 5 around the accesses alone, without a return, so that all threads of the block "
                                  "reach the barrier")]),
    "warp_in_step": (
        "--grid 2 --block 64 --buffer in=s32:128:iota --buffer out=s32:2 --arg in --arg out",
        [("race_war_shared", 12, "__syncwarp() behind each step of lines 8 to 12")]),
    "counts_not_cleared": (
        "--grid 2 --block 128 --buffer in=u32:256:iota --buffer bins=u32:32 --arg in --arg bins",
        [("uninitialized_shared", 4, 'values for all of "part" before line 4, and a barrier (__syncthreads()) behind them')]),
    "counter_read_first": (
        "--grid 2 --block 64 --buffer in=s32:128:iota --buffer out=s32:128 --buffer kept=s32:1 --arg in --arg out --arg kept",
        [("race_waw_global", 6, "an element of its own for each thread in line 6, such as an index that atomicAdd() returns"),
         ("race_war_global", 7, "the value that the atomic operation in line 7 returns, instead of the read in line 5")]),
    "grid_rounded_down": (
        "--grid 5 --block 64 --buffer x=f32:350:iota --buffer y=f32:350 --arg x --arg y --arg s32=350",
        [("grid_too_small", 4, "6 blocks: 350 elements / 64 threads, rounded up")]),
    "count_without_atomics": (
        "--grid 2 --block 64 --buffer in=u32:128:iota --buffer bins=u32:32 --arg in --arg bins",
        [("race_raw_global", 4, "an atomic operation, such as atomicAdd(), instead of the read and the write in line 4")]),
    "tile_overwritten": (
        "--grid 1 --block 128 --buffer a=f32:256:iota --buffer b=f32:32768:iota --buffer c=f32:128 --arg a --arg b --arg c --arg s32=256",
        [("race_war_shared", 6, "a barrier (__syncthreads()) between line 8 and line 6 of the next pass: at the end of the loop")]),
    "lock_by_every_lane": (
        "--grid 1 --block 64 --buffer lock=s32:1 --buffer sum=s32:1 --buffer x=s32:64:iota --arg lock --arg sum --arg x",
        [("spin_within_warp", 4, "the lock taken, used and released inside the loop, or by one lane of a warp")]),
    "return_before_barrier": (
        "--grid 2 --block 96 --buffer in=s32:150:iota --buffer out=s32:150 --arg in --arg out --arg s32=150",
        [("divergent_barrier", 7, "the condition in line 5 around the accesses alone, without a return, so that all threads of the block "
                                  "reach the barrier")]),
    "width_and_height": (
        "--grid 3,2 --block 16,16 --buffer in=f32:1536:iota --buffer out=f32:1536 --arg in --arg out --arg s32=48 --arg s32=32",
        [("out_of_bounds_global", 4, 'an index from 0 to 1535: "out" has 1536 elements; neighbouring threads are 48 elements apart: perhaps '
                                     "width and height are exchanged")]),
    "array_overrun": (
        "--grid 1 --block 32 --buffer in=s32:32:iota --buffer out=s32:32 --arg in --arg out",
        [("out_of_bounds_shared", 5, 'an index from 0 to 31: "left" has 32 elements; only element 32 is accessed beyond them: < in place of '
                                     "<=, or one thread or element fewer")]),
}


def findings_of(warptime, name, options):
    done = subprocess.run([warptime, "check", str(CLASSIC / f"{name}.ptx"), *options.split(), "--json"], capture_output=True, text=True, timeout=120)
    if not done.stdout:
        sys.exit(f"{name}: exit status {done.returncode}: {done.stderr}")
    return json.loads(done.stdout)["findings"]


def main():
    failures = 0
    sources = sorted(path.stem for path in CLASSIC.glob("*.cu"))
    if sources != sorted(BUGS) or len(BUGS) != 13:
        sys.exit(f"the programs of classic/ are not those of the table: {sources}")
    for name, (options, expected) in BUGS.items():
        found = findings_of(sys.argv[1], name, options)
        told = [(finding["kind"], finding["source_line"], finding["remedy"]) for finding in found]
        for row in expected:
            if row not in told:
                failures += 1
                print(f"{name}: expected {row}" + "".join(f"\n    found {one}" for one in told))
        for finding in found:
            if not finding["remedy"]:
                failures += 1
                print(f"{name}: {finding['kind']} names no remedy")
    print(f"{len(BUGS)} programs, {failures} failed")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
