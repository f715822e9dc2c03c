#!/usr/bin/env python3
"""The looks of the page of `warptime report` (web/src/palette.json) can be told apart by everybody: any two states differ
in their pattern, or else by a delta E (CIEDE2000) of at least 20 for normal vision, protanopia, deuteranopia and
tritanopia. So do the colours that stand for the runs before and after, in both themes (web/src/style.css).

Usage: palette.py [WARPTIME]     with the program: every state of a warp has a look

Sources: CIEDE2000 as in Sharma, Wu, Dalal, "The CIEDE2000 color-difference formula", Color Research and Application 30
(2005), whose table 1 is checked in part; colour vision as in Machado, Oliveira, Fernandes, "A physiologically-based model
for simulation of color vision deficiency", IEEE TVCG 15 (2009), severity 1.0, on linear RGB.
"""
import itertools
import json
import math
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
LEAST = 20.0

VISIONS = {
    "normal": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    "protanopia": ((0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216), (-0.003882, -0.048116, 1.051998)),
    "deuteranopia": ((0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413), (-0.011820, 0.042940, 0.968881)),
    "tritanopia": ((1.255528, -0.076749, -0.178779), (-0.078411, 0.930809, 0.147602), (0.004733, 0.691367, 0.303900)),
}
# Two colours in CIELAB and their difference, from table 1 of Sharma et al.
SHARMA = (
    ((50, 2.6772, -79.7751), (50, 0, -82.7485), 2.0425),
    ((50, 2.5, 0), (50, 0, -2.5), 4.3065),
    ((50, 2.5, 0), (73, 25, -18), 27.1492),
    ((50, 2.5, 0), (58, 24, 15), 19.4535),
    ((60.2574, -34.0099, 36.2677), (60.4626, -34.1751, 39.4387), 1.2644),
    ((2.0776, 0.0795, -1.135), (0.9033, -0.0636, -0.5514), 0.9082),
)


def linear(channel):
    """sRGB (IEC 61966-2-1), 0 to 1."""
    return channel / 12.92 if channel <= 0.04045 else ((channel + 0.055) / 1.055) ** 2.4


def lab(colour, vision):
    """CIELAB of "#rrggbb" as somebody with this vision sees it; white point D65."""
    rgb = [linear(int(colour[i:i + 2], 16) / 255) for i in (1, 3, 5)]
    r, g, b = (min(max(sum(m * c for m, c in zip(row, rgb)), 0), 1) for row in VISIONS[vision])
    x = (0.4124564 * r + 0.3575761 * g + 0.1804375 * b) / 0.95047
    y = 0.2126729 * r + 0.7151522 * g + 0.0721750 * b
    z = (0.0193339 * r + 0.1191920 * g + 0.9503041 * b) / 1.08883
    fx, fy, fz = (t ** (1 / 3) if t > 216 / 24389 else (24389 / 27 * t + 16) / 116 for t in (x, y, z))
    return 116 * fy - 16, 500 * (fx - fy), 200 * (fy - fz)


def delta_e(one, two):
    """CIEDE2000 of two colours in CIELAB."""
    (l1, a1, b1), (l2, a2, b2) = one, two
    c = (math.hypot(a1, b1) + math.hypot(a2, b2)) / 2
    g = 0.5 * (1 - math.sqrt(c ** 7 / (c ** 7 + 25 ** 7)))
    a1, a2 = a1 * (1 + g), a2 * (1 + g)
    c1, c2 = math.hypot(a1, b1), math.hypot(a2, b2)
    h1, h2 = (math.degrees(math.atan2(b, a)) % 360 if a or b else 0.0 for a, b in ((a1, b1), (a2, b2)))
    dh = (h2 - h1 + 180) % 360 - 180 if c1 * c2 else 0.0
    h = h1 + h2 if not c1 * c2 else (h1 + dh / 2) % 360
    l, c = (l1 + l2) / 2, (c1 + c2) / 2
    cos = lambda degrees: math.cos(math.radians(degrees))
    t = 1 - 0.17 * cos(h - 30) + 0.24 * cos(2 * h) + 0.32 * cos(3 * h + 6) - 0.2 * cos(4 * h - 63)
    of_l = (l2 - l1) / (1 + 0.015 * (l - 50) ** 2 / math.sqrt(20 + (l - 50) ** 2))
    of_c = (c2 - c1) / (1 + 0.045 * c)
    of_h = 2 * math.sqrt(c1 * c2) * math.sin(math.radians(dh / 2)) / (1 + 0.015 * c * t)
    turn = -2 * math.sqrt(c ** 7 / (c ** 7 + 25 ** 7)) * math.sin(math.radians(60 * math.exp(-(((h - 275) / 25) ** 2))))
    return math.sqrt(of_l ** 2 + of_c ** 2 + of_h ** 2 + turn * of_c * of_h)


