#!/usr/bin/env python3
"""Draws labs/pictures/*.svg from the worked examples: the arrays in the pictures are computed here from
the keys, so that no picture can disagree with its algorithm.

  scripts/lab_pictures.py [--check]     --check: exit code 1 if a picture is not up to date
"""

import os
import sys

HERE = os.path.join(os.path.dirname(__file__), "..", "labs", "pictures")
CELL, ROW = 44, 34
COLORS = ["#cfe3f7", "#fbd9b5", "#cdebcf", "#ead0ee"]


class Picture:
    def __init__(self, title, width, height):
        self.title, self.width, self.height, self.parts = title, width, height, []

    def text(self, x, y, text, anchor="middle", size=15, weight="normal", color="#222"):
        text = str(text).replace("&", "&amp;").replace("<", "&lt;")
        self.parts.append(f'<text x="{x:g}" y="{y:g}" text-anchor="{anchor}" font-size="{size}" font-weight="{weight}" fill="{color}">{text}</text>')

    def box(self, x, y, text="", color="#fff", width=CELL, height=ROW):
        self.parts.append(f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" fill="{color}" stroke="#555"/>')
        if text != "":
            self.text(x + width / 2, y + height / 2 + 5, text)

    def line(self, x1, y1, x2, y2, color="#555", arrow=False, width=1.4):
        head = ' marker-end="url(#head)"' if arrow else ""
        self.parts.append(f'<line x1="{x1:g}" y1="{y1:g}" x2="{x2:g}" y2="{y2:g}" stroke="{color}" stroke-width="{width}"{head}/>')

    def dot(self, x, y):
        self.parts.append(f'<circle cx="{x:g}" cy="{y:g}" r="3.5" fill="#333"/>')

    def row(self, x, y, label, values, colors=None, gap_after=()):
        """A labelled array; returns the x of the middle of each cell."""
        self.text(x - 12, y + ROW / 2 + 5, label, "end")
        middles = []
        for i, value in enumerate(values):
            self.box(x, y, value, colors[i] if colors else "#fff")
            middles.append(x + CELL / 2)
            x += CELL + (12 if i in gap_after else 0)
        return middles

    def svg(self):
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {self.width} {self.height}" width="{self.width}" height="{self.height}" '
            f'font-family="Helvetica, Arial, sans-serif" role="img"><title>{self.title}</title>'
            '<defs><marker id="head" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
            '<path d="M0 0 8 4 0 8z" fill="#555"/></marker></defs><rect width="100%" height="100%" fill="#fff"/>'
            + "\n".join(self.parts)
            + "</svg>\n"
        )


def exclusive_scan(values):
    sums = [0]
    for value in values:
        sums.append(sums[-1] + value)
    return sums


def ranks(digits):
    return [digits[:i].count(digit) for i, digit in enumerate(digits)]


def moved(values, places):
    out = [None] * len(values)
    for value, place in zip(values, places):
        out[place] = value
    return out


def seq_pass():
    """Three passes of one bit over the CS344 report's example."""
    keys, picture = [1, 3, 5, 2, 6, 4], Picture("Radix sort, one bit per pass", 580, 465)
    x, y = 150, 20
    for bit in range(3):
        digits = [key >> bit & 1 for key in keys]
        hist = [digits.count(0), digits.count(1)]
        start = exclusive_scan(hist)
        places = [start[digit] + rank for digit, rank in zip(digits, ranks(digits))]
        colors = [COLORS[digit] for digit in digits]
        top = picture.row(x, y, "keys", [f"{key:03b}" for key in keys], colors)
        picture.text(x + 6 * CELL + 20, y + 14, f"bit {bit}: count {hist}", "start", 13)
        picture.text(x + 6 * CELL + 20, y + 32, f"start {start[:2]}", "start", 13)
        for i, place in enumerate(places):
            picture.line(top[i], y + ROW, x + CELL * place + CELL / 2, y + 132, arrow=True)
        keys = moved(keys, places)
        y += 132
    picture.row(x, y, "sorted", [f"{key:03b}" for key in keys])
    assert keys == sorted(keys)
    return picture


