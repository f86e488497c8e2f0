#!/usr/bin/env python3
"""Writes samples/portrait.ppm and samples/template.ppm, the pictures of the README, for HW4 without OpenCV.

PNG (RFC 2083) as these files use it: 8-bit RGB without interlacing."""

import os
import struct
import zlib


def paeth(left, above, corner):
    """Whichever of the three is nearest to left + above - corner."""
    estimate = left + above - corner
    return min((left, above, corner), key=lambda value: abs(estimate - value))


def read_png(path):
    with open(path, "rb") as file:
        data = file.read()
    at, packed, size = 8, b"", (0, 0)
    while at < len(data):
        length, kind = struct.unpack(">I4s", data[at : at + 8])
        if kind == b"IHDR":
            size = struct.unpack(">II", data[at + 8 : at + 16])
        if kind == b"IDAT":
            packed += data[at + 8 : at + 8 + length]
        at += length + 12
    raw, stride = zlib.decompress(packed), 3 * size[0]
    rows, above = [], bytes(stride)
    for start in range(0, len(raw), stride + 1):
        method, row = raw[start], bytearray(raw[start + 1 : start + 1 + stride])
        for i in range(stride):
            left, corner = (row[i - 3], above[i - 3]) if i >= 3 else (0, 0)
            guess = (0, left, above[i], (left + above[i]) // 2, paeth(left, above[i], corner))[method]
            row[i] = (row[i] + guess) & 255
        rows.append(bytes(row))
        above = rows[-1]
    return size, b"".join(rows)


os.chdir(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
os.makedirs("samples", exist_ok=True)
for picture, sample in ("template", "template"), ("before", "portrait"):
    (width, height), pixels = read_png(f"report/images/{picture}.png")
    with open(f"samples/{sample}.ppm", "wb") as output:
        output.write(b"P6\n%d %d\n255\n" % (width, height) + pixels)