def least(one, two):
    """The smallest difference of two colours, and whose."""
    return min((delta_e(lab(one, vision), lab(two, vision)), vision) for vision in VISIONS)


def check_pair(name, one, two, faults):
    difference, vision = least(one, two)
    if difference < LEAST:
        faults.append(f"{name}: {one} and {two} differ by {difference:.1f} for {vision} (least {LEAST:.0f})")
    return difference


def ink_on(colour, share):
    """The ink of a pattern, mixed in the way of web/src/palette.ts."""
    rgb = [int(colour[i:i + 2], 16) for i in (1, 3, 5)]
    to = 0 if 0.299 * rgb[0] + 0.587 * rgb[1] + 0.114 * rgb[2] > 140 else 255
    return "#" + "".join(f"{round(c + (to - c) * share):02x}" for c in rgb)


def check_patterns(patterns, faults):
    for name, rows in patterns.items():
        ink = "".join(rows).count("#") / 64
        if len(rows) != 8 or any(len(row) != 8 or set(row) - set("#.") for row in rows):
            faults.append(f"pattern {name} is not 8 rows of 8 pixels")
        if name != "solid" and not 0.1 <= ink <= 0.6:
            faults.append(f"pattern {name}: {ink:.0%} of it is ink, which is hard to see")
    for (one, a), (two, b) in itertools.combinations(patterns.items(), 2):
        moved = {tuple("".join(row[x:] + row[:x] for row in b[y:] + b[:y])) for x in range(8) for y in range(8)}
        if tuple("".join(a)) in moved:
            faults.append(f"patterns {one} and {two} are the same")


def check_looks(palette, faults):
    looks = dict(palette["states"])
    looks.update({f"other {i}": look for i, look in enumerate(palette["others"])})
    closest = (math.inf, "")
    for (one, (colour, pattern)), (two, (other, like)) in itertools.combinations(looks.items(), 2):
        if pattern == like:
            closest = min(closest, (check_pair(f"{one} and {two}, both {pattern}", colour, other, faults), f"{one}, {two}"))
    for name, (colour, pattern) in looks.items():
        if pattern != "solid":
            check_pair(f"{name}: its pattern on its colour", colour, ink_on(colour, palette["ink"]), faults)
        if pattern not in palette["patterns"]:
            faults.append(f"{name}: there is no pattern {pattern}")
    return closest


def check_themes(css, faults):
    """Before and after, and both against the paper."""
    blocks = [block for block in re.findall(r"\{([^{}]*)\}", css) if "--paper:" in block]
    if len(blocks) != 3:
        faults.append(f"style.css has {len(blocks)} blocks of colours, not three: light, dark, dark by choice")
    for block in blocks:
        colour = dict(re.findall(r"--(\w+): (#[0-9a-f]{6});", block))
        for one, two in (("curve", "own"), ("curve", "paper"), ("own", "paper"), ("text", "paper"), ("quiet", "paper")):
            check_pair(f"theme with paper {colour['paper']}: {one} and {two}", colour[one], colour[two], faults)


def check_states(warptime, states, faults):
    out = subprocess.run([warptime, "list", "statistics"], capture_output=True, text=True, check=True).stdout
    reasons = re.findall(r"^issue\.stalls\.(\w+)", out, re.MULTILINE)
    if len(reasons) < 15:
        faults.append(f"`warptime list statistics` has {len(reasons)} reasons")
    for reason in ["issue", "not_selected", *reasons]:
        if reason not in states:
            faults.append(f"{reason} has no look in web/src/palette.json")


def main():
    faults = []
    for one, two, expected in SHARMA:
        if abs(delta_e(one, two) - expected) > 5e-5 or abs(delta_e(two, one) - expected) > 5e-5:
            faults.append(f"CIEDE2000 of {one} and {two} is {delta_e(one, two):.4f}, not {expected}")
    palette = json.loads((ROOT / "web/src/palette.json").read_text())
    check_patterns(palette["patterns"], faults)
    closest, names = check_looks(palette, faults)
    check_themes((ROOT / "web/src/style.css").read_text(), faults)
    if len(sys.argv) > 1:
        check_states(sys.argv[1], palette["states"], faults)
    for fault in faults:
        print(fault)
    print(f"{len(palette['states'])} states; the closest two of one pattern differ by {closest:.1f} ({names})")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
