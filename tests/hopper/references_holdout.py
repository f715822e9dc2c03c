"""What the kernels of the group `holdout` compute, in Python: REFERENCES[KERNEL] is a tolerance (relative, absolute below 1;
0: equal) and a function of a Run that returns what buffers hold."""
import cmath
import hashlib
import math
import struct

from buffers import WORD, f32, signed_bytes

REFERENCES = {}


def reference(kernel, tolerance=0.0):
    def keep(function):
        REFERENCES[kernel] = (tolerance, function)
        return function
    return keep


def clamp(value, count):
    return min(max(value, 0), count - 1)


def heat(run, border):
    """A step of heat flow in a box; `border` says what its outer cells hold."""
    cells, (width, height, depth, rate) = run["cells"], run.numbers
    plane = width * height
    out = list(cells) if border else [0.0] * len(cells)
    for z in range(1, depth - 1):
        for y in range(1, height - 1):
            for i in range(z * plane + y * width + 1, z * plane + (y + 1) * width - 1):
                around = cells[i - 1] + cells[i + 1] + cells[i - width] + cells[i + width] + cells[i - plane] + cells[i + plane]
                out[i] = cells[i] + rate * (around - 6 * cells[i])
    return {"out": out}


@reference("heat7", 1e-5)
def heat7(run):
    return heat(run, border=True)


@reference("heat7_planes", 1e-5)
def heat7_planes(run):
    return heat(run, border=False)


@reference("jacobi_shared", 1e-5)
def jacobi_shared(run):
    cells, source, size = run["in"], run["source"], run.numbers[0]
    out = []
    for y in range(size):
        for x in range(size):
            row, up, down = (clamp(line, size) * size for line in (y, y - 1, y + 1))
            around = cells[row + clamp(x - 1, size)] + cells[row + clamp(x + 1, size)] + cells[up + x] + cells[down + x]
            out.append(0.25 * (around - source[row + x]))
    return {"out": out}


@reference("scan_blocks")
def scan_blocks(run):
    out, totals = [], []
    for block in range(run.grid[0]):
        total = 0
        for value in run["in"][block * 1024:block * 1024 + 1024]:
            total = (total + value) & WORD
            out.append(total)
        totals.append(total)
    return {"out": out, "totals": totals}


@reference("bitonic_shared")
def bitonic_shared(run):
    keys = run["keys"]
    return {"sorted": [key for block in range(run.grid[0]) for key in sorted(keys[block * 1024:block * 1024 + 1024])]}


@reference("bitonic_step")
def bitonic_step(run):
    keys, (_, size, distance) = list(run["in"]), run.numbers
    for low in range(len(keys)):
        high = low ^ distance
        if high > low and (keys[low] > keys[high]) != bool(low & size):
            keys[low], keys[high] = keys[high], keys[low]
    return {"out": keys}


@reference("moving_average", 1e-5)
def moving_average(run):
    values = run["in"]
    return {"out": [sum(values[max(0, i - 31):i + 1]) / 32 for i in range(len(values))]}


def product_of_rows(run):
    starts, columns, values, x = run["starts"], run["columns"], run["values"], run["x"]
    return {"y": [sum(values[i] * x[columns[i]] for i in range(starts[r], starts[r + 1])) for r in range(run.numbers[0])]}


@reference("rows_scalar", 1e-5)
def rows_scalar(run):
    return product_of_rows(run)


@reference("rows_vector", 1e-5)
def rows_vector(run):
    return product_of_rows(run)


@reference("bfs_level")
def bfs_level(run):
    starts, neighbours, levels, (count, level) = run["starts"], run["columns"], run["levels"], run.numbers
    reached = [0] * count
    for vertex in (v for v in range(count) if levels[v] == level):
        for other in neighbours[starts[vertex]:starts[vertex + 1]]:
            if levels[other] == 0:
                reached[other] = level + 1
    return {"next": reached, "changed": [1]}


@reference("page_rank", 1e-5)
def page_rank(run):
    starts, rank, (count, damping) = run["starts"], run["rank"], run.numbers
    given = [rank[v] / (starts[v + 1] - starts[v]) for v in range(count)]
    return {"next": [(1 - damping) / count + damping * sum(given[other] for other in run["columns"][starts[v]:starts[v + 1]])
                     for v in range(count)]}


