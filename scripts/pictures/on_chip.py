"""Pictures of radix sorts that keep their tiles on the chip: bytes moved per pass, and the look-back."""

from .arrays import moved
from .svg import CELL, COLORS, Picture


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
    colors = {"digit": "#ddd", "count": COLORS[0], "sort + count": COLORS[0], "scan": COLORS[3], "rank": COLORS[2]}
    colors |= {"scatter": COLORS[1], "all": COLORS[1]}
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
    note = "Pairs of 32-bit key and position; read + written in device memory. Tables and partial sums left out."
    picture.text(120, 285, note, "start", 12)
    return picture


def look_back_states(counts):
    """The published values of each tile, after its count and after each of its reads, one read per tile at a
    time: rows of (inclusive?, sums), and per row the (reader, read tile) pairs that led to it."""
    tiles = len(counts)
    state = [(tile == 0, count) for tile, count in enumerate(counts)]
    before, at = [[0] * len(counts[0]) for _ in counts], [tile - 1 for tile in range(tiles)]
    rows, reads = [state], [[]]
    while not all(inclusive for inclusive, _ in state):
        following, pairs = list(state), []
        for tile in range(1, tiles):
            if state[tile][0]:
                continue
            inclusive, sums = state[at[tile]]
            pairs.append((tile, at[tile]))
            before[tile] = [a + b for a, b in zip(before[tile], sums)]
            at[tile] -= 1
            if inclusive:
                following[tile] = (True, [a + b for a, b in zip(before[tile], counts[tile])])
        state = following
        rows.append(state)
        reads.append(pairs)
    return rows, reads, before


def look_back():
    """A pass over the lowest bit: the example of radix_v5's README, in tiles of two."""
    keys, tile, width, gap = [1, 3, 5, 2, 6, 4, 7, 1], 2, 2 * CELL, 60
    tiles = [keys[i : i + tile] for i in range(0, len(keys), tile)]
    counts = [[sum(1 for key in part if key & 1 == b) for b in (0, 1)] for part in tiles]
    rows, reads, before = look_back_states(counts)
    zeros = sum(count[0] for count in counts)
    picture = Picture("Look-back: what each tile publishes", 830, 590)
    left, places, lines = 190, [], []
    x_of = lambda number: left + number * (width + gap)
    picture.text(left - 20, 42, "keys", "end")
    for number, part in enumerate(tiles):
        x = x_of(number)
        picture.text(x + CELL, 14, f"tile {number}", size=13)
        for i, key in enumerate(part):
            picture.box(x + i * CELL, 20, key, COLORS[key & 1])
            digit = key & 1
            places.append(zeros * digit + before[number][digit] + sum(1 for k in part[:i] if k & 1 == digit))
    for row, (states, pairs) in enumerate(zip(rows, reads)):
        y = 90 + row * 96
        label = "counts [zeros, ones]" if row == 0 else f"read {row}"
        picture.text(left - 20, y + 22, label, "end", 13)
        for number, (inclusive, sums) in enumerate(states):
            picture.box(x_of(number), y, "", COLORS[2] if inclusive else "#fff", width, 38)
            picture.text(x_of(number) + CELL, y + 16, "inclusive" if inclusive else "partial", size=12)
            picture.text(x_of(number) + CELL, y + 32, sums, size=13)
        for reader, read in pairs:
            lines.append((x_of(reader) + CELL - 14, y, x_of(read) + CELL + 20, y - 56))
    for line in lines:
        picture.line(*line, color="#1f6fb2", arrow=True)
    y = 90 + len(rows) * 96 - 38
    picture.text(left - 20, y + 14, "before the tile", "end", 13)
    for number, sums in enumerate(before):
        picture.text(x_of(number) + CELL, y + 14, sums, size=13)
    out = moved(keys, places)
    assert out == sorted(keys, key=lambda key: key & 1)
    for number, part in enumerate(tiles):
        for i in range(len(part)):
            begin, end = x_of(number) + i * CELL, 285 + places[number * tile + i] * CELL
            picture.line(begin + CELL / 2, y + 24, end + CELL / 2, y + 106, arrow=True)
    picture.row(285, y + 108, "output", out, [COLORS[key & 1] for key in out])
    picture.text(285 + 8.3 * CELL, y + 130, f"{zeros} zeros: ones from {zeros}", "start", 13)
    note = "A blue arrow: whose counts a tile reads and adds to its own. It stops at an inclusive one: "
    picture.text(60, y + 170, note + "tile 3 never reads tile 0.", "start", 13)
    picture.height = y + 184
    return picture


def regions():
    """Keys to regions, and a block for each: the example of radix_v7's README. Two of four bits are the bucket."""
    tiles, capacity = [[9, 3, 14, 2], [8, 1, 11, 7]], 3
    held = [[] for _ in range(4)]
    for tile in tiles:
        for key in tile:
            held[key >> 2].append(key)
    assert max(map(len, held)) <= capacity
    before = [sum(map(len, held[:b])) for b in range(4)]
    out = [key for region in held for key in sorted(region)]
    assert out == sorted(sum(tiles, []))
    picture = Picture("Keys in regions of their buckets", 830, 330)
    left, gap = 150, 14
    tile_x = lambda t, i: left + 60 + t * (4 * CELL + 80) + i * CELL
    region_x = lambda b, i: left + b * (capacity * CELL + gap) + i * CELL
    out_x = lambda i: left + 90 + i * CELL
    picture.text(left - 20, 46, "keys", "end")
    picture.text(left - 20, 146, "regions", "end")
    picture.text(left - 20, 256, "output", "end")
    for b, region in enumerate(held):
        for i in range(capacity):
            taken = i < len(region)
            picture.box(region_x(b, i), 124, region[i] if taken else "", COLORS[b] if taken else "#e4e4e4")
        picture.text(region_x(b, 0), 176, f"{len(region)} keys, {before[b]} before", "start", 13)
        for i, key in enumerate(sorted(region)):
            picture.box(out_x(before[b] + i), 234, key, COLORS[b])
        picture.line(region_x(b, 1), 184, out_x(before[b] + len(region) / 2), 232, arrow=True)
    for t, tile in enumerate(tiles):
        picture.text(tile_x(t, 2), 18, f"tile {t}", size=13)
        for i, key in enumerate(tile):
            picture.box(tile_x(t, i), 24, key, COLORS[key >> 2])
            b = key >> 2
            picture.line(tile_x(t, i) + CELL / 2, 58, region_x(b, held[b].index(key)) + CELL / 2, 122, arrow=True)
    note = "Any free place of its region will do: a block sorts the region, and knows how many keys are before it."
    picture.text(40, 306, note, "start", 13)
    return picture


