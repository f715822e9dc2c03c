#!/usr/bin/env python3
"""Writes cases.txt: op mode type dims strides box element-strides interleave,swizzle,promotion,fill coordinates offsets
shared-offset pattern tensor-bytes, '-' for an empty list. Lists from the innermost dimension. Box of im2col: channels, pixels,
lower corners, upper corners (W, H, D)."""
import random
BYTES = [1, 2, 4, 4, 8, 8, 2, 4, 8, 2, 4, 4, 4]
R = random.Random(5)
out = []
def j(v): return ",".join(map(str, v)) if v else "-"
def up(v, m): return (v + m - 1) // m * m
def strides(t, dims, pad=0, m=16):
    s, last = [], up(dims[0] * BYTES[t], m) + pad
    for d in dims[1:]:
        s.append(last)
        last *= d
    return s
def add(op, mode, t, dims, box, coords, es=None, layout=(0, 0, 0, 0), offsets=(), to=0, kind=0, st=None, pad=0, size=None, exact=False):
    """The first coordinate is moved to a multiple of 16 bytes, unless `exact`."""
    coords = list(coords)
    unit = 16 // BYTES[t]
    if layout[0] == 0 and not exact: coords[0] = coords[0] // unit * unit if abs(coords[0]) >= unit else (0 if coords[0] >= 0 else -unit)
    st = strides(t, dims, pad) if st is None else st
    if size is None:
        size = st[-1] * dims[-1] if st else dims[0] * BYTES[t]
        size = up(max(size, 64), 16)
    if size > 1 << 16: raise SystemExit(f"too large {dims}")
    out.append(f"{op} {mode} {t} {j(dims)} {j(st)} {j(box)} {j(es or [1]*len(dims))} {j(layout)} {j(coords)} {j(offsets)} {to} {kind} {size}")
shape = {1: [96], 2: [40, 12], 3: [32, 9, 6], 4: [24, 5, 4, 3], 5: [16, 5, 4, 3, 2]}
box = {1: [32], 2: [16, 8], 3: [16, 4, 3], 4: [16, 3, 2, 2], 5: [16, 2, 2, 2, 2]}
# loads of every rank and type, inside and partly outside
for r in range(1, 6):
    for t in (0, 1, 2, 4, 6, 7, 8, 9):
        b = list(box[r])
        if BYTES[t] == 8: b[0] = 8
        add("load", "tile", t, shape[r], b, [R.randrange(0, 4) for _ in range(r)])
        add("load", "tile", t, shape[r], b, [R.randrange(-6, s + 2) for s in shape[r]], pad=16)
# coordinates far outside
for c in ([-1000000, 0], [0, 2147483647], [2147483647, 3], [-2147483648, -2147483648], [39, 11], [40, 0], [0, 12], [-16, 0], [-15, -7]):
    add("load", "tile", 2, shape[2], box[2], c)
# fills
for t in (6, 7, 8, 9, 10, 11, 12):
    b = [8 if t == 8 else 16, 8]
    add("load", "tile", t, shape[2], b, [32, 8], layout=(0, 0, 0, 1))
    add("load", "tile", t, shape[2], b, [-3, -2], layout=(0, 0, 0, 1), kind=2)
    add("load", "tile", t, shape[2], b, [3, 1], layout=(0, 0, 0, 0), kind=2)
