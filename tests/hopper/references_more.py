"""What the kernels of the group `more` compute, in Python: see references_holdout.py."""
import math
import struct
import zlib

from buffers import WORD, f32, signed_bytes
from references_holdout import product, transposed

REFERENCES = {}
WEIGHTS = [0.010, 0.017, 0.028, 0.042, 0.059, 0.077, 0.092, 0.103, 0.144, 0.103, 0.092, 0.077, 0.059, 0.042, 0.028, 0.017, 0.010]


def reference(kernel, tolerance=0.0):
    def keep(function):
        REFERENCES[kernel] = (tolerance, function)
        return function
    return keep


def filtered(line):
    """A row or column, filtered with zeros beyond its ends."""
    wide = [0.0] * 8 + line + [0.0] * 8
    return [sum(weight * wide[i + k] for k, weight in enumerate(WEIGHTS)) for i in range(len(line))]


@reference("filter_rows", 1e-5)
def filter_rows(run):
    width = run.numbers[0]
    return {"out": [value for first in range(0, len(run["in"]), width) for value in filtered(run["in"][first:first + width])]}


@reference("filter_columns", 1e-5)
def filter_columns(run):
    width, height = run.numbers
    columns = [filtered(run["in"][x::width]) for x in range(width)]
    return {"out": [columns[x][y] for y in range(height) for x in range(width)]}


@reference("laplacian", 1e-5)
def laplacian(run):
    cells, (width, height) = run["in"], run.numbers
    out = [0.0] * len(cells)
    for y in range(1, height - 1):
        for i in range(y * width + 1, (y + 1) * width - 1):
            out[i] = cells[i - 1] + cells[i + 1] + cells[i - width] + cells[i + width] - 4 * cells[i]
    return {"out": out}


@reference("blur_registers", 1e-5)
def blur_registers(run):
    width, height = run.numbers[0], run.grid[1] * 16
    rows = [run["in"][y * (width + 4):(y + 1) * (width + 4)] for y in range(height + 4)]
    return {"out": [sum(sum(row[x:x + 5]) for row in rows[y:y + 5]) / 25 for y in range(height) for x in range(width)]}


def sums_of_blocks(values, blocks, step):
    """What each block adds if the blocks take `step` values in turn."""
    return [sum(sum(values[first:first + step]) for first in range(block * step, len(values), blocks * step)) for block in range(blocks)]


@reference("sum_shuffles", 1e-5)
def sum_shuffles(run):
    return {"partial": sums_of_blocks(run["in"], run.grid[0], 1024)}


@reference("sum_atomics")
def sum_atomics(run):
    return {"total": [sum(run["in"]) & WORD]}


@reference("dot_doubles", 1e-12)
def dot_doubles(run):
    return {"partial": sums_of_blocks([x * y for x, y in zip(run["x"], run["y"])], run.grid[0], 128)}


@reference("extremes")
def extremes(run):
    return {"result": [min(run["in"]), max(run["in"])], "ended": [0]}


@reference("gather")
def gather(run):
    return {"out": [run["in"][i] for i in run["index"]]}


@reference("scatter")
def scatter(run):
    count, odd = run.numbers
    out = [0.0] * count
    for i, value in enumerate(run["in"]):
        out[i * odd % count] = value
    return {"out": out}


@reference("copy_strided")
def copy_strided(run):
    return {"out": run["in"][::run.numbers[1]]}


@reference("turn_points", 1e-5)
def turn_points(run):
    values, (_, cosine, sine) = run["in"], run.numbers
    out = []
    for x, y, z in zip(values[::3], values[1::3], values[2::3]):
        out += [cosine * x - sine * y, sine * x + cosine * y, z]
    return {"out": out}


@reference("copy_shifted")
def copy_shifted(run):
    words, shift = run.numbers
    return {"out": list(struct.unpack(f"<{words}I", bytes(run["in"][shift:shift + 4 * words])))}


@reference("transpose_any")
def transpose_any(run):
    width, height = run.numbers
    return {"out": [run["in"][y * width + x] for x in range(width) for y in range(height)]}


@reference("count_global")
def count_global(run):
    bins = run.numbers[1]
    counts = [0] * bins
    for value in run["in"]:
        counts[value % bins] += 1
    return {"counts": counts}


