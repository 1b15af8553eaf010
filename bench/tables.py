# SPDX-License-Identifier: BSD-3-Clause
"""What scripts that print tables of measurements have in common."""
import json


def read(path):
    """The objects of a file with one a line; other lines are passed over."""
    return [json.loads(line) for line in path.read_text().splitlines() if line.startswith("{")]


def table(rows):
    """Markdown; the first row is the head."""
    widths = [max(len(row[c]) for row in rows) for c in range(len(rows[0]))]
    lines = ["| " + " | ".join(cell.ljust(width) for cell, width in zip(row, widths)) + " |" for row in rows]
    lines.insert(1, "| " + " | ".join("-" * width for width in widths) + " |")
    return "\n".join(lines)
