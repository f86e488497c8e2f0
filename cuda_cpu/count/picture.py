#!/usr/bin/env python3
"""Draws a usual warp of a line of source, lanes x addresses, from what a COUNT build has counted (README.md).

picture.py FILE.json LINE FILE.svg    LINE: as in the file's "line": student_func.cu:84
"""
import html
import json
import os
import re
import sys

LANES, SECTOR, WORD, BANKS = 32, 32, 4, 32
CELL, LEFT, TOP, GAP = 6, 46, 62, 4  # pixels
FRAME, FILL, CONFLICT = '#999', '#2b6cb0', '#c53030'


def rectangle(x, y, width, height, fill, stroke='none'):
    return f'<rect x="{x}" y="{y}" width="{width}" height="{height}" fill="{fill}" stroke="{stroke}"/>'


def label(x, y, text, size=12, anchor='start'):
    return f'<text x="{x}" y="{y}" font-size="{size}" text-anchor="{anchor}" fill="#222">{html.escape(text)}</text>'


def words(example, size):
    """(lane, address) of each word."""
    firsts = zip(example['lanes'], example['addresses'])
    return [(lane, at) for lane, first in firsts for at in range(first, first + size, WORD)]


def global_grid(example, size):
    """(width of a box, their x, cells as (x, lane, width, colour)). A box is a sector that the warp touches."""
    boxes, x, before = {}, LEFT, None
    for sector in sorted({at // SECTOR for _, at in words(example, size)}):
        x += GAP if before is not None and sector != before + 1 else 0
        boxes[sector], before = x, sector
        x += SECTOR // WORD * CELL
    cells = [(boxes[at // SECTOR] + at % SECTOR // WORD * CELL, lane, CELL, FILL) for lane, at in words(example, size)]
    return SECTOR // WORD * CELL, list(boxes.values()), cells


def shared_grid(example, size):
    """For shared memory, where a box is a bank."""
    in_bank, wide, cells = [set() for _ in range(BANKS)], 2 * CELL, []
    for _, at in words(example, size):
        in_bank[at // WORD % BANKS].add(at)
    for lane, at in words(example, size):
        bank = at // WORD % BANKS
        colour = CONFLICT if len(in_bank[bank]) > max(1, size // WORD) else FILL
        cells.append((LEFT + bank * wide, lane, wide, colour))
    return wide, [LEFT + bank * wide for bank in range(BANKS)], cells


KINDS = {
    'sectors': (global_grid, 'boxes: sectors of 32 bytes, in the order of addresses; others are left out'),
    'wavefronts': (shared_grid, 'boxes: banks 0 to 31 of shared memory; red: words of one bank take turns'),
}


def draw(kernel, line):
    unit = 'sectors' if 'sectors' in line else 'wavefronts'
    grid, axis, example = *KINDS[unit], line['example']
    wide, boxes, cells = grid(example, line['bytes'])
    bottom, title = TOP + LANES * CELL, f'{kernel}: {line["access"]}'
    width = max(boxes[-1] + wide, 600) + 10
    cost, lanes = (line[what] / line['requests'] for what in (unit, 'lanes'))
    what = (f'a usual warp; on average {cost:.3g} {unit} for {lanes:.3g} lanes, '
            f'from {example["least"]} to {example["most"]}')
    parts = [label(LEFT, 20, title, 13), label(LEFT, 40, what)]
    parts += [rectangle(x, TOP, wide, LANES * CELL, '#f4f4f4', FRAME) for x in boxes]
    parts += [label(LEFT - 5, TOP + lane * CELL + CELL + 1, name, 9, 'end')
              for lane, name in ((0, 'lane 0'), (8, '8'), (16, '16'), (24, '24'), (31, '31'))]
    parts += [rectangle(x, TOP + lane * CELL, cell, CELL, fill) for x, lane, cell, fill in cells]
    parts.append(label(LEFT, bottom + 16, axis, 11))
    height = bottom + 28
    return ('<svg xmlns="http://www.w3.org/2000/svg" '
            f'viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
            f'font-family="Helvetica, Arial, sans-serif" role="img"><title>{html.escape(title)}</title>\n'
            + '\n'.join([rectangle(0, 0, width, height, '#fff'), *parts]) + '\n</svg>\n')


def main(counts, place, path):
    with open(counts, encoding='utf-8') as file:
        kernels = json.load(file)['kernels']
    found = [((line.get('sectors', 0) + 4 * line.get('wavefronts', 0)) / line['requests'], kernel['kernel'], line)
             for kernel in kernels for line in kernel['lines'] if re.search(rf'\b{re.escape(place)}\b', line['line'])]
    if not found:
        sys.exit(f'picture: no kernel accesses memory at {place}')
    _, kernel, line = max(found, key=lambda each: each[0])
    os.makedirs(os.path.dirname(path) or '.', exist_ok=True)
    with open(path, 'w', encoding='utf-8') as file:
        file.write(draw(kernel, line))
    print(f'\n{path}')


if __name__ == '__main__':
    main(*sys.argv[1:4])