def one_bit_split():
    keys, picture = [1, 3, 5, 2, 6, 4], Picture("One-bit split", 620, 330)
    digits = [key & 1 for key in keys]
    ones = exclusive_scan(digits)
    rank = [ones[i] if digit else i - ones[i] for i, digit in enumerate(digits)]
    zeros = digits.count(0)
    places = [rank[i] + (zeros if digit else 0) for i, digit in enumerate(digits)]
    x, colors = 150, [COLORS[digit] for digit in digits]
    for number, (label, values) in enumerate((("keys", keys), ("digit (bit 0)", digits), ("ones before", ones[:-1]), ("rank", rank))):
        middles = picture.row(x, 15 + number * 42, label, values, colors)
    picture.text(x + 6 * CELL + 14, 15 + 42 + 22, f"{zeros} zeros: ones start at {zeros}", "start", 13)
    picture.text(x + 6 * CELL + 14, 15 + 126 + 22, "equal digits before", "start", 13)
    for i, place in enumerate(places):
        picture.line(middles[i], 15 + 126 + ROW, x + CELL * place + CELL / 2, 278, arrow=True)
    out = moved(keys, places)
    picture.row(x, 280, "keys moved", out, [COLORS[key & 1] for key in out])
    return picture


def scan_tree():
    """Inclusive scan of eight digits in three steps (Hillis and Steele)."""
    values, picture = [1, 1, 1, 0, 0, 0, 1, 0], Picture("A scan in log2(n) steps", 600, 395)
    x, y, wanted = 200, 15, exclusive_scan(values)[1:]
    middles = picture.row(x, y, "digits", values)
    distance = 1
    while distance < len(values):
        added = [value + (values[i - distance] if i >= distance else 0) for i, value in enumerate(values)]
        for i in range(len(values)):
            picture.line(middles[i], y + ROW, middles[i], y + 108, "#bbb", True)
            if i >= distance:
                picture.line(middles[i - distance], y + ROW, middles[i], y + 108, "#1f6fb2", True)
        y += 110
        values = added
        picture.row(x, y, f"+ the value {distance} to the left", values, [COLORS[0] if i >= distance else "#fff" for i in range(8)])
        distance *= 2
    assert values == wanted
    return picture


def digit_table():
    keys, tile, bins = [0, 1, 3, 0, 2, 3, 1, 0], 4, 4
    tiles = [keys[i : i + tile] for i in range(0, len(keys), tile)]
    hist = [part.count(b) for b in range(bins) for part in tiles]
    start = exclusive_scan(hist)
    picture = Picture("A table of counts and its scan", 800, 460)
    x = 150
    top = picture.row(x, 15, "keys", keys, [COLORS[key] for key in keys], (3,))
    picture.text(x + 2 * CELL, 66, "tile 0", size=13)
    picture.text(x + 6 * CELL + 12, 66, "tile 1", size=13)
    for name, values, left in (("hist", hist, 150), ("start", start, 420)):
        picture.text(left + CELL, 98, name, weight="bold")
        for b in range(bins):
            picture.text(left - 12, 104 + b * ROW + 22, f"bin {b}", "end", 13)
            for t in range(2):
                picture.box(left + t * CELL, 104 + b * ROW, values[b * 2 + t], COLORS[b])
    picture.line(250, 172, 350, 172, arrow=True)
    picture.text(300, 164, "scan, row", size=13)
    picture.text(300, 190, "after row", size=13)
    places = [start[key * 2 + t] + part[:i].count(key) for t, part in enumerate(tiles) for i, key in enumerate(part)]
    out = moved(keys, places)
    assert out == sorted(keys)
    middles = picture.row(x, 275, "keys", keys, [COLORS[key] for key in keys], (3,))
    assert len(middles) == len(top)
    for i, place in enumerate(places):
        picture.line(middles[i], 275 + ROW, x + CELL * place + CELL / 2, 408, arrow=True)
    picture.row(x, 410, "output", out, [COLORS[key] for key in out])
    picture.text(x + 8.6 * CELL, 300, "start[bin, tile] + rank in the tile", "start", 13)
    return picture