def runs():
    """Sorted tiles and gathered runs: the example of radix_v8's README. The upper two of four bits are the bucket."""
    tiles = [[(13, "a"), (5, "b"), (9, "c"), (6, "d")], [(2, "e"), (4, "f"), (12, "g"), (8, "h")]]
    bucket = lambda pair: pair[0] >> 2
    in_order = [sorted(tile, key=bucket) for tile in tiles]  # stable, as the kernel
    first = [[sum(bucket(pair) < b for pair in tile) for b in range(4)] for tile in tiles]
    starts = [sum(column) for column in zip(*first)]
    out = [pair for b in range(4) for pair in sorted(p for tile in in_order for p in tile if bucket(p) == b)]
    assert out == sorted(pair for tile in tiles for pair in tile)
    picture = Picture("Sorted tiles and gathered runs", 830, 384)
    left, wide, gap = 190, 56, 60
    x_of = lambda tile, i: left + tile * (4 * wide + gap) + i * wide
    text = lambda pair: f"{pair[0]} {pair[1]}"

    def row(y, label, parts):
        picture.text(left - 20, y + 22, label, "end")
        for t, part in enumerate(parts):
            for i, pair in enumerate(part):
                picture.box(x_of(t, i), y, text(pair), COLORS[bucket(pair)], wide)

    row(24, "pairs", tiles)
    for t in range(2):
        picture.text(x_of(t, 2), 16, f"tile {t}", size=13)
    row(112, "sorted by bucket", in_order)
    for t, tile in enumerate(tiles):
        for i, pair in enumerate(tile):
            begin, end = x_of(t, i) + wide / 2, x_of(t, in_order[t].index(pair)) + wide / 2
            picture.line(begin, 58, end, 110, arrow=True)
        picture.text(x_of(t, 2), 166, f"runs begin at {first[t]}", size=13)
    picture.text(left - 20, 166, "table", "end", 13)
    x_out = left + gap / 2
    for i, pair in enumerate(out):
        picture.box(x_out + i * wide, 264, text(pair), COLORS[bucket(pair)], wide)
        t = next(t for t in range(2) if pair in in_order[t])
        if bucket(pair) == 1:
            picture.line(x_of(t, in_order[t].index(pair)) + wide / 2, 174, x_out + (i + 0.5) * wide, 262, arrow=True)
    picture.text(left - 20, 286, "output", "end")
    for b, start in enumerate(starts):
        terms = " + ".join(str(column[b]) for column in first)
        picture.text(x_out + start * wide, 318, f"{terms} = {start}", "start", 13)
    picture.text(left - 20, 318, "bucket begins at", "end", 13)
    note = "Bucket 1: its block reads 5 b, 6 d and 4 f, in the order of the tiles, sorts them and writes them."
    picture.text(left - 100, 356, note, "start", 13)
    return picture


def splitters():
    """Buckets by digits and by splitters, for uneven keys: the example of radix_v9's README."""
    keys = [1, 2, 3, 5, 33, 6, 2, 1, 4, 8, 9, 12, 40, 36, 7, 60]
    sample = sorted(keys[1::2])
    split = sample[2::2]
    by_digit = [[key for key in keys if key >> 4 == b] for b in range(4)]
    by_split = [[key for key in keys if sum(s <= key for s in split) == b] for b in range(4)]
    assert sum(map(len, by_split)) == len(keys) and max(map(len, by_split)) < max(map(len, by_digit))
    picture = Picture("Buckets by digits and by splitters", 830, 330)
    left = 170

    def buckets(y, label, parts, names):
        picture.text(left - 20, y + 22, label, "end")
        x = left
        for b, part in enumerate(parts):
            picture.text(x, y - 8, names[b], "start", 13)
            for key in part:
                picture.box(x, y, key, COLORS[b], 34)
                x += 34
            x += max(16, 70 - 34 * len(part))

    picture.text(left - 20, 42, "keys", "end")
    for i, key in enumerate(keys):
        picture.box(left + i * 34, 20, key, "#fff" if i % 2 == 0 else "#ddd", 34)
    picture.text(left - 20, 102, "sample, in order", "end")
    for i, key in enumerate(sample):
        picture.box(left + i * 34, 80, key, "#fbd9b5" if key in split and i % 2 == 0 and i > 0 else "#ddd", 34)
    picture.text(left + 9 * 34, 102, f"every second one is a splitter: {split}", "start", 13)
    buckets(170, "by two upper bits", by_digit, [f"{16 * b} .. {16 * b + 15}" for b in range(4)])
    edges = [0] + split + [64]
    buckets(250, "by splitters", by_split, [f"{edges[b]} .. {edges[b + 1] - 1}" for b in range(4)])
    picture.text(left, 316, "A block has to hold the largest bucket.", "start", 13)
    return picture