# swizzles: all spans, narrower rows, other offsets in shared memory, all ranks
for sw, span in ((1, 32), (2, 64), (3, 128)):
    for t in (0, 1, 2, 8):
        w = span // BYTES[t]
        for rows in (8, 13, 20):
            add("load", "tile", t, [w + 4 if BYTES[t] * 4 % 16 == 0 else w + 16, 24], [w, rows], [R.randrange(0, 3), R.randrange(-2, 6)], layout=(0, sw, 0, 0), to=R.choice([0, 128, 384, 1024]))
    for narrow in (16, 32, 48, 64, 80, 96, 112):
        if narrow < span: add("load", "tile", 0, [128, 24], [narrow, 16], [3, 5], layout=(0, sw, 0, 0), to=R.choice([0, 128, 256]))
    add("load", "tile", 2, [span // 4, 6, 5], [span // 4, 4, 3], [0, 1, 1], layout=(0, sw, 2, 0))
    add("load", "tile", 1, [span // 2, 3, 4, 3], [span // 2, 2, 2, 3], [0, -1, 1, 1], layout=(0, sw, 3, 0))
    add("load", "tile", 1, [span // 2, 3, 2, 2, 2], [span // 2, 2, 2, 2, 2], [0, 1, 0, 1, -1], layout=(0, sw, 1, 0))
    add("load", "tile", 2, [span // 4], [span // 4], [0], layout=(0, sw, 0, 0), to=640)
# element strides
for es in ([1, 2], [1, 3], [2, 2], [4, 5], [1, 8]):
    add("load", "tile", 2, [40, 24], [16, 16], [2, 1], es=es)
    add("load", "tile", 1, [40, 24], [16, 15], [-2, -4], es=es)
    add("store", "tile", 2, [40, 24], [16, 16], [2, 1], es=es)
add("load", "tile", 1, [24, 9, 7], [16, 9, 5], [0, 0, 0], es=[1, 2, 3])
add("load", "tile", 1, [24, 9, 7], [16, 8, 6], [1, -1, -2], es=[1, 3, 2], layout=(0, 1, 0, 0))
add("load", "tile", 1, [16, 7, 6, 4], [16, 5, 4, 4], [0, 1, 1, 0], es=[1, 2, 2, 3])
# interleaved: dimensions W, H, D, slices of channels, N; units of 16 or 32 bytes; the number of each u16 shows where it is from
for il, u in ((1, 16), (2, 32)):
    for t in (1, 6, 2, 0):
        for dims, bx, at in (([9, 3, 2], [5, 1, 2], [2, 1, 0]), ([9, 3, 2], [5, 2, 2], [-2, 2, -1]), ([9, 3, 2], [8, 1, 1], [3, 0, 1]),
                             ([6, 5, 3, 2], [4, 3, 1, 1], [1, 2, 1, 0]), ([6, 5, 3, 2], [4, 3, 3, 2], [4, -1, 2, 1]),
                             ([5, 4, 3, 2, 2], [3, 2, 2, 1, 1], [0, 1, 1, 1, 0]), ([5, 4, 3, 2, 2], [3, 3, 2, 2, 2], [-1, 2, 2, 0, 1])):
            if t in (2, 0) and len(dims) != 4: continue
            for pad in (0, 32):
                st, last = [], dims[0] * u + pad
                for d in dims[1:]:
                    st.append(last)
                    last = last * d
                fill = 1 if t == 6 else 0
                add("load", "tile", t, dims, bx, at, layout=(il, 1 if il == 2 else R.choice([0, 1, 2, 3]), 0, fill), kind=3, st=st, size=last + 1024, to=R.choice([0, 128]))
    st = [9 * u, 27 * u]
    for es in ([2, 1, 1], [3, 1, 2], [1, 2, 1]):
        add("load", "tile", 1, [9, 3, 3], [6, 1, 2], [1, 1, 0], es=es, layout=(il, 1 if il == 2 else 0, 0, 0), kind=3, st=st, size=3 * 27 * u)
    add("store", "tile", 1, [9, 3, 2], [5, 1, 2], [2, 1, 0], layout=(il, 1 if il == 2 else 0, 0, 0), kind=0, st=st, size=2 * 27 * u)
    add("store", "tile", 1, [9, 3, 2], [5, 1, 2], [6, 2, 1], layout=(il, 1 if il == 2 else 3, 0, 0) if il == 2 else (1, 3, 0, 0), kind=0, st=st, size=2 * 27 * u)
    add("add", "tile", 2, [9, 3, 2][:2], [4, 4], [0, 1], kind=1)
# im2col
im = {3: ([32, 9, 3], 1), 4: ([16, 7, 6, 3], 2), 5: ([16, 5, 4, 4, 2], 3)}
for r, (dims, n) in im.items():
    for lo, hi in ((0, 0), (-1, 0), (-1, -1), (0, -2), (-2, 1), (1, -1)):
        for pixels in (7, 24):
            ch = R.choice([8, 16])
            offs = [R.randrange(0, 3) for _ in range(n)]
            at = [R.choice([0, 8, -8])] + [min(lo + R.randrange(0, 2), dims[1 + i] + hi - 1) for i in range(n)] + [R.randrange(0, 2)]
            add("load", "im2col", 1, dims, [ch, pixels] + [lo] * n + [hi] * n, at, offsets=offs)
    add("load", "im2col", 6, dims, [16, 20] + [-1] * n + [0] * n, [0] + [-1] * n + [0], offsets=[1] * n, layout=(0, 1, 0, 1))
    add("load", "im2col", 6, dims, [16, 20] + [-1] * n + [-1] * n, [-4] + [0] * n + [0], offsets=[0] * n, layout=(0, 3, 0, 0))
    for es in (2, 3):
        add("load", "im2col", 1, dims, [16, 12] + [-1] * n + [0] * n, [0] + [-1] * n + [0], es=[1] + [es] * n + [1], offsets=[1] * n)
        add("load", "im2col", 1, dims, [16, 12] + [0] * n + [-1] * n, [0] + [1] * n + [0], es=[1] + [es] * n + [1], offsets=[0] * n)
    add("load", "im2col", 1, dims, [16, 12] + [0] * n + [0] * n, [0] + [0] * n + [0], es=[1] + [1] * n + [2], offsets=[0] * n)
    add("load", "im2col", 1, dims, [16, 9] + [0] * n + [0] * n, [0] + [dims[1] + 1] + [0] * n, offsets=[0] * n)  # begins outside of the bounding box
    add("load", "im2col", 1, dims, [16, 9] + [0] * n + [-1] * n, [0] + [-2] * n + [0], offsets=[0] * n)
    add("load", "im2col", 1, dims, [16, 30] + [0] * n + [0] * n, [0] * (n + 1) + [dims[-1] - 1], offsets=[0] * n)
    add("store", "im2col", 1, dims, [16, 11] + [-1] * n + [0] * n, [0] + [-1] * n + [0])
    add("store", "im2col", 1, dims, [8, 14] + [0] * n + [-1] * n, [12] + [0] * n + [1], layout=(0, 1, 0, 0))
add("load", "im2col", 1, im[4][0], [8, 12, -1, -1, 0, 0], [0, 0, 0, 0], offsets=[255, 0])
add("load", "im2col", 1, im[3][0], [8, 12, 0, 0], [0, 0, 0], offsets=[65535])
add("load", "im2col", 1, im[5][0], [8, 12, 0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0], offsets=[31, 1, 0])
# stores
for r in range(1, 6):
    for t in (0, 2, 6):
        add("store", "tile", t, shape[r], box[r], [R.randrange(-5, s) for s in shape[r]], to=R.choice([0, 128]))
    for sw, span in ((1, 32), (2, 64), (3, 128)):
        b = list(box[r])
        b[0] = span // 4
        d = list(shape[r])
        d[0] = 40
        if r > 1 and b[0] * 4 * b[1] > 2048: b[1] = 2
        add("store", "tile", 2, d, b, [0] * r, layout=(0, sw, 0, 0), to=R.choice([0, 128, 256]))
# reductions
for t, ops in ((2, "add min max inc dec and or xor"), (3, "add min max and or xor"), (4, "add min max and or xor"), (5, "min max and or xor"),
               (6, "add min max"), (9, "add min max"), (7, "add"), (8, "add"), (10, "add")):
    for op in ops.split():
        b = [8 if BYTES[t] == 8 else 16, 6]
        add(op, "tile", t, [40, 12], b, [R.randrange(-3, 30), R.randrange(-2, 9)], kind=1, layout=(0, R.choice([0, 2]) if b[0] * BYTES[t] <= 64 else 0, 0, 0))
for t, op in ((6, "min"), (9, "max"), (6, "add"), (9, "add"), (7, "add"), (10, "add")):  # NaN, subnormal and infinite numbers
    add(op, "tile", t, [40, 12], [16, 6], [1, 2], kind=0 if BYTES[t] == 2 else 2)
# what the driver refuses (the answer is its code), and what the hardware may not take
for t, op in ((3, "inc"), (5, "add"), (0, "add"), (1, "add"), (11, "add"), (7, "min"), (8, "max"), (7, "and")):
    add(op, "tile", t, [64, 12], [16, 6], [1, 2], kind=1)
# which stores and reductions outside of the tensor the hardware takes
for at in ([0, -1], [-4, 0], [-4, -1], [0, -8], [-16, 0], [40, 0], [0, 12], [36, 9], [32, 11], [1 << 30, 0], [0, 1 << 30], [0, -(1 << 30)], [-(1 << 30), 0]):
    add("store", "tile", 2, [40, 12], [16, 8], at)
    add("add", "tile", 2, [40, 12], [16, 8], at, kind=1)
for at in ([0, 0, -1], [0, -1, 0], [0, 7, 4], [8, 4, -5], [0, 9, 0], [16, 8, 5]):
    add("store", "tile", 2, [32, 9, 6], [16, 4, 3], at)
for at in ([1, 0], [2, 0], [3, 0], [-1, 0], [5, 3]):
    add("load", "tile", 2, [40, 12], [16, 8], at, exact=True)
    add("store", "tile", 2, [40, 12], [16, 8], at, exact=True)
    add("load", "tile", 6, [40, 12], [16, 8], [8 * at[0] + 4, 1], exact=True)
# stores by im2col: which begin where, how many pixels
for r, (dims, n) in im.items():
    for lo, hi in ((0, 0), (-1, 0), (-1, -1), (1, 0), (0, 1)):
        for start in (0, 1, 2):
            add("store", "im2col", 1, dims, [16, 8] + [lo] * n + [hi] * n, [0] + [max(lo, 0) + start] * n + [0])
    add("store", "im2col", 1, dims, [8, 30] + [0] * n + [0] * n, [0] * (n + 1) + [dims[-1] - 1])
    add("store", "im2col", 1, dims, [16, 12] + [0] * n + [0] * n, [0] * (n + 2), es=[1] + [2] * n + [1])
# where an im2col copy may begin, one dimension at a time: below, at and above the bounding box
for r, (dims, n) in im.items():
    for lo, hi in ((-1, -1), (1, 0)):
        for i in range(n):
            for start in (lo - 1, lo, dims[1 + i] - 1 + hi, dims[1 + i] + hi):
                at = [0] + [max(lo, 0)] * n + [0]
                at[1 + i] = start
                add("load", "im2col", 1, dims, [16, 9] + [lo] * n + [hi] * n, at, offsets=[0] * n)
    for image in (-1, dims[-1] - 1, dims[-1], 100):
        add("load", "im2col", 1, dims, [16, 9] + [0] * n + [0] * n, [0] + [0] * n + [image], offsets=[1] * n)
    # steps that do not fit the bounding box
    for es in (2, 3, 4):
        for start in (0, 1, 2):
            add("load", "im2col", 1, dims, [8, 20] + [-1] * n + [0] * n, [0] + [start - 1] + [0] * (n - 1) + [0], es=[1] + [es] * n + [1], offsets=[0] * n)
for o in (1, 127, 128, 255):
    add("load", "im2col", 1, im[4][0], [8, 12, -1, -1, 0, 0], [0, 0, 0, 0], offsets=[o, 0])
for o in (15, 16, 31):  # with 32, a bit of the next offset is set
    add("load", "im2col", 1, im[5][0], [8, 12, 0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0], offsets=[o, 0, 0])
# im2col of interleaved tensors
for il, u in ((1, 16), (2, 32)):
    for dims, n in (([9, 3, 2], 1), ([6, 5, 3, 2], 2)):
        for ch in (u // 2,):  # a slice; with others the bytes that come are not those that the channels are
            st, last = [], dims[0] * u
            for d in dims[1:]:
                st.append(last)
                last *= d
            for at in ([0] * len(dims), [1] * len(dims)):
                add("load", "im2col", 1, dims, [ch, 10] + [-1] * n + [0] * n, at, offsets=[1] * n, layout=(il, 1 if il == 2 else 0, 0, 0), kind=3, st=st, size=last + 512)
# all types through the sums and orders of reductions with all kinds of bits
for t, ops in ((6, "add min max"), (9, "add min max"), (7, "add"), (10, "add"), (8, "add")):
    for op in ops.split():
        for kind in (0, 2) if BYTES[t] == 4 else (0,):
            add(op, "tile", t, [64, 12], [16 if BYTES[t] < 8 else 8, 12], [16, 0], kind=kind)
# bits of numbers that a load may change
for t in (7, 10, 11, 12):
    add("load", "tile", t, [64, 16], [16, 16], [16, 0], kind=2)
    add("load", "tile", t, [64, 16], [16, 16], [16, 0], kind=0)
    add("store", "tile", t, [64, 16], [16, 16], [16, 0], kind=2)
    for x in (0, 16, 32, 48): add("load", "tile", t, [64, 16], [16, 16], [x, 0], kind=5)
    add("store", "tile", t, [64, 16], [16, 16], [16, 0], kind=5)
open("cases.txt", "w").write("# " + __doc__.replace("\n", "\n# ") + "\n" + "\n".join(out) + "\n")
print(len(out), "cases")