def tile_split():
    keys, picture = [2, 0, 3, 1, 0, 2, 1, 3], Picture("A tile sorted by two one-bit splits", 600, 330)
    x, y = 150, 15
    for bit in range(2):
        digits = [key >> bit & 1 for key in keys]
        start = [0, digits.count(0)]
        places = [start[digit] + rank for digit, rank in zip(digits, ranks(digits))]
        middles = picture.row(x, y, "digit", [f"{key:02b}" for key in keys], [COLORS[digit] for digit in digits])
        picture.text(x - 12, y + 78, f"split by bit {bit}", "end", 13)
        for i, place in enumerate(places):
            picture.line(middles[i], y + ROW, x + CELL * place + CELL / 2, y + 118, arrow=True)
        keys = moved(keys, places)
        y += 120
    assert keys == sorted(keys)
    picture.row(x, y, "sorted tile", [f"{key:02b}" for key in keys], [COLORS[key] for key in keys])
    tile_start = exclusive_scan([keys.count(b) for b in range(4)])
    picture.row(x, y + 40, "rank", [i - tile_start[key] for i, key in enumerate(keys)], [COLORS[key] for key in keys])
    return picture


def network():
    """The ascending bitonic network for eight keys, and the keys after each step."""
    keys = [5, 2, 6, 1, 4, 8, 3, 7]
    picture = Picture("Bitonic network", 760, 370)
    left, top, gap = 40, 40, 38
    steps = []
    for stage in (1, 2, 3):
        steps.append((f"mirror {1 << stage}", [(i, i ^ ((1 << stage) - 1)) for i in range(8)]))
        for distance in (1 << k for k in range(stage - 2, -1, -1)):
            steps.append((f"dist. {distance}", [(i, i ^ distance) for i in range(8)]))
    x = left
    ends = []
    for label, pairs in steps:
        for wire, key in enumerate(keys):
            picture.text(x, top + gap * wire + 5, key)
        pairs = [(a, b) for a, b in pairs if a < b]
        columns = []  # comparisons that overlap stand side by side
        for a, b in pairs:
            column = next((c for c in columns if all(b < low or a > high for low, high in c)), None)
            if column is None:
                column = []
                columns.append(column)
            column.append((a, b))
        begin = x + 18
        x = begin + 14 + 14 * len(columns)
        for number, column in enumerate(columns):
            for a, b in column:
                at = begin + 14 + 14 * number
                picture.line(at, top + gap * a, at, top + gap * b, "#1f6fb2", width=2)
                picture.dot(at, top + gap * a)
                picture.dot(at, top + gap * b)
        for wire in range(8):
            picture.parts.insert(0, f'<line x1="{begin - 4}" y1="{top + gap * wire}" x2="{x + 10}" y2="{top + gap * wire}" stroke="#bbb"/>')
        picture.text((begin + x) / 2, top - 18, label, size=12)
        for a, b in pairs:
            if keys[a] > keys[b]:
                keys[a], keys[b] = keys[b], keys[a]
        x += 24
        ends.append(x)
    for wire, key in enumerate(keys):
        picture.text(x, top + gap * wire + 5, key, weight="bold")
    assert keys == sorted(keys)
    for name, first, last in (("stage 1", left, ends[0]), ("stage 2", ends[0], ends[2]), ("stage 3", ends[2], ends[5])):
        picture.line(first, 338, last - 16, 338)
        picture.text((first + last) / 2 - 8, 358, name, size=13)
    picture.width = int(x + 30)
    return picture


