#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Draws the plane of |vorticity| that example_taylor_green --slice writes, as a PNG.

    taylor_green_picture.py slice.txt slice.png [pixels a point]
"""

import struct
import sys
import zlib

# From calm to strong: dark blue, teal, yellow, white.
COLOURS = [(13, 17, 56), (24, 78, 119), (34, 139, 134), (237, 201, 72), (255, 255, 245)]


def colour(share):
    at = min(max(share, 0.0), 1.0) * (len(COLOURS) - 1)
    low = min(int(at), len(COLOURS) - 2)
    return bytes(round(a + (b - a) * (at - low)) for a, b in zip(COLOURS[low], COLOURS[low + 1]))


def chunk(kind, data):
    return (struct.pack(">I", len(data)) + kind + data
            + struct.pack(">I", zlib.crc32(kind + data)))


def main():
    source, target = sys.argv[1:3]
    scale = int(sys.argv[3]) if len(sys.argv) > 3 else 8
    with open(source, encoding="ascii") as file:
        rows = [[float(word) for word in line.split()] for line in file]
    most = max(map(max, rows))
    pixels = bytearray()
    for row in rows:
        line = b"".join(colour(value / most) * scale for value in row)
        pixels += (b"\0" + line) * scale
    width, height = scale * len(rows[0]), scale * len(rows)
    with open(target, "wb") as file:
        file.write(b"\x89PNG\r\n\x1a\n")
        file.write(chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)))
        file.write(chunk(b"IDAT", zlib.compress(bytes(pixels), 9)))
        file.write(chunk(b"IEND", b""))
    print(f"{target}: {width} x {height}, brightest |w| = {most:.4g}")


if __name__ == "__main__":
    main()