@reference("count_bytes")
def count_bytes(run):
    text = struct.pack(f"<{len(run['in'])}I", *run["in"])
    return {"counts": [text.count(bytes([value])) for value in range(256)]}


@reference("digit_counts")
def digit_counts(run):
    digits = [key >> run.numbers[0] & 15 for key in run["keys"]]
    return {"counts": [digits[first:first + 2048].count(digit) for digit in range(16) for first in range(0, len(digits), 2048)]}


@reference("keep_below")
def keep_below(run):
    """The order in the ring is that of the warps: only what it holds is compared."""
    kept = [value for value in run["in"] if value < run.numbers[1]]
    run["ring"][:] = sorted(run["ring"][:len(kept)])
    return {"total": [len(kept)], "ring": sorted(kept)}


@reference("sgemm_registers", 1e-5)
def sgemm_registers(run):
    size = run.numbers[0]
    return {"c": product(run["a"], transposed(run["b"], size), size)}


@reference("half2_axpy", 1e-3)
def half2_axpy(run):
    return {"y": [run.numbers[1] * x + y for x, y in zip(run["x"], run.before["y"])]}


def inverse(matrix):
    """The inverse of a small matrix with a large diagonal."""
    size = len(matrix)
    rows = [row + [float(i == j) for j in range(size)] for i, row in enumerate(matrix)]
    for k in range(size):
        rows[k] = [value / rows[k][k] for value in rows[k]]
        for i in (i for i in range(size) if i != k):
            rows[i] = [a - rows[i][k] * b for a, b in zip(rows[i], rows[k])]
    return [row[size:] for row in rows]


@reference("inverse4", 1e-5)
def inverse4(run):
    count, values = run.numbers[0], run["in"]
    found = [inverse([[values[(4 * i + j) * count + m] + 5 * (i == j) for j in range(4)] for i in range(4)]) for m in range(count)]
    return {"out": [found[m][i][j] for i in range(4) for j in range(4) for m in range(count)]}


@reference("lu_step", 1e-12)
def lu_step(run):
    size, k = run.numbers
    values, factors = run.before["a"], run["factors"]
    return {"a": [values[y * size + x] - (factors[y] * values[k * size + x] if x >= k and y > k else 0) for y in range(size) for x in range(size)]}


@reference("gelu", 1e-5)
def gelu(run):
    return {"out": [x / 2 * (1 + math.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x ** 3))) for x in run["in"]]}


@reference("embedding")
def embedding(run):
    width = 4 * run.numbers[0]
    return {"out": [value for token in run["tokens"] for value in run["table"][token * width:(token + 1) * width]]}


@reference("cross_entropy", 1e-5)
def cross_entropy(run):
    rows, width = run.numbers
    lines = [run["in"][r * width:(r + 1) * width] for r in range(rows)]
    return {"loss": [math.log(sum(map(math.exp, line))) - line[label] for line, label in zip(lines, run["labels"])]}


@reference("quantize_rows")
def quantize_rows(run):
    words, scales = [], []
    for first in range(0, len(run["in"]), 1024):
        row = run["in"][first:first + 1024]
        largest = max(map(abs, row))
        factor = f32(127 / largest)
        values = [round(f32(value * factor)) & 255 for value in row]
        words += struct.unpack("<256I", bytes(values))
        scales.append(f32(largest / 127))
    return {"out": words, "scales": scales}


@reference("to_halves")
def to_halves(run):
    return {"out": [struct.unpack("e", struct.pack("e", value))[0] for value in run["in"]]}


@reference("collatz")
def collatz(run):
    first, count = run.numbers

    def steps(number):
        done = 0
        while number > 1:
            number = 3 * number + 1 if number % 2 else number // 2
            done += 1
        return done

    return {"steps": [steps(number) for number in range(first, first + count)]}


@reference("bit_distances")
def bit_distances(run):
    left, right = ([run[name][i:i + 16] for i in range(0, len(run[name]), 16)] for name in ("a", "b"))
    return {"distance": [sum(bin(u ^ v).count("1") for u, v in zip(a, b)) for a in left for b in right]}


@reference("find_word")
def find_word(run):
    text, word = bytes(run["text"]), bytes(run["word"])
    return {"found": [sum(text.startswith(word, i) for i in range(first, first + 16)) for first in range(0, len(text), 16)]}