def merge_cut():
    left, right, distance = [1, 4, 6, 8], [2, 3, 5, 7], 2
    cuts = [(i, sum(key < left[i] for key in right)) for i in range(0, 4, distance)]
    cuts += [(sum(key <= right[i] for key in left), i) for i in range(0, 4, distance)]
    cuts = sorted(cuts, key=sum) + [(4, 4)]
    picture = Picture("Two runs cut at splitters", 690, 300)
    x = 170
    piece_of = lambda side, i: max(p for p in range(len(cuts) - 1) if cuts[p][side] <= i)
    colors = [[COLORS[piece_of(side, i)] for i in range(4)] for side in (0, 1)]
    above = picture.row(x, 20, "left run", left, colors[0])
    below = picture.row(x + 300, 20, "right run", right, colors[1])
    for middles, run in ((above, left), (below, right)):
        for i in range(0, 4, distance):
            picture.text(middles[i], 72, "splitter", size=11, color="#1f6fb2")
    merged, places = sorted(left + right), {}
    for p in range(len(cuts) - 1):
        (a, b), (c, d) = cuts[p], cuts[p + 1]
        piece = left[a:c] + right[b:d]
        for key in piece:
            places[key] = (a + b + sorted(piece).index(key), p)
    out = [places[key][0] for key in merged]
    assert out == list(range(8))
    for middles, run in ((above, left), (below, right)):
        for i, key in enumerate(run):
            picture.line(middles[i], 80, x + CELL * places[key][0] + CELL / 2, 198, arrow=True)
    picture.row(x, 200, "merged", merged, [COLORS[places[key][1]] for key in merged])
    for p in range(len(cuts) - 1):
        members = [places[key][0] for key in merged if places[key][1] == p]
        picture.text(x + CELL * (members[0] + members[-1] + 1) / 2, 256, f"block {p}", size=12)
    picture.text(x + 4 * CELL, 285, "each color is a piece: a block merges it, independent of the others", size=13)
    return picture


def traffic():
    """Bytes per pair and pass, counted from the kernels; the small tables and the scan's sums left out."""
    scan = 4 + 4 + 4 + 4  # tiles: read, write; add: read, write
    versions = [  # name, bits per pass, (kernel, bytes)
        ("radix_v1", 1, [("digit", 8), ("count", 4), ("scan", scan), ("rank", 12), ("scatter", 8 + 16)]),
        ("radix_v2", 4, [("digit", 8), ("count", 4), ("rank", 8), ("scatter", 8 + 16)]),
        ("radix_v3", 4, [("digit", 8), ("sort + count", 8 + 16), ("rank", 8), ("scatter", 8 + 16)]),
        ("radix_v4", 4, [("digit", 8), ("sort + count", 8 + 16), ("rank", 8), ("scatter", 8 + 16)]),
        ("one kernel", 8, [("all", 16)]),
    ]
    colors = {"digit": "#ddd", "count": COLORS[0], "sort + count": COLORS[0], "scan": COLORS[3], "rank": COLORS[2], "scatter": COLORS[1], "all": COLORS[1]}
    picture = Picture("Bytes per pair and pass", 800, 300)
    scale = 6.0
    for number, (name, bits, kernels) in enumerate(versions):
        x, y = 120, 20 + number * 48
        picture.text(x - 12, y + 22, name, "end")
        for kernel, count in kernels:
            picture.box(x, y, "", colors[kernel], count * scale)
            picture.text(x + count * scale / 2, y + 15, kernel if count >= 8 else "", size=11)
            picture.text(x + count * scale / 2, y + 29, count, size=11)
            x += count * scale
        total = sum(count for _, count in kernels)
        passes = 32 // bits
        picture.text(x + 10, y + 15, f"{total} bytes per pass", "start", 13)
        picture.text(x + 10, y + 31, f"x {passes} passes = {total * passes}", "start", 13)
    picture.text(120, 285, "Pairs of 32-bit key and position; read + written in device memory. Tables and partial sums left out.", "start", 12)
    return picture


def main():
    stale = []
    for draw in (seq_pass, one_bit_split, scan_tree, digit_table, tile_split, network, merge_cut, traffic):
        path, text = os.path.join(HERE, draw.__name__ + ".svg"), draw().svg()
        try:
            with open(path, encoding="utf-8") as file:
                same = file.read() == text
        except OSError:
            same = False
        if same:
            continue
        stale.append(path)
        if "--check" not in sys.argv:
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
    if stale and "--check" in sys.argv:
        sys.exit("lab_pictures: not up to date: " + ", ".join(stale))


if __name__ == "__main__":
    main()
