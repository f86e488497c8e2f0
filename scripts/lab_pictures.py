#!/usr/bin/env python3
"""Draws labs/pictures/*.svg from the worked examples: the arrays in the pictures are computed here from
the keys, so that no picture can disagree with its algorithm.

  scripts/lab_pictures.py [--check]     --check: exit code 1 if a picture is not up to date
"""

import os
import sys

sys.dont_write_bytecode = True
from pictures import comparison, on_chip, radix  # noqa: E402  beside this file
from replace_file import replace_file  # noqa: E402

HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "labs", "pictures")
PICTURES = (
    radix.seq_pass,
    radix.one_bit_split,
    radix.scan_tree,
    radix.digit_table,
    radix.tile_split,
    on_chip.traffic,
    on_chip.look_back,
    on_chip.regions,
    on_chip.runs,
    on_chip.splitters,
    comparison.network,
    comparison.merge_cut,
    comparison.overlapping_tiles,
    comparison.parents_and_children,
)


def main():
    stale = []
    for draw in PICTURES:
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
            with replace_file(path) as file:
                file.write(text)
    if stale and "--check" in sys.argv:
        sys.exit("lab_pictures: not up to date: " + ", ".join(stale))


if __name__ == "__main__":
    main()
