#!/usr/bin/env python3
"""Computes the expected values of the labs in labs/ from the inputs that their launch files describe, in Python, and so
independently of the simulator.

    make_expected.py            writes labs/*/expected_*.npy
    make_expected.py --check    compares them with what is there
"""
import pathlib
import struct
import sys

LABS = pathlib.Path(__file__).resolve().parent.parent.parent / "labs"
MASK = (1 << 64) - 1


def split_mix(seed):
    """SplitMix64, as the `random` of launch files (src/base/random.h)."""
    state = seed
    while True:
        state = (state + 0x9E3779B97F4A7C15) & MASK
        z = state
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
        yield z ^ (z >> 31)


def f32(value):
    """Rounded to single precision."""
    return struct.unpack("<f", struct.pack("<f", value))[0]


def floats(seed, count, low, high):
    numbers = split_mix(seed)
    return [f32(low + (next(numbers) >> 11) * 2.0**-53 * (high - low)) for _ in range(count)]


def integers(seed, count, low, high):
    numbers = split_mix(seed)
    return [low + next(numbers) % (high - low + 1) for _ in range(count)]


def stencil(values, radius=3):
    return [sum(values[max(0, i - radius):i + radius + 1]) for i in range(len(values))]


def transpose(values, width, height):
    return [values[y * width + x] for x in range(width) for y in range(height)]


def block_sums(values, block=256):
    return [sum(values[i:i + block]) for i in range(0, len(values), block)]


def histogram(values, bins=64):
    return [values.count(v) for v in range(bins)]


def product(a, b, n):
    columns = [b[j::n] for j in range(n)]
    rows = [a[i * n:(i + 1) * n] for i in range(n)]
    return [f32(sum(x * y for x, y in zip(row, column))) for row in rows for column in columns]


def expected():
    """(file, format of struct, values) of each."""
    yield "vector_scale/expected_y", "f", [f32(2.5 * x) for x in floats(11, 1000, -8, 8)]
    yield "vector_scale/expected_y2", "f", [f32(-0.5 * x) for x in floats(12, 4160, -8, 8)]
    yield "stencil/expected_out", "i", stencil(integers(21, 2000, -1000, 1000))
    yield "stencil/expected_out2", "i", stencil(integers(22, 640, -1000, 1000))
    yield "transpose/expected_out", "f", transpose(floats(31, 96 * 64, -1, 1), 96, 64)
    yield "transpose/expected_out2", "f", transpose(floats(32, 32 * 80, -1, 1), 32, 80)
    yield "reduction/expected_sums", "i", block_sums(integers(41, 4000, -5000, 5000))
    yield "reduction/expected_sums2", "i", block_sums(integers(42, 1024, -5000, 5000))
    yield "histogram/expected_bins", "I", histogram(integers(51, 10000, 0, 63))
    yield "histogram/expected_bins2", "I", histogram(integers(52, 2048, 0, 63))
    yield "tiled_product/expected_c", "f", product(floats(61, 64 * 64, -1, 1), floats(62, 64 * 64, -1, 1), 64)
    yield "tiled_product/expected_c2", "f", product(floats(63, 48 * 48, -1, 1), floats(64, 48 * 48, -1, 1), 48)


def npy(kind, values):
    """The NumPy format, version 1.0 (numpy.lib.format)."""
    descriptor = {"f": "<f4", "i": "<i4", "I": "<u4"}[kind]
    header = f"{{'descr': '{descriptor}', 'fortran_order': False, 'shape': ({len(values)},), }}"
    header += " " * (-(len(header) + 11) % 64) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + struct.pack(f"<{len(values)}{kind}", *values)


def main():
    differ = []
    for name, kind, values in expected():
        path, text = LABS / f"{name}.npy", npy(kind, values)
        if "--check" not in sys.argv:
            path.write_bytes(text)
        elif not path.exists() or path.read_bytes() != text:
            differ.append(f"{name}.npy")
    if differ:
        sys.exit(f"not what {pathlib.Path(__file__).name} computes: {', '.join(differ)}")


if __name__ == "__main__":
    main()
