# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A report as an SVG: for each workload a bar from the best peer to us, on a scale of
powers of 2; to the right we are faster. A tick on the bar's line is the floor."""
import html
import math

ROW, LEFT, SCALE, RIGHT = 18, 190, 120, 70
LOWEST, HIGHEST = -3, 2  # powers of 2
AHEAD, BEHIND, INK, GRID = "#2a7f62", "#b5472f", "#222222", "#dddddd"


def place(ratio):
    """The x of a ratio; what is off the scale lies at its end."""
    power = min(max(math.log2(ratio), LOWEST), HIGHEST)
    return LEFT + (power - LOWEST) * SCALE


def text(x, y, content, anchor="start"):
    return (f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" fill="{INK}">'
            f'{html.escape(content)}</text>')


def line(x, top, bottom, colour, width=1):
    return (f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{top:.1f}" y2="{bottom:.1f}" '
            f'stroke="{colour}" stroke-width="{width}"/>')


def bar(row, y):
    parts = [text(LEFT - 8, y + 13, row["name"], "end")]
    if row["failure"] or row["ratio"] is None:
        return parts + [text(place(1) + 4, y + 13, "failed" if row["failure"] else "no peer")]
    begin, end = sorted((place(1), place(row["ratio"])))
    colour = AHEAD if row["ratio"] >= 1 else BEHIND
    parts.append(f'<rect x="{begin:.1f}" y="{y + 3}" width="{max(end - begin, 1):.1f}" '
                 f'height="{ROW - 6}" fill="{colour}"/>')
    peer = row["results"][row["best_peer"]]["ms"]
    if row["floor_ms"]:
        parts.append(line(place(peer / row["floor_ms"]), y + 2, y + ROW - 2, INK, 2))
    parts.append(text(place(2**HIGHEST) + 8, y + 13, f"{row['ratio']:.2f} {row['best_peer']}"))
    return parts


def svg_of(report):
    rows = report["workloads"]
    width, height = place(2**HIGHEST) + RIGHT + 30, 60 + ROW * len(rows)
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height}" '
             'font-family="sans-serif" font-size="12">',
             f'<rect width="{width:.0f}" height="{height}" fill="white"/>',
             text(8, 18, f"The best peer's time over fusec's: {report['machine']['cpu']}, "
                         f"{report['machine']['threads']} threads (black: the floor)")]
    for power in range(LOWEST, HIGHEST + 1):
        x = LEFT + (power - LOWEST) * SCALE
        parts += [line(x, 44, height - 10, INK if power == 0 else GRID),
                  text(x, 38, f"{2.0**power:g}", "middle")]
    for number, row in enumerate(rows):
        parts += bar(row, 48 + ROW * number)
    return "\n".join(parts + ["</svg>"]) + "\n"
