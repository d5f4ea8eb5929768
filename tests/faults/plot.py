"""Small line charts as SVG, one under the other."""

import html

WIDTH, HEIGHT, LEFT, ROW = 640, 90, 56, 130
COLOURS = "#1f6feb", "#b35900", "#1a7f37"


def draw(series, title, unit="min"):
    """The SVG of charts: {chart: {line: [(x, y)]}}, where x is in this unit."""
    size = 40 + ROW * len(series)
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {size}" font-family="sans-serif" font-size="11">',
             f'<rect width="{WIDTH}" height="{size}" fill="#fff"/><text x="8" y="20" font-size="14">{html.escape(title)}</text>']
    for number, (name, lines) in enumerate(series.items()):
        parts += chart(name, lines, 40 + number * ROW, unit)
    return "\n".join([*parts, "</svg>", ""])


def chart(name, lines, top, unit):
    """One chart: a frame, its range, and its lines."""
    end = max(x for line in lines.values() for x, _ in line) or 1.0
    most = max(y for line in lines.values() for _, y in line) or 1.0
    across, bottom = WIDTH - LEFT - 12, top + HEIGHT
    yield f'<rect x="{LEFT}" y="{top}" width="{across}" height="{HEIGHT}" fill="none" stroke="#ccc"/>'
    yield f'<text x="{LEFT}" y="{top - 4}">{html.escape(name)}: {html.escape(", ".join(lines))}</text>'
    yield f'<text x="{LEFT - 4}" y="{top + 9}" text-anchor="end">{most:g}</text>' \
          f'<text x="{LEFT - 4}" y="{bottom}" text-anchor="end">0</text>' \
          f'<text x="{WIDTH - 12}" y="{bottom + 12}" text-anchor="end">{end:.1f} {unit}</text>'
    for colour, line in zip(COLOURS, lines.values()):
        points = " ".join(f"{LEFT + across * x / end:.1f},{bottom - HEIGHT * y / most:.1f}" for x, y in thin(line))
        yield f'<polyline points="{points}" fill="none" stroke="{colour}"/>'


def thin(line, most=300):
    """At most this many points."""
    step = len(line) // most + 1
    return line[::step]
