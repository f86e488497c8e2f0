"""Pictures of the comparison sorts: the bitonic network, runs cut at splitters, overlapping tiles, and a time
line of kernels that launch kernels."""

from .svg import CELL, COLORS, GRAY, ROW, Picture


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
            y = top + gap * wire
            picture.parts.insert(0, f'<line x1="{begin - 4}" y1="{y}" x2="{x + 10}" y2="{y}" stroke="#bbb"/>')
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


def odd_even_step(keys, step, first=0):
    """One step of odd-even transposition sort; keys[0] has the index `first` in the array."""
    keys = list(keys)
    for i in range((step + first) % 2, len(keys) - 1, 2):
        if keys[i] > keys[i + 1]:
            keys[i], keys[i + 1] = keys[i + 1], keys[i]
    return keys


def partner(i, step, n):
    """With which element i is compared in a step; with none at the array's end: i."""
    other = i + 1 if (i - step) % 2 == 0 else i - 1
    return other if 0 <= other < n else i


def overlapping_tiles():
    """Two steps per launch: three blocks, each with a core of four elements."""
    keys, core, steps, n = list(range(12, 0, -1)), 4, 2, 12
    array = [keys]
    for step in range(steps):
        array.append(odd_even_step(array[-1], step))
    picture = Picture("Odd-even sort: tiles that overlap", 880, 0)
    x, y = 150, 20
    picture.row(x, y, "array", keys)
    y += ROW + 22
    result = []
    for block in range(n // core):
        begin, end = block * core, (block + 1) * core
        low, high = max(begin - steps, 0), min(end + steps, n)
        tile = keys[low:high]
        color = COLORS[block % len(COLORS)]
        known = set(range(low, high))
        for done in range(steps + 1):
            if done > 0:
                tile = odd_even_step(tile, done - 1, low)
                known = {i for i in known if partner(i, done - 1, n) in known}
            colors = [color if begin <= i < end else "#fff" if i in known else GRAY for i in range(low, high)]
            assert all(tile[i - low] == array[done][i] for i in known)
            label = f"block {block} fetches" if done == 0 else f"after step {done - 1}"
            labels = [key if i in known else f"({key})" for i, key in zip(range(low, high), tile)]
            picture.row(x + low * CELL, y, "", labels, colors)
            picture.text(x - 12, y + ROW / 2 + 5, label, "end", 13)
            y += ROW
        result += tile[begin - low : end - low]
        y += 14
    assert result == array[-1]
    y += 4
    picture.row(x, y, "written back", result, [COLORS[i // core % len(COLORS)] for i in range(n)])
    y += ROW + 24
    note = "Gray: wrong, because its partner is not in the tile. "
    picture.text(x, y, note + "Two steps spoil at most two elements at an edge, here one.", "start", 13)
    picture.text(x, y + 20, "Only the core, in color, is written back.", "start", 13)
    picture.height = y + 34
    return picture


def merge_levels(keys):
    """[(width, the merged run of each pair)] of a merge sort from the bottom."""
    levels, width = [], 1
    while width < len(keys):
        pairs = [sorted(keys[i : i + 2 * width]) for i in range(0, len(keys), 2 * width)]
        levels.append((width, pairs))
        keys, width = sum(pairs, []), 2 * width
    assert keys == sorted(keys)
    return levels


def parents_and_children():
    """The example of merge_bottomup's README with childFrom = 2."""
    keys, child_from = [5, 2, 7, 1, 6, 3, 4], 2
    levels = merge_levels(keys)
    picture = Picture("Parent and child kernels on a time line", 900, 380)
    left, lane, top = 130, 44, 30
    lanes = ["host", "parent, thread 0", "thread 1", "thread 2", "thread 3", "children", ""]
    y_of = lambda number: top + number * lane
    for number, name in enumerate(lanes):
        picture.text(left - 10, y_of(number) + 22, name, "end", 13)
    width_of = lambda run: 22 * len(run) + 14
    x = left + 70
    for number, (width, pairs) in enumerate(levels):
        color, begin = COLORS[number], x
        picture.box(left + 62 * number, y_of(0), f"width {width}", color, 60, 30)
        picture.line(left + 62 * number + 30, y_of(0) + 30, begin + 6, y_of(1) - 2, "#1f6fb2", True)
        if width < child_from:
            for pair, run in enumerate(pairs):
                picture.box(x, y_of(1 + pair), " ".join(map(str, run)), color, width_of(run), 30)
            end = x + max(map(width_of, pairs))
        else:
            end = x
            for pair, run in enumerate(pairs):
                picture.box(x, y_of(1 + pair), "launch", color, 54, 30)
                picture.line(x + 54, y_of(1 + pair) + 26, x + 88, y_of(5 + pair) + 12, "#1f6fb2", True)
                for i, key in enumerate(run):
                    picture.box(x + 90 + 24 * i, y_of(5 + pair), key, color, 24, 30)
                end = max(end, x + 90 + 24 * len(run))
        bottom = y_of(len(lanes)) + 4
        picture.line(begin, bottom, end, bottom, "#555", width=3)
        picture.text((begin + end) / 2, bottom + 18, f"grid of width {width}", size=13)
        if width >= child_from:
            picture.text((begin + end) / 2, bottom + 34, "ends with its children", size=12)
        x = end + 26
    y = y_of(len(lanes)) + 64
    picture.text(left, y, "Time runs to the right, not to scale. A box: the run that one thread merges.", "start", 13)
    note = "A row of small boxes: a child grid; each thread finds the place of one element."
    picture.text(left, y + 20, note, "start", 13)
    picture.width, picture.height = int(x + 20), y + 34
    return picture
