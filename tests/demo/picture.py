# SPDX-License-Identifier: GPL-2.0
"""Draws runs of the demo beside each other, as SVG: one row of bars for each
group, one bar for each run, and a line where the bar should end."""

from xml.sax.saxutils import escape

WIDTH, LEFT, RIGHT = 760, 160, 70
BAR, GAP, ROW_GAP, TOP = 14, 3, 16, 66
# Ours first; told apart also where colours are not.
COLOURS = ("#1b6ca8", "#9bb8cc", "#c9c9c9", "#e0cfa9", "#d8b4b4")
LABELS = {"ours": "bfq, this module", "bfq": "bfq of the kernel"}


def text(x, y, words, anchor="start", size=13, fill="#222"):
    return (f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="{size}" '
            f'fill="{fill}">{escape(words)}</text>')


def rect(x, y, width, height, fill):
    return f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height}" fill="{fill}"/>'


def legend(runs):
    x = 10
    for n, run in enumerate(runs):
        label = LABELS.get(run["scheduler"], run["scheduler"])
        label += f", {run['kiops']:.1f} kIOPS"
        yield rect(x, 36, BAR, BAR, COLOURS[n % len(COLOURS)])
        yield text(x + BAR + 5, 48, label)
        x += BAR + 20 + 6.9 * len(label)
    yield f'<line x1="{x:.1f}" y1="34" x2="{x:.1f}" y2="52" stroke="#c0392b" stroke-width="2"/>'
    yield text(x + 6, 48, "share due")


def rows(runs):
    groups = runs[0]["groups"]
    largest = max(max(g["expected_pct"], g["measured_pct"]) for r in runs for g in r["groups"])
    scale = (WIDTH - LEFT - RIGHT) / largest
    y = TOP
    for n, group in enumerate(groups):
        height = len(runs) * (BAR + GAP) - GAP
        yield text(LEFT - 10, y + height / 2 + 5, f"{group['group']}, weight {group['weights']}", "end")
        for m, run in enumerate(runs):
            pct = run["groups"][n]["measured_pct"]
            yield rect(LEFT, y, scale * pct, BAR, COLOURS[m % len(COLOURS)])
            yield text(LEFT + scale * max(pct, group["expected_pct"]) + 6, y + 11,
                       f"{pct:.1f} %", size=11, fill="#555")
            y += BAR + GAP
        due = LEFT + scale * group["expected_pct"]
        yield (f'<line x1="{due:.1f}" y1="{y - GAP - height - 3:.1f}" x2="{due:.1f}" '
               f'y2="{y - GAP + 3:.1f}" stroke="#c0392b" stroke-width="2"/>')
        y += ROW_GAP


def draw(runs):
    """Return the picture of runs (as --json writes them) with the same groups."""
    height = TOP + len(runs[0]["groups"]) * (len(runs) * (BAR + GAP) - GAP + ROW_GAP)
    title = f"Shares of a device in per cent, Linux {runs[0]['kernel']}"
    head = (f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}" '
            f'viewBox="0 0 {WIDTH} {height}" font-family="sans-serif">')
    return "\n".join((head, rect(0, 0, WIDTH, height, "#fff"), text(LEFT, 22, title, size=15),
                      *legend(runs), *rows(runs), "</svg>", ""))