@reference("option_prices", 3e-5)
def option_prices(run):
    rate, volatility = run.numbers[1:]
    calls, puts = [], []
    for spot, strike, years in zip(run["spot"], run["strike"], run["years"]):
        spread, discounted = volatility * math.sqrt(years), strike * math.exp(-rate * years)
        d = (math.log(spot / strike) + (rate + volatility ** 2 / 2) * years) / spread
        first, second = (math.erfc(-x / math.sqrt(2)) / 2 for x in (d, d - spread))
        calls.append(spot * first - discounted * second)
        puts.append(calls[-1] + discounted - spot)
    return {"call": calls, "put": puts}


@reference("binomial_put", 1e-4)
def binomial_put(run):
    strike, up, share, discount = map(f32, run.numbers)
    prices = []
    for spot in run["spot"]:
        values = [max(strike - spot * up ** (2 * i - 255), 0) for i in range(256)]
        for step in range(254, -1, -1):
            held = [discount * (share * values[i + 1] + (1 - share) * values[i]) for i in range(step + 1)]
            values = [max(held[i], strike - spot * up ** (2 * i - step)) for i in range(step + 1)]
        prices.append(values[0])
    return {"price": prices}


def product(left, right, size):
    """left * transposed right, both by rows."""
    rows = [left[i * size:(i + 1) * size] for i in range(size)]
    columns = [right[i * size:(i + 1) * size] for i in range(size)]
    return [sum(a * b for a, b in zip(row, column)) for row in rows for column in columns]


def transposed(matrix, size):
    return [matrix[y * size + x] for x in range(size) for y in range(size)]


@reference("dgemm_tile", 1e-12)
def dgemm_tile(run):
    size = run.numbers[0]
    return {"c": product(run["a"], transposed(run["b"], size), size)}


@reference("bytes_product")
def bytes_product(run):
    return {"c": product(signed_bytes(run["a"]), signed_bytes(run["b"]), run.numbers[0])}


@reference("gemv_warp", 1e-5)
def gemv_warp(run):
    rows, columns = run.numbers
    return {"y": [sum(a * b for a, b in zip(run["a"][r * columns:(r + 1) * columns], run["x"])) for r in range(rows)]}


@reference("triangle_rows", 1e-5)
def triangle_rows(run):
    size = run.numbers[0]
    return {"y": [sum(run["a"][c * size + r] * run["x"][c] for c in range(r, size)) for r in range(size)]}


@reference("layer_norm", 1e-5)
def layer_norm(run):
    width, out = run.numbers[0], []
    for first in range(0, len(run["in"]), width):
        row = run["in"][first:first + width]
        mean = sum(row) / width
        deviation = math.sqrt(sum((x - mean) ** 2 for x in row) / width + 1e-5)
        out += [(x - mean) / deviation * scale + shift for x, scale, shift in zip(row, run["scale"], run["shift"])]
    return {"out": out}


@reference("softmax_block", 1e-6)
def softmax_block(run):
    width, out = run.numbers[0], []
    for first in range(0, len(run["in"]), width):
        powers = [math.exp(x) for x in run["in"][first:first + width]]
        out += [power / sum(powers) for power in powers]
    return {"out": out}


@reference("rope", 1e-5)
def rope(run):
    values, heads = run["in"], run.numbers[0]
    out = list(values)
    for head in range(run.grid[0] * heads):
        for pair in range(64):
            angle, i = head // heads * 10000.0 ** (-pair / 64), head * 128 + pair
            turned = complex(values[i], values[i + 64]) * cmath.exp(1j * angle)
            out[i], out[i + 64] = turned.real, turned.imag
    return {"out": out}


@reference("argmax_rows")
def argmax_rows(run):
    rows, width = run.numbers
    lines = [run["in"][r * width:(r + 1) * width] for r in range(rows)]
    return {"where": [line.index(max(line)) for line in lines]}


@reference("sha256")
def sha256(run):
    words = run["messages"]
    hashes = [hashlib.sha256(struct.pack(">8I", *words[i:i + 8])).digest() for i in range(0, len(words), 8)]
    return {"hashes": [word for value in hashes for word in struct.unpack(">8I", value)]}


