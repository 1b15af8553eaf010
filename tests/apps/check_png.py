#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Decodes a PNG of red, green and blue bytes with zlib's inflate and compares it with a file of its pixels.

check_png.py IMAGE.png PIXELS.rgb WIDTH HEIGHT ends with 0 where they are the same.
"""

import struct
import sys
import zlib


def chunks(data):
    if data[:8] != b"\x89PNG\r\n\x1a\n":
        sys.exit("no signature of a PNG")
    at = 8
    while at < len(data):
        size, kind = struct.unpack(">I4s", data[at:at + 8])
        body = data[at + 8:at + 8 + size]
        (crc,) = struct.unpack(">I", data[at + 8 + size:at + 12 + size])
        if crc != zlib.crc32(kind + body):
            sys.exit(f"checksum of {kind} is wrong")
        yield kind, body
        at += 12 + size


def pixels(rows, width, height):
    """Filters 0 (none) and 2 (up)."""
    above, result = bytes(3 * width), b""
    for y in range(height):
        line = rows[y * (3 * width + 1):(y + 1) * (3 * width + 1)]
        if line[0] not in (0, 2):
            sys.exit(f"filter {line[0]} is not expected")
        above = bytes((a + b) % 256 for a, b in zip(line[1:], above)) if line[0] == 2 else line[1:]
        result += above
    return result


def main():
    image, raw, width, height = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
    with open(image, "rb") as file:
        found = list(chunks(file.read()))
    if [kind for kind, _ in found] != [b"IHDR", b"IDAT", b"IEND"]:
        sys.exit(f"chunks are {[kind for kind, _ in found]}")
    if found[0][1] != struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0):
        sys.exit("the header is not that of an image of this size")
    rows = zlib.decompress(found[1][1])
    if len(rows) != height * (3 * width + 1):
        sys.exit(f"{len(rows)} bytes of rows")
    with open(raw, "rb") as file:
        if pixels(rows, width, height) != file.read():
            sys.exit("pixels differ")


if __name__ == "__main__":
    main()