@reference("crc_rows")
def crc_rows(run):
    rows, words = run.numbers
    return {"sums": [zlib.crc32(struct.pack(f"<{words}I", *run["in"][row::rows])) for row in range(rows)]}


@reference("chase")
def chase(run):
    hops, count = run.numbers
    places = [i % count for i in range(run.grid[0] * run.block[0])]
    for _ in range(hops):
        places = [run["next"][place] for place in places]
    return {"end": places}


@reference("thomas", 1e-5)
def thomas(run):
    """The solutions, by elimination without pivots from the other end."""
    systems, size = run.numbers
    out = [0.0] * (systems * size)
    for system in range(systems):
        right, diagonals = run["right"][system::systems], [4.0] * size
        for i in range(size - 2, -1, -1):
            diagonals[i] -= 1 / diagonals[i + 1]
            right[i] -= right[i + 1] / diagonals[i + 1]
        value = 0.0
        for i in range(size):
            value = (right[i] - value) / diagonals[i]
            out[i * systems + system] = value
    return {"x": out}


def table_sums(run, place):
    """Each thread's sum over the table in constant memory; `place` is an index from a block, a round and the sum."""
    out, table = [], run.before["kTable"]
    for block in range(run.grid[0]):
        for total in range(run.block[0]):
            for k in range(run.numbers[0]):
                total = (total * 5 + table[place(block, k, total)]) & WORD
            out.append(total)
    return {"out": out}


@reference("constant_uniform")
def constant_uniform(run):
    return table_sums(run, lambda block, k, total: (block + k) % 4096)


@reference("constant_divergent")
def constant_divergent(run):
    return table_sums(run, lambda block, k, total: (total + k & WORD) % run.numbers[1])


@reference("many_registers", 1e-5)
def many_registers(run):
    values, out = run["in"], []
    for i in range(run.grid[0] * 256):
        sums = [values[i] + j for j in range(96)]
        for k in range(run.numbers[0]):
            for j in range(96):
                sums[j] = sums[j] / 2 + sums[(j + 17) % 96]
            sums[0] += values[i + k & 1023]
        out.append(sum(sums))
    return {"out": out}


@reference("many_barriers")
def many_barriers(run):
    threads, out = run.block[0], []
    for first in range(0, len(run["in"]), threads):
        ring = run["in"][first:first + threads]
        for k in range(run.numbers[0]):
            ring = [(ring[i - 1] + k) * 3 & WORD for i in range(threads)]
        out += ring
    return {"out": out}


@reference("pi_points")
def pi_points(run):
    def following(state):
        state ^= state << 13 & WORD
        state ^= state >> 17
        return state ^ state << 5 & WORD

    out = []
    for thread in range(run.grid[0] * run.block[0]):
        state, hits = (thread * 747796405 + 2891336453) & WORD, 0
        for _ in range(run.numbers[0]):
            state = following(state)
            x = state >> 8
            state = following(state)
            hits += x * x + (state >> 8) ** 2 < 1 << 48
        out.append(hits)
    return {"inside": out}


@reference("nearest_mean")
def nearest_mean(run):
    count, means = run.numbers

    def distances(point):
        return [sum((run["points"][d * count + point] - run["centres"][m * 8 + d]) ** 2 for d in range(8)) for m in range(means)]

    found = [distances(point) for point in range(count)]
    return {"nearest": [line.index(min(line)) for line in found]}


@reference("haar_rows", 1e-5)
def haar_rows(run):
    out = []
    for first in range(0, len(run["in"]), 512):
        means, details = run["in"][first:first + 512], []
        while len(means) > 1:
            pairs = list(zip(means[::2], means[1::2]))
            details = [(a - b) * math.sqrt(0.5) for a, b in pairs] + details
            means = [(a + b) * math.sqrt(0.5) for a, b in pairs]
        out += means + details
    return {"out": out}


@reference("julia")
def julia(run):
    size, depth = run.numbers
    across, up = f32(0.156), f32(-0.8)

    def rounds(x, y):
        for k in range(depth):
            if f32(x * x + f32(y * y)) >= 4:
                return k
            x, y = f32(x * x + f32(up - y * y)), f32(2 * x * y + across)
        return depth

    places = [f32(f32(3 * i / size) - 1.5) for i in range(size)]
    return {"rounds": [rounds(x, y) for y in places for x in places]}