@reference("queens")
def queens(run):
    size = run.numbers[0]
    full = (1 << size) - 1

    def solutions(columns, left, right):
        if columns == full:
            return 1
        free = [1 << i for i in range(size) if not (columns | left | right) >> i & 1]
        return sum(solutions(columns | bit, (left | bit) << 1, (right | bit) >> 1) for bit in free)

    def after(start):
        columns = left = right = 0
        for digit in (start % size, start // size % size, start // size ** 2):
            bit = 1 << digit
            if (columns | left | right) & bit:
                return 0
            columns, left, right = columns | bit, (left | bit) << 1, (right | bit) >> 1
        return solutions(columns, left, right)

    return {"solutions": [after(start) for start in range(size ** 3)]}


@reference("hash_probe")
def hash_probe(run):
    stored = set(run["stored"])
    return {"found": [int(key in stored) for key in run["keys"]]}


@reference("median3")
def median3(run):
    pixels, (width, height) = run["in"], run.numbers
    return {"out": [sorted(pixels[clamp(y + b, height) * width + clamp(x + a, width)] for a in (-1, 0, 1) for b in (-1, 0, 1))[4]
                    for y in range(height) for x in range(width)]}


@reference("ray_spheres", 1e-3)
def ray_spheres(run):
    count, size = run.numbers
    spheres = [run["spheres"][4 * i:4 * i + 4] for i in range(count)]

    def brightness(dx, dy):
        dz = 1 / math.sqrt(dx * dx + dy * dy + 1)
        nearest, found = math.inf, 0.0
        for x, y, z, radius in spheres:
            along = (x * dx + y * dy + z) * dz
            inside = along * along - (x * x + y * y + z * z - radius * radius)
            distance = along - math.sqrt(inside) if inside >= 0 else 0
            if 0 < distance < nearest:
                nearest, found = distance, max((z - distance * dz) / radius, 0)
        return found

    return {"out": [brightness((x + 0.5) / size - 0.5, (y + 0.5) / size - 0.5) for y in range(size) for x in range(size)]}


def transform(values):
    """The discrete Fourier transform of a power of two of complex numbers."""
    if len(values) == 1:
        return values
    even, odd = transform(values[::2]), transform(values[1::2])
    turned = [cmath.exp(-2j * math.pi * k / len(values)) * odd[k] for k in range(len(odd))]
    return [a + b for a, b in zip(even, turned)] + [a - b for a, b in zip(even, turned)]


@reference("fft1024", 1e-4)
def fft1024(run):
    points = [complex(*run["in"][i:i + 2]) for i in range(0, len(run["in"]), 2)]
    results = [result for first in range(0, len(points), 1024) for result in transform(points[first:first + 1024])]
    return {"out": [part for result in results for part in (result.real, result.imag)]}


@reference("long_polynomial", 2e-4)
def long_polynomial(run):
    out = []
    for x in run["in"]:
        values = [0.0] * 6
        for k in range(512):
            values = [value * x + 1 / (k + 2) + 0.001 * j for j, value in enumerate(values)]
        out.append(sum(values))
    return {"out": out}


@reference("align_diagonal")
def align_diagonal(run):
    first, second, score, (size, diagonal, gap) = run["first"], run["second"], list(run.before["score"]), run.numbers
    pitch = size + 1
    for tile in range(diagonal + 1):
        for y in range((diagonal - tile) * 32 + 1, (diagonal - tile) * 32 + 33):
            for x in range(tile * 32 + 1, tile * 32 + 33):
                matched = score[(y - 1) * pitch + x - 1] + (2 if first[y - 1] == second[x - 1] else -1)
                score[y * pitch + x] = max(matched, score[(y - 1) * pitch + x] - gap, score[y * pitch + x - 1] - gap)
    return {"score": score}


@reference("floyd_step")
def floyd_step(run):
    distance, (size, k) = run["distance"], run.numbers
    return {"next": [min(distance[y * size + x], distance[y * size + k] + distance[k * size + x]) for y in range(size) for x in range(size)]}


@reference("knapsack")
def knapsack(run):
    items, best = run.numbers[0], []
    for block in range(run.grid[0]):
        values = [0] * 4096
        for i in range(block * items, (block + 1) * items):
            weight, worth = run["weights"][i], run["worth"][i]
            values = values[:weight] + [max(values[w], values[w - weight] + worth) for w in range(weight, 4096)]
        best += values
    return {"best": best}
