# Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Predicted against measured times as a picture: SVG, both axes logarithmic, a name on each point."""

import math
from html import escape

COLORS = {"memory": "#0072b2", "compute": "#d55e00", "small": "#009e73"}
SIZE, MARGIN = 640, 60


def draw(path, title, points):
    """`points`: (name, kind, predicted ms, measured ms)."""
    values = [value for point in points for value in point[2:]]
    low, high = math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)))
    place = lambda ms: (math.log10(ms) - low) / (high - low) * SIZE
    x = lambda ms: MARGIN + place(ms)
    y = lambda ms: MARGIN + SIZE - place(ms)
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {SIZE + 2 * MARGIN} {SIZE + 2 * MARGIN}" '
           'font-family="sans-serif" font-size="12">',
           f'<rect width="100%" height="100%" fill="white"/><text x="{MARGIN}" y="30" font-size="16">{escape(title)}</text>']
    for decade in range(low, high + 1):
        at = 10.0 ** decade
        out.append(f'<path d="M{x(at):.1f} {MARGIN}V{MARGIN + SIZE}M{MARGIN} {y(at):.1f}H{MARGIN + SIZE}" stroke="#ddd"/>'
                   f'<text x="{x(at):.1f}" y="{MARGIN + SIZE + 18}" text-anchor="middle">{at:g}</text>'
                   f'<text x="{MARGIN - 6}" y="{y(at) + 4:.1f}" text-anchor="end">{at:g}</text>')
    for factor, dash in ((1, ""), (1.5, "4"), (1 / 1.5, "4")):
        start, end = 10.0 ** low * max(1, 1 / factor), 10.0 ** high * min(1, 1 / factor)
        out.append(f'<path d="M{x(start):.1f} {y(start * factor):.1f}L{x(end):.1f} {y(end * factor):.1f}" stroke="#888" '
                   f'stroke-dasharray="{dash}"/>')
    for name, kind, predicted, measured in points:
        out.append(f'<circle cx="{x(predicted):.1f}" cy="{y(measured):.1f}" r="5" fill="{COLORS[kind]}" fill-opacity="0.7">'
                   f'<title>{escape(name)}: predicted {predicted:.4f} ms, measured {measured:.4f} ms</title></circle>')
    for i, (kind, color) in enumerate(COLORS.items()):
        out.append(f'<circle cx="{MARGIN + 16}" cy="{MARGIN + 18 + 18 * i}" r="5" fill="{color}"/>'
                   f'<text x="{MARGIN + 28}" y="{MARGIN + 22 + 18 * i}">{kind}</text>')
    out.append(f'<text x="{MARGIN + SIZE / 2}" y="{2 * MARGIN + SIZE - 12}" text-anchor="middle">predicted, ms</text>'
               f'<text transform="rotate(-90)" x="{-MARGIN - SIZE / 2}" y="16" text-anchor="middle">measured, ms</text></svg>')
    with open(path, "w") as file:
        file.write("\n".join(out) + "\n")
