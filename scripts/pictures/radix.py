"""Pictures of the first radix sorts: one bit per pass, a table of counts, a tile sorted by one-bit splits."""

from .arrays import exclusive_scan, moved, ranks
from .svg import CELL, COLORS, ROW, Picture


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
    rows = ("keys", keys), ("digit (bit 0)", digits), ("ones before", ones[:-1]), ("rank", rank)
    for number, (label, values) in enumerate(rows):
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
        colors = [COLORS[0] if i >= distance else "#fff" for i in range(8)]
        picture.row(x, y, f"+ the value {distance} to the left", values, colors)
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
